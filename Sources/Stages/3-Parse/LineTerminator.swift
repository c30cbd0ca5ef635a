// Texts whose lines end in carriage returns alone, which old spreadsheets and phones write: for the formats made of
// lines, each carriage return is replaced by a line feed.
//
// Not for: a carriage return before a line feed, which each reader drops.

import CallRecord

/// The line terminator of a text.
enum LineTerminator {
  /// Whether carriage returns alone end the lines: whether there are more of them than line feeds. A single line feed
  /// that a download or an editor added at the end changes nothing.
  ///
  /// - Complexity: O(bytes).
  static func isReturn(_ start: Span<UInt8>) -> Bool {
    var alone = 0
    var lineFeeds = 0
    for index in 0..<start.count {
      if start[index] == Byte.lineFeed { lineFeeds += 1 }
      // The byte after the last one is unknown.
      if start[index] == Byte.carriageReturn, index + 1 < start.count, start[index + 1] != Byte.lineFeed {
        alone += 1
      }
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
