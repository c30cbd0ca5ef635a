// A thread that sorts and spills one run while the next one fills.

import Records
import SystemIO

/// The thread that sorts and spills. It has one buffer, the sorter another, and they swap them.
///
/// `@unchecked Sendable`: `state` and `error` are only read and written with `lock` held. `buffer` and
/// `mergeSort` belong to the thread while the state is `.full`, and to the sorter otherwise.
final class SpillThread: @unchecked Sendable {
  private enum HandoffState {
    /// The buffer is empty; the thread waits.
    case idle
    /// The buffer holds a run to be spilled.
    case full
    /// The thread has ended, or is about to end.
    case ended
  }

  private let lock = ConditionLock()
  private var state = HandoffState.idle
  private var error: Failure?
  private var buffer: RunBuffer
  private var mergeSort: ExternalMergeSort?
  private var thread: WorkerThread?

  /// Starts the thread, which becomes the owner of the runs.
  init(_ runs: inout ExternalMergeSort?, bytesMax: Int) throws(Failure) {
    buffer = RunBuffer(bytesMax: bytesMax)
    mergeSort = runs.take()
    do throws(SystemError) {
      thread = try WorkerThread(name: "spill") { [self] in work() }
    } catch {
      throw Failure(.sort, error)
    }
  }

  /// Exchanges a full buffer for an empty one; waits until the previous run is spilled. Throws the error of that spill.
  func spill(_ full: inout RunBuffer) throws(Failure) {
    lock.lock()
    while state == .full { lock.wait() }
    let error = error
    if error == nil {
      swap(&buffer, &full)
      state = .full
      lock.signal()
    }
    lock.unlock()
    if let error { throw error }
  }

  /// Waits until all runs are spilled, ends the thread, and returns the runs. Throws the error of a spill.
  func finish() throws(Failure) -> ExternalMergeSort {
    stop()
    if let error { throw error }
    // Called once, and a finished thread spills nothing.
    return mergeSort.take()!
  }

  /// Ends the thread after the run that it is spilling.
  func stop() {
    lock.lock()
    while state == .full { lock.wait() }
    state = .ended
    lock.signal()
    lock.unlock()
    thread.take()?.join()
    buffer = RunBuffer(bytesMax: 0)
  }

  private func work() {
    while true {
      lock.lock()
      while state == .idle { lock.wait() }
      let isEnd = state == .ended
      lock.unlock()
      if isEnd { return }
      var spillError: Failure?
      do throws(Failure) {
        try mergeSort?.spill(&buffer)
      } catch {
        spillError = error
      }
      lock.lock()
      if let spillError { error = spillError }
      state = spillError == nil ? .idle : .ended
      lock.signal()
      lock.unlock()
      if spillError != nil { return }
    }
  }
}
