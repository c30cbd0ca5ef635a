// What happened to a published folder: the events that its state remembers.
//
// Runs that published nothing are counted, not listed: a folder whose list never changes keeps one event. Not for: the
// versions that exist (VersionHistory), or runs that failed, which change nothing in the folder.

package import StoreWriting
package import CallManifest

/// Something that happened to a published folder.
package struct PublishEvent: Codable, Equatable, Sendable {
  /// What happened.
  package enum EventKind: String, Codable, Sendable {
    /// A new version became current.
    case published
    /// The current version was damaged, and its files were written again.
    case repaired
    /// The current version was written again, because none of the keys had signed it.
    case signed
    /// An earlier version became current again, or a later one.
    case rolledBack
    /// Runs resulted in the current version; nothing was published.
    case unchanged
    /// Runs resulted in a version that was rolled back; nothing was published.
    case withdrawn

    /// Whether runs of this kind in a row are one event.
    var isCounted: Bool { self == .unchanged || self == .withdrawn }
  }

  /// What happened.
  package var kind: EventKind
  /// The version that became current, was written again, or resulted from the runs.
  package var version: String
  /// When it happened, in seconds since 1970. The clock may have been set back between two events.
  package var time: Int64
  /// The version that was current before. Nil if there was none, or if it is unknown.
  package var replaced: String?
  /// The count of single numbers; nil for runs that published nothing.
  package var numbers: UInt64?
  /// The count of single numbers for blocking and for identification; nil if unknown.
  package var kinds: KindCounts?
  /// The size of all files of the version; nil if unknown.
  package var bytes: UInt64?
  /// The single numbers in which a published version differs from the one that it replaced. Nil for the first version,
  /// and if unknown.
  package var changes: NumberChanges?
  /// The number of runs in a row that published nothing; nil for other events.
  package var runs: UInt64?
  /// When the last of these runs was, in seconds since 1970.
  package var lastTime: Int64?

  init(_ kind: EventKind, _ version: String, at seconds: Int64) {
    self.kind = kind
    self.version = version
    time = seconds
    if kind.isCounted { (runs, lastTime) = (1, seconds) }
  }
}
