// The fast path for pairs: rows that look like `{"8613800138000": "label"},`, or like `"8613800138000": "label",`
// inside an object, with little between them, eight bytes at a time. It reads a subset of what JSONPairs reads, with
// the same result; it stops before any other row, which the full reader then reads.

import Records

extension JSONMachine {
  /// The number of bytes of the window that are needed for a row: 64 before its number, 24 for the number, 4 between,
  /// 128 for the label, 64 before its end, and another word. No row on the fast path is longer.
  static let fastBytes = 320
  /// The number of rows that are read here before the line fast path is tried again.
  private static let rowsBetween = 16
  private static let textWordsMax = 3
  private static let labelWordsMax = 16

  // The texts between the fields, as little-endian integers.
  private static let opening: UInt32 = 0x227B  // {"
  private static let spacedColon: UInt32 = 0x2220_3A22  // ": "
  private static let tightColon: UInt32 = 0x22_3A22  // ":"
  private static let closing: UInt32 = 0x0A2C_7D22  // "},␊
  private static let continuing: UInt32 = 0x2C22  // ",

  /// Reads rows from `start` on, and returns the index after the last one. With `inObject` a row is a pair that is
  /// followed by another one, otherwise an object.
  mutating func fastRows(
    _ window: Span<UInt8>, from start: Int, inObject: Bool, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    // Two copies of the loop, each with a constant flag.
    if inObject { return try readPairs(window, from: start, inObject: true, &rows) }
    let at = try readLines(window, from: start, &rows)
    return at > start ? at : try readPairs(window, from: start, inObject: false, &rows)
  }

  /// Reads rows from `start` on by the line fast path, and returns the index after the last one.
  private mutating func readLines(
    _ window: Span<UInt8>, from start: Int, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    let last = window.count - Self.fastBytes
    var at = start
    var lineFeeds = 0
    while true {
      let found = Self.readLineRows(window, from: at, last: last, &rows.batch, &rows.labels, rows.suffix)
      at = found.end
      lineFeeds += found.lineFeeds
      rows.found += found.rows
      // An empty batch has capacity for any allowed row.
      guard found.isFull, !rows.batch.isEmpty else { break }
      try rows.flush()
    }
    addReadRows(window, from: start, to: at, lineFeeds: lineFeeds, &rows)
    return at
  }

  private mutating func addReadRows(
    _ window: Span<UInt8>, from start: Int, to end: Int, lineFeeds: Int, _ rows: inout RowWriter
  ) {
    guard end > start else { return }
    recovery = .none
    openAtEnd = 0
    context.isInRun = false
    noteRowInArray()
    rows.countLineFeeds(window, from: start, to: end, lineFeeds: lineFeeds)
  }

  @inline(__always)
  private mutating func readPairs(
    _ window: Span<UInt8>, from start: Int, inObject: Bool, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    let raw = unsafe window.bytes
    let last = window.count - Self.fastBytes
    var at = start
    var lineFeeds = 0
    var left = inObject ? Int.max : Self.rowsBetween
    while at <= last, left > 0 {
      left -= 1
      var lineFeedsInside = 0
      let textStart = Self.textStart(window, raw, at, inObject: inObject, &lineFeedsInside)
      guard textStart > 0 else { break }
      let textEnd = Self.textEnd(window, raw, textStart)
      guard textEnd > 0 else { break }
      let labelStart = Self.labelStart(raw, textEnd)
      guard labelStart > 0 else { break }

      let key = WordScan.word(raw, labelStart)
      let known = unsafe rows.labels.isActive ? rows.labels.find(raw, labelStart, key: key) : nil
      let labelEnd = known.map { labelStart + $0.count } ?? Self.labelEnd(raw, labelStart)
      guard labelEnd >= 0 else { break }
      let next = Self.rowEnd(window, raw, labelEnd, last, inObject: inObject, &lineFeedsInside)
      guard next > 0 else { break }

      let text = window.extracting(textStart..<textEnd)
      if let known, rows.batch.hasCapacity(forText: RawRowBatch.textBytesMax) {
        rows.batch.append(text: text, fieldsIndex: known.index)
        rows.found += 1
      } else {
        let label = window.extracting(labelStart..<labelEnd)
        guard try rows.addNew(text, label, isASCII: false) else { break }
        if rows.labels.isActive {
          let added = LabelCache.Label(count: labelEnd - labelStart, index: rows.lastFields)
          unsafe rows.labels.keep(added, raw, labelStart, key: key)
        }
      }
      lineFeeds += lineFeedsInside
      at = next
    }
    addReadRows(window, from: start, to: at, lineFeeds: lineFeeds, &rows)
    return at
  }

  // MARK: Parts of a row, each an index in the window, or -1 if the full reader must read the row.

  /// The start of the number's text in the row at `at`.
  @inline(__always)
  private static func textStart(
    _ window: Span<UInt8>, _ raw: RawSpan, _ at: Int, inObject: Bool, _ lineFeeds: inout Int
  ) -> Int {
    if inObject { return window[at] == UInt8(ascii: "\"") ? at + 1 : -1 }
    if WordScan.half(raw, at) & 0xFFFF == opening { return at + 2 }
    guard window[at] == object else { return -1 }
    let quote = skipSpace(window, from: at + 1, lineFeeds: &lineFeeds)
    return window[quote] == UInt8(ascii: "\"") ? quote + 1 : -1
  }

  /// The end of the number's text; -1 if it is long, or not plain ASCII.
  @inline(__always)
  private static func textEnd(_ window: Span<UInt8>, _ raw: RawSpan, _ start: Int) -> Int {
    // Most are digits only.
    var index = window[start] == UInt8(ascii: "+") ? start + 1 : start
    while index < start + 8 * textWordsMax {
      let others = WordScan.nonDigits(WordScan.word(raw, index))
      if others != 0 {
        index += WordScan.first(others)
        if window[index] == UInt8(ascii: "\"") { return index }
        break
      }
      index += 8
    }
    index = start
    while index < start + 8 * textWordsMax {
      let word = WordScan.word(raw, index)
      let stops = WordScan.stringStops(word) | (word & WordScan.highs)
      if stops != 0 {
        let end = index + WordScan.first(stops)
        let needsConversion =
          SpreadsheetNumber.mayNeedConversion(window, raw, from: start, endingAt: end)
          && SpreadsheetNumber.needsConversion(window.extracting(start..<end))
        return needsConversion || mayBeDate(window, start, end)
          || NumberEntry.isNeeded(window.extracting(start..<end))
          ? -1 : end
      }
      index += 8
    }
    return -1
  }

  /// The start of the label after a number that ends at `textEnd`.
  @inline(__always)
  private static func labelStart(_ raw: RawSpan, _ textEnd: Int) -> Int {
    let colon = WordScan.half(raw, textEnd)
    if colon == spacedColon { return textEnd + 4 }
    return colon & 0xFF_FFFF == tightColon ? textEnd + 3 : -1
  }

  /// The end of the label that starts at `start`; -1 if it is too long. It is at the first byte that ends a plain part
  /// of a string.
  @inline(__always)
  private static func labelEnd(_ raw: RawSpan, _ start: Int) -> Int {
    var index = start
    while index < start + 8 * labelWordsMax {
      let stops = WordScan.stringStops(WordScan.word(raw, index))
      if stops != 0 { return index + WordScan.first(stops) }
      index += 8
    }
    return -1
  }

  /// The start of the next row after a label that ends at `labelEnd`, if this row is closed there.
  @inline(__always)
  private static func rowEnd(
    _ window: Span<UInt8>, _ raw: RawSpan, _ labelEnd: Int, _ last: Int, inObject: Bool,
    _ lineFeeds: inout Int
  ) -> Int {
    let end = WordScan.half(raw, labelEnd)
    // The closing quote, and what follows it: the bracket, or a comma and another pair.
    guard end & 0xFF == 0x22 else { return -1 }
    if inObject {
      guard end & 0xFFFF == continuing else { return -1 }
      let next = skipSpace(window, from: labelEnd + 2, lineFeeds: &lineFeeds)
      return window[next] == UInt8(ascii: "\"") ? next : -1
    }
    if end == closing {
      lineFeeds += 1
      return labelEnd + 4
    }
    var next = labelEnd + 2
    if end & 0xFFFF != closing & 0xFFFF {
      next = skipSpace(window, from: labelEnd + 1, lineFeeds: &lineFeeds) + 1
      guard window[next - 1] == UInt8(ascii: "}") else { return -1 }
    }
    while next <= last, window[next] == UInt8(ascii: ",") || window[next].isASCIISpace {
      if window[next] == 0x0A { lineFeeds += 1 }
      next += 1
    }
    return next
  }

  /// Skips at most as much white space as the full reader does.
  private static func skipSpace(_ window: Span<UInt8>, from start: Int, lineFeeds: inout Int) -> Int {
    var index = start
    while index < start + ParseLimits.lookaheadBytesMax - 4, window[index].isASCIISpace {
      if window[index] == 0x0A { lineFeeds += 1 }
      index += 1
    }
    return index
  }
}
