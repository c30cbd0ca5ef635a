// A stage boundary at which the work goes on in another thread.

import BasicContainers
import CallRecord
import PipeStage
import Synchronization
import SystemIO

/// A sink that another thread may be told to stop.
protocol Stoppable: AnyObject {
  /// Stops the thread behind the boundary and waits for it. What it held is dropped, unpublished.
  func stop()
}

/// The thread behind a boundary: takes batches from the queue until there are no more, or until its stage fails.
final class RelayThread<Batch: ~Copyable>: Sendable {
  /// The stage chain behind the boundary.
  ///
  /// `@unchecked Sendable`: it is made in one thread and handed to the relay's thread before that starts; nobody
  /// else touches it afterwards.
  struct Behind: @unchecked Sendable {
    let receive: (inout Batch) throws(PipeFailure) -> Void
    let finish: () throws(PipeFailure) -> Void
  }

  private let buffer: BoundedBuffer<Batch>
  private let failure = Mutex<PipeFailure?>(nil)
  private let thread: Mutex<WorkerThread?>

  init(
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
  func push(_ batch: inout Batch) throws(PipeFailure) {
    if !buffer.push(&batch) { try join() }
  }

  /// No more comes: waits until the thread is done.
  func finish() throws(PipeFailure) {
    buffer.close()
    try join()
  }

  /// Stops the thread.
  func stop() {
    buffer.cancel()
    try? join()
  }

  private func join() throws(PipeFailure) {
    thread.withLock { $0.take() }?.join()
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}

/// Bytes go on in another thread.
final class ByteRelay: ByteSink, Stoppable {
  /// Chunks in the queue: one being filled, one being read, two to even out.
  private static let depth = 4
  private let thread: RelayThread<ByteChunk>

  init(_ downstream: any ByteSink) throws(PipeFailure) {
    var chunks = RigidArray<ByteChunk>(capacity: Self.depth)
    for _ in 0..<Self.depth { chunks.append(ByteChunk()) }
    thread = try RelayThread(
      name: "bytes", BoundedBuffer(chunks), ByteChunk(),
      RelayThread.Behind(
        receive: { (chunk) throws(PipeFailure) in
          try downstream.receive(&chunk)
          chunk.removeAll()
        }, finish: { () throws(PipeFailure) in try downstream.finish() }))
  }

  func receive(_ chunk: inout ByteChunk) throws(PipeFailure) {
    try thread.push(&chunk)
  }

  func finish() throws(PipeFailure) {
    try thread.finish()
  }

  func stop() {
    thread.stop()
  }
}

/// Raw rows go on in another thread.
final class RawRowRelay: RawRowSink, Stoppable {
  /// Batches in the queue: one being filled, one being read, two to even out.
  private static let depth = 4
  private let thread: RelayThread<RawRowBatch>

  init(_ downstream: any RawRowSink) throws(PipeFailure) {
    var batches = RigidArray<RawRowBatch>(capacity: Self.depth)
    for _ in 0..<Self.depth { batches.append(RawRowBatch()) }
    thread = try RelayThread(
      name: "rows", BoundedBuffer(batches), RawRowBatch(),
      RelayThread.Behind(
        receive: { (batch) throws(PipeFailure) in
          try downstream.receive(&batch)
          batch.removeAll()
        }, finish: { () throws(PipeFailure) in try downstream.finish() }))
  }

  func receive(_ batch: inout RawRowBatch) throws(PipeFailure) {
    // The rows count on in the batch that comes back, as they would in this one.
    let next = batch.firstOrdinal + UInt64(batch.count)
    try thread.push(&batch)
    batch.firstOrdinal = next
  }

  func finish() throws(PipeFailure) {
    try thread.finish()
  }

  func stop() {
    thread.stop()
  }
}

/// Records go on in another thread.
final class RecordRelay: RecordSink, Stoppable {
  /// Batches in the queue: enough to even out a sort that pauses to order a run.
  private static let depth = 8
  private let thread: RelayThread<RecordBatch>

  init(_ downstream: any RecordSink) throws(PipeFailure) {
    var batches = RigidArray<RecordBatch>(capacity: Self.depth)
    for _ in 0..<Self.depth { batches.append(RecordBatch()) }
    thread = try RelayThread(
      name: "records", BoundedBuffer(batches), RecordBatch(),
      RelayThread.Behind(
        receive: { (batch) throws(PipeFailure) in
          try downstream.receive(&batch)
          batch.removeAll()
        }, finish: { () throws(PipeFailure) in try downstream.finish() }))
  }

  func receive(_ batch: inout RecordBatch) throws(PipeFailure) {
    try thread.push(&batch)
  }

  func finish() throws(PipeFailure) {
    try thread.finish()
  }

  func stop() {
    thread.stop()
  }
}
