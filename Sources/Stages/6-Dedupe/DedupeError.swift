// Why dedupe fails, and why it rejects a record.

public import PipeStage

/// Why a dedupe ends early.
public enum DedupeError: ErrorCause {
  /// The input is not sorted: record `row` (from 1) starts below the one before it.
  case notSorted(row: UInt64, previous: UInt64, number: UInt64)
  /// A range stands behind a shorter one with the same first number, where records are to be counted.
  case widerRangeAfter(row: UInt64, number: UInt64)
  /// More than ``RangeSweep/activeMax`` ranges overlap at a number, each of which may still win some.
  case tooManyOverlaps(number: UInt64, limit: Int)
  /// The labels of the ranges that overlap at a number are larger than ``RangeSweep/activeBytesMax``.
  case overlapsTooLarge(number: UInt64, bytesMax: Int)
  /// The different labels of a number are larger than ``LabelVotes/bytesMax``.
  case labelsTooLarge(number: UInt64, bytesMax: Int)
  /// A line of the label map is no rule.
  case badLabelMap(path: String, line: Int, LabelMapError)
  /// The label map is larger than ``LabelMap/fileBytesMax``.
  case labelMapTooLarge(path: String, limit: Int)

  /// Bad data, all of them.
  public var errorClass: ErrorClass { .badData }
}

/// What is wrong with a line of a label map.
public enum LabelMapError: Error, Equatable, Sendable {
  /// There is no `=`.
  case noEquals
  /// A backslash in front of a character that needs none.
  case badEscape
  /// The bytes are not UTF-8.
  case notUTF8
}

/// Why dedupe rejects a record.
public enum DedupeReject: RejectReason {
  /// With the label that the map gives, the record's fields are longer than a record's may be.
  case labelTooLong

  /// A stable word.
  public var code: String { "label-too-long" }
}
