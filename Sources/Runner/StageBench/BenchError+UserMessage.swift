// Messages for errors of benchmarks.

package import Records

extension BenchError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .noProgram:
      UserMessage("cannot find this program's own file, so it can't start itself again")
    case .notStarted(let code): UserMessage("cannot start a process: \(SystemMessages.reason(code))")
    case .stageFailed(let name, let status): UserMessage("'\(name)' failed with status \(status)")
    case .differentOutputs(let name):
      UserMessage(
        "run \(name), the stages wrote different bytes than one by one: this is a bug in cdpipe, please report it"
      )
    case .notAResult(let path):
      UserMessage("'\(path)' is not a benchmark result", hint: "make one with 'cdpipe bench --json > FILE'")
    case .otherData(let path, let earlier):
      UserMessage(
        "'\(path)' measured other data",
        hint:
          "use the same data: --rows \(earlier.rows) --shape \(earlier.shape) --seed \(earlier.seed) "
          + "--memory '\(earlier.memory)'")
    }
  }
}
