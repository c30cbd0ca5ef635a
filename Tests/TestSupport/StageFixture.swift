// The context of a stage under test: counters, a readable log of rejects, and system calls.

package import Records
import Synchronization
package import SystemIO

/// The context of a stage in a test.
package final class StageFixture: Sendable {
  private let kept: KeptRejects
  package let context: StageContext

  private final class KeptRejects: Sendable {
    let rejects = Mutex<[Reject]>([])
  }

  /// Creates a context for a stage.
  package init(
    _ stage: StageName, policy: RejectPolicy = RejectPolicy(), calls: any SystemCalls = KernelCalls()
  ) throws(Failure) {
    let kept = KeptRejects()
    self.kept = kept
    context = StageContext(
      meter: StageMeter(stage),
      rejects: try RejectLog(policy: policy, calls: calls) { reject, _ in
        kept.rejects.withLock { $0.append(reject) }
      }, calls: calls)
  }

  package var meter: StageMeter { context.meter }

  /// The rejects so far, in order.
  package var rejects: [Reject] { kept.rejects.withLock { $0 } }

  /// The rejects' rows and reasons, such as `3 too-short`.
  package var rejectLines: [String] {
    rejects.map { reject in
      switch reject.place {
      case .row(let row): "\(row) \(reject.reason.code)"
      case .sourceRow(let row, let input, let source): "\(source) \(input) \(row) \(reject.reason.code)"
      case .line(let line, let byte, let input): "\(input):\(line) byte \(byte) \(reject.reason.code)"
      }
    }
  }
}

/// The error that `body` throws, or nil.
package func stageError(of body: () throws(Failure) -> Void) -> Failure? {
  do throws(Failure) {
    try body()
    return nil
  } catch {
    return error
  }
}

/// The error that `body` throws, or nil.
package func systemError(of body: () throws(SystemError) -> Void) -> SystemError? {
  do throws(SystemError) {
    try body()
    return nil
  } catch {
    return error
  }
}
