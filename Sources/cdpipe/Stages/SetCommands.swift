// `cdpipe union`, `cdpipe subtract` and `cdpipe intersect`

import ArgumentParser
import Runner
import Records
import RecordStages

/// Checks and texts that the set operations share.
enum SetLists {
  /// The lists in a pipeline file: the previous stage's data is the first one.
  static let keys: [String: KeyTraits] = [
    "lists": KeyTraits(isPath: true, isList: true, isPositional: true, startsWithInput: true)
  ]
  /// The message if a command whose first list is a file follows another one in a pipe.
  static let firstListRule = "its first list must be '-', which is the pipe"

  static let help = """
    A list is a file of records in the text form, a store, or a directory of shards with its manifest; '-' is standard \
    input. All are sorted by number.
    """

  /// Throws if there are too few or too many lists, or if two of them are standard input. A merge has no `max`.
  static func validate(_ lists: [String], min: Int, max: Int? = nil) throws {
    guard lists.count >= min else {
      throw ValidationError(min == 1 ? "needs at least one list" : "needs at least two lists")
    }
    if let max, lists.count > max { throw ValidationError("accepts at most \(max) lists") }
    if lists.count(where: { $0 == SetOptions.standardInput }) > 1 {
      throw ValidationError("only one list can be '-', standard input")
    }
  }
}

extension SetPlan {
  /// A merge of any number of lists, with the options for its memory and its spill files.
  static func merge(
    _ operation: SetOptions.Operation, _ lists: [String], memory: MemorySize?, temporaryDirectory: String?
  ) -> SetPlan {
    var plan = SetPlan(operation, lists)
    if let memory { plan.options.memory = memory.bytes }
    if let temporaryDirectory { plan.options.temporaryDirectory = temporaryDirectory }
    return plan
  }
}

struct UnionCommand: FilterCommand, ManyOperandsCommand {
  static let row = StageRow(name: .union, group: .sets, command: Self.self, position: .commandOnly)

  static let configuration = CommandConfiguration(
    commandName: "union", abstract: "Merge sorted lists into one, without duplicates.",
    discussion: """
      Writes the records of all lists, disjoint and in ascending order, as 'cdpipe dedupe' does for the merged lists. \
      The more specific record wins, whatever list it is in; among equals --keep decides, and the first record is \
      that of the list named first. \(SetLists.help) The records of a list may overlap. More than \
      \(SetOptions.listsMax) lists are merged in groups first, to spill files in the directory of --temp-dir.
      """)

  static let examples = [
    Example("Merge two sorted lists", "cdpipe union monday.tsv tuesday.tsv -o week.tsv"),
    Example(
      "Keep the record with the highest score",
      "cdpipe union --keep highest-score list.tsv numbers.cdstore -o all.tsv"),
    Example(
      "Add a list to a directory of shards, as one store",
      "cdpipe union list.tsv shards | cdpipe emit -o all.cdstore"),
  ]

  @Argument(help: ArgumentHelp("The lists.", valueName: "list"), completion: .file())
  var lists: [String]

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The memory for the lists, at least 12 MiB; it decides how many are merged at a time (default: 64 MiB).",
      valueName: "size"))
  var memory: MemorySize?

  @OptionGroup var dedupe: DedupeArguments

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Write to FILE, which is replaced when the output is complete.", valueName: "file"),
    completion: .file())
  var output = "-"

  @OptionGroup var packing: PackingOptions
  @OptionGroup var common: CommonOptions

  var operands: [String] {
    get { lists }
    set { lists = newValue }
  }

  func validate() throws {
    try SetLists.validate(lists, min: 1)
    try memory?.validate()
  }

  func parts() throws -> FilterParts {
    let policy: any StageArguments = dedupe
    let merge = SetPlan.merge(.union, lists, memory: memory, temporaryDirectory: dedupe.tempDir)
    return try FilterParts(
      input: .nothing, stages: [merge, try policy.plan()], output: output, packing: packing,
      unfedRule: "one of its lists must be '-', which is the pipe")
  }
}

struct SubtractArguments: StageArguments {
  static let keys = SetLists.keys

  @Argument(
    help: ArgumentHelp("The list, and the lists whose numbers are removed from it.", valueName: "list"),
    completion: .file())
  var lists: [String]

  func validate() throws { try SetLists.validate(lists, min: 2, max: SetOptions.listsMax) }

  func plan() -> any StagePlan { SetPlan(.subtract, lists) }
}

struct SubtractCommand: FilterCommand {
  static let row = StageRow(
    name: .subtract, group: .sets, command: Self.self, position: .optional, arguments: SubtractArguments.self)

  static let configuration = CommandConfiguration(
    commandName: "subtract", abstract: "Remove the numbers of other lists from a list.",
    discussion: """
      Writes the first list without the numbers of the others, such as allow lists. Ranges are split exactly; labels, \
      sources and scores are kept. \(SetLists.help) The first list must be disjoint, as written by 'cdpipe dedupe'; the \
      others may overlap. A line of theirs that is not a record is an error, since its numbers would not be removed.
      """)

  static let examples = [
    Example("Remove the numbers of an allow list", "cdpipe subtract list.tsv allow.tsv -o blocked.tsv"),
    Example("List the numbers that are new since Monday", "cdpipe subtract tuesday.tsv monday.tsv"),
    Example(
      "Use it in a pipe: '-' is the list from standard input",
      """
      cdpipe dedupe sorted.tsv | cdpipe subtract - allow.tsv \\
        | cdpipe emit -o list.cdstore
      """),
  ]

  @OptionGroup var arguments: SubtractArguments

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Write to FILE, which is replaced when the output is complete.", valueName: "file"),
    completion: .file())
  var output = "-"

  @OptionGroup var packing: PackingOptions
  @OptionGroup var common: CommonOptions

  func parts() throws -> FilterParts {
    try FilterParts(
      input: .nothing, stages: [arguments.plan()], output: output, packing: packing,
      unfedRule: SetLists.firstListRule)
  }
}

struct IntersectArguments: StageArguments {
  static let keys = SetLists.keys

  @Argument(
    help: ArgumentHelp("The list, and the lists that must contain its numbers.", valueName: "list"),
    completion: .file())
  var lists: [String]

  func validate() throws { try SetLists.validate(lists, min: 2, max: SetOptions.listsMax) }

  func plan() -> any StagePlan { SetPlan(.intersect, lists) }
}

struct IntersectCommand: FilterCommand {
  static let row = StageRow(
    name: .intersect, group: .sets, command: Self.self, position: .optional,
    arguments: IntersectArguments.self)

  static let configuration = CommandConfiguration(
    commandName: "intersect", abstract: "Keep the numbers that every list contains.",
    discussion: """
      Writes the numbers of the first list that every other list contains, with the first list's labels, sources and \
      scores. Ranges are split exactly. \(SetLists.help) The first list must be disjoint, as written by 'cdpipe \
      dedupe'; the others may overlap. A line of theirs that is not a record is an error.
      """)

  static let examples = [
    Example("List the numbers that are in both lists", "cdpipe intersect list.tsv numbers.cdstore"),
    Example(
      "Keep the numbers that three lists contain",
      "cdpipe intersect list.tsv monday.tsv tuesday.tsv -o certain.tsv"),
    Example(
      "Count the numbers of a list that are in a directory of shards",
      "cdpipe intersect list.tsv shards | wc -l"),
  ]

  @OptionGroup var arguments: IntersectArguments

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Write to FILE, which is replaced when the output is complete.", valueName: "file"),
    completion: .file())
  var output = "-"

  @OptionGroup var packing: PackingOptions
  @OptionGroup var common: CommonOptions

  func parts() throws -> FilterParts {
    try FilterParts(
      input: .nothing, stages: [arguments.plan()], output: output, packing: packing,
      unfedRule: SetLists.firstListRule)
  }
}
