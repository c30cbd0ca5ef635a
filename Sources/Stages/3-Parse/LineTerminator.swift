// Texts whose lines end in carriage returns alone, which old spreadsheets and phones write: for the formats made of
// lines, each carriage return is replaced by a line feed.
//
// Not for: a carriage return before a line feed, which each reader drops.

import Records

/// The line terminator of a text.
enum LineTerminator {
  /// Whether carriage returns alone end the lines: whether there are more of them than line feeds, outside of quoted
  /// fields. A single line feed that a download or an editor added at the end changes nothing.
  ///
  /// - Complexity: O(bytes).
  static func isReturn(_ start: Span<UInt8>) -> Bool {
    var alone = 0
    var lineFeeds = 0
    var quotes = QuotedFields()
    var index = 0
    while index < start.count {
      if let end = quotes.end(start, at: index) {
        index = end
        continue
      }
      if start[index] == Byte.lineFeed { lineFeeds += 1 }
      // The byte after the last one is unknown.
      if start[index] == Byte.carriageReturn, index + 1 < start.count, start[index + 1] != Byte.lineFeed {
        alone += 1
      }
      index += 1
    }
    return alone > lineFeeds
  }

  /// Returns the bytes with each carriage return replaced by a line feed. A carriage return and a line feed become a
  /// blank line, which all formats made of lines skip.
  static func withLineFeeds(_ bytes: Span<UInt8>) -> ContiguousArray<UInt8> {
    var text = ContiguousArray<UInt8>()
    text.reserveCapacity(bytes.count)
    for index in 0..<bytes.count {
      text.append(bytes[index] == Byte.carriageReturn ? Byte.lineFeed : bytes[index])
    }
    return text
  }
}

/// Finds quoted fields in a table of which neither the columns nor the line terminator are known.
private struct QuotedFields {
  /// Where the search for a closing quote failed: there is none for later opening quotes either.
  private var unclosed = Int.max

  /// The index after the quoted field that starts at `index`; nil if none does.
  mutating func end(_ bytes: Span<UInt8>, at index: Int) -> Int? {
    guard bytes[index] == UInt8(ascii: "\""), index < unclosed,
      index == 0 || Self.isBoundary(bytes[index - 1])
    else { return nil }
    var next = index + 1
    while next < bytes.count {
      if bytes[next] == UInt8(ascii: "\"") {
        if next + 1 == bytes.count || Self.isBoundary(bytes[next + 1]) { return next + 1 }
        // A doubled quote, or one in the middle of a field.
        if bytes[next + 1] == UInt8(ascii: "\"") { next += 1 }
      }
      next += 1
    }
    unclosed = index
    return nil
  }

  /// Whether a field can begin after the byte, or end before it.
  private static func isBoundary(_ byte: UInt8) -> Bool {
    switch byte {
    case Byte.lineFeed, Byte.carriageReturn, Byte.tab, UInt8(ascii: ","), UInt8(ascii: ";"),
      UInt8(ascii: "|"):
      true
    default: false
    }
  }
}
