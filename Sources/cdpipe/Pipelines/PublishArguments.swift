// The keys of `publish` and of a source's checks in a pipeline file. No command has these options; they are parsed like
// options so that error messages are alike.

import ArgumentParser
import Runner

/// A count of rows or numbers.
private enum Count {
  @Sendable static func typed(_ text: String) throws -> UInt64 {
    guard let count = UInt64(text) else { throw ValidationError("expected a count, such as 1000") }
    return count
  }
}

/// A number of seconds.
private enum Seconds {
  private static let max = 86_400.0

  @Sendable static func typed(_ text: String) throws -> Double {
    guard let seconds = Double(text), seconds > 0, seconds <= max else {
      throw ValidationError("expected a number of seconds above 0, at most 86400, such as 600")
    }
    return seconds
  }
}

extension RejectLimit {
  @Sendable fileprivate static func typed(_ text: String) throws -> RejectLimit {
    guard let limit = RejectLimit(argument: text) else {
      throw ValidationError("expected a count or a percentage up to 100%, such as 500 or 5%")
    }
    return limit
  }
}

/// The keys of `publish`.
struct PublishArguments: ParsableArguments {
  static let keys: [String: KeyTraits] = SigningArguments.keys.merging(["directory": .path]) { own, _ in own }

  @Option(help: ArgumentHelp("The folder for the versions.", valueName: "dir"))
  var directory = ""

  @Option(help: ArgumentHelp("Keep the last N versions.", valueName: "n"))
  var keep = 7

  @Option(help: ArgumentHelp("Remove versions older than N days.", valueName: "days"))
  var keepDays: Int?

  @Option(help: ArgumentHelp("Write deltas from the last N versions.", valueName: "n"))
  var deltas = 1

  @Option(
    help: ArgumentHelp("Reject a version with fewer than N numbers.", valueName: "n"), transform: Count.typed)
  var minEntries: UInt64?

  @Option(
    help: ArgumentHelp("Reject a version that removes or adds more than P% of the numbers.", valueName: "p%"),
    transform: Percentage.typed)
  var maxChange: Percentage?

  @Option(
    help: ArgumentHelp(
      "Reject a version if more than N rows, or P% of them, were rejected.", valueName: "n|p%"),
    transform: RejectLimit.typed)
  var maxRejects: RejectLimit?

  @OptionGroup var signing: SigningArguments

  func validate() throws {
    if directory.isEmpty {
      throw ValidationError("'publish' needs 'directory', the folder for the versions")
    }
    if directory == "-" {
      throw ValidationError("--directory must be the path of a folder")
    }
    guard (1...PublishOptions.keepMax).contains(keep) else {
      throw ValidationError("--keep must be 1 to \(PublishOptions.keepMax)")
    }
    guard (0...PublishOptions.deltasMax).contains(deltas) else {
      throw ValidationError("--deltas must be 0 to \(PublishOptions.deltasMax)")
    }
    if let keepDays, !(1...36_500).contains(keepDays) {
      throw ValidationError("--keep-days must be 1 to 36500")
    }
  }

  var options: PublishOptions {
    var options = PublishOptions(directory: directory)
    options.keep = keep
    options.keepDays = keepDays
    options.deltas = deltas
    options.minEntries = minEntries
    options.maxChangePercent = maxChange?.percent
    signing.apply(to: &options)
    return options
  }
}

/// The keys of a source's checks.
struct SourceCheckArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("Reject the source if it has fewer than N usable rows.", valueName: "n"),
    transform: Count.typed)
  var minRows: UInt64?

  @Option(
    help: ArgumentHelp("Reject the source if it has more than N rows.", valueName: "n"),
    transform: Count.typed)
  var maxRows: UInt64?

  @Option(
    help: ArgumentHelp(
      "Reject the source if its records have more than N phone numbers together.", valueName: "n"),
    transform: Count.typed)
  var maxNumbers: UInt64?

  @Option(
    help: ArgumentHelp(
      "Reject the source if more than N of its ranges contain the same number.", valueName: "n"),
    transform: Count.typed)
  var maxOverlaps: UInt64?

  @Option(
    help: ArgumentHelp("Reject the source if more than P% of its rows are rejected.", valueName: "p%"),
    transform: Percentage.typed)
  var maxRejects: Percentage?

  @Option(
    help: ArgumentHelp(
      "Reject the source if it is a named pipe that does not end within N seconds.", valueName: "seconds"),
    transform: Seconds.typed)
  var pipeTimeout: Double?

  @Option(
    help: ArgumentHelp(
      "Reject the source if its number of usable rows changes by more than P%.", valueName: "p%"),
    transform: Percentage.typed)
  var maxChange: Percentage?

  var checks: SourceChecks {
    var checks = SourceChecks()
    checks.minRows = minRows
    checks.maxRows = maxRows
    checks.maxNumbers = maxNumbers
    checks.maxOverlaps = maxOverlaps
    checks.pipeSeconds = pipeTimeout
    checks.maxRejectsPercent = maxRejects?.percent
    checks.maxChangePercent = maxChange?.percent
    return checks
  }
}
