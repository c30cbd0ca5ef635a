// `sort --check`: checks whether the records are sorted.

import BasicContainers
package import Records

/// Finds the first record that is out of order.
package final class SortCheck: RecordSink {
  /// A record out of order: its row, its numbers, and the numbers of the previous record.
  package struct Disorder: Equatable, Sendable {
    /// The row, counted from 1.
    package var row: UInt64
    /// The numbers of the previous record.
    package var previous: ClosedRange<UInt64>
    /// The record's numbers.
    package var numbers: ClosedRange<UInt64>
  }

  /// The first record out of order.
  package private(set) var disorder: Disorder?

  /// The number of records checked so far.
  package var rowsSeen: UInt64 { row }

  private var row: UInt64 = 0
  private var previous: (first: UInt64, last: UInt64) = (0, 0)

  /// Makes a check.
  package init() {}

  /// Checks a batch.
  package func receive(_ batch: inout RecordBatch) {
    for index in 0..<batch.count {
      let first = batch.firsts[index]
      let last = batch.lasts[index]
      row += 1
      guard disorder == nil else { continue }
      if first < previous.first || (first == previous.first && last > previous.last) {
        disorder = Disorder(
          row: row, previous: previous.first...max(previous.first, previous.last),
          numbers: first...max(first, last))
      }
      previous = (first, last)
    }
    batch.removeAll()
  }

  /// Does nothing.
  package func finish() {}
}
