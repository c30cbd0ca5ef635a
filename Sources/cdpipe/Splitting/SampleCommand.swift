// `cdpipe sample`

import ArgumentParser
import Records
import RecordStages
import SystemIO

struct SampleCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample", abstract: "Sample sorted lists, to plan where to split them.",
    discussion: """
      Reads sorted records in the text form, and writes a small text for each list: at most 1,024 of its numbers, at \
      even distances by record, and all numbers that ranges cover, so that 'cdpipe split --plan' chooses cuts outside \
      of ranges. The samples of several lists can be joined with cat.
      """)

  static let examples = [
    Example("Sample a sorted list", "cdpipe sample sorted.tsv -o sorted.sample"),
    Example(
      "Plan how to split two lists at the same numbers",
      "cdpipe sample monday.tsv tuesday.tsv | cdpipe split --plan --parts 2"),
    Example(
      "Sample a list while it is written",
      "cdpipe sort records.tsv | tee run.tsv | cdpipe sample -o run.sample"),
  ]

  @Argument(
    help: ArgumentHelp("The sorted lists (default: '-', standard input).", valueName: "list"),
    completion: .file())
  var lists: [String] = []

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Write to FILE, which is replaced when the output is complete.", valueName: "file"),
    completion: .file())
  var output = OutputFile.standardOutput

  @Flag(name: [.customShort("q"), .long], help: "Print errors only.")
  var quiet = false

  func validate() throws {
    if lists.count(where: { $0 == InputFile.standardInput }) > 1 {
      throw ValidationError("only one list can be '-', standard input")
    }
  }

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "sample")
    let lists = lists.isEmpty ? [InputFile.standardInput] : lists
    if output != OutputFile.standardOutput, OutputNames.isRead(output, by: lists) {
      throw diagnostics.end(SplitMessages.replacedInput(output), ExitStatus.usage)
    }
    try OutputNames.check([output], diagnostics)
    TerminalInput.announce(lists, isQuiet: quiet, diagnostics)
    do throws(Failure) {
      var writer = try TextWriter(output, .sample)
      for list in lists { try writer.write(try ListSample(of: list).text) }
      try writer.finish()
    } catch {
      throw diagnostics.end(error)
    }
  }
}
