// `sort --check`: checks whether the records are sorted.

import BasicContainers
public import CallRecord
public import PipeStage

/// Finds the first record that is out of order.
public final class SortCheck: RecordSink {
  /// A record out of order: its row, its numbers, and the numbers of the previous record.
  public struct Disorder: Equatable, Sendable {
    /// The row, counted from 1.
    public var row: UInt64
    /// The numbers of the previous record.
    public var previous: ClosedRange<UInt64>
    /// The record's numbers.
    public var numbers: ClosedRange<UInt64>
  }

  /// The first record out of order.
  public private(set) var disorder: Disorder?

  /// The number of records checked so far.
  public var rowsSeen: UInt64 { row }

  private var row: UInt64 = 0
  private var previous: (first: UInt64, last: UInt64) = (0, 0)

  /// Makes a check.
  public init() {}

  /// Checks a batch.
  public func receive(_ batch: inout RecordBatch) {
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
  public func finish() {}
}
