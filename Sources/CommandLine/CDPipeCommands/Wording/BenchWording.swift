// Why a benchmark has no result, in sentences.

enum BenchWording {
  static func sentence(_ failure: BenchFailure) -> Sentence {
    switch failure {
    case .noProgram: Sentence("the system does not say where this program is, so it can't be started again")
    case .notStarted(let code): Sentence("cannot start a process: \(SystemWording.reason(code))")
    case .stageFailed(let name, let status): Sentence("'\(name)' ended with status \(status)")
    case .differentOutputs(let name):
      Sentence(
        "run \(name), the stages gave other bytes than one by one, which is a fault in cdpipe: please report it"
      )
    case .notAResult(let path):
      Sentence("'\(path)' is no result of a benchmark", hint: "cdpipe bench --json > FILE makes one")
    case .otherData(let path, let earlier):
      Sentence(
        "'\(path)' is of other data",
        hint:
          "it was made with --rows \(earlier.rows) --shape \(earlier.shape) --seed \(earlier.seed) "
          + "--memory '\(earlier.memory)'")
    }
  }
}
