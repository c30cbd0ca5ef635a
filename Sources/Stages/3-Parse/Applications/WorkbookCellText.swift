// The texts of a workbook's parts: names without the prefix of a namespace, references of cells, escapes.
//
// Sources: ISO/IEC 29500-1, 18.18.62 (references of cells) and 22.9.2.19 (escapes in texts).

import Records
import SystemIO

extension Span where Element == UInt8 {
  /// The name of an element or attribute without the prefix of its namespace, which the writer of a document chooses.
  var localName: Span<UInt8> {
    @_lifetime(copy self)
    get {
      for index in indices where self[index] == UInt8(ascii: ":") {
        return extracting(index + 1..<count)
      }
      return self
    }
  }
}

/// A range of cells, such as `B2:D5`.
struct CellRange {
  /// The numbers of its rows, from 1.
  var rows: ClosedRange<UInt64>
  /// The index of its first column, from 0.
  var firstColumn: Int

  /// Reads a range; nil for anything else, such as a single cell.
  init?(_ reference: Span<UInt8>) {
    var colon = 0
    while colon < reference.count, reference[colon] != UInt8(ascii: ":") { colon += 1 }
    guard colon < reference.count, let first = WorkbookText.cell(reference.extracting(0..<colon)),
      let last = WorkbookText.cell(reference.extracting(colon + 1..<reference.count)), first.row <= last.row
    else { return nil }
    rows = first.row...last.row
    firstColumn = min(first.column, last.column)
  }
}

enum WorkbookText {
  /// The index of a column, from 0, of a reference such as `AB12`; nil if there are no letters, or too many.
  static func column(_ reference: Span<UInt8>) -> Int? {
    var column = 0
    var index = 0
    while index < reference.count {
      let letter = reference[index].asciiCapital &- UInt8(ascii: "A")
      guard letter < 26 else { break }
      column = column * 26 + Int(letter) + 1
      guard column <= WorkbookLimits.columnsMax else { return nil }
      index += 1
    }
    return index == 0 ? nil : column - 1
  }

  /// The letters of a column with this index, from 0.
  static func letters(_ column: Int) -> String {
    let letter = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(column % 26)))
    return column < 26 ? letter : letters(column / 26 - 1) + letter
  }

  /// The row and the column of a reference such as `AB12`; nil for anything else.
  static func cell(_ reference: Span<UInt8>) -> (row: UInt64, column: Int)? {
    guard let column = Self.column(reference) else { return nil }
    var index = 0
    while index < reference.count, reference[index].asciiCapital &- UInt8(ascii: "A") < 26 { index += 1 }
    guard let row = integer(reference.extracting(index..<reference.count)), 1...WorkbookLimits.rowsMax ~= row
    else { return nil }
    return (row, column)
  }

  /// A number of digits alone, with white space around them; nil for anything else, or more than 18 digits.
  static func integer(_ text: Span<UInt8>) -> UInt64? {
    let digits = text.trimmed
    guard !digits.isEmpty, digits.count <= 18 else { return nil }
    var value: UInt64 = 0
    for index in digits.indices {
      let digit = digits[index] &- 0x30
      guard digit < 10 else { return nil }
      value = value * 10 + UInt64(digit)
    }
    return value
  }

  /// Replaces the escapes `_xHHHH_` in a text. Half of a surrogate pair is left as it is.
  ///
  /// - Complexity: O(bytes).
  static func unescape(_ text: inout ContiguousArray<UInt8>) {
    guard let first = escapeStart(text.span, from: 0) else { return }
    var result = ContiguousArray(text[..<first])
    var index = first
    while index < text.count {
      if let unit = escape(text.span, at: index), let scalar = Unicode.Scalar(unit) {
        result.append(contentsOf: Character(scalar).utf8)
        index += escapeBytes
      } else {
        result.append(text[index])
        index += 1
      }
    }
    text = result
  }

  private static let escapeBytes = 7

  private static func escapeStart(_ text: Span<UInt8>, from start: Int) -> Int? {
    for index in start..<text.count where escape(text, at: index) != nil { return index }
    return nil
  }

  /// The code unit of the escape at `start`; nil if there is none.
  private static func escape(_ text: Span<UInt8>, at start: Int) -> UInt16? {
    guard text[start] == UInt8(ascii: "_"), text.count - start >= escapeBytes,
      text[start + 1] == UInt8(ascii: "x"), text[start + 6] == UInt8(ascii: "_")
    else { return nil }
    var unit: UInt16 = 0
    for index in start + 2..<start + 6 {
      guard let digit = text[index].hexDigit else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}

// The text of a cell or of a shared string, which may consist of runs with different fonts. The runs are joined; phonetic
// guides are left out.
//
// Sources: ISO/IEC 29500-1, 18.4.8 (texts), 18.4.4 (runs), 18.4.6 (phonetic runs).

struct RichText {
  /// The text so far, with its escapes; cut after the first byte beyond the limit, which makes the row a reject.
  private var text: ContiguousArray<UInt8> = []
  /// Whether a part of the text is an entity that is not known.
  private(set) var hasUnknownEntity = false

  private let bytesMax: Int
  private var phoneticDepth = 0
  private var isInText = false
  private var keepsSpace = false
  private var runStart = 0

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// The text without escapes; a text that was cut is left as it is, and so stays too long.
  var unescaped: ContiguousArray<UInt8> {
    var result = text
    if !isCut { WorkbookText.unescape(&result) }
    return result
  }

  private var isCut: Bool { text.count > bytesMax }

  /// Starts another text.
  mutating func removeAll() {
    text.removeAll(keepingCapacity: true)
    hasUnknownEntity = false
    phoneticDepth = 0
    isInText = false
  }

  mutating func start(_ name: Span<UInt8>, _ attributes: borrowing XMLAttributes) {
    if name.equals("rPh") { phoneticDepth += 1 }
    guard name.equals("t"), phoneticDepth == 0 else { return }
    isInText = true
    keepsSpace = attributes.value(of: "space", ignoringPrefix: true).span.equals("preserve")
    runStart = text.count
  }

  mutating func end(_ name: Span<UInt8>) {
    if name.equals("rPh") { phoneticDepth -= 1 }
    guard isInText, name.equals("t") else { return }
    isInText = false
    if !keepsSpace, !isCut {
      let run = ContiguousArray(text[runStart...])
      text.removeSubrange(runStart...)
      text.append(copying: run.span.trimmed)
    }
  }

  mutating func add(_ bytes: Span<UInt8>) {
    guard isInText, text.count <= bytesMax else { return }
    text.append(copying: bytes.extracting(first: bytesMax + 1 - text.count))
  }

  mutating func noteUnknownEntity() {
    if isInText { hasUnknownEntity = true }
  }
}
