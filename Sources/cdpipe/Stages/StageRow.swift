// What the command line knows about a stage: one row for each.

import ArgumentParser
import Records
import Runner

/// Options that are keys of a pipeline file.
protocol KeyedArguments: ParsableArguments {
  /// The traits of the options that are paths or lists.
  static var keys: [String: KeyTraits] { get }
}

/// The options of one stage: the same on the command line and in a pipeline file.
protocol StageArguments: KeyedArguments {
  func plan() throws -> any StagePlan
}

extension StageArguments {
  static var keys: [String: KeyTraits] { [:] }
}

struct StageRow: Sendable {
  /// The groups of stages in `cdpipe --help`.
  enum Group: String, Sendable {
    case stages = "Stages"
    case sets = "Ranges and sets"
  }

  let name: StageName
  let group: Group
  let command: any FilterCommand.Type
  let position: StagePosition
  /// The options of the stage in a pipeline file; nil if the stage is not in pipeline files or is read in another way.
  var arguments: (any StageArguments.Type)?
  /// The options that are the keys of a stage that is read in another way; nil for the others.
  var keyOptions: (any KeyedArguments.Type)?
  /// Keys of the stage that may be written directly in a source.
  var sourceKeys: [String] = []
  /// Whether the order of the options matters, so that a pipeline file may have them as a list.
  var isOrdered = false

  func plan(_ arguments: [String]) throws -> any StagePlan {
    guard let type = self.arguments else {
      throw ValidationError("\(name.rawValue) is not a stage of a pipeline file")
    }
    func parse<Arguments: StageArguments>(_ type: Arguments.Type) throws -> any StagePlan {
      try Arguments.parse(arguments).plan()
    }
    return try parse(type)
  }

  var declaration: any ParsableArguments.Type {
    if let arguments { return arguments }
    return keyOptions ?? command
  }

  var traits: [String: KeyTraits] { arguments?.keys ?? keyOptions?.keys ?? [:] }

  /// The key of a pipeline file that an option of the stage is; nil if it is not a key.
  func key(_ option: String) -> String? {
    if arguments == nil, keyOptions == nil { return nil }
    let table = OptionTable.of(declaration)
    guard let name = table.option(option)?.name, table.names.contains(name) else { return nil }
    return traits.key(of: name)
  }

  /// The key of a pipeline file whose values are the arguments without an option's name.
  var positional: (key: String, traits: KeyTraits)? {
    arguments?.keys.first { $0.value.isPositional }.map { ($0.key, $0.value) }
  }
}
