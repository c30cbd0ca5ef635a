// The bounds of one source's records: what exceeds them would fail the stages that all sources share, where no source
// can be named any more.
//
// Not for: the checks of a whole source (SourceChecks).

import BasicContainers
import Records

/// Checks the records of one source before they enter the shared stages.
struct SourceBounds {
  /// A range with the size of its record fields.
  private struct LabelledRange: Comparable {
    var first: UInt64
    var last: UInt64
    var bytes: Int

    /// Equal ranges are adjacent, the one with the longest label first.
    static func < (one: LabelledRange, other: LabelledRange) -> Bool {
      (one.first, one.last, other.bytes) < (other.first, other.last, one.bytes)
    }
  }

  /// The number of ranges that are compared with one another, 12 MiB. In a longer list only the overlaps within each
  /// part of this length are found.
  private static let rangesMax = 1 << 19
  /// The maximum size of the labels of ranges that contain the same number: a sixteenth of what dedupe accepts from all
  /// sources together.
  private static let overlapBytesMax = 512 << 10

  private let checks: SourceChecks
  private let index: Int
  private let name: String
  /// The counters of the source's first stage that counts rows.
  private let meter: StageMeter?
  private var numbers: UInt64 = 0
  private var ranges: [LabelledRange] = []

  /// Nil if the source has no bounds.
  init?(_ source: Pipeline.Source, _ index: Int, _ counters: ArraySlice<StageCounters>) {
    checks = source.checks
    guard checks.boundRecords else { return nil }
    self.index = index
    name = source.name
    meter = counters.first { $0.countsRows }?.meter
  }

  /// Checks a batch.
  ///
  /// - Complexity: O(records), vectorized for single numbers.
  mutating func check(_ batch: borrowing RecordBatch) throws(Failure) {
    try checkRows()
    if batch.isSingles { return try add(UInt64(batch.count), nil) }
    for record in 0..<batch.count {
      let (first, last) = (batch.firsts[record], batch.lasts[record])
      try add(last &- first &+ 1, first < last ? first...last : nil)
      guard first < last, checks.maxOverlaps != nil else { continue }
      ranges.append(LabelledRange(first: first, last: last, bytes: batch[fieldsAt: record].count))
      if ranges.count == Self.rangesMax { try checkOverlaps() }
    }
  }

  private mutating func add(_ count: UInt64, _ range: ClosedRange<UInt64>?) throws(Failure) {
    numbers = numbers.addingReportingOverflow(count).overflow ? .max : numbers + count
    if let maxNumbers = checks.maxNumbers, numbers > maxNumbers {
      throw failure(.tooManyNumbers(source: name, limit: maxNumbers, range: range))
    }
  }

  /// Checks what is left at the end of the source.
  mutating func finish() throws(Failure) {
    try checkRows()
    try checkOverlaps()
  }

  private func checkRows() throws(Failure) {
    guard let maxRows = checks.maxRows, let meter, meter.rowsIn.value > maxRows else { return }
    throw failure(.tooManyRows(source: name, limit: maxRows))
  }

  /// Checks the ranges since the last check.
  private mutating func checkOverlaps() throws(Failure) {
    defer { ranges.removeAll() }
    guard let overlapsMax = checks.maxOverlaps, ranges.count > 1 else { return }
    ranges.sort()
    // Dedupe drops equal ranges at once.
    var starts: [LabelledRange] = []
    for range in ranges where starts.last.map({ ($0.first, $0.last) != (range.first, range.last) }) ?? true {
      starts.append(range)
    }
    let ends = starts.sorted { $0.last < $1.last }
    var (count, bytes, ended) = (UInt64(0), 0, 0)
    for range in starts {
      while ends[ended].last < range.first {
        count -= 1
        bytes -= ends[ended].bytes
        ended += 1
      }
      count += 1
      bytes += range.bytes
      if count > overlapsMax {
        throw failure(.tooManyOverlaps(source: name, number: range.first, limit: overlapsMax))
      }
      if bytes > Self.overlapBytesMax {
        throw failure(
          .overlapsTooLarge(source: name, number: range.first, limit: UInt64(Self.overlapBytesMax)))
      }
    }
  }

  private func failure(_ cause: SourceCheckError) -> Failure {
    var error = Failure(nil, cause)
    error.sourceIndex = index
    return error
  }
}
