// A queue of fixed length between two threads: back-pressure for the one, waiting for the other.

package import BasicContainers

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A bounded queue of batches between the thread that fills them and the thread that empties them.
///
/// Batches go round: a full one is exchanged for an empty one, so that a run allocates as many as the queue is
/// long and no more.
///
/// A thread that had to wait is only woken when half the queue is there for it: to wake it for each batch, and to see it
/// fall asleep behind that, costs about as much as a cheap stage's work.
///
/// `@unchecked Sendable`: every stored property below `mutex` is read and written with it held, and nowhere else.
@safe
package final class BoundedBuffer<Batch: ~Copyable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var full: RigidArray<Batch>
  private var empty: RigidArray<Batch>
  /// Half of all the batches: what a thread that waits is woken for.
  private let half: Int
  private var isClosed = false
  private var isCancelled = false

  /// Makes a queue of as many batches as `batches` has.
  package init(_ batches: consuming RigidArray<Batch>) {
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(changed, nil)
    full = RigidArray(capacity: batches.count)
    half = max(1, batches.count / 2)
    empty = batches
  }

  deinit {
    unsafe pthread_cond_destroy(changed)
    unsafe pthread_mutex_destroy(mutex)
    unsafe changed.deallocate()
    unsafe mutex.deallocate()
  }

  /// Exchanges a full batch for an empty one; waits for room. False when the queue was cancelled.
  package func push(_ batch: inout Batch) -> Bool {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    if empty.isEmpty {
      // The other side can't wait too: it has all the batches before it.
      while empty.count < half, !isCancelled { unsafe pthread_cond_wait(changed, mutex) }
    }
    if isCancelled { return false }
    var fresh = empty.removeLast()
    swap(&fresh, &batch)
    full.insert(fresh, at: 0)
    if full.count >= half { unsafe pthread_cond_signal(changed) }
    return true
  }

  /// Exchanges an emptied batch for the next full one; waits for one. False when there is no more.
  package func pop(_ batch: inout Batch) -> Bool {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    if full.isEmpty {
      while full.count < half, !isClosed, !isCancelled { unsafe pthread_cond_wait(changed, mutex) }
    }
    if isCancelled || full.isEmpty { return false }
    var next = full.removeLast()
    swap(&next, &batch)
    empty.append(next)
    if empty.count >= half { unsafe pthread_cond_signal(changed) }
    return true
  }

  /// No more batches will come.
  package func close() {
    unsafe pthread_mutex_lock(mutex)
    isClosed = true
    unsafe pthread_cond_broadcast(changed)
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Both sides stop.
  package func cancel() {
    unsafe pthread_mutex_lock(mutex)
    isCancelled = true
    unsafe pthread_cond_broadcast(changed)
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Whether `cancel` was called.
  package var wasCancelled: Bool {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return isCancelled
  }
}
