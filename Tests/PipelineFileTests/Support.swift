// Shared by the tests of pipeline files: YAML as text, a layout of stages, and errors as text.

import Records
import SystemIO
import TestSupport
import Testing

@testable import Runner

extension StageName {
  static let unzip = StageName(rawValue: "unzip")
  static let parse = StageName(rawValue: "parse")
  static let normalize = StageName(rawValue: "normalize")
  static let sort = StageName(rawValue: "sort")
  static let dedupe = StageName(rawValue: "dedupe")
  static let subtract = StageName(rawValue: "subtract")
  static let intersect = StageName(rawValue: "intersect")
  static let select = StageName(rawValue: "select")
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
      StageKey(.select, .sourceOrShared, isOrdered: true),
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

/// The error as `LINE:COLUMN: text`, for expectations.
func errorText(_ text: String, set overrides: [String] = []) throws -> String {
  guard case .failure(let error) = try document(text, set: overrides) else { return "nothing" }
  let message = error.failure.message.message
  let place = error.mark.map { "\($0.line):\($0.column)" } ?? ""
  #expect(error.failure.errorClass == (overrides.isEmpty ? .badData : .usage))
  guard let file = message.firstRange(of: "test.yaml:") else { return message }
  #expect(message[file.upperBound...].hasPrefix(place))
  // What follows is the parser's own text.
  let end = message.firstRange(of: "not YAML")?.upperBound ?? message.endIndex
  return String(message[file.upperBound..<end])
}
