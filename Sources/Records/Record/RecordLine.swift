// Parses one line of the text form: `number[..last] TAB label [TAB source [TAB score]]`.
//
// Not for: streams of lines, or writing them (PipeStage's TextForm).

/// Why a line is not a record.
package enum RecordLineError: Error, Equatable, Sendable {
  /// The first field is not a number of 1 to 15 digits without leading zeros.
  case notANumber
  /// The text after `..` is not a number, or is below the first number.
  case notARange
}

/// Parses lines of the text form.
package enum RecordLine {
  /// The largest size of a line in bytes: two numbers, the dots, a tab, record fields with trailing tabs, a line feed.
  package static let bytesMax = 2 * PhoneNumber.digitsMax + 8 + RecordFields.bytesMax

  /// The numbers of a line, and the start of its record fields.
  package struct Head: Equatable, Sendable {
    /// The first number.
    package var first: UInt64
    /// The last number, equal to the first unless the record is a range.
    package var last: UInt64
    /// The index after the tab, or the end of the line.
    package var fieldsStart: Int

    @inlinable
    init(first: UInt64, last: UInt64, fieldsStart: Int) {
      self.first = first
      self.last = last
      self.fieldsStart = fieldsStart
    }
  }

  /// Parses the numbers at the start of a line without its line feed.
  @inlinable
  package static func head(_ line: Span<UInt8>) throws(RecordLineError) -> Head {
    guard let (first, end) = Decimal.read(line, from: 0, to: line.count) else { throw .notANumber }
    if end == line.count { return Head(first: first, last: first, fieldsStart: end) }
    if line[end] == 0x09 { return Head(first: first, last: first, fieldsStart: end + 1) }
    return try range(line, first: first, from: end)
  }

  @usableFromInline
  static func range(_ line: Span<UInt8>, first: UInt64, from dots: Int) throws(RecordLineError) -> Head {
    guard dots + 2 <= line.count, line[dots] == Byte.dot, line[dots + 1] == Byte.dot else {
      throw .notANumber
    }
    guard let (last, end) = Decimal.read(line, from: dots + 2, to: line.count), last >= first,
      end == line.count || line[end] == Byte.tab
    else { throw .notARange }
    return Head(first: first, last: last, fieldsStart: min(end + 1, line.count))
  }
}
