// The stages as data, one row each. The groups of commands, typed pipes, pipeline files and what checks them derive
// from this table; nothing else lists the stages.

import ArgumentParser
import Records
import Runner

enum StageTable {
  /// The stages in the order of the data.
  static let rows: [StageRow] = [
    GenerateCommand.row, DownloadCommand.row, UnzipCommand.row, ParseCommand.row, NormalizeCommand.row,
    SortCommand.row, DedupeCommand.row, UnionCommand.row, SubtractCommand.row, IntersectCommand.row,
    SelectCommand.row, EmitCommand.row,
  ]

  /// The stages that process the data of one source, in the order of the data.
  static let sourceRows = rows.filter { $0.position == .source || $0.position == .sourceOrShared }

  /// Returns the commands of a group, in the order of the data.
  static func commands(_ group: StageRow.Group) -> [any ParsableCommand.Type] {
    rows.filter { $0.group == group }.map(\.command)
  }

  static func row(named name: String) -> StageRow? { rows.first { $0.name.rawValue == name } }

  /// The keys of pipeline files in messages: those of the stage that a message is about or, if it has no such option, of
  /// the first stage that has.
  static let keys = OptionKeys { option, stage in
    for row in rows.filter({ $0.name == stage }) + rows {
      if let key = row.key(option) { return OptionKeys.Key(row.name, key) }
    }
    return nil
  }

  static var layout: PipelineLayout {
    PipelineLayout(
      rows.map { row in
        StageKey(
          row.name, row.position, listKey: row.positional?.key, sourceKeys: row.sourceKeys,
          isOrdered: row.isOrdered)
      }, checkKeys: SourceCheckArguments.keys)
  }
}
