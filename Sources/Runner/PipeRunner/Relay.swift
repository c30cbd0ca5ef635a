// A stage boundary after which the pipeline continues in another thread.

import BasicContainers
import Records
import SystemIO

/// A sink that passes its work to another thread and can stop that thread.
protocol Stoppable: AnyObject {
  /// Stops the downstream thread and waits for it. Its pending data is dropped and not published.
  func stop()
}

/// Passes bytes to another thread.
final class ByteRelay: ByteSink, Stoppable {
  /// The number of chunks in the queue: one being filled, one being read, two to smooth out differences in speed.
  private static let depth = 4

  /// A chunk, or the start of another input, which comes before the chunk's bytes.
  private struct Batch: ~Copyable {
    var chunk = ByteChunk()
    var nextInput: String?
  }
  private let thread: RelayThread<Batch>
  /// An empty batch that carries the chunks into the queue.
  private var batch = Batch()

  init(_ downstream: any ByteSink) throws(Failure) {
    thread = try RelayThread(
      name: "bytes", BoundedBuffer(count: Self.depth) { Batch() }, Batch(),
      RelayThread.Consumer(
        receive: { (batch) throws(Failure) in
          if let name = batch.nextInput.take() { try downstream.nextInput(name: name) }
          if batch.chunk.count > 0 { try downstream.receive(&batch.chunk) }
          batch.chunk.removeAll()
        }, finish: { () throws(Failure) in try downstream.finish() }))
  }

  func receive(_ chunk: inout ByteChunk) throws(Failure) {
    swap(&batch.chunk, &chunk)
    defer { swap(&batch.chunk, &chunk) }
    try thread.push(&batch)
  }

  func nextInput(name: String) throws(Failure) {
    batch.nextInput = name
    try thread.push(&batch)
  }

  func finish() throws(Failure) {
    try thread.finish()
  }

  func stop() {
    thread.stop()
  }
}

/// Passes raw rows to another thread.
final class RawRowRelay: RawRowSink, Stoppable {
  /// The number of batches in the queue: one being filled, one being read, two to smooth out differences in speed.
  private static let depth = 4
  private let thread: RelayThread<RawRowBatch>

  init(_ downstream: any RawRowSink) throws(Failure) {
    thread = try RelayThread(
      name: "rows", BoundedBuffer(count: Self.depth) { RawRowBatch() }, RawRowBatch(),
      RelayThread.Consumer(
        receive: { (batch) throws(Failure) in
          try downstream.receive(&batch)
          batch.removeAll()
        }, finish: { () throws(Failure) in try downstream.finish() }))
  }

  func receive(_ batch: inout RawRowBatch) throws(Failure) {
    // Row numbers continue in the recycled batch as they would in this one.
    let next = batch.firstOrdinal + UInt64(batch.count)
    try thread.push(&batch)
    batch.firstOrdinal = next
  }

  func finish() throws(Failure) {
    try thread.finish()
  }

  func stop() {
    thread.stop()
  }
}

/// Passes records to another thread.
final class RecordRelay: RecordSink, Stoppable {
  /// The number of batches in the queue: enough to bridge the pauses in which sort orders a run.
  private static let depth = 8
  private let thread: RelayThread<RecordBatch>

  init(_ downstream: any RecordSink) throws(Failure) {
    thread = try RelayThread(
      name: "records", BoundedBuffer(count: Self.depth) { RecordBatch() }, RecordBatch(),
      RelayThread.Consumer(
        receive: { (batch) throws(Failure) in
          try downstream.receive(&batch)
          batch.removeAll()
        }, finish: { () throws(Failure) in try downstream.finish() }))
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    try thread.push(&batch)
  }

  func finish() throws(Failure) {
    try thread.finish()
  }

  func stop() {
    thread.stop()
  }
}
