// Publishing in sentences.

import EmitStage
import PipeRunner
import PipeStage
import Publishing
import RunReport
import SystemIO

enum PublishMessages {
  /// So many digits of a version's id tell it from any other that there is.
  private static let digits = 12

  static func short(_ id: String) -> String { String(id.prefix(digits)) }

  // MARK: What was done

  static func line(_ outcome: PublishOutcome, folder: String) -> String {
    switch outcome {
    case .published(let version, let entries, let before):
      "cdpipe run: published version \(short(version)) in '\(folder)', \(Figures.grouped(entries)) numbers"
        + (before.map { ", after \(short($0))" } ?? ", the first one")
    case .repaired(let version, let entries):
      "cdpipe run: version \(short(version)) in '\(folder)', which was damaged, is replaced by a whole one, "
        + "\(Figures.grouped(entries)) numbers"
    case .unchanged(let version):
      "cdpipe run: the result is version \(short(version)), which is current: nothing published"
    case .withdrawn(let version, let current):
      "cdpipe run: the result is version \(short(version)), which was rolled back: nothing published, "
        + "\(short(current)) stays current"
    }
  }

  static func nothingNew(_ outcome: PublishOutcome, folder: String) -> String {
    switch outcome {
    case .withdrawn(_, let current):
      "cdpipe run: nothing has changed since a version that was rolled back: nothing published, "
        + "\(short(current)) stays current"
    case .published(let version, _, _), .unchanged(let version), .repaired(let version, _):
      "cdpipe run: nothing has changed: version \(short(version)) in '\(folder)' stays current"
    }
  }

  static func lastGood(_ source: String, good: Int64, now: Int64) -> String {
    "cdpipe run: source '\(source)': what was good last is used, \(RunReport.SourceError.age(now - good)) old (\(WallClock.text(Double(good))))"
  }

  static func badCopy(_ source: String) -> String {
    "cdpipe run: source '\(source)': the stored copy of what was good last is not what it was, and is not used"
  }

  static func leftOut(_ source: String) -> String {
    "cdpipe run: source '\(source)' is left out: it is not required"
  }

  static func unsound(_ version: String, _ defect: VersionError) -> String {
    "cdpipe run: version \(short(version)) is damaged, and no deltas lead from it: \(words(defect))"
  }

  static func damaged(_ version: String, _ defect: VersionError) -> String {
    "cdpipe run: version \(short(version)), which is current, is damaged, and is made anew: \(words(defect))"
  }

  /// What is current when a run failed before anything could be published.
  static func stays(_ folder: PublishedFolder) -> String {
    "cdpipe run: nothing published: "
      + (folder.currentVersion.map { "version \(short($0)) in '\(folder.directory)' stays current" }
        ?? "there is no version in '\(folder.directory)' yet")
  }

  static func rolledBack(_ from: String, _ to: String) -> String {
    from == to
      ? "cdpipe rollback: version \(short(to)) is current already"
      : "cdpipe rollback: version \(short(to)) is current, in place of \(short(from))"
  }

  static func line(_ version: PublishedVersion) -> String {
    var text = "\(version.id)\t\(WallClock.text(Double(version.published)))\t\(version.entries)"
    if version.isCurrent { text += "\tcurrent" } else if version.isWithdrawn { text += "\trolled back" }
    return text
  }

  // MARK: Why not

  static func sentence(_ failure: PublishError) -> UserMessage {
    switch failure {
    case .locked(let directory, let holder):
      UserMessage(
        "'\(directory)' is locked by "
          + (holder.map { "process \($0.process) on \($0.host), since \($0.since)" } ?? "another run"),
        hint: "try again when that is done; a lock ends with its process")
    case .notOurs(let path):
      UserMessage(
        "'\(path)' is not a link that publishing made",
        hint: "publish in a folder of its own, or move it away")
    case .noManifest(let failure):
      UserMessage(
        "the outputs are no version: \(ManifestMessages.sentence(failure).message)",
        hint: "one output must be shards in the version's own folder: format: store, and no path")
    case .notSound(let defect):
      UserMessage(
        "what was written does not verify: \(words(defect))",
        hint: "the disk or the memory is at fault; what was current is still")
    case .tooFewEntries(let count, let least):
      UserMessage(
        "the result has fewer numbers than min-entries: \(Figures.grouped(count)) of \(Figures.grouped(least)); nothing published",
        hint: kept)
    case .changedTooMuch(let gone, let new, let before, let limit):
      UserMessage(
        "of \(Figures.grouped(before)) numbers \(Figures.grouped(gone)) are gone, and \(Figures.grouped(new)) are new, "
          + "more than max-change (\(Figures.plain(limit))%): nothing published",
        hint: "\(kept); --set publish.max-change=100% lets it pass once")
    case .notDurable(let version, let cause):
      UserMessage(
        "version \(short(version)) is current, but might not be after a crash of the system: "
          + ErrorMessages.sentence(StageError(nil, cause)).message, hint: "the next run puts that right")
    case .nothingPublished(let directory):
      UserMessage(
        "nothing is published in '\(directory)'",
        hint: "cdpipe run publishes, with a pipeline file's 'publish'")
    case .nothingBefore(let version):
      UserMessage(
        "there is no version before \(short(version)) to go back to", hint: "--list shows what there is")
    case .noSuchVersion(let text, let matches):
      UserMessage(
        matches == 0 ? "no version begins with '\(text)'" : "\(matches) versions begin with '\(text)'",
        hint: "--list shows them all")
    case .damagedCurrent(let version, let defect):
      UserMessage(
        "version \(short(version)), which is current, is damaged, and the sources bring another one: nothing published; "
          + words(defect), hint: "cdpipe rollback makes another version current")
    case .tooManyRejects(let count, let all, let limit):
      switch limit {
      case .count(let most):
        UserMessage(
          "more than \(Figures.grouped(most)) rows were rejected (publish.max-rejects): nothing published",
          hint: "\(kept); --set publish.max-rejects=100% lets it pass once")
      case .percent(let most):
        UserMessage(
          "\(Figures.grouped(count)) of \(Figures.grouped(all)) rows were rejected, more than publish.max-rejects "
            + "(\(Figures.plain(most))%): nothing published",
          hint: "\(kept); --set publish.max-rejects=100% lets it pass once")
      }
    case .damagedVersion(let version, let defect):
      UserMessage("version \(short(version)) is damaged: \(words(defect))", hint: kept)
    }
  }

  static func sentence(_ failure: SourceCheckError) -> UserMessage {
    switch failure {
    case .tooFewRows(let source, let count, let least):
      UserMessage(
        "source '\(source)': \(Figures.grouped(count)) usable rows are fewer than min-rows (\(Figures.grouped(least)))",
        hint: once(source, "min-rows", "0"))
    case .tooManyRejects(let source, let count, let rows, let limit):
      UserMessage(
        "source '\(source)': \(Figures.grouped(count)) of \(Figures.grouped(rows)) rows were rejected, "
          + "more than max-rejects (\(Figures.plain(limit))%)", hint: once(source, "max-rejects", "100%"))
    case .changedTooMuch(let source, let count, let before, let limit):
      UserMessage(
        "source '\(source)': \(Figures.grouped(count)) usable rows where there were \(Figures.grouped(before)), "
          + "a change beyond max-change (\(Figures.plain(limit))%)",
        hint: once(source, "max-change", "\(percent(from: before, to: count))%"))
    }
  }

  /// How a source's limit is put aside for one run.
  private static func once(_ source: String, _ key: String, _ value: String) -> String {
    // A name with a dot leads elsewhere.
    let name = source.contains(".") ? "NUMBER" : source
    return "--set \(PipeText.quoted("sources.\(name).\(key)=\(value)")) lets it pass once"
  }

  /// The change from one count to another, in whole percent of the first, or somewhat more.
  private static func percent(from before: UInt64, to count: UInt64) -> UInt64 {
    let difference = before > count ? before - count : count - before
    return UInt64(exactly: (Double(difference) * 100 / Double(max(1, before))).rounded(.up)) ?? 100
  }

  private static let kept = "what was current is still"

  private static func words(_ defect: VersionError) -> String {
    switch defect {
    case .shards(let defect): words(defect)
    case .otherContent: "its files are not all as they were published"
    case .unreadable(let failure): SystemMessages.sentence(failure).message
    }
  }

  private static func words(_ defect: ShardDirectoryError) -> String {
    switch defect {
    case .manifest(let failure): ManifestMessages.sentence(failure).message
    case .store(let error, let path): StoreMessages.sentence(error, path).message
    case .delta(let error, let path): DeltaMessages.sentence(error, path).message
    case .otherStore(let path): "'\(path)' is another store than the manifest names"
    case .unreadable(let failure): SystemMessages.sentence(failure).message
    }
  }
}
