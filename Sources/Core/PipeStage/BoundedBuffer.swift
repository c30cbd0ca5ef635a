// A queue of fixed length between two threads: the producer waits while it is full, the consumer while it is empty.

package import BasicContainers
import SystemIO

/// A bounded queue of batches between the thread that fills them and the thread that empties them.
///
/// Batches are reused: each side exchanges a full batch for an empty one or the reverse, so that a run allocates no
/// more batches than the queue is long.
///
/// A waiting thread is woken only when half of the batches are available to it. Waking it for every batch would cost
/// about as much as the work of a cheap stage.
///
/// `@unchecked Sendable`: the stored properties after `lock` are accessed only while it is held.
package final class BoundedBuffer<Batch: ~Copyable>: @unchecked Sendable {
  private let lock = ConditionLock()
  private var full: RigidArray<Batch>
  private var empty: RigidArray<Batch>
  /// Half of all batches: a waiting thread is woken when this many are available.
  private let half: Int
  private var isClosed = false
  private var isCancelled = false

  /// Creates a queue that uses these batches.
  package init(_ batches: consuming RigidArray<Batch>) {
    full = RigidArray(capacity: batches.count)
    half = max(1, batches.count / 2)
    empty = batches
  }

  /// Exchanges a full batch for an empty one; waits until there is one. Returns false if the queue was cancelled.
  package func push(_ batch: inout Batch) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    if empty.isEmpty {
      // The consumer can't be waiting at the same time: all batches are full.
      while empty.count < half, !isCancelled { lock.wait() }
    }
    if isCancelled { return false }
    var fresh = empty.removeLast()
    swap(&fresh, &batch)
    full.insert(fresh, at: 0)
    if full.count >= half { lock.signal() }
    return true
  }

  /// Exchanges an empty batch for the next full one; waits until there is one. Returns false at the end, and if the
  /// queue was cancelled.
  package func pop(_ batch: inout Batch) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    if full.isEmpty {
      while full.count < half, !isClosed, !isCancelled { lock.wait() }
    }
    if isCancelled || full.isEmpty { return false }
    var next = full.removeLast()
    swap(&next, &batch)
    empty.append(next)
    if empty.count >= half { lock.signal() }
    return true
  }

  /// Marks the end: no more batches will be pushed.
  package func close() {
    lock.lock()
    isClosed = true
    lock.broadcast()
    lock.unlock()
  }

  /// Makes both sides stop.
  package func cancel() {
    lock.lock()
    isCancelled = true
    lock.broadcast()
    lock.unlock()
  }

  /// Whether `cancel` was called.
  package var wasCancelled: Bool {
    lock.lock()
    defer { lock.unlock() }
    return isCancelled
  }
}
