// A thread that runs the stages after a thread boundary.

import Synchronization
import SystemIO

/// Runs stages in a thread: passes them batches from a queue until the end, or until a stage fails.
package final class RelayThread<Batch: ~Copyable>: Sendable {
  /// The stages after the boundary.
  ///
  /// `@unchecked Sendable`: it is created in one thread and passed to the relay's thread before that starts, and only
  /// that thread accesses it afterwards.
  package struct Consumer: @unchecked Sendable {
    let receive: (inout Batch) throws(Failure) -> Void
    let finish: () throws(Failure) -> Void

    package init(
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

  package init(
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
  package func push(_ batch: inout Batch) throws(Failure) {
    if !buffer.push(&batch) { try join() }
  }

  /// Ends the stream and waits until the thread is done.
  package func finish() throws(Failure) {
    buffer.close()
    try join()
  }

  /// Stops the thread.
  package func stop() {
    buffer.cancel()
    try? join()
  }

  private func join() throws(Failure) {
    thread.withLock { $0.take() }?.join()
    if let error = error.withLock({ $0 }) { throw error }
  }
}
