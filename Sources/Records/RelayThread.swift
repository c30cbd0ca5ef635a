// A thread that runs the stages after a thread boundary, and the queue of fixed length before it.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BasicContainers
import Synchronization
import SystemIO

/// Runs stages in a thread: passes them batches from a queue until the end, or until a stage fails.
public final class RelayThread<Batch: ~Copyable>: Sendable {
  /// The stages after the boundary.
  ///
  /// `@unchecked Sendable`: it is created in one thread and passed to the relay's thread before that starts, and only
  /// that thread accesses it afterwards.
  public struct Consumer: @unchecked Sendable {
    let receive: (inout Batch) throws(Failure) -> Void
    let finish: () throws(Failure) -> Void

    public init(
      receive: @escaping (inout Batch) throws(Failure) -> Void,
      finish: @escaping () throws(Failure) -> Void
    ) {
      self.receive = receive
      self.finish = finish
    }
  }

  private let buffer: BoundedBuffer<Batch>
  private let error = Mutex<Failure?>(nil)
  private let thread: Mutex<WorkerThread?>

  public init(
    name: String, _ buffer: BoundedBuffer<Batch>, _ spare: consuming sending Batch, _ consumer: Consumer
  ) throws(Failure) {
    self.buffer = buffer
    thread = Mutex(nil)
    let start = Mutex<Batch?>(spare)
    let box = Box(start)
    let started = try asFailure(nil) { () throws(SystemError) in
      try WorkerThread(name: name) { [self] in
        var batch = box.value.withLock { $0.take()! }
        do throws(Failure) {
          while buffer.pop(&batch) { try consumer.receive(&batch) }
          if !buffer.wasCancelled { try consumer.finish() }
        } catch {
          self.error.withLock { $0 = error }
          buffer.cancel()
        }
      }
    }
    thread.withLock { $0 = started }
  }

  private final class Box: Sendable {
    let value: Mutex<Batch?>
    init(_ value: consuming Mutex<Batch?>) { self.value = value }
  }

  /// Exchanges a batch for an empty one, or throws the thread's error.
  public func push(_ batch: inout Batch) throws(Failure) {
    if !buffer.push(&batch) { try join() }
  }

  /// Ends the stream and waits until the thread is done.
  public func finish() throws(Failure) {
    buffer.close()
    try join()
  }

  public func stop() {
    buffer.cancel()
    try? join()
  }

  private func join() throws(Failure) {
    thread.withLock { $0.take() }?.join()
    if let error = error.withLock({ $0 }) { throw error }
  }
}

/// A bounded queue of batches between the thread that fills them and the thread that empties them.
///
/// Batches are reused: each side exchanges a full batch for an empty one or the reverse, so that a run allocates no
/// more batches than the queue is long. They are made when the producer needs them: a short list needs one.
///
/// A waiting thread is woken only when half of the batches are available to it. Waking it for every batch would cost
/// about as much as the work of a cheap stage.
///
/// `@unchecked Sendable`: the stored properties after `lock` are accessed only while it is held.
public final class BoundedBuffer<Batch: ~Copyable>: @unchecked Sendable {
  private let lock = ConditionLock()
  private var full: RigidArray<Batch>
  private var empty: RigidArray<Batch>
  private let make: @Sendable () -> Batch
  /// The number of batches that were not made yet.
  private var unmade: Int
  /// Half of all batches: a waiting thread is woken when this many are available.
  private let half: Int
  private var isClosed = false
  private var isCancelled = false

  /// Creates a queue of `count` batches.
  public init(count: Int, _ make: @escaping @Sendable () -> Batch) {
    full = RigidArray(capacity: count)
    empty = RigidArray(capacity: count)
    unmade = count
    half = max(1, count / 2)
    self.make = make
  }

  /// Exchanges a full batch for an empty one; waits until there is one. Returns false if the queue was cancelled.
  public func push(_ batch: inout Batch) -> Bool {
    lock.lock()
    if empty.isEmpty, unmade > 0 {
      unmade -= 1
      empty.append(make())
    } else if empty.isEmpty {
      // The consumer can't be waiting at the same time: all batches are full.
      while empty.count < half, !isCancelled { lock.wait() }
    }
    if isCancelled {
      lock.unlock()
      return false
    }
    var fresh = empty.removeLast()
    swap(&fresh, &batch)
    full.insert(fresh, at: 0)
    unlock(waking: full.count >= half)
    return true
  }

  /// Releases the lock, then wakes the other thread: woken sooner, it could run at once, and only wait for the lock.
  private func unlock(waking: Bool) {
    lock.unlock()
    if waking { lock.signal() }
  }

  /// Exchanges an empty batch for the next full one; waits until there is one. Returns false at the end, and if the
  /// queue was cancelled.
  public func pop(_ batch: inout Batch) -> Bool {
    lock.lock()
    if full.isEmpty {
      while full.count < half, !isClosed, !isCancelled { lock.wait() }
    }
    if isCancelled || full.isEmpty {
      lock.unlock()
      return false
    }
    var next = full.removeLast()
    swap(&next, &batch)
    empty.append(next)
    unlock(waking: empty.count >= half)
    return true
  }

  /// Marks the end: no more batches will be pushed.
  public func close() {
    lock.lock()
    isClosed = true
    lock.broadcast()
    lock.unlock()
  }

  /// Makes both sides stop.
  public func cancel() {
    lock.lock()
    isCancelled = true
    lock.broadcast()
    lock.unlock()
  }

  /// Whether `cancel` was called.
  public var wasCancelled: Bool {
    lock.lock()
    defer { lock.unlock() }
    return isCancelled
  }
}
