// Sinks that keep their input and check that the stage before them follows the rules of a sink.

import BasicContainers
package import Records
package import SystemIO

/// Why a collecting sink threw.
package enum CollectorError: ErrorCause, Equatable {
  /// The sink was set to fail after this number of batches.
  case asConfigured(batches: Int)
  /// The sink received something after the end.
  case receivedAfterFinish
  /// The end was received twice.
  case finishedTwice
  /// A batch was empty.
  case receivedNothing

  /// As if the reader had closed the pipe.
  package var errorClass: ErrorClass { .readerGone }
}

/// The behaviour of collecting sinks. A bounded buffer between threads swaps the batch for another one, so both ways
/// must work.
package struct CollectorOptions: Sendable {
  /// The number of batches after which the sink fails; nil for never.
  package var failsAfter: Int?
  /// Whether the batch is swapped for an empty one, as a bounded buffer does.
  package var swaps: Bool

  package init(failsAfter: Int? = nil, swaps: Bool = false) {
    self.failsAfter = failsAfter
    self.swaps = swaps
  }
}

/// The rules of a sink, checked in all collecting sinks.
package struct CollectorRules: Sendable {
  /// The sink's options.
  package let options: CollectorOptions
  /// The number of batches that were received.
  package private(set) var batches = 0
  /// Whether the end was received.
  package private(set) var isFinished = false

  init(_ options: CollectorOptions) {
    self.options = options
  }

  mutating func receive(isEmpty: Bool) throws(Failure) {
    if isFinished { throw Failure(nil, CollectorError.receivedAfterFinish) }
    if isEmpty { throw Failure(nil, CollectorError.receivedNothing) }
    if batches == options.failsAfter { throw Failure(nil, CollectorError.asConfigured(batches: batches)) }
    batches += 1
  }

  mutating func finish() throws(Failure) {
    if isFinished { throw Failure(nil, CollectorError.finishedTwice) }
    isFinished = true
  }
}

package final class CollectingBytes: ByteSink {
  package private(set) var bytes: [UInt8] = []
  package private(set) var rules: CollectorRules

  package init(_ options: CollectorOptions = CollectorOptions()) {
    rules = CollectorRules(options)
  }

  package func receive(_ chunk: inout ByteChunk) throws(Failure) {
    try rules.receive(isEmpty: chunk.isEmpty)
    bytes.append(copying: chunk.span)
    if rules.options.swaps { chunk = ByteChunk(capacity: ByteChunk.defaultBytes) }
  }

  /// Records the end of the stream.
  package func finish() throws(Failure) { try rules.finish() }
}

package final class CollectingRawRows: RawRowSink {
  package private(set) var rows: [TestRow] = []
  package private(set) var rules: CollectorRules

  package init(_ options: CollectorOptions = CollectorOptions()) {
    rules = CollectorRules(options)
  }

  package func receive(_ batch: inout RawRowBatch) throws(Failure) {
    try rules.receive(isEmpty: batch.isEmpty)
    for index in 0..<batch.count {
      rows.append(
        TestRow(
          batch.firstOrdinal + UInt64(index), text: [UInt8](copying: batch[textAt: index]),
          recordFields: [UInt8](copying: batch[fieldsAt: index])))
    }
    if rules.options.swaps { batch = RawRowBatch() }
  }

  /// Records the end of the stream.
  package func finish() throws(Failure) { try rules.finish() }
}

package final class CollectingRecords: RecordSink {
  package private(set) var records: [TestRecord] = []
  package private(set) var rules: CollectorRules

  package init(_ options: CollectorOptions = CollectorOptions()) {
    rules = CollectorRules(options)
  }

  package func receive(_ batch: inout RecordBatch) throws(Failure) {
    try rules.receive(isEmpty: batch.isEmpty)
    for index in 0..<batch.count {
      records.append(
        TestRecord(batch.firsts[index], batch.lasts[index], [UInt8](copying: batch[fieldsAt: index])))
    }
    if rules.options.swaps { batch = RecordBatch() }
  }

  /// Records the end of the stream.
  package func finish() throws(Failure) { try rules.finish() }

  /// Removes the records and accepts another stream, for tests that run a stage thousands of times.
  package func takeRecords() -> [TestRecord] {
    defer { records = [] }
    return records
  }
}
