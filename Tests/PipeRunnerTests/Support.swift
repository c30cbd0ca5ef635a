// Shared by the runner's tests: pipelines over files in a directory.

import Records
import SystemIO
import TestSupport

@testable import Runner

/// The result of a pipeline.
struct RunOutcome {
  var failure: Failure?
  var accounts: Accounts
  var rejects: UInt64
}

/// Runs a pipeline to its end.
func execute(
  _ pipeline: Pipeline, policy: RejectPolicy = RejectPolicy(), calls: any SystemCalls = KernelCalls()
) throws -> RunOutcome {
  let log = try RejectLog(policy: policy, calls: calls)
  var counters: [StageCounters] = []
  let failure = stageError { () throws(Failure) in
    let run = try PipelineRun(pipeline, rejects: log, calls: calls)
    counters = run.counters
    try run.execute()
    try log.publish()
  }
  return RunOutcome(failure: failure, accounts: Accounts(counters), rejects: log.count)
}
