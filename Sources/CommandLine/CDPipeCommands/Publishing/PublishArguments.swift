// What a pipeline file can say under `publish`, and of a source's rows. There are no commands with these options; they are
// read like options all the same, so that mistakes look alike.

import ArgumentParser
import PipeRunner
import Publishing

/// A percentage, 0% to any: twice as many is a change of 100%.
struct Percentage: ExpressibleByArgument, Equatable {
  let percent: Double

  init?(argument: String) {
    guard argument.hasSuffix("%"), let percent = Double(argument.dropLast()), percent >= 0,
      percent.isFinite
    else { return nil }
    self.percent = percent
  }
}

/// The keys of `publish`.
struct PublishArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The folder of the versions.", valueName: "dir"))
  var directory: String

  @Option(help: ArgumentHelp("Keep so many versions.", valueName: "n"))
  var keep = 7

  @Option(help: ArgumentHelp("Remove versions that are older.", valueName: "days"))
  var keepDays: Int?

  @Option(help: ArgumentHelp("Make deltas from so many of the last versions.", valueName: "n"))
  var deltas = 1

  @Option(help: ArgumentHelp("Refuse a version with fewer single numbers.", valueName: "n"))
  var minEntries: UInt64?

  @Option(help: ArgumentHelp("Refuse a version that lacks or adds more of the numbers.", valueName: "p%"))
  var maxChange: Percentage?

  @Option(help: ArgumentHelp("Refuse a version of which more rows were rejected.", valueName: "n|p%"))
  var maxRejects: RejectLimit?

  func validate() throws {
    if directory.isEmpty || directory == "-" {
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
  @Option(help: ArgumentHelp("Refuse the source with fewer usable rows.", valueName: "n"))
  var minRows: UInt64?

  @Option(help: ArgumentHelp("Refuse the source when more of its rows are rejected.", valueName: "p%"))
  var maxRejects: Percentage?

  @Option(help: ArgumentHelp("Refuse the source when its rows became more or fewer.", valueName: "p%"))
  var maxChange: Percentage?

  var checks: SourceChecks {
    var checks = SourceChecks()
    checks.minRows = minRows
    checks.maxRejectsPercent = maxRejects?.percent
    checks.maxChangePercent = maxChange?.percent
    return checks
  }
}
