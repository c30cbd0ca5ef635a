// The history of a published folder: the versions that exist, and what happened.
//
//     let history = try VersionHistory(of: PublishedFolder("public"))
//     history.versions.last?.changes
//
// Nothing is locked or written: while a run publishes, the history is the one before or after. Not for: recording what
// happens (PublishState), or checking the files of a version (PublishedFolder.check).

package import StoreWriting
package import CallManifest
import Hashing
package import SystemIO
import SystemPackage

/// An existing version of a published folder.
package struct PublishedVersion: Equatable, Sendable {
  /// The version's id.
  package var id: String
  /// When it was published, in seconds since 1970.
  package var published: Int64
  /// The count of single numbers.
  package var numbers: UInt64
  /// The count of single numbers for blocking and for identification; nil if the manifest can't be read.
  package var kinds: KindCounts?
  /// The size of all files; nil if one of them is inaccessible.
  package var bytes: UInt64?
  /// The version that it replaced. Nil for the first version, and if unknown.
  package var replaced: String?
  /// The single numbers that differ from the version that it replaced. Nil for the first version, and if unknown, such
  /// as for versions that 0.1.0 published.
  package var changes: NumberChanges?
  /// Whether it is the current version.
  package var isCurrent: Bool
  /// Whether it was rolled back: the same content is not published again by itself.
  package var isWithdrawn: Bool
  /// Until when its signature is valid, in seconds since 1970; nil if it is not signed. The signature was not checked
  /// with a key.
  package var signedUntil: Int64?
  /// Whether its manifest is missing or unusable. Other damage is found by checking every byte.
  package var isDamaged: Bool
}

/// The versions of a published folder, and what happened to it.
package struct VersionHistory: Equatable, Sendable {
  /// The versions that exist, oldest first: in the order in which they were published, whatever the clock said.
  package private(set) var versions: [PublishedVersion] = []
  /// What happened, oldest first; at most 1,000 events, also of versions that were removed since.
  package let events: [PublishEvent]
  /// The version that is current; nil if there is none.
  package let current: String?
  /// The destination of `current`, if that is not a version that exists.
  package let danglingLink: String?
  /// Whether the folder's state is damaged: times and order of the versions are those of their folders, and nothing is
  /// known about rollbacks.
  package let hasDamagedState: Bool

  /// An event, with what is true of its version now.
  package struct ListedEvent: Equatable, Sendable {
    /// The event.
    package var event: PublishEvent
    /// Whether it is the one that made the current version current, or wrote it last.
    package var isCurrent: Bool
    /// Whether the version still exists.
    package var isKept: Bool
  }

  /// The last events, newest first.
  package func latest(_ count: Int) -> [ListedEvent] {
    let kept = Set(versions.map(\.id))
    let place = events.lastIndex { !$0.kind.isCounted && $0.version == current }
    return events.indices.suffix(count).reversed().map { index in
      ListedEvent(
        event: events[index], isCurrent: index == place, isKept: kept.contains(events[index].version))
    }
  }

  /// What is wrong with the folder, as far as the history shows it; nil if nothing is.
  package func defect(of folder: PublishedFolder) -> PublishError? {
    if let danglingLink { return .danglingCurrent(path: folder.current, destination: danglingLink) }
    if hasDamagedState { return .damagedState(path: folder.state) }
    return versions.last { $0.isDamaged }.map { .noVersionManifest(path: folder.version($0.id)) }
  }

  /// Reads the history of a folder. An empty or missing `versions` folder is a history without versions.
  ///
  /// Throws if the folder or its state can't be read.
  ///
  /// - Complexity: O(files of all versions), whose sizes are looked up; no store is read. If the state is lost, also
  ///   O(records of the deltas).
  package init(of folder: PublishedFolder, calls: any SystemCalls = KernelCalls()) throws(SystemError) {
    let calls: any SystemCalls = try folder.confine(calls)
    // A run that publishes meanwhile writes the state before it removes versions.
    for _ in 1..<Self.attemptsMax {
      let state = FileSignature(of: folder.state, calls: calls)
      let history = try VersionHistory(reading: folder, calls)
      if FileSignature(of: folder.state, calls: calls) == state {
        self = history
        return
      }
    }
    try self.init(reading: folder, calls)
  }

  /// The maximum number of attempts to read a folder in which others publish.
  private static let attemptsMax = 5

  private init(reading folder: PublishedFolder, _ calls: any SystemCalls) throws(SystemError) {
    let known = try PublishState.read(folder.state, calls: calls)
    hasDamagedState = known == nil ? try Self.isReadable(folder.state, calls) : false
    let current = try folder.currentVersion(calls: calls)
    self.current = current
    danglingLink = current == nil ? try SymbolicLink.read(folder.current, calls: calls) : nil
    let ids =
      try SymbolicLink.isPresent(folder.versions, calls: calls) ? try folder.ids(calls: calls) : []
    var state = known ?? PublishState()
    state.fit(folder, ids: ids, current: current, isKnown: known != nil, calls: calls)
    events = state.events
    var published: [String: PublishEvent] = [:]
    for event in events where event.kind == .published { published[event.version] = event }
    versions = state.history.map { entry in
      Self.version(entry, published[entry.id], in: folder, isCurrent: entry.id == current, calls)
    }
  }

  /// Whether a file exists. Throws if it does and can't be opened.
  private static func isReadable(_ path: String, _ calls: any SystemCalls) throws(SystemError) -> Bool {
    guard try SymbolicLink.isPresent(path, calls: calls) else { return false }
    _ = try InputFile.bytes(of: path, limit: 0, calls: calls)
    return true
  }

  private static func version(
    _ entry: PublishState.HistoryEntry, _ event: PublishEvent?, in folder: PublishedFolder, isCurrent: Bool,
    _ calls: any SystemCalls
  ) -> PublishedVersion {
    let path = folder.version(entry.id)
    let manifest = "\(path)/\(Manifest.fileName)"
    let kinds = event?.kinds ?? (try? Manifest(path: manifest, calls: calls))?.entries
    return PublishedVersion(
      id: entry.id, published: entry.published, numbers: entry.entries, kinds: kinds,
      bytes: try? folder.bytes(of: path, calls: calls), replaced: event?.replaced, changes: event?.changes,
      isCurrent: isCurrent, isWithdrawn: entry.isWithdrawn, signedUntil: signedUntil(path, calls),
      isDamaged: kinds == nil || !Directory.holdsFile(manifest, calls: calls))
  }

  /// Until when the signature in a version's folder is valid; nil if there is none, or it is for another manifest.
  private static func signedUntil(_ version: String, _ calls: any SystemCalls) -> Int64? {
    let path = "\(version)/\(ManifestSignature.fileName)"
    guard Directory.holdsFile(path, calls: calls),
      let bytes = try? InputFile.bytes(of: path, limit: ManifestSignature.bytesMax, calls: calls),
      let statement = (try? SignatureFile(bytes))?.statement,
      let manifest = try? Manifest.bytes(of: "\(version)/\(Manifest.fileName)", calls)
    else { return nil }
    var hasher = SHA256Hasher()
    hasher.update(manifest.span)
    return hasher.digest == statement.manifestHash ? statement.expires : nil
  }
}
