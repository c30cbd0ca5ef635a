// Checks that the input of dedupe is sorted.

import BasicContainers
import Records

/// Checks the order of records.
struct SortOrderCheck {
  private let needsWiderFirst: Bool
  private var previousFirst: UInt64 = 0
  private var previousLast: UInt64 = 0
  /// The number of records checked.
  private(set) var rows: UInt64 = 0

  init(needsWiderFirst: Bool) {
    self.needsWiderFirst = needsWiderFirst
  }

  /// Throws if the numbers descend; else returns whether no record is a range.
  mutating func check(_ batch: borrowing RecordBatch) throws(Failure) -> Bool {
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    guard !firsts.isEmpty else { return true }
    // Scans all records without a branch per record. The difference of two numbers has its highest bit only if they
    // descend: numbers have at most 15 digits.
    var before = previousFirst
    var descents: UInt64 = 0
    var differences: UInt64 = 0
    for index in 0..<firsts.count {
      let number = firsts[index]
      descents |= number &- before
      differences |= number ^ lasts[index]
      before = number
    }
    if descents >> 63 != 0 { throw notSortedError(in: firsts) }
    let isSingles = differences == 0
    if needsWiderFirst, !isSingles { try checkWidths(batch) }
    previousFirst = before
    previousLast = lasts[firsts.count - 1]
    rows += UInt64(firsts.count)
    return isSingles
  }

  /// The error for the first number that is less than the previous one.
  private func notSortedError(in firsts: Span<UInt64>) -> Failure {
    var index = 0
    var before = previousFirst
    while index + 1 < firsts.count, firsts[index] >= before {
      before = firsts[index]
      index += 1
    }
    let row = rows + UInt64(index) + 1
    return Failure(.dedupe, DedupeError.notSorted(row: row, previous: before, number: firsts[index]))
  }

  /// Labels can only be counted if the records for the same numbers are adjacent.
  private func checkWidths(_ batch: borrowing RecordBatch) throws(Failure) {
    var (first, last) = (previousFirst, previousLast)
    for index in 0..<batch.count {
      if batch.firsts[index] == first, batch.lasts[index] > last {
        let row = rows + UInt64(index) + 1
        throw Failure(.dedupe, DedupeError.widerRangeAfter(row: row, number: first))
      }
      (first, last) = (batch.firsts[index], batch.lasts[index])
    }
  }
}
