// What the runner's tests share: pipelines over files in a directory, and YAML as text.

import PipeStage
import SystemIO
import TestSupport
import YAMLDocument

@testable import PipeRunner

/// What became of a pipeline.
struct RunOutcome {
  var failure: StageError?
  var accounts: Accounts
  var rejects: UInt64
}

/// Runs a pipeline to its end.
func execute(
  _ pipeline: Pipeline, policy: RejectPolicy = RejectPolicy(), calls: any SystemCalls = KernelCalls()
) throws -> RunOutcome {
  let log = try RejectLog(policy: policy, calls: calls)
  var stations: [PipelineRun.Station] = []
  let failure = stageError { () throws(StageError) in
    let run = try PipelineRun(pipeline, rejects: log, calls: calls)
    stations = run.stations
    try run.execute()
  }
  return RunOutcome(failure: failure, accounts: Accounts(stations), rejects: log.count)
}

/// What a pipeline file with this text is, or what is wrong with it.
func document(_ text: String, set overrides: [String] = []) throws -> Result<
  PipelineDocument, PipelineFileError
> {
  let directory = try TemporaryDirectory()
  try directory.write("test.yaml", Array(text.utf8))
  do throws(PipelineFileError) {
    return .success(try PipelineDocument(path: directory / "test.yaml", overrides: overrides))
  } catch {
    return .failure(error)
  }
}

extension StageSetting {
  /// The values' texts.
  var texts: [String] { values.map(\.text) }
}

/// `LINE:COLUMN what is wrong`, for expectations.
func mistake(_ text: String, set overrides: [String] = []) throws -> String {
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
  case .wrongShape(let mark, let key, let wanted): "\(place(mark)) \(key) takes \(wanted.rawValue)"
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
