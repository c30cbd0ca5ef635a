// The context of one of several threads that share the work of a stage: its counts and rejects wait until the items before
// theirs have been passed on.

import Synchronization

/// Collects what one thread counts and rejects.
package final class WorkerContext: Sendable {
  private final class Collected: Sendable {
    let rejects = Mutex<[Reject]>([])
  }

  /// The context that the thread's part of the stage receives.
  package let context: StageContext
  private let collected: Collected

  /// Creates a context for a thread of the stage that has `stage` as its context.
  package init(of stage: StageContext) throws(Failure) {
    let collected = Collected()
    self.collected = collected
    var context = stage
    context.meter = StageMeter(stage.stage)
    context.rejects = try RejectLog { reject, _ in
      collected.rejects.withLock { $0.append(reject) }
    }
    self.context = context
  }

  /// Moves what was counted and rejected since the last call.
  package func take(_ result: inout WorkerResult) {
    context.meter.move(to: result.meter)
    result.rejects = collected.rejects.withLock { rejects in
      defer { rejects = [] }
      return rejects
    }
  }
}

/// What one of several threads counted and rejected for an item.
package struct WorkerResult: Sendable {
  /// The counts.
  package private(set) var meter: StageMeter
  /// The rejects, in order.
  package var rejects: [Reject] = []

  /// Creates an empty result.
  package init(_ stage: StageName) {
    meter = StageMeter(stage)
  }

  /// Passes the counts and rejects to the stage, and empties the result.
  package mutating func pass(to context: StageContext) throws(Failure) {
    let rejects = rejects
    self.rejects = []
    meter.move(to: context.meter)
    for reject in rejects { try context.rejects.add(reject) }
  }

  /// Empties the result. Others do the work again, and count for themselves.
  package mutating func discard() {
    self = WorkerResult(meter.stage)
  }
}
