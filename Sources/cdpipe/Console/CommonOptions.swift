// The options that all filters share.

import ArgumentParser
import Records

/// When to show progress.
enum ProgressChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, always, never

  // Explicit, because the parser's default looks up the names of all cases at run time, at each start of a filter.
  static var allValueStrings: [String] { allCases.map(\.rawValue) }
  static var allValueDescriptions: [String: String] { [:] }
  var defaultValueDescription: String { rawValue }
}

/// A limit on rejects: a count, or a percentage of the rows read.
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

/// The options that all filters share.
struct CommonOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write every reject to FILE, one per line: stage, position, reason, text.", valueName: "file"),
    completion: .file())
  var rejects: String?

  @Option(help: ArgumentHelp("Fail if more rows than this are rejected.", valueName: "n|p%"))
  var maxRejects: RejectLimit?

  @Flag(help: "Fail at the first reject.")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Show progress on standard error: if it is a terminal, always, or never.", valueName: "when"))
  var progress: ProgressChoice = .auto

  @OptionGroup var colours: ColourOptions

  @Flag(name: [.customShort("q"), .long], help: "Print errors only.")
  var quiet = false

  var policy: RejectPolicy {
    RejectPolicy(isStrict: strict, limit: maxRejects?.limit, path: rejects)
  }
}

/// The inputs and the output of a filter.
struct InputOutputOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The files to read, in order (default: '-', standard input).", valueName: "file"),
    completion: .file())
  var files: [String] = []

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Write to FILE, which is replaced when the output is complete.", valueName: "file"),
    completion: .file())
  var output = "-"
}
