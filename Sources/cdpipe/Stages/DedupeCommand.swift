// `cdpipe dedupe`

import ArgumentParser
package import RecordStages
import Records
import Runner

extension DedupeOptions.Keep: ExpressibleByArgument {}
extension ScoreCombination: ExpressibleByArgument {}
extension DedupeOptions.ConflictsFormat: ExpressibleByArgument {}

/// The measure by which `--limit` ranks records.
enum LimitMeasure: String, ExpressibleByArgument, CaseIterable {
  case score
}

struct DedupeArguments: StageArguments {
  static let keys: [String: KeyTraits] = [
    "conflicts": .path, "priority": .list, "temp-dir": .path,
    "map-labels": KeyTraits(isPath: true, decides: true), "min-score": .decision, "combine": .decision,
    "min-total": .decision, "min-count": .decision, "min-sources": .decision, "infer": .decision,
    "infer-max-share": .decision, "limit": .decision,
  ]

  @Option(
    """
    Which of several records for the same numbers is kept. Where a policy finds no difference, the first \
    one is.
    """, value: "which")
  var keep: DedupeOptions.Keep = .first

  @Option(
    "Sources for '--keep priority', highest priority first, separated by commas. May be repeated.",
    value: "sources")
  var priority: [String] = []

  @Option(
    """
    Replace labels before deduplication: FILE has lines 'label = other label'. An empty right side removes the \
    label, '-' the record.
    """, value: "file", completion: .file())
  var mapLabels: String?

  @Option(
    "Drop records with a lower score before deduplication; a missing score counts as 0.", value: "n",
    parsing: .unconditional)
  var minScore: Int64?

  @Option(
    """
    Give the record that is kept the sum or the maximum of the scores of all records for its numbers, or their count. \
    For sum, a missing score is one vote.
    """, value: "how")
  var combine: ScoreCombination?

  @Option(
    "With --combine: drop records whose combined score is lower, once the decision is made.", value: "n",
    parsing: .unconditional)
  var minTotal: Int64?

  @Option(
    "Drop records for whose numbers fewer than N records were found.", value: "n", parsing: .unconditional)
  var minCount: Int64?

  @Option(
    "Drop records whose numbers fewer than N different sources report.", value: "n", parsing: .unconditional)
  var minSources: Int?

  @Option(
    """
    Fill blocks of consecutive numbers of which enough are listed: with 10:4,100:3 a block of ten with four, and a block \
    of a hundred with three such blocks. The source of what is added is 'inferred'.
    """, value: "size:count,…")
  var infer: String?

  @Option(
    "Fail if more than this percentage of the numbers is inferred.", value: "p%",
    transform: Percentage.typed)
  var inferMaxShare: Percentage?

  @Option(
    """
    Keep at most N numbers, those with the highest scores. A range is kept whole or not at all.
    """, value: "n", parsing: .unconditional)
  var limit: Int64?

  @Option("What --limit ranks by (default: score).", value: "what")
  var by: LimitMeasure?

  @Flag(help: "Merge adjacent records with the same label into ranges.")
  var coalesce = false

  @Option("Write every decision to FILE: number, kept, dropped, why.", value: "file", completion: .file())
  var conflicts: String?

  @Option("The format of that file (default: by its name, else tsv).", value: "format")
  var conflictsFormat: DedupeOptions.ConflictsFormat?

  @Option(
    "The directory for temporary files of --limit and --conflicts (default: $TMPDIR, else /var/tmp).",
    value: "dir", completion: .directory)
  var tempDir: String?

  /// The names in all --priority options.
  private var sources: [String] {
    priority.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
  }

  func validate() throws {
    try refuse(
      keep == .priority && priority.isEmpty,
      "\(quotedOption: "keep", "priority") needs \(quotedOption: "priority", "<sources>"), highest priority first"
    )
    try refuse(
      keep != .priority && !priority.isEmpty,
      "\(quotedOption: "priority") needs \(quotedOption: "keep", "priority")")
    var seen: Set<String> = []
    for source in sources {
      if source.isEmpty { throw ValidationError("\(option: "priority") has an empty name") }
      try refuse(!seen.insert(source).inserted, "\(option: "priority") names '\(source)' twice")
    }
    try refuse(
      minTotal != nil && combine == nil,
      "\(quotedOption: "min-total") needs \(quotedOption: "combine")")
    if let minCount, minCount < 1 { throw ValidationError("\(option: "min-count") must be above 0") }
    if let minSources, !(1...DedupeOptions.sourcesMax).contains(minSources) {
      throw ValidationError("\(option: "min-sources") must be 1 to \(DedupeOptions.sourcesMax)")
    }
    if let infer, InferenceRule.rules(infer) == nil {
      throw ValidationError(
        """
        \(option: "infer") must be sizes of 10, 100, 1000 or 10000 in ascending order, each with a count: at least 2 \
        numbers for the first, and for the others blocks of the size before, such as 10:4,100:3
        """)
    }
    try refuse(
      inferMaxShare != nil && infer == nil,
      "\(quotedOption: "infer-max-share") needs \(quotedOption: "infer")")
    if let limit, limit < 1 { throw ValidationError("\(option: "limit") must be above 0") }
    try refuse(by != nil && limit == nil, "\(quotedOption: "by") needs \(quotedOption: "limit")")
    try refuse(
      conflictsFormat != nil && conflicts == nil,
      "\(quotedOption: "conflicts-format") needs \(quotedOption: "conflicts")")
    try refuse(mapLabels == "-", "\(option: "map-labels") must be a file: standard input is for the records")
  }

  func plan() -> any StagePlan {
    var options = DedupeOptions(keep: keep, conflictsPath: conflicts)
    options.priority = sources
    options.labelMapPath = mapLabels
    options.minScore = minScore
    options.combination = combine
    options.voteMinimums.total = minTotal
    options.voteMinimums.count = minCount.map { UInt64(clamping: $0) }
    options.voteMinimums.sources = minSources
    options.inference = infer.flatMap(InferenceRule.rules) ?? []
    options.inferredPercentMax = inferMaxShare?.percent
    options.limit = limit.map { UInt64(clamping: $0) }
    options.coalesce = coalesce
    options.conflictsFormat = conflictsFormat
    if let tempDir { options.temporaryDirectory = tempDir }
    return options
  }
}

struct DedupeCommand: FilterCommand, InputFilesCommand {
  static let row = StageRow(
    name: .dedupe, group: .stages, command: Self.self, position: .shared, arguments: DedupeArguments.self)

  static let configuration = CommandConfiguration(
    commandName: "dedupe", abstract: "Keep one record per number.",
    discussion: """
      Reads sorted records and writes disjoint ones in ascending order. The more specific record wins: a number over \
      a range, a short range over a long one, which is split. Among equals --keep decides. Input that is not sorted \
      is an error.

      The steps, in this order: --map-labels, --min-score, deduplication with the votes of --combine, --min-total, \
      --min-count, --min-sources, --infer, --limit, --coalesce. Records that are left out are counted on standard error, \
      and every decision is written to the file of --conflicts.
      """)

  @OptionGroup var arguments: DedupeArguments
  @OptionGroup var input: InputFiles

  @Option(output: .complete)
  var output = "-"

  @OptionGroup var packing: PackingOptions
  @OptionGroup var common: CommonOptions

  func parts() throws -> FilterParts {
    try FilterParts(input: .files(input.files), stages: [arguments.plan()], output: output, packing: packing)
  }
}
