// The syntax of a table, and how a record is split into fields.
//
// White space around a field is not part of it. If the field then starts with a quote (and the grammar has quotes) it
// ends at the next single quote; two quotes stand for one in the field. A quote anywhere else is text. Line ends inside
// quotes belong to the field. Source: RFC 4180, and the white space and quotes inside fields of real files.
//
// Not for: what the fields mean (TableColumns), or speed (TableFastRows reads most records).

import CallRecord
import PipeStage

/// The syntax of a table.
struct TableGrammar: Equatable {
  /// The byte between fields.
  var separator = UInt8(ascii: ",")
  /// Whether fields may be quoted.
  var hasQuotes = true

  static let quote = UInt8(ascii: "\"")

  /// Whether a byte around a field is not part of its text.
  @inline(__always)
  func isPadding(_ byte: UInt8) -> Bool {
    byte == 0x20 || (byte == 0x09 && separator != 0x09) || byte == 0x0D
  }
}

/// The position of a field in the window, without padding and quotes.
struct TableField: Equatable {
  var start = 0
  var end = 0
  /// Whether two quotes inside it stand for one.
  var hasDoubledQuotes = false
  /// Whether it is in quotes.
  var isQuoted = false

  /// Appends the field's text.
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

/// The result of reading a record.
enum TableRecordEnd: Equatable {
  /// The record is complete: its text ends at `end`, and the next record starts at `next`.
  case whole(end: Int, next: Int)
  /// The window ends inside it, in a quoted field or not.
  case cut(inQuotes: Bool)
  /// A quoted field has text after its closing quote, or a line end where that is not allowed.
  case broken(ParseReject, at: Int)
}

extension TableGrammar {
  /// Reads the record that starts at `start`; `atEnd`: the input ends with `bytes`. The first `fieldsMax` fields are
  /// stored in `fields`.
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
          return .broken(.textAfterQuote, at: index)
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

  /// The index after the line that starts at `start`; nil if it does not end in `bytes`.
  func lineEnd(_ bytes: Span<UInt8>, from start: Int) -> Int? {
    let end = LineScan.lineFeed(in: bytes, from: start)
    return end < bytes.count ? end + 1 : nil
  }

  /// Whether there is only white space from `start` to `end`.
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
