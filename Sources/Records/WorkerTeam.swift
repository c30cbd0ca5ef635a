// Threads that share one job, and the counts and rejects of one of several threads.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Synchronization
import SystemIO

/// Threads that wait for jobs.
///
///     team.perform(parts: 8) { part in … }
///
/// `@unchecked Sendable`: the stored properties after `lock` are accessed only while it is held, and `threads` while `turn`
/// is.
public final class WorkerTeam: @unchecked Sendable {
  /// The number of parts that are done at the same time, including the one that the caller does.
  public let size: Int
  /// Held by the thread whose job is being done.
  private let turn = ConditionLock()
  private let lock = ConditionLock()
  private var work: (@Sendable (Int) -> Void)?
  private var parts = 0
  private var next = 0
  private var done = 0
  private var hasEnded = false
  private var threads: [WorkerThread] = []

  /// Creates a team. Its threads start with the first job.
  public init(size: Int) {
    self.size = size
  }

  /// Ends the threads. Call it when no job is being done, and none will follow.
  public func end() {
    lock.lock()
    hasEnded = true
    lock.broadcast()
    lock.unlock()
    for thread in threads { thread.join() }
    threads = []
  }

  /// Calls `work` with each part from 0 on, several at a time, and returns when all calls have returned. Another thread's
  /// job is waited for.
  public func perform(parts count: Int, _ work: @escaping @Sendable (Int) -> Void) {
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

/// Collects what one of several threads of a stage counts and rejects, until the items before its own have been
/// passed on.
public final class WorkerContext: Sendable {
  private final class Collected: Sendable {
    let rejects = Mutex<[Reject]>([])
  }

  /// The context that the thread's part of the stage receives.
  public let context: StageContext
  private let collected: Collected

  /// Creates a context for a thread of the stage that has `stage` as its context.
  public init(of stage: StageContext) throws(Failure) {
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
  public func take(_ result: inout WorkerResult) {
    context.meter.move(to: result.meter)
    result.rejects = collected.rejects.withLock { rejects in
      defer { rejects = [] }
      return rejects
    }
  }
}

/// What one of several threads counted and rejected for an item.
public struct WorkerResult: Sendable {
  public private(set) var meter: StageMeter
  public var rejects: [Reject] = []

  public init(_ stage: StageName) {
    meter = StageMeter(stage)
  }

  /// Passes the counts and rejects to the stage, and empties the result.
  public mutating func pass(to context: StageContext) throws(Failure) {
    let rejects = rejects
    self.rejects = []
    meter.move(to: context.meter)
    for reject in rejects { try context.rejects.add(reject) }
  }

  /// Empties the result. Others do the work again, and count for themselves.
  public mutating func discard() {
    self = WorkerResult(meter.stage)
  }
}
