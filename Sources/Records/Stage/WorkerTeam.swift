// Threads that share one job: its parts are done at the same time, and the job ends when all are done.
//
// Not for: a stream of items whose order must be restored (OrderedWork), or stages that overlap (RelayThread).

import SystemIO

/// Threads that wait for jobs.
///
///     team.perform(parts: 8) { part in … }
///
/// `@unchecked Sendable`: the stored properties after `lock` are accessed only while it is held, and `threads` while `turn`
/// is.
package final class WorkerTeam: @unchecked Sendable {
  /// The number of parts that are done at the same time, including the one that the caller does.
  package let size: Int
  /// Held by the thread whose job is being done.
  private let turn = ConditionLock()
  private let lock = ConditionLock()
  private var work: (@Sendable (Int) -> Void)?
  private var parts = 0
  /// The next part to begin.
  private var next = 0
  private var done = 0
  private var hasEnded = false
  private var threads: [WorkerThread] = []

  /// Creates a team. Its threads start with the first job.
  package init(size: Int) {
    self.size = size
  }

  /// Ends the threads. Call it when no job is being done, and none will follow.
  package func end() {
    lock.lock()
    hasEnded = true
    lock.broadcast()
    lock.unlock()
    for thread in threads { thread.join() }
    threads = []
  }

  /// Calls `work` with each part from 0 on, several at a time, and returns when all calls have returned. Another thread's
  /// job is waited for.
  package func perform(parts count: Int, _ work: @escaping @Sendable (Int) -> Void) {
    turn.lock()
    start()
    lock.lock()
    self.work = work
    parts = count
    next = 0
    done = 0
    lock.broadcast()
    while doPart() {}
    while done < parts { lock.wait() }
    self.work = nil
    lock.unlock()
    turn.unlock()
  }

  /// Starts the threads, unless they run. The caller does all parts if none can be started.
  private func start() {
    guard threads.isEmpty else { return }
    for _ in 1..<max(size, 1) {
      guard let thread = try? WorkerThread(name: "team", { [self] in run() }) else { return }
      threads.append(thread)
    }
  }

  private func run() {
    lock.lock()
    while !hasEnded {
      if !doPart() { lock.wait() }
    }
    lock.unlock()
  }

  /// Does the next part with `lock` released; returns false if none is left. Call it only while holding the lock.
  private func doPart() -> Bool {
    guard let work, next < parts else { return false }
    let part = next
    next += 1
    lock.unlock()
    work(part)
    lock.lock()
    done += 1
    if done == parts { lock.broadcast() }
    return true
  }
}
