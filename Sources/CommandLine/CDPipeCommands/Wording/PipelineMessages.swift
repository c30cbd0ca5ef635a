// Mistakes in pipeline files and typed pipes, in sentences with line and column.

import PipeRunner
import PipeStage
import PipelineFile
import YAMLDocument

enum PipelineMessages {
  static func sentence(_ failure: PipelineError) -> UserMessage {
    switch failure {
    case .mismatch(let stage, let input, let before, let output):
      UserMessage(
        "\(stage.rawValue) reads \(input.rawValue), but \(before.rawValue) writes \(output.rawValue)")
    case .inputShrank(let path, let read, let size):
      UserMessage(
        "'\(path)' became shorter while it was read: it ended behind \(read) of \(size) bytes",
        hint: "run it again when nobody writes to the file, or have it replaced by a rename")
    }
  }

  static func sentence(_ failure: PipelineFileError) -> UserMessage {
    switch failure {
    case .unreadable(let failure): SystemMessages.sentence(failure)
    case .tooLarge(let file, let limit):
      UserMessage("'\(file)' is larger than \(ByteSize.text(UInt64(limit))): is it a pipeline file?")
    case .document(let failure): sentence(failure)
    case .repeatedName(let mark, let name, let line):
      UserMessage("\(place(mark)): a source named '\(name)' again; the first is in line \(line)")
    case .unknownKey(let mark, let key, let known):
      UserMessage("\(place(mark)): unknown key '\(key)'", hint: suggestion(key, known))
    case .wrongShape(let mark, let key, let wanted):
      UserMessage("\(place(mark)): '\(key)' takes \(wanted.rawValue)")
    case .missingKey(let mark, let key, let owner): UserMessage("\(place(mark)): \(owner) needs '\(key)'")
    case .exclusiveKeys(let mark, let key, let other):
      UserMessage("\(place(mark)): '\(key)' and '\(other)' exclude each other")
    case .nothingEnabled(let mark): UserMessage("\(place(mark)): no source is enabled")
    case .lonelyKey(let mark, let key, let needs):
      UserMessage("\(place(mark)): '\(key)' goes with '\(needs)'")
    case .unreadableInclude(let mark, let failure):
      UserMessage("\(place(mark)): \(SystemMessages.sentence(failure).message)")
    case .circularInclude(let mark, let file):
      UserMessage("\(place(mark)): '\(file)' leads here by its own includes")
    case .tooManyIncludes(let mark, let limit):
      UserMessage("\(place(mark)): more than \(limit) files include each other")
    case .unknownVariable(let mark, let name):
      UserMessage(
        "\(place(mark)): '${\(name)}' has no value",
        hint: "set it in the environment, by --set vars.\(name)=VALUE, or write ${\(name):-OTHERWISE}")
    case .badVariable(let mark, let text):
      UserMessage("\(place(mark)): '\(text)' is no name of a value", hint: "$${ stands for ${ itself")
    case .badOverride(let text):
      UserMessage(
        "--set \(text) leads nowhere", hint: "--set STAGE.OPTION=VALUE, such as --set normalize.region=KR")
    case .ambiguousOverride(let text, let key, let count):
      UserMessage(
        "--set \(text): there are \(count) of them, and none is '\(key)'",
        hint: "say which by its name or number, such as sources.1.path=FILE")
    }
  }

  static func sentence(_ failure: YAMLError) -> UserMessage {
    switch failure {
    case .notYAML(let mark, let reason): UserMessage("\(place(mark)): not YAML: \(reason)")
    case .tooDeep(let mark, let limit): UserMessage("\(place(mark)): nested deeper than \(limit) levels")
    case .notSupported(let mark, let what):
      UserMessage(
        "\(place(mark)): \(what == .alias ? "aliases (*name)" : "keys that are lists") are not supported")
    case .repeatedKey(let mark, let key, let line):
      UserMessage("\(place(mark)): '\(key)' stands here again; the first is in line \(line)")
    }
  }

  static func place(_ mark: Mark) -> String {
    mark.line == 0 ? mark.file : "\(mark.file):\(mark.line):\(mark.column)"
  }

  /// The key that may have been meant, else all that could stand there.
  static func suggestion(_ key: String, _ known: [String]) -> String {
    let near = known.map { (name: $0, distance: distance(key, $0)) }.min { $0.distance < $1.distance }
    if let near, near.distance <= max(1, key.count / 3) { return "did you mean '\(near.name)'?" }
    return "known here: \(known.joined(separator: ", "))"
  }

  /// The number of letters to add, drop, change, or swap with their neighbour (optimal string alignment).
  private static func distance(_ one: String, _ other: String) -> Int {
    let one = Array(one)
    let other = Array(other)
    var rows = [Array(0...other.count)]
    for i in one.indices {
      var row = [i + 1]
      for j in other.indices {
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (one[i] == other[j] ? 0 : 1))
        if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
