// What a stage's command states about it: its options, its place in pipeline files, its group in the help.

import ArgumentParser
import Records
import Runner

/// The options of one stage: the same on the command line and in a pipeline file.
protocol StageArguments: ParsableArguments {
  /// The traits of the options that are paths or lists.
  static var keys: [String: KeyTraits] { get }
  /// Creates the stage's plan from these options.
  func plan() throws -> any StagePlan
}

extension StageArguments {
  static var keys: [String: KeyTraits] { [:] }
}

/// A stage in the table of stages.
struct StageRow: Sendable {
  /// The groups of stages in `cdpipe --help`.
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
  /// The stage's position in a pipeline file.
  let position: StagePosition
  /// The options of the stage in a pipeline file; nil if the stage is not in pipeline files or is read in another way.
  var arguments: (any StageArguments.Type)?
  /// The options that are the keys of a stage that is read in another way; nil for the others.
  var keyOptions: (any ParsableArguments.Type)?
  /// Keys of the stage that may be written directly in a source.
  var sourceKeys: [String] = []

  /// Creates the stage's plan from typed arguments.
  func plan(_ arguments: [String]) throws -> any StagePlan {
    guard let type = self.arguments else {
      throw ValidationError("\(name.rawValue) is not a stage of a pipeline file")
    }
    func parse<Arguments: StageArguments>(_ type: Arguments.Type) throws -> any StagePlan {
      try Arguments.parse(arguments).plan()
    }
    return try parse(type)
  }

  /// The key of a pipeline file that an option of the stage is; nil if it is not a key.
  func key(ofOption option: String) -> String? {
    if let key = arguments?.keys.first(where: { $0.value.option == option })?.key { return key }
    var type = keyOptions
    if let arguments { type = arguments }
    guard let type, option != "help", option != "version" else { return nil }
    do {
      _ = try type.parse(["--\(option)"])
      return option
    } catch {
      // The value of a known option is missing, or other options with it. An error may also be about missing arguments.
      let message = type.message(for: error)
      return message.contains("--\(option)") && !message.hasPrefix("Unknown option") ? option : nil
    }
  }

  /// The key of a pipeline file whose values are the arguments without an option's name.
  var positional: (key: String, traits: KeyTraits)? {
    arguments?.keys.first { $0.value.isPositional }.map { ($0.key, $0.value) }
  }
}
