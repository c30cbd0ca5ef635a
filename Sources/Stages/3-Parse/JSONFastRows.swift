// The fast path: rows that look like `{"8613800138000": "label"},`, or like `"8613800138000": "label",` inside an
// object, with little between them, eight bytes at a time. It reads a part of what JSONPairs reads, and reads it
// the same; where a row is unusual in any way it stops before it and leaves it to the general way.
//
// Not for: anything that can be broken.

import CallRecord
import PipeStage

extension JSONMachine {
  /// What must be in the window for a fast row: 64 bytes to its number, 24 for it, 4 between, 128 for the label,
  /// 64 to what ends it, and a word more. No fast row is longer.
  static let fastBytes = 320
  /// So many rows are read here before the fastest path is tried again.
  private static let rowsBetween = 16
  private static let textWordsMax = 3
  private static let labelWordsMax = 16

  // Little-endian texts of what stands between the fields.
  private static let opening: UInt32 = 0x227B  // {"
  private static let spacedColon: UInt32 = 0x2220_3A22  // ": "
  private static let tightColon: UInt32 = 0x22_3A22  // ":"
  private static let closing: UInt32 = 0x0A2C_7D22  // "},␊
  private static let continuing: UInt32 = 0x2C22  // ",

  /// Reads rows from `start` on and returns the index of the first byte behind the last one it read. A row is
  /// an object, or, `inObject`, a pair that another one follows.
  mutating func fastRows(
    _ window: Span<UInt8>, from start: Int, inObject: Bool, _ rows: inout RowWriter
  ) throws(StageError) -> Int {
    // Two copies of the loop, each with the question answered.
    if inObject { return try fastLoop(window, from: start, inObject: true, &rows) }
    var at = start
    var lineFeeds = 0
    at = try rows.takeUsual(window, from: start, last: window.count - Self.fastBytes, lineFeeds: &lineFeeds)
    passed(window, from: start, to: at, lineFeeds: lineFeeds, &rows)
    return at > start ? at : try fastLoop(window, from: start, inObject: false, &rows)
  }

  private mutating func passed(
    _ window: Span<UInt8>, from start: Int, to end: Int, lineFeeds: Int, _ rows: inout RowWriter
  ) {
    guard end > start else { return }
    isRecovering = false
    context.isInRun = false
    noteRowInArray()
    rows.passed(window, from: start, to: end, lineFeeds: lineFeeds)
  }

  @inline(__always)
  private mutating func fastLoop(
    _ window: Span<UInt8>, from start: Int, inObject: Bool, _ rows: inout RowWriter
  ) throws(StageError) -> Int {
    let raw = unsafe window.bytes
    let last = window.count - Self.fastBytes
    var at = start
    var lineFeeds = 0
    var left = inObject ? Int.max : Self.rowsBetween
    while at <= last, left > 0 {
      left -= 1
      var lineFeedsInside = 0
      let textStart: Int
      if inObject {
        guard window[at] == UInt8(ascii: "\"") else { break }
        textStart = at + 1
      } else {
        if WordScan.half(raw, at) & 0xFFFF == Self.opening {
          textStart = at + 2
        } else {
          guard window[at] == Self.object else { break }
          textStart = Self.skipSpace(window, from: at + 1, lineFeeds: &lineFeedsInside) + 1
          guard window[textStart - 1] == UInt8(ascii: "\"") else { break }
        }
      }
      guard let textEnd = Self.textEnd(raw, textStart) else { break }
      if SpreadsheetNumber.mayNeedCare(window, raw, from: textStart, endingAt: textEnd),
        SpreadsheetNumber.needsCare(window.extracting(textStart..<textEnd))
      {
        break
      }

      let colon = WordScan.half(raw, textEnd)
      let labelStart: Int
      if colon == Self.spacedColon {
        labelStart = textEnd + 4
      } else if colon & 0xFF_FFFF == Self.tightColon {
        labelStart = textEnd + 3
      } else {
        break
      }

      // The label's words, zeros behind its end.
      var word0 = WordScan.word(raw, labelStart)
      var word1: UInt64 = 0
      var word2: UInt64 = 0
      var word3: UInt64 = 0
      var labelEnd = labelStart
      var isShort = true
      var stops = WordScan.stringStops(word0)
      if stops != 0 {
        word0 &= Self.below(stops)
      } else {
        labelEnd += 8
        word1 = WordScan.word(raw, labelEnd)
        stops = WordScan.stringStops(word1)
        if stops != 0 {
          word1 &= Self.below(stops)
        } else {
          labelEnd += 8
          word2 = WordScan.word(raw, labelEnd)
          stops = WordScan.stringStops(word2)
          if stops != 0 {
            word2 &= Self.below(stops)
          } else {
            labelEnd += 8
            word3 = WordScan.word(raw, labelEnd)
            stops = WordScan.stringStops(word3)
            if stops != 0 {
              word3 &= Self.below(stops)
            } else {
              isShort = false
              labelEnd += 8
              while labelEnd < labelStart + 8 * Self.labelWordsMax {
                stops = WordScan.stringStops(WordScan.word(raw, labelEnd))
                if stops != 0 { break }
                labelEnd += 8
              }
              if stops == 0 { break }
            }
          }
        }
      }
      labelEnd += WordScan.first(stops)

      let end = WordScan.half(raw, labelEnd)
      // The closing quote, and what is behind it: the bracket, or a comma and another pair.
      guard end & 0xFF == 0x22 else { break }
      var next = labelEnd + 2
      if inObject {
        guard end & 0xFFFF == Self.continuing else { break }
        next = Self.skipSpace(window, from: next, lineFeeds: &lineFeedsInside)
        guard window[next] == UInt8(ascii: "\"") else { break }
      } else if end & 0xFFFF != Self.closing & 0xFFFF {
        next = Self.skipSpace(window, from: labelEnd + 1, lineFeeds: &lineFeedsInside) + 1
        guard window[next - 1] == UInt8(ascii: "}") else { break }
      }

      let text = window.extracting(textStart..<textEnd)
      let label = window.extracting(labelStart..<labelEnd)
      if isShort {
        let count = labelEnd - labelStart
        let slot = LabelCache.slot(word0, word1, word2, word3, count)
        let index = rows.labels.find(slot, word0, word1, word2, word3, count)
        if index >= 0, rows.batch.hasCapacity(forText: RawRowBatch.textBytesMax) {
          rows.batch.append(text: text, fieldsIndex: index)
          rows.found += 1
        } else {
          let seen = word0 | word1 | word2 | word3
          guard try rows.addNew(text, label, isASCII: seen & WordScan.highs == 0) else { break }
          rows.labels.keep(slot, word0, word1, word2, word3, count, index: rows.lastFields)
        }
      } else {
        guard try rows.addNew(text, label, isASCII: false) else { break }
      }

      lineFeeds += lineFeedsInside
      if !inObject, end == Self.closing {
        at = labelEnd + 4
        lineFeeds += 1
      } else {
        at = next
        while !inObject, at <= last, window[at] == UInt8(ascii: ",") || JSONToken.isSpace(window[at]) {
          if window[at] == 0x0A { lineFeeds += 1 }
          at += 1
        }
      }
    }
    passed(window, from: start, to: at, lineFeeds: lineFeeds, &rows)
    return at
  }

  /// Passes over at most as much white space as the general way looks through.
  private static func skipSpace(_ window: Span<UInt8>, from start: Int, lineFeeds: inout Int) -> Int {
    var index = start
    while index < start + ParseLimits.lookaheadBytesMax - 4, JSONToken.isSpace(window[index]) {
      if window[index] == 0x0A { lineFeeds += 1 }
      index += 1
    }
    return index
  }

  /// The bytes of a word below the first marked one.
  @inline(__always)
  private static func below(_ stops: UInt64) -> UInt64 {
    // The lowest set bit is a byte's highest: one less has all the bits below it, seven of them in that byte.
    ((stops & (0 &- stops)) &- 1) >> 7
  }

  /// The end of a number's text, or nil when it is long or unusual.
  @inline(__always)
  private static func textEnd(_ raw: RawSpan, _ start: Int) -> Int? {
    var index = start
    while index < start + 8 * textWordsMax {
      let word = WordScan.word(raw, index)
      let stops = WordScan.stringStops(word) | (word & WordScan.highs)
      if stops != 0 { return index + WordScan.first(stops) }
      index += 8
    }
    return nil
  }
}
