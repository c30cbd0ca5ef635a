// Why dedupe fails, and why it rejects a record.

package import Records

/// Why dedupe fails.
package enum DedupeError: ErrorCause {
  /// The input is not sorted: record `row` (from 1) starts below the previous one.
  case notSorted(row: UInt64, previous: UInt64, number: UInt64)
  /// A range comes after a shorter one with the same first number, where labels have to be counted.
  case widerRangeAfter(row: UInt64, number: UInt64)
  /// More than ``RangeSweep/activeMax`` ranges overlap at a number, and each of them may still win some.
  case tooManyOverlaps(number: UInt64, limit: Int)
  /// The labels of the ranges that overlap at a number take more than ``RangeSweep/activeBytesMax``.
  case overlapsTooLarge(number: UInt64, bytesMax: Int)
  /// The different labels of a number take more than ``LabelVotes/bytesMax``.
  case labelsTooLarge(number: UInt64, bytesMax: Int)
  /// A line of the label map is invalid.
  case badLabelMap(path: String, line: Int, LabelMapError)
  /// The label map is larger than ``LabelMap/fileBytesMax``.
  case labelMapTooLarge(path: String, limit: Int)

  /// Always bad data.
  package var errorClass: ErrorClass { .badData }
}

/// Why a line of a label map is invalid.
package enum LabelMapError: Error, Equatable, Sendable {
  /// There is no `=`.
  case noEquals
  /// A backslash before a character that must not be escaped.
  case badEscape
  /// The bytes are not UTF-8.
  case notUTF8
}

/// Why dedupe rejects a record.
package enum DedupeReject: RejectReason {
  /// With the mapped label, the record's fields are longer than the maximum.
  case labelTooLong

  /// The stable code of the reason.
  package var code: String { "label-too-long" }
}

extension DedupeReject {
  package var text: String {
    switch self {
    case .labelTooLong: "the record is too long with its new label"
    }
  }
}
