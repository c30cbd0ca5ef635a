// Checks a list's order: ascending, in sort's order, or disjoint, as the operation requires.

import BasicContainers
import Records

/// The order check of one list; remembers the record before.
struct ListOrder {
  /// The order that an operation requires of a list.
  enum Demand {
    /// The records ascend by their first numbers; they may overlap.
    case ascending
    /// The records are in sort's order: if two start at the same number, the wider one comes first.
    case sorted
    /// The records ascend, and no number is in two of them.
    case disjoint
  }

  private let stage: StageName
  private let demand: Demand
  private var first: UInt64 = 0
  private var last: UInt64 = 0

  init(_ stage: StageName, _ demand: Demand) {
    self.stage = stage
    self.demand = demand
  }

  /// Checks the next records; the first of them is in line `line` of `list`.
  mutating func check(
    _ batch: borrowing RecordBatch, of list: String, from line: UInt64
  ) throws(Failure) {
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    var first = self.first
    var last = self.last
    for index in 0..<firsts.count {
      if firsts[index] < first {
        throw Failure(
          stage,
          SetError.notSorted(
            list: list, line: line + UInt64(index), previous: first, number: firsts[index]))
      }
      if demand == .sorted, firsts[index] == first, lasts[index] > last {
        throw Failure(
          stage, SetError.widerRangeAfter(list: list, line: line + UInt64(index), number: firsts[index]))
      }
      if demand == .disjoint, firsts[index] <= last {
        throw Failure(
          stage,
          SetError.overlapsItself(list: list, line: line + UInt64(index), number: firsts[index]))
      }
      first = firsts[index]
      last = lasts[index]
    }
    self.first = first
    self.last = last
  }
}
