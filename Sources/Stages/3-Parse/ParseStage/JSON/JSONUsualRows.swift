// The fastest path: rows that look like `{"8613800138000": "label"},` and the next one behind a line end, with up to 15
// plain digits and a short label that needs no escapes. It reads a part of what the fast path reads, and reads it the
// same; any other row is left to that.
//
// Not for: anything that can be broken, or that is written in another way.

import CallRecord
import PipeStage

/// What came of looking for usual rows.
struct UsualRows {
  /// The index of the first byte behind the last one.
  var end: Int
  var lineFeeds = 0
  var rows = 0
  /// The batch has no room for the next one.
  var isFull = false
}

extension JSONMachine {
  // Little-endian texts of what stands between the fields.
  private static let opening: UInt32 = 0x227B  // {"
  private static let spacedColon: UInt32 = 0x2220_3A22  // ": "
  private static let tightColon: UInt32 = 0x22_3A22  // ":"
  private static let ending: UInt32 = 0x7D22  // "}
  private static let lineEnding: UInt32 = 0x0A_7D22  // "}␊
  private static let commaEnding: UInt32 = 0x0A2C_7D22  // "},␊

  /// Reads rows from `start` on, none of which begins behind `last`; from there on ``fastBytes`` bytes are in the window.
  ///
  /// - Complexity: O(bytes); some 110 instructions a row whose label came before.
  static func usualRows(
    _ window: Span<UInt8>, from start: Int, last: Int, _ batch: inout RawRowBatch,
    _ labels: inout QuotedLabels,
    _ suffix: borrowing ContiguousArray<UInt8>
  ) -> UsualRows {
    precondition(start >= 0 && last + fastBytes <= window.count)
    var found = UsualRows(end: start)
    let bytes = unsafe window.bytes
    batch.appendRows { room, annotations in
      var at = start
      while at <= last {
        guard room.hasRoom else {
          found.isFull = true
          break
        }
        // No place below is more than 2 + 16 + 4 + 128 + 8 bytes behind `at`, and `fastBytes` are there.
        guard unsafe WordScan.knownHalf(bytes, at) & 0xFFFF == opening else { break }
        let front = unsafe WordScan.knownWord(bytes, at &+ 2)
        let back = unsafe WordScan.knownWord(bytes, at &+ 10)
        var length = WordScan.first(WordScan.others(front))
        if length == 8 { length = 8 &+ WordScan.first(WordScan.others(back)) }
        // A digit still, or more than a number has; a quote is behind all others, or it is no usual row.
        if length >= 16 { break }
        let textEnd = at &+ 2 &+ length
        let colon = unsafe WordScan.knownHalf(bytes, textEnd)
        var labelStart = textEnd &+ 4
        if colon != spacedColon {
          guard colon & 0xFF_FFFF == tightColon else { break }
          labelStart &-= 1
        }
        let word0 = unsafe WordScan.knownWord(bytes, labelStart)
        let word1 = unsafe WordScan.knownWord(bytes, labelStart &+ 8)
        let word2 = unsafe WordScan.knownWord(bytes, labelStart &+ 16)
        let word3 = unsafe WordScan.knownWord(bytes, labelStart &+ 24)
        let count: Int
        let index: Int
        let known = labels.find(word0, word1, word2, word3)
        if let known {
          (count, index) = known
        } else {
          guard let end = labelEnd(bytes, labelStart) else { break }
          count = end &- labelStart
          let label = window.extracting(labelStart..<end)
          guard unsafe WordScan.knownHalf(bytes, end) & 0xFFFF == ending,
            count <= QuotedLabels.labelBytesMax
          else { break }
          guard isPlain(word0 | word1 | word2 | word3) || UTF8Check.isValid(label) else { break }
          guard let new = RowWriter.intern(label, suffix, in: &annotations) else {
            found.isFull = true
            break
          }
          index = new
        }
        let end = labelStart &+ count
        let closing = unsafe WordScan.knownHalf(bytes, end)
        if closing == commaEnding {
          found.lineFeeds &+= 1
          at = end &+ 4
        } else if closing & 0xFF_FFFF == lineEnding {
          found.lineFeeds &+= 1
          at = end &+ 3
        } else {
          guard closing & 0xFFFF == ending else { break }
          at = end &+ 2
        }
        if known == nil { labels.keep(word0, word1, word2, word3, count: count, index: index) }
        room.append(front, back, count: length, annotationIndex: index)
        while at <= last, window[at] != object,
          window[at] == UInt8(ascii: ",") || JSONToken.isSpace(window[at])
        {
          if window[at] == 0x0A { found.lineFeeds &+= 1 }
          at &+= 1
        }
        found.end = at
      }
      found.rows = room.rows
    }
    return found
  }

  /// The end of a label of up to four words; nil when it is longer.
  @inline(__always)
  private static func labelEnd(_ bytes: RawSpan, _ start: Int) -> Int? {
    for place in 0..<4 {
      let stops = unsafe WordScan.stringStops(WordScan.knownWord(bytes, start &+ place &* 8))
      if stops != 0 { return start &+ place &* 8 &+ WordScan.first(stops) }
    }
    return nil
  }

  /// Whether words are ASCII. What stands behind the label counts too: at worst a check is made that need not be.
  @inline(__always)
  private static func isPlain(_ words: UInt64) -> Bool { words & WordScan.highs == 0 }
}
