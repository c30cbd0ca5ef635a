// Where the fields of a table's record end, found by bit masks of 64 bytes at a time. It reads a subset of what
// TableGrammar reads, with the same result: records of one line, without doubled quotes.

import BasicContainers
import CIntrinsics
import Records

/// A record of one line, and its first fields.
struct RecordScan: ~Copyable {
  struct Field {
    /// The index of its first byte, without padding and quotes.
    var start = 0
    /// The index after its last byte.
    var end = 0
  }

  static let blockBytes = 64

  private let grammar: TableGrammar
  /// Whether all separators are counted, and not only those whose positions are kept.
  private let countsAll: Bool
  /// The index of the separator after each of the first fields.
  private var stops: RigidArray<Int>
  private(set) var start = 0
  /// The index after the record's last byte, which is before its line end.
  private(set) var end = 0
  /// The number of separators: of all, or of those whose positions are kept.
  private(set) var separators = 0
  /// The marks of the block that was read last, and its start: it may have the beginnings of more records.
  private var marks = cdp_table_marks()
  private var marksStart = -blockBytes

  /// Keeps the positions of the first `fieldsMax` fields.
  init(_ grammar: TableGrammar, fieldsMax: Int, countsAll: Bool = false) {
    self.grammar = grammar
    self.countsAll = countsAll
    stops = RigidArray(repeating: 0, count: fieldsMax)
  }

  /// Begins with another window.
  mutating func begin() { marksStart = -Self.blockBytes }

  /// Finds the fields of the record at `start`, and returns the index after its line end; -1 if the record is not one
  /// that is read here, or if the window ends within a block of it. Records must ascend.
  @inline(__always)
  mutating func read(_ window: Span<UInt8>, from start: Int) -> Int {
    self.start = start
    separators = 0
    var block = start
    var column = 0
    // All bits if the block begins in quotes; the lowest bit if a field begins with the block.
    var quoted: UInt64 = 0
    var opened: UInt64 = 1
    while true {
      if block - marksStart >= Self.blockBytes {
        guard block + Self.blockBytes <= window.count else { return -1 }
        marks = Self.marks(window, block, grammar)
        marksStart = block
      }
      // The bits of the bytes before the record are dropped.
      let before = UInt64(truncatingIfNeeded: block &- marksStart)
      var (stops, lineEnds) = (marks.separators &>> before, marks.line_ends &>> before)
      let quotes = marks.quotes &>> before
      if grammar.hasQuotes, quotes | quoted != 0 {
        let inside = Self.inside(quotes) ^ quoted
        stops &= ~inside
        let found = Quotes(all: quotes, inside: inside, stops: stops, lineEnds: lineEnds, opened: opened)
        guard !found.haveLineEnds, found.areAroundFields || arePadded(found, window, block) else { return -1 }
        lineEnds &= ~inside
        // After the last quote, all bits are alike.
        quoted = UInt64(bitPattern: Int64(bitPattern: inside) >> 63)
      }
      opened = stops &>> (63 &- before)
      // Those of this record.
      stops &= Self.below(lineEnds)
      if countsAll { separators += stops.nonzeroBitCount }
      while stops != 0, column < self.stops.count {
        self.stops[column] = block + stops.trailingZeroBitCount
        column += 1
        stops &= stops &- 1
      }
      if lineEnds != 0 {
        if !countsAll { separators = column }
        end = block + lineEnds.trailingZeroBitCount
        return lineEnd(window)
      }
      block = marksStart + Self.blockBytes
    }
  }

  /// The index after the line end at ``end``; -1 if a carriage return ends the line alone, or may do so.
  @inline(__always)
  private func lineEnd(_ window: Span<UInt8>) -> Int {
    if window[end] == Byte.lineFeed { return end + 1 }
    return end + 1 < window.count && window[end + 1] == Byte.lineFeed ? end + 2 : -1
  }

  /// A field of the record, one of the first.
  @inline(__always)
  func field(_ column: Int, _ window: Span<UInt8>) -> Field {
    var start = column == 0 ? start : stops[column - 1] + 1
    var end = column < separators ? stops[column] : end
    while start < end, grammar.isPadding(window[start]) { start += 1 }
    if start < end, grammar.isPadding(window[end - 1]) { end = trimmedEnd(window, start, end) }
    // A field that begins with a quote ends with another one.
    if grammar.hasQuotes, end - start >= 2, window[start] == TableGrammar.quote {
      return Field(start: start + 1, end: end - 1)
    }
    return Field(start: start, end: end)
  }

  private func trimmedEnd(_ window: Span<UInt8>, _ start: Int, _ stop: Int) -> Int {
    let raw = unsafe window.bytes
    var end = stop
    while end > start, grammar.isPadding(window[end - 1]) {
      end -= 1
      // Columns are often padded with blanks.
      while end - start >= 8, WordScan.word(raw, end - 8) == WordScan.ones &* 0x20 { end -= 8 }
    }
    return end
  }

  /// Whether the fields from one on are empty.
  func isEmpty(_ window: Span<UInt8>, from column: Int) -> Bool {
    guard column <= separators else { return true }
    var index = stops[column - 1]
    while index < end, window[index] == grammar.separator || grammar.isPadding(window[index]) { index += 1 }
    return index == end
  }

  // MARK: Quotes

  /// The quotes of a block, up to the record's end.
  private struct Quotes {
    /// Whether a line end is in quotes.
    let haveLineEnds: Bool
    /// The quotes that open a field, and are not at its start; those that close one, and are not known to be at its end.
    let opening: UInt64
    let closing: UInt64

    /// `inside` has the bits from an opening quote on up to the byte before the closing one.
    @inline(__always)
    init(all: UInt64, inside: UInt64, stops: UInt64, lineEnds: UInt64, opened: UInt64) {
      let ends = lineEnds & ~inside
      let below = RecordScan.below(ends)
      haveLineEnds = lineEnds & inside & below != 0
      opening = all & inside & ~(stops << 1 | opened) & below
      closing = all & ~inside & ~((stops | ends) >> 1) & below
    }

    @inline(__always)
    var areAroundFields: Bool { opening | closing == 0 }
  }

  /// Whether only padding is between quotes and the ends of their fields.
  private func arePadded(_ quotes: Quotes, _ window: Span<UInt8>, _ block: Int) -> Bool {
    var opening = quotes.opening
    while opening != 0 {
      var index = block + opening.trailingZeroBitCount - 1
      while index >= start, grammar.isPadding(window[index]) { index -= 1 }
      guard index < start || window[index] == grammar.separator else { return false }
      opening &= opening &- 1
    }
    var closing = quotes.closing
    while closing != 0 {
      var index = block + closing.trailingZeroBitCount + 1
      while index < window.count, grammar.isPadding(window[index]) { index += 1 }
      guard index < window.count, window[index] == grammar.separator || window[index] == Byte.lineFeed else {
        return false
      }
      closing &= closing &- 1
    }
    return true
  }

  // MARK: Masks

  @inline(__always)
  private static func marks(_ window: Span<UInt8>, _ block: Int, _ grammar: TableGrammar) -> cdp_table_marks {
    // The caller checks that a whole block is in the window.
    unsafe window.withUnsafeBytes { bytes in
      unsafe cdp_find_table_marks(bytes.baseAddress! + block, grammar.separator, grammar.hasQuotes)
    }
  }

  /// The bits below the lowest one that is set; all bits if none is.
  @inline(__always)
  fileprivate static func below(_ mask: UInt64) -> UInt64 { (mask &- 1) & ~mask }

  /// The bits from each odd quote up to the one before the next quote.
  @inline(__always)
  private static func inside(_ quotes: UInt64) -> UInt64 {
    var inside = quotes
    var shift: UInt64 = 1
    while shift < 64 {
      inside ^= inside &<< shift
      shift &<<= 1
    }
    return inside
  }
}
