// Texts whose lines end in carriage returns alone, as old spreadsheets and phones write them: formats of lines read them
// with line feeds in their places, byte for byte.
//
// Not for: a carriage return before a line feed, which each reader drops.

import CallRecord

/// What ends the lines of a text.
enum LineTerminator {
  /// Whether carriage returns alone end the lines: more stand alone than there are line feeds, with and without one
  /// before them. One line feed that a download or an editor added at the end changes nothing.
  ///
  /// - Complexity: O(bytes).
  static func isReturn(_ start: Span<UInt8>) -> Bool {
    var alone = 0
    var lineFeeds = 0
    for index in 0..<start.count {
      if start[index] == Byte.lineFeed { lineFeeds += 1 }
      // What stands behind the last byte is not known here.
      if start[index] == Byte.carriageReturn, index + 1 < start.count, start[index + 1] != Byte.lineFeed {
        alone += 1
      }
    }
    return alone > lineFeeds
  }

  /// The bytes with a line feed for each carriage return. Of both together a blank line is made, which no format of lines
  /// minds.
  static func withLineFeeds(_ bytes: Span<UInt8>) -> ContiguousArray<UInt8> {
    var text = ContiguousArray<UInt8>()
    text.reserveCapacity(bytes.count)
    for index in 0..<bytes.count {
      text.append(bytes[index] == Byte.carriageReturn ? Byte.lineFeed : bytes[index])
    }
    return text
  }
}
