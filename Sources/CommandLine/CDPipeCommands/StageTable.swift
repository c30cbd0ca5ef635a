// The stages as data: help, the shell form, pipeline files and tests read this table.

import ArgumentParser
import PipeRunner
import PipeStage

/// The options of one stage, the same typed as a command's and written in a pipeline file.
protocol StageArguments: ParsableArguments {
  /// The stage.
  static var stage: StageName { get }
  /// The stage with these options.
  func plan() throws -> StagePlan
}

/// One row of the table.
struct StageRow: Sendable {
  let name: StageName
  /// What the stage does, in some words.
  let help: String
  /// What comes in and goes out, as people say it.
  let flow: String
  /// Reads options as they are typed.
  let plan: @Sendable ([String]) throws -> StagePlan
}

enum StageTable {
  /// The stages in the order of the data.
  static let rows: [StageRow] = [
    row(
      GenerateArguments.self, "Write the numbers of patterns, area codes and ranges.",
      "patterns to disjoint records"),
    StageRow(name: .download, help: "Stream files and URLs out.", flow: "URLs to bytes") { arguments in
      throw ValidationError("download takes no place in the middle of a pipeline")
    },
    row(UnzipArguments.self, "Stream what a zip, gzip or zlib archive holds out.", "bytes to bytes"),
    row(ParseArguments.self, "Find numbers and labels in JSON, tables and other lists.", "bytes to raw rows"),
    row(NormalizeArguments.self, "Turn number texts into E.164 numbers.", "raw rows to records"),
    row(SortArguments.self, "Sort records by number, in bounded memory.", "records to sorted records"),
    row(DedupeArguments.self, "Keep one record for each number.", "sorted records to disjoint records"),
    StageRow(name: .union, help: "Unite sorted lists.", flow: "sorted records to disjoint records") {
      arguments in
      throw ValidationError("union takes no place in a pipeline file, where all sources are united")
    },
    row(
      SubtractArguments.self, "Take the numbers of other lists out of a list.",
      "disjoint records to disjoint records"),
    row(
      IntersectArguments.self, "Keep the numbers of a list that others have, too.",
      "disjoint records to disjoint records"),
    row(EmitArguments.self, "Write records as stores, TSV, CSV or JSON lines.", "disjoint records to files"),
  ]

  static subscript(_ name: StageName) -> StageRow {
    rows.first { $0.name == name }!
  }

  private static func row<Arguments: StageArguments>(
    _ type: Arguments.Type, _ help: String, _ flow: String
  ) -> StageRow {
    StageRow(name: Arguments.stage, help: help, flow: flow) { arguments in
      try Arguments.parse(arguments).plan()
    }
  }
}
