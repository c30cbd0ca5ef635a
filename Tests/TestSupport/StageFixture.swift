// A stage under test: its context, sinks that keep their input and check the rules of a sink, and records as
// plain values.

import BasicContainers
package import Records
import Synchronization
package import SystemIO
package import Testing

package final class StageFixture: Sendable {
  private let kept: KeptRejects
  package let context: StageContext

  private final class KeptRejects: Sendable {
    let rejects = Mutex<[Reject]>([])
  }

  package init(
    _ stage: StageName, policy: RejectPolicy = RejectPolicy(), calls: any SystemCalls = KernelCalls()
  ) throws(Failure) {
    let kept = KeptRejects()
    self.kept = kept
    context = StageContext(
      meter: StageMeter(stage),
      rejects: try RejectLog(policy: policy, calls: calls) { reject, _ in
        kept.rejects.withLock { $0.append(reject) }
      }, calls: calls)
  }

  package var meter: StageMeter { context.meter }

  package var rejects: [Reject] { kept.rejects.withLock { $0 } }

  /// The rejects' rows and reasons, such as `3 too-short`.
  package var rejectLines: [String] {
    rejects.map { reject in
      switch reject.place {
      case .row(let row): "\(row) \(reject.reason.code)"
      case .sourceRow(let row, let input, let source): "\(source) \(input) \(row) \(reject.reason.code)"
      case .line(let line, let byte, let input): "\(input):\(line) byte \(byte) \(reject.reason.code)"
      }
    }
  }
}

/// The error that `body` throws, or nil.
package func stageError(of body: () throws(Failure) -> Void) -> Failure? {
  do throws(Failure) {
    try body()
    return nil
  } catch {
    return error
  }
}

/// The error that `body` throws, or nil.
package func systemError(of body: () throws(SystemError) -> Void) -> SystemError? {
  do throws(SystemError) {
    try body()
    return nil
  } catch {
    return error
  }
}

/// Why a collecting sink threw.
package enum CollectorError: Sendable {
  /// The sink was set to fail after this number of batches.
  case asConfigured(batches: Int)
  /// The sink received something after the end.
  case receivedAfterFinish
  /// The end was received twice.
  case finishedTwice
  /// A batch was empty.
  case receivedNothing

  package var code: String { "\(self)" }
  /// As if the reader had closed the pipe.
  package var failure: Failure { Failure(nil, .readerGone, code, code) }
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
  package let options: CollectorOptions
  package private(set) var batches = 0
  package private(set) var isFinished = false

  init(_ options: CollectorOptions) {
    self.options = options
  }

  mutating func receive(isEmpty: Bool) throws(Failure) {
    if isFinished { throw CollectorError.receivedAfterFinish.failure }
    if isEmpty { throw CollectorError.receivedNothing.failure }
    if batches == options.failsAfter { throw CollectorError.asConfigured(batches: batches).failure }
    batches += 1
  }

  mutating func finish() throws(Failure) {
    if isFinished { throw CollectorError.finishedTwice.failure }
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

package struct TestRecord: Hashable, Sendable, CustomStringConvertible {
  package var first: UInt64
  package var last: UInt64
  package var recordFields: [UInt8]

  package init(_ first: UInt64, _ last: UInt64, _ recordFields: [UInt8]) {
    self.first = first
    self.last = last
    self.recordFields = recordFields
  }

  /// Creates a record; without a last number, it has one number.
  package init(_ first: UInt64, to last: UInt64? = nil, _ recordFields: String = "") {
    self.init(first, last ?? first, Array(recordFields.utf8))
  }

  /// The record's line in the text form, without its line feed.
  package var description: String {
    let numbers = first == last ? "\(first)" : "\(first)..\(last)"
    return recordFields.isEmpty ? numbers : "\(numbers)\t\(String(decoding: recordFields, as: UTF8.self))"
  }
}

/// A raw row as a plain value.
package struct TestRow: Hashable, Sendable, CustomStringConvertible {
  /// Its ordinal in the stream; the first is 1.
  package var ordinal: UInt64
  /// The number's text, not escaped.
  package var text: [UInt8]
  package var recordFields: [UInt8]

  package init(_ ordinal: UInt64, text: [UInt8], recordFields: [UInt8] = []) {
    self.ordinal = ordinal
    self.text = text
    self.recordFields = recordFields
  }

  package init(_ ordinal: UInt64, _ text: String, _ recordFields: String = "") {
    self.init(ordinal, text: Array(text.utf8), recordFields: Array(recordFields.utf8))
  }

  /// Ordinal, text and record fields, for messages.
  package var description: String {
    "\(ordinal): '\(String(decoding: text, as: UTF8.self))' '\(String(decoding: recordFields, as: UTF8.self))'"
  }
}

package func lines(_ records: [TestRecord]) -> [UInt8] {
  var result: [UInt8] = []
  for record in records {
    result.append(contentsOf: record.description.utf8)
    result.append(UInt8(ascii: "\n"))
  }
  return result
}

package func expectEqual<Value: Equatable>(
  _ value: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(value == expected, comment(), sourceLocation: sourceLocation)
}

package func expectTrue(
  _ condition: Bool, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(condition, comment(), sourceLocation: sourceLocation)
}
