// Sinks that keep their input and check that the stage before them follows the rules of a sink.

import BasicContainers
public import CallRecord
public import PipeStage
public import SystemIO

/// Why a collecting sink threw.
public enum CollectorError: ErrorCause, Equatable {
  /// The sink was set to fail after this number of batches.
  case asConfigured(batches: Int)
  /// Something came after the end.
  case receivedAfterFinish
  /// The end came twice.
  case finishedTwice
  /// A batch was empty.
  case receivedNothing

  /// As if the reader had gone away.
  public var errorClass: ErrorClass { .readerGone }
}

/// The behaviour of collecting sinks. A bounded buffer between threads swaps the batch for another one, so both
/// ways must do.
public struct CollectorOptions: Sendable {
  /// After how many batches the sink fails; nil for never.
  public var failsAfter: Int?
  /// Whether the batch is swapped for an empty one, as a bounded buffer does.
  public var swaps: Bool

  /// Makes options.
  public init(failsAfter: Int? = nil, swaps: Bool = false) {
    self.failsAfter = failsAfter
    self.swaps = swaps
  }
}

/// The rules that all collecting sinks keep.
public struct CollectorRules: Sendable {
  /// The sink's options.
  public let options: CollectorOptions
  /// How many batches came.
  public private(set) var batches = 0
  /// Whether the end came.
  public private(set) var isFinished = false

  init(_ options: CollectorOptions) {
    self.options = options
  }

  mutating func receive(isEmpty: Bool) throws(StageError) {
    if isFinished { throw StageError(nil, CollectorError.receivedAfterFinish) }
    if isEmpty { throw StageError(nil, CollectorError.receivedNothing) }
    if batches == options.failsAfter { throw StageError(nil, CollectorError.asConfigured(batches: batches)) }
    batches += 1
  }

  mutating func finish() throws(StageError) {
    if isFinished { throw StageError(nil, CollectorError.finishedTwice) }
    isFinished = true
  }
}

/// Keeps bytes.
public final class CollectingBytes: ByteSink {
  /// The bytes so far.
  public private(set) var bytes: [UInt8] = []
  /// What came and when.
  public private(set) var rules: CollectorRules

  /// Makes a sink.
  public init(_ options: CollectorOptions = CollectorOptions()) {
    rules = CollectorRules(options)
  }

  /// Keeps a chunk.
  public func receive(_ chunk: inout ByteChunk) throws(StageError) {
    try rules.receive(isEmpty: chunk.isEmpty)
    bytes.append(copying: chunk.span)
    if rules.options.swaps { chunk = ByteChunk(capacity: ByteChunk.defaultBytes) }
  }

  /// There is no more.
  public func finish() throws(StageError) { try rules.finish() }
}

/// Keeps raw rows.
public final class CollectingRawRows: RawRowSink {
  /// The rows so far.
  public private(set) var rows: [TestRow] = []
  /// What came and when.
  public private(set) var rules: CollectorRules

  /// Makes a sink.
  public init(_ options: CollectorOptions = CollectorOptions()) {
    rules = CollectorRules(options)
  }

  /// Keeps a batch.
  public func receive(_ batch: inout RawRowBatch) throws(StageError) {
    try rules.receive(isEmpty: batch.isEmpty)
    for index in 0..<batch.count {
      rows.append(
        TestRow(
          batch.firstOrdinal + UInt64(index), text: [UInt8](copying: batch[textAt: index]),
          recordFields: [UInt8](copying: batch[fieldsAt: index])))
    }
    if rules.options.swaps { batch = RawRowBatch() }
  }

  /// There is no more.
  public func finish() throws(StageError) { try rules.finish() }
}

/// Keeps records.
public final class CollectingRecords: RecordSink {
  /// The records so far.
  public private(set) var records: [TestRecord] = []
  /// What came and when.
  public private(set) var rules: CollectorRules

  /// Makes a sink.
  public init(_ options: CollectorOptions = CollectorOptions()) {
    rules = CollectorRules(options)
  }

  /// Keeps a batch.
  public func receive(_ batch: inout RecordBatch) throws(StageError) {
    try rules.receive(isEmpty: batch.isEmpty)
    for index in 0..<batch.count {
      records.append(
        TestRecord(batch.firsts[index], batch.lasts[index], [UInt8](copying: batch[fieldsAt: index])))
    }
    if rules.options.swaps { batch = RecordBatch() }
  }

  /// There is no more.
  public func finish() throws(StageError) { try rules.finish() }

  /// Forgets the records and lets more come, for tests that run a stage thousands of times.
  public func takeRecords() -> [TestRecord] {
    defer { records = [] }
    return records
  }
}
