// `cdpipe union`, `cdpipe subtract` and `cdpipe intersect`

import ArgumentParser
import PipeRunner
import PipeStage
import PipelineFile
import SetStage

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

  static func validate(_ lists: [String], min: Int) throws {
    guard lists.count >= min else {
      throw ValidationError(min == 1 ? "needs at least one list" : "needs at least two lists")
    }
    guard lists.count <= SetOptions.listsMax else {
      throw ValidationError("accepts at most \(SetOptions.listsMax) lists")
    }
    if lists.count(where: { $0 == SetOptions.standardInput }) > 1 {
      throw ValidationError("only one list can be '-', standard input")
    }
  }
}

struct UnionCommand: FilterCommand {
  static let row = StageRow(name: .union, group: .sets, command: Self.self, position: .commandOnly)

  static let configuration = CommandConfiguration(
    commandName: "union", abstract: "Merge sorted lists into one, without duplicates.",
    discussion: """
      Writes the records of all lists, disjoint and in ascending order, as 'cdpipe dedupe' does for the merged lists. \
      The more specific record wins, whatever list it is in; among equals --keep decides, and the first record is \
      that of the list named first. \(SetLists.help) The records of a list may overlap.
      """)

  @Argument(help: ArgumentHelp("The lists.", valueName: "list"))
  var lists: [String]

  @OptionGroup var dedupe: DedupeArguments

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced when the output is complete.", valueName: "file"))
  var output = "-"

  @OptionGroup var common: CommonOptions

  func validate() throws {
    try SetLists.validate(lists, min: 1)
  }

  func parts() throws -> FilterParts {
    let policy: any StageArguments = dedupe
    return FilterParts(
      input: .nothing, stages: [SetPlan(.union, lists), try policy.plan()], output: output,
      unfedRule: "one of its lists must be '-', which is the pipe")
  }
}

struct SubtractArguments: StageArguments {
  static let keys = SetLists.keys

  @Argument(
    help: ArgumentHelp("The list, and the lists whose numbers are removed from it.", valueName: "list"))
  var lists: [String]

  func validate() throws { try SetLists.validate(lists, min: 2) }

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

  @OptionGroup var arguments: SubtractArguments

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced when the output is complete.", valueName: "file"))
  var output = "-"

  @OptionGroup var common: CommonOptions

  func parts() -> FilterParts {
    FilterParts(
      input: .nothing, stages: [arguments.plan()], output: output, unfedRule: SetLists.firstListRule)
  }
}

struct IntersectArguments: StageArguments {
  static let keys = SetLists.keys

  @Argument(help: ArgumentHelp("The list, and the lists that must contain its numbers.", valueName: "list"))
  var lists: [String]

  func validate() throws { try SetLists.validate(lists, min: 2) }

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

  @OptionGroup var arguments: IntersectArguments

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced when the output is complete.", valueName: "file"))
  var output = "-"

  @OptionGroup var common: CommonOptions

  func parts() -> FilterParts {
    FilterParts(
      input: .nothing, stages: [arguments.plan()], output: output, unfedRule: SetLists.firstListRule)
  }
}
