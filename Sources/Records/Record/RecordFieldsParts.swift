// The positions of the fields in record fields, for stages that need one of them and keep the bytes.
//
// Not for: the fields without escapes (RecordFields.fields).

extension RecordFields {
  /// The positions of the three fields in record fields, which are escaped.
  package struct Parts: Equatable, Sendable {
    /// The label.
    package var label: Range<Int>
    /// The source; empty if unknown.
    package var source: Range<Int>
    /// The digits of the score; empty if there is none.
    package var score: Range<Int>
  }

  /// Finds the three fields. The bytes must have passed ``check(_:)``.
  ///
  /// - Complexity: O(bytes).
  package static func parts(_ bytes: Span<UInt8>) -> Parts {
    let count = bytes.count
    let label = labelLength(bytes)
    let sourceStart = min(label + 1, count)
    var sourceEnd = sourceStart
    while sourceEnd < count, bytes[sourceEnd] != Byte.tab { sourceEnd += 1 }
    return Parts(
      label: 0..<label, source: sourceStart..<sourceEnd, score: min(sourceEnd + 1, count)..<count)
  }

  /// The score; 0 if there is none. The bytes must have passed ``check(_:)``.
  ///
  /// - Complexity: O(bytes).
  package static func score(_ bytes: Span<UInt8>) -> Int64 {
    let digits = parts(bytes).score
    guard !digits.isEmpty else { return 0 }
    let isNegative = bytes[digits.lowerBound] == UInt8(ascii: "-")
    // There is one more negative integer than positive ones, so the value is accumulated as a negative number.
    var value: Int64 = 0
    for index in (isNegative ? digits.dropFirst() : digits) {
      value = value &* 10 &- Int64(bytes[index] &- 0x30)
    }
    return isNegative ? value : 0 &- value
  }
}
