// `cdpipe union`, `cdpipe subtract` and `cdpipe intersect`

import ArgumentParser
import PipeRunner
import PipeStage
import SetStage

/// What the three have in common.
enum SetLists {
  static let help = """
    A list is a file of records in the text form, a store, or a directory of shards with its manifest; '-' is standard \
    input. All are sorted by number.
    """

  static func validate(_ lists: [String], min: Int) throws {
    guard lists.count >= min else {
      throw ValidationError("it takes a list, and one or more to compare it with")
    }
    guard lists.count <= SetOptions.listsMax else {
      throw ValidationError("it takes \(SetOptions.listsMax) lists at the most")
    }
    if lists.count(where: { $0 == SetOptions.standardInput }) > 1 {
      throw ValidationError("'-', standard input, can be one list only")
    }
  }
}

struct UnionCommand: FilterCommand {
  static let configuration = CommandConfiguration(
    commandName: "union", abstract: StageTable[.union].help,
    discussion: """
      Writes the records of all lists, ascending and disjoint: what 'cdpipe dedupe' makes of the merged lists. The \
      more specific record wins over the more general one, in whichever list it is; among equals --keep decides, \
      and the first is that of the list named first. \(SetLists.help) Lists may overlap themselves.
      """)

  @Argument(help: ArgumentHelp("The lists.", valueName: "list"))
  var lists: [String]

  @OptionGroup var dedupe: DedupeArguments

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced once all is written.", valueName: "file"))
  var output = "-"

  @OptionGroup var common: CommonOptions

  func validate() throws {
    try SetLists.validate(lists, min: 1)
  }

  func parts() throws -> FilterParts {
    let policy: any StageArguments = dedupe
    return FilterParts(
      input: .nothing, stages: [.combine(SetOptions(.union, lists: lists)), try policy.plan()], output: output
    )
  }
}

struct SubtractArguments: StageArguments {
  static let stage = StageName.subtract

  @Argument(help: ArgumentHelp("The list, and those whose numbers are taken out of it.", valueName: "list"))
  var lists: [String]

  func validate() throws { try SetLists.validate(lists, min: 2) }

  func plan() -> StagePlan { .combine(SetOptions(.subtract, lists: lists)) }
}

struct SubtractCommand: FilterCommand {
  static let configuration = CommandConfiguration(
    commandName: "subtract", abstract: StageTable[.subtract].help,
    discussion: """
      Writes the first list without the numbers of the others: allow lists, for example. Ranges are cut exactly; \
      labels, sources and scores stay. \(SetLists.help) The first list must be disjoint, as 'cdpipe dedupe' leaves \
      it; the others may overlap. A line of theirs that is no record is an error, since its numbers would stay.
      """)

  @OptionGroup var arguments: SubtractArguments

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced once all is written.", valueName: "file"))
  var output = "-"

  @OptionGroup var common: CommonOptions

  func parts() -> FilterParts {
    FilterParts(input: .nothing, stages: [arguments.plan()], output: output)
  }
}

struct IntersectArguments: StageArguments {
  static let stage = StageName.intersect

  @Argument(help: ArgumentHelp("The list, and those that must have its numbers, too.", valueName: "list"))
  var lists: [String]

  func validate() throws { try SetLists.validate(lists, min: 2) }

  func plan() -> StagePlan { .combine(SetOptions(.intersect, lists: lists)) }
}

struct IntersectCommand: FilterCommand {
  static let configuration = CommandConfiguration(
    commandName: "intersect", abstract: StageTable[.intersect].help,
    discussion: """
      Writes the numbers of the first list that every other list has, too, with the first list's labels, sources and \
      scores. Ranges are cut exactly. \(SetLists.help) The first list must be disjoint, as 'cdpipe dedupe' leaves \
      it; the others may overlap. A line of theirs that is no record is an error.
      """)

  @OptionGroup var arguments: IntersectArguments

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced once all is written.", valueName: "file"))
  var output = "-"

  @OptionGroup var common: CommonOptions

  func parts() -> FilterParts {
    FilterParts(input: .nothing, stages: [arguments.plan()], output: output)
  }
}
