// The syntax of a table, and how a record is split into fields.
//
// If a field starts with a quote (and the grammar has quotes) it ends at the next single quote; two quotes stand for one
// in the field. A quote anywhere else is text. Line ends inside quotes belong to the field. White space around a field
// is not part of it, unless the grammar keeps it. Source: RFC 4180, and the white space and quotes inside fields of real
// files.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public struct TableGrammar: Equatable {
  /// The byte between fields.
  public var separator: UInt8
  public var hasQuotes: Bool
  /// Whether white space around a field is dropped. Otherwise only the carriage return of a line end is.
  public var trimsFields: Bool

  @inlinable public static var quote: UInt8 { UInt8(ascii: "\"") }

  /// Creates a grammar; by default for values separated by commas, with quotes, and with white space around fields.
  @inlinable
  public init(separator: UInt8 = UInt8(ascii: ","), hasQuotes: Bool = true, trimsFields: Bool = true) {
    self.separator = separator
    self.hasQuotes = hasQuotes
    self.trimsFields = trimsFields
  }

  /// Whether a byte around a field is not part of its text, in a grammar that trims fields.
  @inlinable @inline(__always)
  public func isPadding(_ byte: UInt8) -> Bool {
    byte == 0x20 || (byte == 0x09 && separator != 0x09) || byte == 0x0D
  }
}

/// The position of a field in the window, without padding and quotes.
public struct TableField: Equatable {
  /// The index of its first byte.
  public var start: Int
  /// The index after its last byte.
  public var end: Int
  /// Whether two quotes inside it stand for one.
  public var hasDoubledQuotes = false
  public var isQuoted = false

  /// Creates a field without quotes.
  @inlinable
  public init(start: Int, end: Int) {
    self.start = start
    self.end = end
  }

  @inlinable
  public func append(_ window: Span<UInt8>, to text: inout ContiguousArray<UInt8>) {
    var index = start
    while index < end {
      let byte = window[index]
      text.append(byte)
      index += hasDoubledQuotes && byte == TableGrammar.quote ? 2 : 1
    }
  }

  /// The field's text as a string; bytes that are not UTF-8 are replaced.
  public func text(_ window: Span<UInt8>) -> String {
    var bytes: ContiguousArray<UInt8> = []
    append(window, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

public enum TableRecordEnd: Equatable {
  /// The record is complete: its text ends at `end`, and the next record starts at `next`.
  case whole(end: Int, next: Int)
  /// The window ends inside it, in a quoted field or not.
  case cut(inQuotes: Bool)
  /// A quote breaks it, which was found at `at`.
  case broken(QuoteReject, at: Int)
}

public enum QuoteReject: Equatable {
  /// A quoted field has a line end where that is not allowed.
  case unterminatedQuote
  /// A quoted field has text after its closing quote.
  case textAfterQuote
}

extension TableGrammar {
  /// Reads the record that starts at `start`; `atEnd`: the input ends with `bytes`. The first `fieldsMax` fields are
  /// stored in `fields`.
  ///
  /// - Complexity: O(bytes of the record).
  public func record(
    _ bytes: Span<UInt8>, from start: Int, atEnd: Bool, mayHaveLines: Bool, fieldsMax: Int,
    into fields: inout [TableField]
  ) -> TableRecordEnd {
    fields.removeAll(keepingCapacity: true)
    var index = start
    while true {
      if trimsFields { skipPadding(bytes, &index) }
      var field = TableField(start: index, end: index)
      if hasQuotes, index < bytes.count, bytes[index] == Self.quote {
        field.isQuoted = true
        field.start = index + 1
        index += 1
        while true {
          guard index < bytes.count else { return .cut(inQuotes: true) }
          let byte = bytes[index]
          if byte == Byte.lineFeed, !mayHaveLines { return .broken(.unterminatedQuote, at: index) }
          if byte == Self.quote {
            guard index + 1 < bytes.count else {
              if atEnd { break }
              return .cut(inQuotes: true)
            }
            guard bytes[index + 1] == Self.quote else { break }
            field.hasDoubledQuotes = true
            index += 1
          }
          index += 1
        }
        field.end = index
        index += 1
        if trimsFields {
          skipPadding(bytes, &index)
        } else if index < bytes.count, bytes[index] == Byte.carriageReturn, isLineEnd(bytes, index + 1) {
          index += 1
        }
        if index < bytes.count, bytes[index] != separator, bytes[index] != Byte.lineFeed {
          return .broken(.textAfterQuote, at: index)
        }
      } else {
        while index < bytes.count, bytes[index] != separator, bytes[index] != Byte.lineFeed { index += 1 }
        field.end = index
        if trimsFields {
          while field.end > field.start, isPadding(bytes[field.end - 1]) { field.end -= 1 }
        } else if field.end > field.start, bytes[field.end - 1] == Byte.carriageReturn,
          isLineEnd(bytes, index)
        {
          field.end -= 1
        }
      }
      if index == bytes.count, !atEnd { return .cut(inQuotes: false) }
      if fields.count < fieldsMax { fields.append(field) }
      if isLineEnd(bytes, index) {
        let next = min(index + 1, bytes.count)
        var end = index
        if end > start, bytes[end - 1] == Byte.carriageReturn { end -= 1 }
        return .whole(end: end, next: next)
      }
      index += 1
    }
  }

  @inline(__always)
  private func skipPadding(_ bytes: Span<UInt8>, _ index: inout Int) {
    while index < bytes.count, isPadding(bytes[index]) { index += 1 }
  }

  /// Whether `bytes` end at `index`, or have a line feed there.
  @inline(__always)
  private func isLineEnd(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
    index == bytes.count || bytes[index] == Byte.lineFeed
  }

  /// The index after the line that starts at `start`; nil if it does not end in `bytes`.
  public func lineEnd(_ bytes: Span<UInt8>, from start: Int) -> Int? {
    let end = LineScan.lineFeed(in: bytes, from: start)
    return end < bytes.count ? end + 1 : nil
  }

  /// Whether there is only white space from `start` to `end`.
  public func isBlank(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    var index = start
    while index < end {
      let byte = bytes[index]
      guard byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == Byte.lineFeed else { return false }
      index += 1
    }
    return true
  }
}

/// Limits where records may span lines, so that broken records cost linear time.
///
/// A broken record is one reject. Reading resumes at the line after the record's first line: most likely its quote is
/// the error, and what seemed to be inside the quotes are records. If many bytes were examined for the broken record, no
/// record that starts within those bytes may span several lines, so that no byte is examined many times.
public struct TableRecovery {
  /// If more than this many bytes were examined for a broken record, records that start within them may not span lines.
  @usableFromInline static let freeLookaheadBytesMax: UInt64 = 256

  /// Records that start before this offset may not span lines.
  @usableFromInline var oneLineBefore: UInt64 = 0

  @inlinable public init() {}

  @inlinable
  public func mayHaveLines(at offset: UInt64) -> Bool { offset >= oneLineBefore }

  /// Notes that the bytes from `start` to `end` were examined for a record that is rejected.
  public mutating func noteReject(from start: UInt64, examinedTo end: UInt64) {
    if end - start > Self.freeLookaheadBytesMax { oneLineBefore = max(oneLineBefore, end) }
  }
}
