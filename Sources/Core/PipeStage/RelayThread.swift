// A thread behind a boundary at which work goes on elsewhere.

import Synchronization
import SystemIO

/// The thread behind a boundary: takes batches from the queue until there are no more, or until its stage fails.
package final class RelayThread<Batch: ~Copyable>: Sendable {
  /// The stage chain behind the boundary.
  ///
  /// `@unchecked Sendable`: it is made in one thread and handed to the relay's thread before that starts; nobody
  /// else touches it afterwards.
  package struct Consumer: @unchecked Sendable {
    fileprivate let receive: (inout Batch) throws(StageError) -> Void
    fileprivate let finish: () throws(StageError) -> Void

    package init(
      receive: @escaping (inout Batch) throws(StageError) -> Void,
      finish: @escaping () throws(StageError) -> Void
    ) {
      self.receive = receive
      self.finish = finish
    }
  }

  private let buffer: BoundedBuffer<Batch>
  private let failure = Mutex<StageError?>(nil)
  private let thread: Mutex<WorkerThread?>

  package init(
    name: String, _ buffer: BoundedBuffer<Batch>, _ spare: consuming sending Batch, _ behind: Consumer
  ) throws(StageError) {
    self.buffer = buffer
    thread = Mutex(nil)
    let start = Mutex<Batch?>(spare)
    let box = Box(start)
    let started = try asStageError(nil) { () throws(SystemError) in
      try WorkerThread(name: name) { [self] in
        var batch = box.value.withLock { $0.take()! }
        do throws(StageError) {
          while buffer.pop(&batch) { try behind.receive(&batch) }
          if !buffer.wasCancelled { try behind.finish() }
        } catch {
          failure.withLock { $0 = error }
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

  /// Hands a batch over and takes an empty one, or throws what the thread failed with.
  package func push(_ batch: inout Batch) throws(StageError) {
    if !buffer.push(&batch) { try join() }
  }

  /// No more comes: waits until the thread is done.
  package func finish() throws(StageError) {
    buffer.close()
    try join()
  }

  /// Stops the thread.
  package func stop() {
    buffer.cancel()
    try? join()
  }

  private func join() throws(StageError) {
    thread.withLock { $0.take() }?.join()
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}
