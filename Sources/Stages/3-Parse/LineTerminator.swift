// Texts whose lines end in carriage returns alone, as old spreadsheets and phones write them: the formats made of lines
// read them with each carriage return replaced by a line feed.
//
// Not for: a carriage return before a line feed, which each reader drops.

import CallRecord

/// The line terminator of a text.
enum LineTerminator {
  /// Whether carriage returns alone end the lines: whether there are more of them than line feeds. One line feed that a
  /// download or an editor added at the end changes nothing.
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

  /// The bytes with each carriage return replaced by a line feed. Both together become a blank line, which all formats
  /// of lines skip.
  static func withLineFeeds(_ bytes: Span<UInt8>) -> ContiguousArray<UInt8> {
    var text = ContiguousArray<UInt8>()
    text.reserveCapacity(bytes.count)
    for index in 0..<bytes.count {
      text.append(bytes[index] == Byte.carriageReturn ? Byte.lineFeed : bytes[index])
    }
    return text
  }
}
