// Shared by the tests of pipeline files: YAML as text, a layout of stages, and errors as text.

import Records
import SystemIO
import TestSupport

@testable import Runner

extension StageName {
  static let unzip = StageName(rawValue: "unzip")
  static let parse = StageName(rawValue: "parse")
  static let normalize = StageName(rawValue: "normalize")
  static let sort = StageName(rawValue: "sort")
  static let dedupe = StageName(rawValue: "dedupe")
  static let subtract = StageName(rawValue: "subtract")
  static let intersect = StageName(rawValue: "intersect")
}

extension PipelineLayout {
  /// Stages like those of the program.
  static let test = PipelineLayout(
    [
      StageKey(StageName(rawValue: "generate"), .generator, listKey: "patterns"),
      StageKey(StageName(rawValue: "download"), .fetch),
      StageKey(.unzip, .source), StageKey(.parse, .source),
      StageKey(.normalize, .source, sourceKeys: ["region"]),
      StageKey(.sort, .shared), StageKey(.dedupe, .shared),
      StageKey(StageName(rawValue: "union"), .commandOnly),
      StageKey(.subtract, .optional, listKey: "lists"), StageKey(.intersect, .optional, listKey: "lists"),
      StageKey(StageName(rawValue: "emit"), .output),
    ],
    checkKeys: [
      "min-rows", "max-rows", "max-numbers", "max-overlaps", "max-rejects", "max-change", "pipe-timeout",
    ])
}

/// The pipeline file with this text, or its error.
func document(_ text: String, set overrides: [String] = []) throws -> Result<
  PipelineDocument, PipelineFileError
> {
  let directory = try TemporaryDirectory()
  try directory.write("test.yaml", Array(text.utf8))
  do throws(PipelineFileError) {
    return .success(try PipelineDocument(path: directory / "test.yaml", layout: .test, overrides: overrides))
  } catch {
    return .failure(error)
  }
}

extension StageSetting {
  /// The values' texts.
  var texts: [String] { values.map(\.text) }
}

/// The error as `LINE:COLUMN text`, for expectations.
func errorText(_ text: String, set overrides: [String] = []) throws -> String {
  guard case .failure(let failure) = try document(text, set: overrides) else { return "nothing" }
  func place(_ mark: Mark) -> String { "\(mark.line):\(mark.column)" }
  return switch failure {
  case .unreadable(let failure): "unreadable \(failure.operation)"
  case .tooLarge: "too large"
  case .document(.notYAML(let mark, _)): "\(place(mark)) not YAML"
  case .document(.tooDeep(let mark, _)): "\(place(mark)) too deep"
  case .document(.notSupported(let mark, let what)): "\(place(mark)) \(what)"
  case .document(.repeatedKey(let mark, let key, let line)): "\(place(mark)) repeated \(key) of line \(line)"
  case .repeatedName(let mark, let name, let line): "\(place(mark)) repeated name \(name) of line \(line)"
  case .unknownKey(let mark, let key, _): "\(place(mark)) unknown \(key)"
  case .wrongShape(let mark, let key, let wanted): "\(place(mark)) \(key) needs \(wanted.rawValue)"
  case .missingKey(let mark, let key, let owner): "\(place(mark)) \(owner) needs \(key)"
  case .exclusiveKeys(let mark, let key, let other): "\(place(mark)) \(key) or \(other)"
  case .nothingEnabled(let mark): "\(place(mark)) nothing enabled"
  case .lonelyKey(let mark, let key, let needs): "\(place(mark)) \(key) needs \(needs)"
  case .unreadableInclude(let mark, let failure): "\(place(mark)) unreadable \(failure.operation)"
  case .circularInclude(let mark, _): "\(place(mark)) circular"
  case .tooManyIncludes(let mark, let limit): "\(place(mark)) more than \(limit)"
  case .unknownVariable(let mark, let name): "\(place(mark)) no \(name)"
  case .badVariable(let mark, let text): "\(place(mark)) bad \(text)"
  case .badOverride(let text): "bad override \(text)"
  case .ambiguousOverride(_, let key, let count): "\(count) items, none is \(key)"
  }
}
