// What a pipeline file can say under `publish`, and of a source's rows. There are no commands with these options; they are
// read like options all the same, so that mistakes look alike.

import ArgumentParser
import PipeRunner
import PipelineFile
import Publishing

/// A percentage, 0% to any: twice as many is a change of 100%.
struct Percentage: Equatable {
  let percent: Double

  /// Reads one as it is typed, with its sign: without it nobody could tell a share from a count.
  @Sendable static func typed(_ text: String) throws -> Percentage {
    guard text.hasSuffix("%"), let percent = Double(text.dropLast()), percent >= 0, percent.isFinite else {
      throw ValidationError("a percentage is wanted, such as 20%")
    }
    return Percentage(percent: percent)
  }
}

/// A count of rows or numbers.
private enum Count {
  @Sendable static func typed(_ text: String) throws -> UInt64 {
    guard let count = UInt64(text) else { throw ValidationError("a count is wanted, such as 1000") }
    return count
  }
}

extension RejectLimit {
  @Sendable fileprivate static func typed(_ text: String) throws -> RejectLimit {
    guard let limit = RejectLimit(argument: text) else {
      throw ValidationError("a count or a percentage up to 100% is wanted, such as 500 or 5%")
    }
    return limit
  }
}

/// The keys of `publish`.
struct PublishArguments: ParsableArguments {
  static let keys: [String: KeyTraits] = ["directory": .path]

  @Option(help: ArgumentHelp("The folder of the versions.", valueName: "dir"))
  var directory = ""

  @Option(help: ArgumentHelp("Keep so many versions.", valueName: "n"))
  var keep = 7

  @Option(help: ArgumentHelp("Remove versions that are older.", valueName: "days"))
  var keepDays: Int?

  @Option(help: ArgumentHelp("Make deltas from so many of the last versions.", valueName: "n"))
  var deltas = 1

  @Option(
    help: ArgumentHelp("Refuse a version with fewer single numbers.", valueName: "n"), transform: Count.typed)
  var minEntries: UInt64?

  @Option(
    help: ArgumentHelp("Refuse a version that lacks or adds more of the numbers.", valueName: "p%"),
    transform: Percentage.typed)
  var maxChange: Percentage?

  @Option(
    help: ArgumentHelp("Refuse a version of which more rows were rejected.", valueName: "n|p%"),
    transform: RejectLimit.typed)
  var maxRejects: RejectLimit?

  func validate() throws {
    if directory.isEmpty {
      throw ValidationError("'publish' needs 'directory', the folder of the versions")
    }
    if directory == "-" {
      throw ValidationError("--directory takes the name of a folder")
    }
    guard (1...PublishOptions.keepMax).contains(keep) else {
      throw ValidationError("--keep takes 1 to \(PublishOptions.keepMax)")
    }
    guard (0...PublishOptions.deltasMax).contains(deltas) else {
      throw ValidationError("--deltas takes 0 to \(PublishOptions.deltasMax)")
    }
    if let keepDays, !(1...36_500).contains(keepDays) {
      throw ValidationError("--keep-days takes 1 to 36500")
    }
  }

  var options: PublishOptions {
    var options = PublishOptions(directory: directory)
    options.keep = keep
    options.keepDays = keepDays
    options.deltas = deltas
    options.minEntries = minEntries
    options.maxChangePercent = maxChange?.percent
    return options
  }
}

/// The keys of what a source's rows must be like.
struct SourceCheckArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("Refuse the source with fewer usable rows.", valueName: "n"), transform: Count.typed)
  var minRows: UInt64?

  @Option(
    help: ArgumentHelp("Refuse the source when more of its rows are rejected.", valueName: "p%"),
    transform: Percentage.typed)
  var maxRejects: Percentage?

  @Option(
    help: ArgumentHelp("Refuse the source when its rows became more or fewer.", valueName: "p%"),
    transform: Percentage.typed)
  var maxChange: Percentage?

  var checks: SourceChecks {
    var checks = SourceChecks()
    checks.minRows = minRows
    checks.maxRejectsPercent = maxRejects?.percent
    checks.maxChangePercent = maxChange?.percent
    return checks
  }
}
