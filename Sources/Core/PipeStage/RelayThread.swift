// A thread behind a boundary at which work goes on elsewhere.

import Synchronization
import SystemIO

/// The thread behind a boundary: takes batches from the queue until there are no more, or until its stage fails.
package final class RelayThread<Batch: ~Copyable>: Sendable {
  /// The stage chain behind the boundary.
  ///
  /// `@unchecked Sendable`: it is made in one thread and handed to the relay's thread before that starts; nobody
  /// else touches it afterwards.
  package struct Behind: @unchecked Sendable {
    fileprivate let receive: (inout Batch) throws(PipeFailure) -> Void
    fileprivate let finish: () throws(PipeFailure) -> Void

    package init(
      receive: @escaping (inout Batch) throws(PipeFailure) -> Void,
      finish: @escaping () throws(PipeFailure) -> Void
    ) {
      self.receive = receive
      self.finish = finish
    }
  }

  private let buffer: BoundedBuffer<Batch>
  private let failure = Mutex<PipeFailure?>(nil)
  private let thread: Mutex<WorkerThread?>

  package init(
    name: String, _ buffer: BoundedBuffer<Batch>, _ spare: consuming sending Batch, _ behind: Behind
  ) throws(PipeFailure) {
    self.buffer = buffer
    thread = Mutex(nil)
    let start = Mutex<Batch?>(spare)
    let box = Box(start)
    let started = try asPipeFailure(nil) { () throws(SystemFailure) in
      try WorkerThread(name: name) { [self] in
        var batch = box.value.withLock { $0.take()! }
        do throws(PipeFailure) {
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
  package func push(_ batch: inout Batch) throws(PipeFailure) {
    if !buffer.push(&batch) { try join() }
  }

  /// No more comes: waits until the thread is done.
  package func finish() throws(PipeFailure) {
    buffer.close()
    try join()
  }

  /// Stops the thread.
  package func stop() {
    buffer.cancel()
    try? join()
  }

  private func join() throws(PipeFailure) {
    thread.withLock { $0.take() }?.join()
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}
