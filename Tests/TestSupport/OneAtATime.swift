// Suites that need something that exists once per process: they run one after another, even when they are of different
// test targets, which all run in one process. `.serialized` holds within a suite only.

import Synchronization
public import Testing

/// The trait of suites that use Apple's frameworks with a phone installed: a process has one.
public struct OneAtATime: SuiteTrait, TestScoping {
  /// Waits for its turn, and passes the turn on when the suite has ended.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.turns.take()
    defer { Self.turns.give() }
    try await function()
  }

  private static let turns = Turns()
}

extension Trait where Self == OneAtATime {
  /// While tests of this suite run, those of other suites with the trait wait.
  public static var onePhoneAtATime: OneAtATime { OneAtATime() }
}

/// A lock that is waited for without a thread. Waiters get it in the order they came.
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
