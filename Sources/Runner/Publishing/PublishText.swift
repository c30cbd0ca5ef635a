// What publishing, refreshing and rolling back did, as lines.

import RecordStages
package import Records
import StoreWriting
import SystemIO

package enum PublishText {
  /// The number of digits of a version's id in messages: enough to distinguish versions.
  private static let digits = 12

  static func short(_ id: String) -> String { String(id.prefix(digits)) }

  private static func numbers(_ count: UInt64) -> String { Figures.counted(count, "number") }

  // MARK: Publishing

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

  package static func damagedBaseline(_ version: String, _ problem: VersionProblem) -> String {
    "version \(short(version)) is damaged, so no deltas start from it: \(problem.text)"
  }

  package static func damagedCurrent(_ version: String, _ problem: VersionProblem) -> String {
    if problem == .unsigned {
      return "the current version \(short(version)) is written again: \(problem.text)"
    }
    return "the current version \(short(version)) is damaged and is written again: \(problem.text)"
  }

  // MARK: Sources

  package static func usesLastGood(_ source: String, good: Int64, now: Int64) -> String {
    "source '\(source)': using the last good copy, \(RunReport.SourceError.age(now - good)) old "
      + "(\(WallClock.text(Double(good))))"
  }

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

  package static func rolledBack(_ from: String, _ to: String, isSigned: Bool) -> String {
    from == to
      ? "version \(short(to)) is already current" + (isSigned ? "; it is signed again" : "")
      : "version \(short(to)) is now current; it replaces \(short(from))"
  }
}

// MARK: - Checks whether a result is plausible

/// Checks a result before it is published.
struct ResultGuards {
  private let options: PublishOptions
  private let calls: any SystemCalls

  init(_ options: PublishOptions, calls: any SystemCalls) {
    self.options = options
    self.calls = calls
  }

  func check(_ staged: VersionContent, against current: String) throws(Failure) {
    try checkCount(staged)
    guard let limit = options.maxChangePercent else { return }
    try check(try VersionChange(from: current, to: staged.path, calls: calls), limit)
  }

  /// Checks a version against only the count of the current version's numbers; 0 if there is none. Different numbers
  /// are not detected if the counts are similar.
  func check(_ staged: VersionContent, againstCount before: UInt64) throws(Failure) {
    try checkCount(staged)
    guard let limit = options.maxChangePercent else { return }
    try check(VersionChange(before: before, after: staged.entries), limit)
  }

  private func checkCount(_ staged: VersionContent) throws(Failure) {
    if let minimum = options.minEntries, staged.entries < minimum {
      throw .tooFewEntries(staged.entries, minimum: minimum)
    }
  }

  private func check(_ change: VersionChange, _ limit: Double) throws(Failure) {
    guard change.before > 0 else { return }
    let most = Double(change.before) * limit / 100
    if Double(change.gone) > most || Double(change.new) > most {
      throw .changedTooMuch(gone: change.gone, new: change.new, of: change.before, limit: limit)
    }
  }
}

/// The single numbers in which two versions differ. Labels are ignored.
struct VersionChange: Equatable {
  var before: UInt64 = 0
  /// The count of numbers that only the old version has.
  var gone: UInt64 = 0
  /// The count of numbers that only the new version has.
  var new: UInt64 = 0

  init(before: UInt64, after: UInt64) {
    self.before = before
    gone = before - min(before, after)
    new = after - min(before, after)
  }

  /// Compares the shards of two folders.
  init(from old: String, to new: String, calls: any SystemCalls) throws(Failure) {
    before = try ShardFolder(old, calls: calls).entries
    let context = StageContext(meter: StageMeter(.diff), rejects: try RejectLog(), calls: calls)
    var difference = try ListDifference(old: old, new: new, allFields: false, context)
    var counts = ChangeCounts()
    try difference.walk { (change) throws(Failure) in
      counts.add(change.kind, change.last - change.first + 1)
    }
    (gone, self.new) = (counts.removed, counts.added)
  }
}
