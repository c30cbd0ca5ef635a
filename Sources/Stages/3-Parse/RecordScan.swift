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
  private var marks = Marks()
  private var marksStart = -blockBytes

  /// Keeps the positions of the first `fieldsMax` fields.
  init(_ grammar: TableGrammar, fieldsMax: Int, countsAll: Bool = false) {
    self.grammar = grammar
    self.countsAll = countsAll
    stops = RigidArray(repeating: 0, count: fieldsMax)
  }

  /// Finds the fields of the record at `start`, and returns the index after its line end; -1 if the record is not one
  /// that is read here, or if the window ends within a block of it. Records must ascend, in the same window.
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
        marks = Marks(Self.marks(window, block, grammar), grammar.hasQuotes, quoted: quoted, opened: opened)
        marksStart = block
      }
      // The bits of the bytes before the record are dropped, and those after it.
      let before = UInt64(truncatingIfNeeded: block &- marksStart)
      let lineEnds = marks.lineEnds &>> before
      let record = Self.below(lineEnds)
      if grammar.hasQuotes, marks.doubtful &>> before & record != 0 {
        guard areAroundFields(record &<< before, window) else { return -1 }
      }
      var stops = marks.stops &>> before & record
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
      // After the last quote, all bits are alike.
      quoted = UInt64(bitPattern: Int64(bitPattern: marks.inside) >> 63)
      opened = marks.stops >> 63
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

  /// Whether the quotes among some bytes of the block are at the starts and ends of their fields, except for padding, and
  /// no line end is inside.
  private func areAroundFields(_ bytes: UInt64, _ window: Span<UInt8>) -> Bool {
    if marks.innerLineEnds & bytes != 0 { return false }
    var opening = marks.opening & bytes
    while opening != 0 {
      var index = marksStart + opening.trailingZeroBitCount - 1
      while index >= start, grammar.isPadding(window[index]) { index -= 1 }
      guard index < start || window[index] == grammar.separator else { return false }
      opening &= opening &- 1
    }
    var closing = marks.closing & bytes
    while closing != 0 {
      var index = marksStart + closing.trailingZeroBitCount + 1
      while index < window.count, grammar.isPadding(window[index]) { index += 1 }
      guard index < window.count, window[index] == grammar.separator || window[index] == Byte.lineFeed else {
        return false
      }
      closing &= closing &- 1
    }
    return true
  }

  // MARK: Masks

  /// The marks of a block's bytes.
  private struct Marks {
    /// Separators and line ends outside quotes.
    private(set) var stops: UInt64 = 0
    private(set) var lineEnds: UInt64 = 0
    /// The bytes from an opening quote on up to the one before the closing quote.
    private(set) var inside: UInt64 = 0
    private(set) var innerLineEnds: UInt64 = 0
    /// The quotes that open a field, and are not at its start; those that close one, and are not known to be at its end.
    private(set) var opening: UInt64 = 0
    private(set) var closing: UInt64 = 0

    var doubtful: UInt64 { opening | closing | innerLineEnds }

    init() {}

    @inline(__always)
    init(_ found: cdp_table_marks, _ hasQuotes: Bool, quoted: UInt64, opened: UInt64) {
      (stops, lineEnds) = (found.separators, found.line_ends)
      guard hasQuotes else { return }
      inside = RecordScan.inside(found.quotes) ^ quoted
      innerLineEnds = lineEnds & inside
      stops &= ~inside
      lineEnds &= ~inside
      let ends = stops | lineEnds
      opening = found.quotes & inside & ~(ends << 1 | opened)
      closing = found.quotes & ~inside & ~(ends >> 1)
    }
  }

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
  fileprivate static func inside(_ quotes: UInt64) -> UInt64 {
    var inside = quotes
    var shift: UInt64 = 1
    while shift < 64 {
      inside ^= inside &<< shift
      shift &<<= 1
    }
    return inside
  }
}
