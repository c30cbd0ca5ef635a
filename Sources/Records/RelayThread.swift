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

  private let queue: RelayQueue<Batch>
  private let error = Mutex<Failure?>(nil)
  private let thread: Mutex<WorkerThread?>

  /// Starts the thread. `spare` is one of the batches that are exchanged.
  public init(
    name: String, _ queue: RelayQueue<Batch>, _ spare: consuming sending Batch, _ consumer: Consumer
  ) throws(Failure) {
    self.queue = queue
    thread = Mutex(nil)
    let start = Start(spare)
    do throws(SystemError) {
      let started = try WorkerThread(name: name) { [self] in
        guard var batch = start.take() else { return }
        do throws(Failure) {
          while try queue.pop(&batch) { try consumer.receive(&batch) }
          if !queue.wasCancelled { try consumer.finish() }
        } catch {
          self.error.withLock { $0 = error }
          queue.cancel()
        }
      }
      thread.withLock { $0 = started }
    } catch {
      queue.stop()
      throw Failure(nil, error)
    }
  }

  /// Passes the spare batch to the thread.
  private final class Start: Sendable {
    private let batch: Mutex<Batch?>
    init(_ batch: consuming sending Batch) { self.batch = Mutex(batch) }
    func take() -> Batch? { batch.withLock { $0.take() } }
  }

  /// Exchanges a batch for an empty one, or throws the thread's error.
  public func push(_ batch: inout Batch) throws(Failure) {
    if !queue.push(&batch) { try join() }
  }

  /// Ends the stream and waits until the thread is done.
  public func finish() throws(Failure) {
    queue.close()
    try join()
  }

  public func stop() {
    queue.cancel()
    try? join()
  }

  private func join() throws(Failure) {
    thread.withLock { $0.take() }?.join()
    queue.stop()
    if let error = error.withLock({ $0 }) { throw error }
  }
}

extension RelayThread: RawRowSink where Batch == RawRowBatch {
  public convenience init(_ downstream: any RawRowSink) throws(Failure) {
    // One batch is being filled, one is being read, two smooth out differences in speed.
    try self.init(
      name: "rows", BoundedBuffer(count: 4) { RawRowBatch() }, RawRowBatch(),
      Consumer(
        receive: { (batch) throws(Failure) in
          try downstream.receive(&batch)
          batch.removeAll()
        }, finish: { () throws(Failure) in try downstream.finish() }))
  }

  public func receive(_ batch: inout RawRowBatch) throws(Failure) {
    // Row numbers continue in the recycled batch as they would in this one.
    let next = batch.firstOrdinal + UInt64(batch.count)
    try push(&batch)
    batch.firstOrdinal = next
  }
}

extension RelayThread: RecordSink where Batch == RecordBatch {
  public convenience init(_ downstream: any RecordSink) throws(Failure) {
    // Enough batches to bridge the pauses in which sort orders a run.
    try self.init(
      name: "records", BoundedBuffer(count: 8) { RecordBatch() }, RecordBatch(),
      Consumer(
        receive: { (batch) throws(Failure) in
          try downstream.receive(&batch)
          batch.removeAll()
        }, finish: { () throws(Failure) in try downstream.finish() }))
  }

  public func receive(_ batch: inout RecordBatch) throws(Failure) { try push(&batch) }
}

/// A bounded queue between the thread that fills batches and the thread that empties them. Batches are reused: each end
/// exchanges one for another.
///
/// `@unchecked Sendable`: it has no stored properties.
public class RelayQueue<Batch: ~Copyable>: @unchecked Sendable {
  /// Exchanges a batch that is to be passed on for another one; waits until there is one. Returns false if the queue was
  /// cancelled or has failed.
  public func push(_ batch: inout Batch) -> Bool { preconditionFailure("a subclass has the batches") }

  /// Exchanges a batch for the next one; waits until there is one. Returns false at the end, and if the queue was
  /// cancelled.
  public func pop(_ batch: inout Batch) throws(Failure) -> Bool {
    preconditionFailure("a subclass has the batches")
  }

  /// Marks the end: no more batches will be pushed.
  public func close() {}

  /// Makes both ends stop.
  public func cancel() {}

  /// Whether ``cancel()`` was called.
  public var wasCancelled: Bool { false }

  /// Makes both ends stop, and ends the queue's own threads.
  public func stop() { cancel() }
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
public final class BoundedBuffer<Batch: ~Copyable>: RelayQueue<Batch>, @unchecked Sendable {
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

  public override func push(_ batch: inout Batch) -> Bool {
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

  public override func pop(_ batch: inout Batch) -> Bool {
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

  public override func close() {
    lock.lock()
    isClosed = true
    lock.broadcast()
    lock.unlock()
  }

  public override func cancel() {
    lock.lock()
    isCancelled = true
    lock.broadcast()
    lock.unlock()
  }

  public override var wasCancelled: Bool {
    lock.lock()
    defer { lock.unlock() }
    return isCancelled
  }
}
