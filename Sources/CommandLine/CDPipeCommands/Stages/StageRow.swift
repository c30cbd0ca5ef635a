// What a stage's command states about it: its options, its place in pipeline files, its group in the help.

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
