// The last step of dedupe: what goes out is counted, and what is worth saying is said.

import CallRecord
import PipeStage

/// Counts records on their way to the next stage.
final class DedupeEnd: RecordSink {
  private let meter: StageMeter
  private let log: ConflictLog?
  private let leftOut: LeftOut
  private let sources: PrioritySourceCheck?
  private let observe: (@Sendable (DedupeNotice) -> Void)?
  private let downstream: any RecordSink

  init(
    _ meter: StageMeter, _ log: ConflictLog?, _ leftOut: LeftOut, _ sources: PrioritySourceCheck?,
    _ observe: (@Sendable (DedupeNotice) -> Void)?, _ downstream: any RecordSink
  ) {
    self.meter = meter
    self.log = log
    self.leftOut = leftOut
    self.sources = sources
    self.observe = observe
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(StageError) {
    meter.rowsOut.add(batch.count)
    try downstream.receive(&batch)
  }

  func finish() throws(StageError) {
    // All decisions have been made; a disk that is full must show before the next stage puts its files in place.
    try log?.flush()
    meter.finish()
    if let observe {
      if let missing = sources?.missing, !missing.isEmpty, meter.rowsIn.value > 0 {
        observe(.sourcesWithoutRecords(missing))
      }
      leftOut.tell(observe)
    }
    try downstream.finish()
  }
}

/// Counts and tells of records for which no other one stands.
final class LeftOut {
  private let meter: StageMeter
  private let log: ConflictLog?
  private var sums: [LeftOutReason: (records: UInt64, numbers: UInt64)] = [:]

  init(_ meter: StageMeter, _ log: ConflictLog?) {
    self.meter = meter
    self.log = log
  }

  /// Leaves a record out.
  func add(
    first: UInt64, last: UInt64, _ recordFields: Span<UInt8>, _ reason: LeftOutReason
  ) throws(StageError) {
    meter.leftOut.add(1)
    let sum = sums[reason] ?? (0, 0)
    // Records may overlap, but 2^64 numbers would take twenty thousand of the widest: saturate rather than trap.
    let (numbers, overflow) = sum.numbers.addingReportingOverflow(last - first + 1)
    sums[reason] = (sum.records + 1, overflow ? .max : numbers)
    try log?.add(first: first, last: last, leftOut: recordFields, reason)
  }

  /// Tells how many there were.
  func tell(_ observe: (DedupeNotice) -> Void) {
    for reason in LeftOutReason.allCases {
      guard let sum = sums[reason] else { continue }
      observe(.leftOut(reason, records: sum.records, numbers: sum.numbers))
    }
  }
}

/// Which of the sources that a priority names have shown up.
final class PrioritySourceCheck {
  private var names: [String]
  private var wanted: [[UInt8]]

  init(_ names: [String]) {
    self.names = names
    wanted = names.map { RecordFields.bytes(RecordFields.Fields(label: $0)) }
  }

  /// The sources that no record had so far.
  var missing: [String] { names }

  /// Looks at a batch's record fields, until all sources have been seen.
  func look(at table: borrowing RecordFieldsTable) {
    guard !wanted.isEmpty else { return }
    for index in 0..<table.count {
      let source = Contest.source(table[index])
      guard !source.isEmpty, let place = wanted.firstIndex(of: source) else { continue }
      wanted.remove(at: place)
      names.remove(at: place)
      if wanted.isEmpty { return }
    }
  }
}
