// What `dedupe` can be told, and why it fails.

public import PipeStage

/// What `dedupe` can be told.
public struct DedupeOptions: Equatable, Sendable {
  /// Which of several records for the same numbers stays.
  public enum Keep: String, CaseIterable, Sendable {
    /// The one that came first.
    case first
    /// The one that came last.
    case last
  }

  /// Which of several records for the same numbers stays.
  public var keep: Keep
  /// Where every decision is written, or nil.
  public var conflictsPath: String?

  /// Makes options.
  public init(keep: Keep = .first, conflictsPath: String? = nil) {
    self.keep = keep
    self.conflictsPath = conflictsPath
  }
}

/// Why a dedupe ends early.
public enum DedupeFailure: FailureCause {
  /// The input is not sorted: record `row` (from 1) starts below the one before it.
  case notSorted(row: UInt64, previous: UInt64, number: UInt64)
  /// More than ``RangeSweep/activeMax`` ranges overlap at a number.
  case tooManyOverlaps(number: UInt64, limit: Int)
  /// The labels of the ranges that overlap at a number are larger than ``RangeSweep/activeBytesMax``.
  case overlapsTooLarge(number: UInt64, bytesMax: Int)

  /// Bad data, all of them.
  public var failureClass: FailureClass { .badData }
}
