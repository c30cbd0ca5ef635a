// `cdpipe stats`

import ArgumentParser
import InputStages
import NumberPlan
import RecordStages
import Records
import Runner
import SystemIO

struct StatsCommand: FileOperandsCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats", abstract: "Count numbers by country, type, label, source and first digits.",
    discussion: """
      Reads stores, directories of shards, manifests, published folders, records in the text form, and raw rows in any \
      form that 'parse' reads; several inputs are counted together. Text whose first lines are records is read as \
      records; other text is parsed and normalized. With --region or an option for parsing, all text is.

      A range counts as one record and as all of its numbers; shares are shares of the numbers. A number that occurs \
      twice is counted twice. If records have scores (votes) or days, their median, sum, largest score and newest day \
      are shown, and the numbers by month. Countries and types are those of libphonenumber.
      """)

  @Argument(
    help: ArgumentHelp("The lists (default: '-', standard input).", valueName: "input"), completion: .file())
  var inputs: [String] = []

  @Option(filesFrom: ())
  var filesFrom: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("List at most N values in each table; 0 lists all.", valueName: "n"))
  var top = 10

  @Flag(help: "Print a JSON object.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "The region of numbers without a country code in raw rows, such as CN or US.", valueName: "cc"),
    completion: .region, transform: Region.typed)
  var region: Region?

  @OptionGroup(title: "Options for parsing raw rows") var parse: ParseFields<ParseFormatName>

  @OptionGroup var common: CommonOptions

  var operands: [String] {
    get { inputs }
    set { inputs = newValue }
  }

  func validate() throws {
    if top < 0 { throw ValidationError("--top must be at least 0") }
    if inputs.count(where: { $0 == InputFile.standardInput }) > 1 {
      throw ValidationError("only one input can be '-', standard input")
    }
  }

  func run() throws {
    let paths = inputs.isEmpty ? [InputFile.standardInput] : inputs
    // The beginning of each input is read before the pipeline runs.
    TerminalInput.announce(paths, isQuiet: common.quiet)
    let statistics = ListStatistics()
    var rejects: UInt64 = 0
    try PipelineCommand.run(try pipeline(paths, statistics), common, summary: nil) { run in
      rejects = run.counters.reduce(0) { $0 + $1.meter.rejects.value }
    }
    let listed = top == 0 ? nil : top
    if json {
      StandardOutput.print(
        StatsText.json(statistics.counts, inputs: paths, rejects: rejects, top: listed))
    } else {
      let lines = StatsText.lines(
        statistics.counts, rejects: rejects, top: listed, showsBars: RunningProcess.isOutputTerminal,
        width: RunningProcess.outputColumns)
      for line in lines { StandardOutput.print(line) }
    }
  }

  private func pipeline(_ paths: [String], _ statistics: ListStatistics) throws -> Pipeline {
    let options = parse.options(isStrict: common.strict)
    let isRaw = region != nil || parse.options(isStrict: false) != ParseOptions()
    do throws(Failure) {
      return try StatsPipeline.pipeline(
        paths, statistics, rawStages: [ParsePlan(options), NormalizeOptions(region: region)],
        isRaw: isRaw, threads: Threads.count(nil))
    } catch {
      throw Diagnostics(command: "stats").end(error)
    }
  }
}
