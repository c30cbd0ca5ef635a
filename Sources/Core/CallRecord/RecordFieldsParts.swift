// Where a record\'s fields's fields stand, for stages that look at one of them and leave the bytes as they are.
//
// Not for: the fields' texts without escapes (RecordFields.fields).

extension RecordFields {
  /// Where the fields of a record\'s fields stand, still escaped.
  public struct Parts: Equatable, Sendable {
    /// The label.
    public var label: Range<Int>
    /// The source; empty if nobody said.
    public var source: Range<Int>
    /// The score as it is written; empty if there is none.
    public var score: Range<Int>
  }

  /// Where the fields stand. The bytes must have passed ``check(_:)``.
  ///
  /// - Complexity: O(bytes).
  public static func parts(_ bytes: Span<UInt8>) -> Parts {
    let count = bytes.count
    let label = labelLength(bytes)
    let sourceStart = min(label + 1, count)
    var sourceEnd = sourceStart
    while sourceEnd < count, bytes[sourceEnd] != Byte.tab { sourceEnd += 1 }
    return Parts(
      label: 0..<label, source: sourceStart..<sourceEnd, score: min(sourceEnd + 1, count)..<count)
  }

  /// The score, or 0 where there is none. The bytes must have passed ``check(_:)``.
  ///
  /// - Complexity: O(bytes).
  public static func score(_ bytes: Span<UInt8>) -> Int64 {
    let place = parts(bytes).score
    guard !place.isEmpty else { return 0 }
    let isNegative = bytes[place.lowerBound] == UInt8(ascii: "-")
    // Below zero there is one more, so digits are taken off rather than put on.
    var value: Int64 = 0
    for index in (isNegative ? place.dropFirst() : place) {
      value = value &* 10 &- Int64(bytes[index] &- 0x30)
    }
    return isNegative ? value : 0 &- value
  }
}
