// `cdpipe emit`

public import ArgumentParser
public import EmitStage
import PipeRunner
import PipeStage
import PipelineFile

extension EmitFormat: ExpressibleByArgument {}

struct EmitArguments: StageArguments {
  static let keys: [String: KeyTraits] = [
    "baseline": KeyTraits(isPath: true, word: "none"), "block": .list,
    "path": KeyTraits(isPath: true, option: "output"),
  ]

  @Option(
    help: ArgumentHelp(
      "The form of the output (default: by the output's name, else tsv).", valueName: "format"))
  var format: EmitFormat?

  @Option(
    help: ArgumentHelp(
      "Records whose label fits are blocked; * is any text, ? any character. May be repeated.",
      valueName: "label-glob"))
  var block: [String] = []

  @Option(help: ArgumentHelp("The most single numbers in one store.", valueName: "n"))
  var maxEntries = EmitOptions.defaultMaxEntries

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      """
      Write to FILE, which is replaced once all is written. A store's name ends in .cdstore; with \
      --format store, any other name is a directory of shards.
      """, valueName: "path"))
  var output = "-"

  @OptionGroup(title: "Options for a directory of shards") var shards: ShardArguments

  func validate() throws {
    guard maxEntries >= 1 else { throw ValidationError("--max-entries takes a number above 0") }
    if let option = shards.first, !options().isDirectory {
      throw ValidationError(
        "--\(option) is for a directory of shards: --format store -o DIRECTORY")
    }
  }

  func options() -> EmitOptions {
    EmitOptions(
      format: format ?? EmitFormat(named: output), blockGlobs: block, maxEntries: maxEntries, output: output,
      shards: shards.options())
  }

  func plan() -> any StagePlan { EmitPlan([options()]) }
}

struct EmitCommand: FilterCommand {
  static let row = StageRow(
    name: .emit, group: .stages, command: Self.self, position: .output, arguments: EmitArguments.self)

  static let configuration = CommandConfiguration(
    commandName: "emit", abstract: "Write records as stores, TSV, CSV or JSON lines.",
    discussion: """
      Reads disjoint, ascending records. As a store they go into one file, or into a directory of shards with a \
      manifest when there are more single numbers than one request of an extension takes (1,999,999). Everything \
      is written beside its place, synced, verified, and then renamed: a crash leaves the old files.
      """)

  @Argument(
    help: ArgumentHelp("Files to read in order; standard input without any, or for '-'.", valueName: "file"))
  var files: [String] = []

  @OptionGroup var arguments: EmitArguments
  @OptionGroup var common: CommonOptions

  func parts() -> FilterParts {
    FilterParts(input: .files(files), stages: [arguments.plan()], output: "-")
  }
}
