// The normalize stage: turns raw rows into records, and rejects rows without a valid number.

import BasicContainers
package import Records

/// Turns number texts into E.164 numbers, and trailing wildcards into ranges.
///
/// Every row produces a record (a pattern with `*` produces one for each length in its country) or a reject.
package final class Normalizer: RawRowSink {
  private var state: NormalizeState

  /// Makes a normalizer that sends records to `downstream`.
  package init(options: NormalizeOptions, context: StageContext, downstream: any RecordSink) {
    state = NormalizeState(options, context, downstream)
  }

  /// Normalizes a batch of rows.
  package func receive(_ rows: inout RawRowBatch) throws(Failure) {
    try state.receive(&rows)
  }

  /// Ends the stream.
  package func finish() throws(Failure) {
    try state.finish()
  }
}

/// The state of a normalizer: a struct, because a class's properties are checked for exclusive access at every use.
private struct NormalizeState: ~Copyable {
  private let reader: NumberReader
  private var prefixCache: PrefixCache
  private let context: StageContext
  private let downstream: any RecordSink
  private var records = RecordBatch()

  init(_ options: NormalizeOptions, _ context: StageContext, _ downstream: any RecordSink) {
    reader = NumberReader(options: options)
    prefixCache = PrefixCaches.take(options)
    self.context = context
    self.downstream = downstream
  }

  mutating func receive(_ rows: inout RawRowBatch) throws(Failure) {
    context.meter.rowsIn.add(rows.count)
    // Cached texts are all digits, so they have no wildcards. From the first other row on, one scan covers all of them.
    let row = prefixCache.read(rows, from: 0, into: &records.firsts)
    if mayHaveRanges(rows, from: row) {
      records.removeAll()
      try readPatterns(rows)
    } else {
      records.complete(with: rows, from: 0, to: row)
      try readNumbers(rows, from: row)
      // The records have the rows' record fields, so the tables are swapped and no label is copied.
      swap(&rows.fieldsTable, &records.fieldsTable)
    }
    try flush()
    rows.removeAll()
  }

  private func mayHaveRanges(_ rows: borrowing RawRowBatch, from row: Int) -> Bool {
    reader.options.arePrefixes || row < rows.count && NumberMask.mayHaveWildcards(rows.allTexts)
  }

  mutating func finish() throws(Failure) {
    context.meter.finish()
    var learned = PrefixCache(empty: reader)
    swap(&learned, &prefixCache)
    PrefixCaches.keep(learned)
    try downstream.finish()
  }

  /// Normalizes rows without wildcards, from `start` on, into records with the rows' fields indices.
  private mutating func readNumbers(_ rows: borrowing RawRowBatch, from start: Int) throws(Failure) {
    var row = start
    while row < rows.count {
      // One row by the rules, then as many as the cache can answer.
      do throws(NormalizeReject) {
        let number = try prefixCache.read(rows[textAt: row])
        records.append(first: number, last: number, fieldsIndex: Int(rows.fieldsIndices[row]))
      } catch {
        try reject(rows, row, error)
      }
      let next = prefixCache.read(rows, from: row + 1, into: &records.firsts)
      records.complete(with: rows, from: row + 1, to: next)
      row = next
    }
  }

  /// Normalizes rows that may have wildcards, and so may produce several records each.
  private mutating func readPatterns(_ rows: borrowing RawRowBatch) throws(Failure) {
    for row in 0..<rows.count {
      let text = rows[textAt: row]
      var number: UInt64 = 0
      var ranges: [ClosedRange<UInt64>]?
      do throws(NormalizeReject) {
        if reader.options.arePrefixes || NumberMask.mayHaveWildcards(text) {
          ranges = try NumberPattern.ranges(text, reader)
        }
        if ranges == nil { number = try prefixCache.read(text) }
      } catch {
        try reject(rows, row, error)
        continue
      }
      guard let ranges else {
        try add(number...number, rows, row)
        continue
      }
      context.meter.splits.add(ranges.count - 1)
      context.meter.patterns.add(1)
      context.meter.patternNumbers.add(Int(NumberPattern.numberCount(ranges)))
      for range in ranges { try add(range, rows, row) }
    }
  }

  private mutating func add(
    _ range: ClosedRange<UInt64>, _ rows: borrowing RawRowBatch, _ row: Int
  ) throws(Failure) {
    let (first, last) = (range.lowerBound, range.upperBound)
    if records.append(first: first, last: last, recordFields: rows[fieldsAt: row]) { return }
    try flush()
    _ = records.append(first: first, last: last, recordFields: rows[fieldsAt: row])
  }

  private func reject(
    _ rows: borrowing RawRowBatch, _ row: Int, _ reason: NormalizeReject
  ) throws(Failure) {
    try context.reject(.row(rows.firstOrdinal + UInt64(row)), reason, text: rows[textAt: row])
  }

  private mutating func flush() throws(Failure) {
    // If all rows were rejected there are no records, but the table may still have their fields.
    guard !records.isEmpty else { return records.removeAll() }
    context.meter.rowsOut.add(records.count)
    try downstream.receive(&records)
    records.removeAll()
  }
}

extension RecordBatch {
  /// Adds last numbers and fields indices for the records that have only first numbers: those of the rows from `start`
  /// to `end`.
  fileprivate mutating func complete(with rows: borrowing RawRowBatch, from start: Int, to end: Int) {
    Self.copy(firsts, from: lasts.count, to: &lasts)
    fieldsIndices.append(copying: rows.fieldsIndices.span.extracting(start..<end))
  }

  private static func copy(
    _ firsts: borrowing RigidArray<UInt64>, from start: Int, to lasts: inout RigidArray<UInt64>
  ) {
    lasts.append(copying: firsts.span.extracting(start..<firsts.count))
  }
}
