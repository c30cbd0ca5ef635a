// `cdpipe dedupe`

public import ArgumentParser
public import DedupeStage
import PipeRunner
import PipeStage
import PipelineFile

extension DedupeOptions.Keep: ExpressibleByArgument {}
extension DedupeOptions.ConflictsFormat: ExpressibleByArgument {}

/// What a limit goes by.
enum LimitMeasure: String, ExpressibleByArgument, CaseIterable {
  case score
}

struct DedupeArguments: StageArguments {
  static let keys: [String: KeyTraits] = [
    "conflicts": .path, "map-labels": .path, "priority": .list, "temp-dir": .path,
  ]

  @Option(
    help: ArgumentHelp(
      """
      Which of several records for the same numbers stays. Where a policy finds no difference, the first one \
      does.
      """, valueName: "which"))
  var keep: DedupeOptions.Keep = .first

  @Option(
    help: ArgumentHelp(
      "Sources for '--keep priority', the strongest first, with commas between. May be repeated.",
      valueName: "sources"))
  var priority: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Change labels before anything is decided: FILE has lines 'label = other label'. An empty right side takes the \
      label away, '-' the record.
      """, valueName: "file"))
  var mapLabels: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Leave out records with a lower score before anything is decided; one without a score has 0.",
      valueName: "n"))
  var minScore: Int64?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Let at most so many single numbers out, those with the highest scores. A range is taken whole or not at all.
      """, valueName: "n"))
  var limit: Int64?

  @Option(help: ArgumentHelp("What --limit goes by (default: score).", valueName: "what"))
  var by: LimitMeasure?

  @Flag(help: "Join neighbours that have the same label into ranges.")
  var coalesce = false

  @Option(help: ArgumentHelp("Write every decision to FILE: number, kept, dropped, why.", valueName: "file"))
  var conflicts: String?

  @Option(
    help: ArgumentHelp(
      "The form of that file (default: by its name, else tsv).", valueName: "format"))
  var conflictsFormat: DedupeOptions.ConflictsFormat?

  @Option(
    help: ArgumentHelp(
      "Where temporary files of --limit and --conflicts go (default: $TMPDIR, else /var/tmp).",
      valueName: "dir")
  )
  var tempDir: String?

  /// The names of all the --priority options.
  private var sources: [String] {
    priority.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
  }

  func validate() throws {
    if keep == .priority, priority.isEmpty {
      throw ValidationError("'--keep priority' needs '--priority <sources>', the strongest first")
    }
    if keep != .priority, !priority.isEmpty {
      throw ValidationError("'--priority' goes with '--keep priority'")
    }
    var seen: Set<String> = []
    for source in sources {
      if source.isEmpty { throw ValidationError("--priority has an empty name") }
      if !seen.insert(source).inserted { throw ValidationError("--priority names '\(source)' twice") }
    }
    if let limit, limit < 1 { throw ValidationError("--limit takes a number above 0") }
    if by != nil, limit == nil { throw ValidationError("'--by' goes with '--limit'") }
    if conflictsFormat != nil, conflicts == nil {
      throw ValidationError("'--conflicts-format' goes with '--conflicts'")
    }
    if mapLabels == "-" {
      throw ValidationError("--map-labels takes a file; standard input is for the records")
    }
  }

  func plan() -> any StagePlan {
    var options = DedupeOptions(keep: keep, conflictsPath: conflicts)
    options.priority = sources
    options.labelMapPath = mapLabels
    options.minScore = minScore
    options.limit = limit.map { UInt64(clamping: $0) }
    options.coalesce = coalesce
    options.conflictsFormat = conflictsFormat
    if let tempDir { options.temporaryDirectory = tempDir }
    return options
  }
}

struct DedupeCommand: FilterCommand {
  static let row = StageRow(
    name: .dedupe, group: .stages, command: Self.self, position: .shared, arguments: DedupeArguments.self)

  static let configuration = CommandConfiguration(
    commandName: "dedupe", abstract: "Keep one record for each number.",
    discussion: """
      Reads sorted records and writes disjoint, ascending ones. The more specific record wins over the more \
      general one: a number over a range, a short range over a long one, which is cut. Among equals --keep \
      decides. Input that is not sorted is an error.

      The steps, in this order: --map-labels, --min-score, the decision, --limit, --coalesce. What is left out is \
      counted on standard error, and every decision stands in the file of --conflicts.
      """)

  @OptionGroup var arguments: DedupeArguments
  @OptionGroup var io: InputOutputOptions
  @OptionGroup var common: CommonOptions

  func parts() -> FilterParts {
    FilterParts(input: .files(io.files), stages: [arguments.plan()], output: io.output)
  }
}
