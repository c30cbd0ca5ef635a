// The options that every filter has.

import ArgumentParser
import PipeStage

/// When progress is shown.
enum ProgressChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, always, never

  // Written out: the parser's own way asks for every case's name at run time, at each start of a filter.
  static var allValueStrings: [String] { allCases.map(\.rawValue) }
  static var allValueDescriptions: [String: String] { [:] }
  var defaultValueDescription: String { rawValue }
}

/// A limit on rejects: a number, or a percentage of what came in.
struct RejectLimit: ExpressibleByArgument, Equatable {
  let limit: RejectPolicy.Limit

  init?(argument: String) {
    if argument.hasSuffix("%") {
      guard let percent = Double(argument.dropLast()), percent >= 0, percent <= 100 else { return nil }
      limit = .percent(percent)
    } else {
      guard let count = UInt64(argument) else { return nil }
      limit = .count(count)
    }
  }
}

/// The options that every filter has.
struct CommonOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write every reject to FILE, one a line: stage, place, reason, text.", valueName: "file"))
  var rejects: String?

  @Option(help: ArgumentHelp("Fail when more rows than this are rejected.", valueName: "n|p%"))
  var maxRejects: RejectLimit?

  @Flag(help: "Fail at the first reject.")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Show progress on standard error: when it is a terminal, always, or never.", valueName: "when"))
  var progress: ProgressChoice = .auto

  @Flag(name: [.customShort("q"), .long], help: "Say nothing but errors.")
  var quiet = false

  var policy: RejectPolicy {
    RejectPolicy(isStrict: strict, limit: maxRejects?.limit, path: rejects)
  }
}

/// The inputs and the output of a filter.
struct InputOutputOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp("Files to read in order; standard input without any, or for '-'.", valueName: "file"))
  var files: [String] = []

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced once all is written.", valueName: "file"))
  var output = "-"
}
