// The effort of long tests, and suites that run one after another, since all targets run in one process.

import Synchronization
package import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The number of cases that long tests try.
package enum TestEffort {
  /// Whether tests run in their long form. `make soak` sets `CDPIPE_SOAK`.
  package static let isLong = unsafe getenv("CDPIPE_SOAK") != nil

  /// The number of cases of a test: `long` in `make soak`, else `short`.
  package static func cases(short: Int, long: Int) -> Int { isLong ? long : short }
}

/// The trait of suites that install a phone for Apple's frameworks: a process has one.
package struct OneAtATime: SuiteTrait, TestScoping {
  /// Waits until no other suite with the trait runs, and releases the next one at the end.
  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.turns.take()
    defer { Self.turns.give() }
    try await function()
  }

  private static let turns = Turns()
}

extension Trait where Self == OneAtATime {
  /// While tests of this suite run, other suites with the trait wait.
  package static var onePhoneAtATime: OneAtATime { OneAtATime() }
}

/// A lock that can be awaited without blocking a thread. Waiters acquire it in the order of their calls.
private final class Turns: Sendable {
  private struct Queue {
    var isTaken = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let queue = Mutex(Queue())

  func take() async {
    await withCheckedContinuation { waiter in
      let isMine = queue.withLock { queue in
        if queue.isTaken {
          queue.waiters.append(waiter)
          return false
        }
        queue.isTaken = true
        return true
      }
      if isMine { waiter.resume() }
    }
  }

  func give() {
    let next: CheckedContinuation<Void, Never>? = queue.withLock { queue in
      if queue.waiters.isEmpty {
        queue.isTaken = false
        return nil
      }
      return queue.waiters.removeFirst()
    }
    next?.resume()
  }
}
