// The stages as data, one row each. The groups of commands, typed pipes, pipeline files and what checks them derive
// from this table; nothing else lists the stages.

import ArgumentParser
import PipeStage
import PipelineFile

/// The options of one stage: the same on the command line and in a pipeline file.
protocol StageArguments: ParsableArguments {
  /// The traits of the options that are more than one value: paths, lists.
  static var keys: [String: KeyTraits] { get }
  /// Returns the stage with these options.
  func plan() throws -> any StagePlan
}

extension StageArguments {
  static var keys: [String: KeyTraits] { [:] }
}

/// One row of the table.
struct StageRow: Sendable {
  /// The groups of `cdpipe --help` that stages can be in.
  enum Group: String, Sendable {
    case stages = "Stages"
    case sets = "Ranges and sets"
  }

  /// The stage's name.
  let name: StageName
  /// The stage's group in the help.
  let group: Group
  /// The command.
  let command: any FilterCommand.Type
  /// Where the stage stands in a pipeline file.
  let position: StagePosition
  /// The options of the stage in a pipeline file; nil for a stage that stands there otherwise or not at all.
  var arguments: (any StageArguments.Type)?
  /// Keys of the stage that may stand in a source itself.
  var sourceKeys: [String] = []

  /// Returns the stage with options as they are typed.
  func plan(_ arguments: [String]) throws -> any StagePlan {
    guard let type = self.arguments else {
      throw ValidationError("\(name.rawValue) is not a stage of a pipeline file")
    }
    func parse<Arguments: StageArguments>(_ type: Arguments.Type) throws -> any StagePlan {
      try Arguments.parse(arguments).plan()
    }
    return try parse(type)
  }

  /// The key of a pipeline file whose values are the arguments without an option's name.
  var positional: (key: String, traits: KeyTraits)? {
    arguments?.keys.first { $0.value.isPositional }.map { ($0.key, $0.value) }
  }
}

enum StageTable {
  /// The stages in the order of the data.
  static let rows: [StageRow] = [
    GenerateCommand.row, DownloadCommand.row, UnzipCommand.row, ParseCommand.row, NormalizeCommand.row,
    SortCommand.row, DedupeCommand.row, UnionCommand.row, SubtractCommand.row, IntersectCommand.row,
    EmitCommand.row,
  ]

  /// Returns the commands of a group, in the order of the data.
  static func commands(_ group: StageRow.Group) -> [any ParsableCommand.Type] {
    rows.filter { $0.group == group }.map(\.command)
  }

  /// Returns the row of a stage, if it has one.
  static func row(named name: String) -> StageRow? { rows.first { $0.name.rawValue == name } }

  /// The stages of pipeline files.
  static var layout: PipelineLayout {
    PipelineLayout(
      rows.map { row in
        StageKey(row.name, row.position, listKey: row.positional?.key, sourceKeys: row.sourceKeys)
      })
  }
}
