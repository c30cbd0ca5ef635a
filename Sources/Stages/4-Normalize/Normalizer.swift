// The normalize stage: raw rows in, records out, what is no number rejected with its reason.

import BasicContainers
public import CallRecord
public import PipeStage

/// Turns number texts into E.164 numbers, and trailing wildcards into ranges.
///
/// Every row gives a record (a pattern with `*` one for each length that its country has) or a reject.
public final class Normalizer: RawRowSink {
  private var state: NormalizeState

  /// Makes a normalizer that hands records to `downstream`.
  public init(options: NormalizeOptions, context: StageContext, downstream: any RecordSink) {
    state = NormalizeState(options, context, downstream)
  }

  /// Reads a batch of rows.
  public func receive(_ rows: inout RawRowBatch) throws(PipeFailure) {
    try state.receive(&rows)
  }

  /// Ends the stream.
  public func finish() throws(PipeFailure) {
    try state.finish()
  }
}

/// What a normalizer holds: a struct, since a class's properties are checked for exclusive access at every use.
private struct NormalizeState: ~Copyable {
  private let reading: NumberReading
  private let context: StageContext
  private let downstream: any RecordSink
  private var records = RecordBatch()

  init(_ options: NormalizeOptions, _ context: StageContext, _ downstream: any RecordSink) {
    reading = NumberReading(options: options)
    self.context = context
    self.downstream = downstream
  }

  mutating func receive(_ rows: inout RawRowBatch) throws(PipeFailure) {
    context.meter.rowsIn.add(rows.count)
    if NumberMask.mayBe(rows.allTexts) {
      try readEach(rows)
    } else {
      try readNumbers(rows)
      // The records' annotations are the rows', so the table changes hands and no label is looked at.
      swap(&rows.annotations, &records.annotations)
    }
    try flush()
    rows.removeAll()
  }

  mutating func finish() throws(PipeFailure) {
    context.meter.finish()
    try downstream.finish()
  }

  /// Reads rows without wildcards into records whose annotations have the rows' indices.
  private mutating func readNumbers(_ rows: borrowing RawRowBatch) throws(PipeFailure) {
    for row in 0..<rows.count {
      do throws(NormalizeReject) {
        let number = try reading.read(rows[textAt: row])
        records.append(first: number, last: number, annotationIndex: Int(rows.annotationIndices[row]))
      } catch {
        try reject(rows, row, error)
      }
    }
  }

  /// Reads rows of which some may have wildcards, and so may give several records.
  private mutating func readEach(_ rows: borrowing RawRowBatch) throws(PipeFailure) {
    for row in 0..<rows.count {
      let ranges: [ClosedRange<UInt64>]
      do throws(NormalizeReject) {
        ranges = try self.ranges(rows[textAt: row])
      } catch {
        try reject(rows, row, error)
        continue
      }
      context.meter.splits.add(ranges.count - 1)
      for range in ranges {
        let annotation = rows[annotationAt: row]
        if records.append(first: range.lowerBound, last: range.upperBound, annotation: annotation) {
          continue
        }
        try flush()
        _ = records.append(first: range.lowerBound, last: range.upperBound, annotation: annotation)
      }
    }
  }

  private func ranges(_ text: Span<UInt8>) throws(NormalizeReject) -> [ClosedRange<UInt64>] {
    if let ranges = try NumberPattern.ranges(text, reading) { return ranges }
    let number = try reading.read(text)
    return [number...number]
  }

  private func reject(
    _ rows: borrowing RawRowBatch, _ row: Int, _ reason: NormalizeReject
  ) throws(PipeFailure) {
    try context.reject(.row(rows.firstOrdinal + UInt64(row)), reason, text: rows[textAt: row])
  }

  private mutating func flush() throws(PipeFailure) {
    // Without records there may still be the annotations of rows that were all rejected.
    guard !records.isEmpty else { return records.removeAll() }
    context.meter.rowsOut.add(records.count)
    try downstream.receive(&records)
    records.removeAll()
  }
}
