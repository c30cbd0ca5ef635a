// How a table is written, and one record of it taken apart into fields.
//
// A field is trimmed of white space. If it then starts with a quote (and the grammar has quotes) it ends at the next
// single quote; two of them are one in the field. A quote anywhere else is text. Line ends inside quotes belong to the
// field. Source: RFC 4180, with the white space and the quotes in the middle that real files have.
//
// Not for: what the fields mean (TableColumns), speed (TableFastRows reads the usual records and gives the others here).

import CallRecord

/// How a table is written.
struct TableGrammar: Equatable {
  /// What stands between fields.
  var separator = UInt8(ascii: ",")
  /// Whether fields may be quoted.
  var hasQuotes = true

  static let quote = UInt8(ascii: "\"")

  /// Whether a byte around a field is none of its text.
  @inline(__always)
  func isPadding(_ byte: UInt8) -> Bool {
    byte == 0x20 || (byte == 0x09 && separator != 0x09) || byte == 0x0D
  }
}

/// Where a field stands in the window, without padding and quotes.
struct TableField: Equatable {
  var start = 0
  var end = 0
  /// Two quotes inside stand for one.
  var hasDoubledQuotes = false
  /// It stood in quotes.
  var isQuoted = false

  /// Adds the field's text.
  func append(_ window: Span<UInt8>, to text: inout ContiguousArray<UInt8>) {
    var index = start
    while index < end {
      let byte = window[index]
      text.append(byte)
      index += hasDoubledQuotes && byte == TableGrammar.quote ? 2 : 1
    }
  }

  /// The field's text, for messages and headers.
  func text(_ window: Span<UInt8>) -> String {
    var bytes: ContiguousArray<UInt8> = []
    append(window, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// How the look at a record ended.
enum TableRecordEnd: Equatable {
  /// It is whole: its text ends at `end`, and the next record begins at `next`.
  case whole(end: Int, next: Int)
  /// The window cuts it, inside a quoted field or not.
  case cut(inQuotes: Bool)
  /// A quoted field goes on behind its closing quote, or, where that is forbidden, over the line's end.
  case broken(ParseReject, at: Int)
}

extension TableGrammar {
  /// Reads the record that begins at `start`; `bytes` ends where the look must end, `atEnd` if the input does too.
  /// The first `fieldsMax` fields go to `fields`.
  ///
  /// - Complexity: O(bytes of the record).
  func record(
    _ bytes: Span<UInt8>, from start: Int, atEnd: Bool, mayHaveLines: Bool, fieldsMax: Int,
    into fields: inout [TableField]
  ) -> TableRecordEnd {
    fields.removeAll(keepingCapacity: true)
    var index = start
    while true {
      while index < bytes.count, isPadding(bytes[index]) { index += 1 }
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
        while index < bytes.count, isPadding(bytes[index]) { index += 1 }
        if index < bytes.count, bytes[index] != separator, bytes[index] != Byte.lineFeed {
          return .broken(.textBehindQuote, at: index)
        }
      } else {
        while index < bytes.count, bytes[index] != separator, bytes[index] != Byte.lineFeed { index += 1 }
        field.end = index
        while field.end > field.start, isPadding(bytes[field.end - 1]) { field.end -= 1 }
      }
      if index == bytes.count, !atEnd { return .cut(inQuotes: false) }
      if fields.count < fieldsMax { fields.append(field) }
      if index == bytes.count || bytes[index] == Byte.lineFeed {
        let next = min(index + 1, bytes.count)
        var end = index
        if end > start, bytes[end - 1] == 0x0D { end -= 1 }
        return .whole(end: end, next: next)
      }
      index += 1
    }
  }

  /// The index behind the line that begins at `start`, or nil if its end is not there.
  func lineEnd(_ bytes: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < bytes.count {
      if bytes[index] == Byte.lineFeed { return index + 1 }
      index += 1
    }
    return nil
  }

  /// Whether there is nothing but white space between two places.
  func isBlank(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    var index = start
    while index < end {
      let byte = bytes[index]
      guard byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == Byte.lineFeed else { return false }
      index += 1
    }
    return true
  }
}
