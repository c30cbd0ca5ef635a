// What publishing, refreshing and rolling back did, as lines.

package import Records
import StoreWriting
import SystemIO

/// Formats the results of publishing.
package enum PublishMessages {
  /// The number of digits of a version's id in messages: enough to distinguish versions.
  private static let digits = 12

  /// Shortens a version's id.
  static func short(_ id: String) -> String { String(id.prefix(digits)) }

  private static func numbers(_ count: UInt64) -> String { Figures.counted(count, "number") }

  // MARK: Publishing

  /// The result of a run that wrote a version.
  package static func line(_ outcome: PublishOutcome, folder: String) -> String {
    switch outcome {
    case .published(let version, let entries, let before, let changes):
      "published version \(short(version)) in '\(folder)': \(numbers(entries))"
        + (changes.map { " (\(text($0)))" } ?? "")
        + ", "
        + (before.map { "replaces \(short($0))" } ?? "first version")
    case .repaired(let version, let entries):
      "repaired the damaged version \(short(version)) in '\(folder)': \(numbers(entries))"
    case .signed(let version):
      "the result equals the current version \(short(version)), which is now signed"
    case .unchanged(let version):
      "the result equals the current version \(short(version)); nothing published"
    case .withdrawn(let version, let current):
      "the result equals version \(short(version)), which was rolled back; nothing published, "
        + "the current version is still \(short(current))"
    }
  }

  /// The difference from the previous version: `+350, −12, 40 relabelled`.
  private static func text(_ changes: NumberChanges) -> String {
    "+\(Figures.grouped(changes.added)), −\(Figures.grouped(changes.removed)), "
      + "\(Figures.grouped(changes.relabelled)) relabelled"
  }

  /// The result of a run whose sources have not changed.
  package static func nothingNew(_ outcome: PublishOutcome, folder: String) -> String {
    switch outcome {
    case .withdrawn(_, let current):
      "no changes since a version that was rolled back; nothing published, "
        + "the current version is still \(short(current))"
    case .published(let version, _, _, _), .unchanged(let version), .repaired(let version, _),
      .signed(let version):
      "nothing has changed; the current version in '\(folder)' is still \(short(version))"
    }
  }

  /// What is current after a run failed before it could publish.
  package static func nothingPublished(_ folder: PublishedFolder) -> String {
    "nothing published; "
      + (folder.currentVersion.map { "the current version in '\(folder.directory)' is still \(short($0))" }
        ?? "'\(folder.directory)' is still empty")
  }

  /// A version is damaged, and no deltas can start from it.
  package static func damagedBaseline(_ version: String, _ error: VersionError) -> String {
    "version \(short(version)) is damaged, so no deltas start from it: \(error.text)"
  }

  /// The current version is damaged, and is written again.
  package static func damagedCurrent(_ version: String, _ error: VersionError) -> String {
    if case .unsigned = error {
      return "the current version \(short(version)) is written again: \(error.text)"
    }
    return "the current version \(short(version)) is damaged and is written again: \(error.text)"
  }

  // MARK: Sources

  /// A source is read from its last good copy.
  package static func usesLastGood(_ source: String, good: Int64, now: Int64) -> String {
    "source '\(source)': using the last good copy, \(RunReport.SourceError.age(now - good)) old "
      + "(\(WallClock.text(Double(good))))"
  }

  /// The last good copy of a source is damaged.
  package static func damagedCopy(_ source: String) -> String {
    "source '\(source)': the last good copy is damaged and is not used"
  }

  /// A source is left out. `path` is its file, if it has a single one.
  package static func leftOut(_ source: String, path: String?) -> String {
    "source '\(source)'\(path.map { " (\(InputName.quoted($0)))" } ?? "") is left out: it is not required"
  }

  /// A source can't be read when a pipeline file is checked, and a run would do without it.
  package static func unusedSource(_ error: UserMessage, hasCopy: Bool) -> UserMessage {
    let result = hasCopy ? "the last good copy would be used" : "the source would be left out"
    return UserMessage("\(error.message); \(result)", hint: error.hint)
  }

  // MARK: Rolling back

  /// The result of a rollback.
  package static func rolledBack(_ from: String, _ to: String, isSigned: Bool) -> String {
    from == to
      ? "version \(short(to)) is already current" + (isSigned ? "; it is signed again" : "")
      : "version \(short(to)) is now current; it replaces \(short(from))"
  }
}
