// Why a benchmark has no result, in sentences.

enum BenchMessages {
  static func sentence(_ failure: BenchError) -> UserMessage {
    switch failure {
    case .noProgram:
      UserMessage("the system does not say where this program is, so it can't be started again")
    case .notStarted(let code): UserMessage("cannot start a process: \(SystemMessages.reason(code))")
    case .stageFailed(let name, let status): UserMessage("'\(name)' ended with status \(status)")
    case .differentOutputs(let name):
      UserMessage(
        "run \(name), the stages gave other bytes than one by one, which is a fault in cdpipe: please report it"
      )
    case .notAResult(let path):
      UserMessage("'\(path)' is no result of a benchmark", hint: "cdpipe bench --json > FILE makes one")
    case .otherData(let path, let earlier):
      UserMessage(
        "'\(path)' is of other data",
        hint:
          "it was made with --rows \(earlier.rows) --shape \(earlier.shape) --seed \(earlier.seed) "
          + "--memory '\(earlier.memory)'")
    }
  }
}
