// Finds the header of a sheet below its title: the first of the first rows that has a common name of a number column, or
// the chosen name. Rows with numbers are data: nothing after them is a header.
//
// Line breaks in the header's cells become blanks, so that the names can be typed.
//
// Not for: which columns the header names (TableReader).

import Records
import SystemIO

/// Examines the first rows of a sheet, cell by cell.
struct SheetHeader {
  /// The maximum number of rows that are examined. Titles have a few rows.
  private static let rowsMax = 20
  /// The maximum size of a header's cells in bytes.
  private static let cellsBytesMax = 16 * 1024
  /// The minimum number of digits of a number. The number of a day, which cells with dates contain, has five.
  private static let digitsMin = 6

  /// A cell: its column, and its text as a name.
  typealias Cell = (column: Int, name: ContiguousArray<UInt8>)

  /// The index of the header among the rows with text; nil if no row is certainly the header.
  private(set) var index: Int?
  /// The cells of the header, or of the first row if there is none and that row has no number; nil if there is neither.
  private(set) var cells: [Cell]?

  private let chosenName: String?
  private var isDone: Bool
  private var rowCount = 0
  private var current: [Cell] = []
  private var bytes = 0
  private var hasNumber = false

  init(_ options: ParseOptions) {
    chosenName = options.firstName
    isDone = options.header == .no
    if options.header == .yes { index = 0 }
  }

  /// Starts a row.
  mutating func beginRow() {
    current.removeAll()
    bytes = 0
    hasNumber = false
  }

  /// Adds a cell to the row.
  mutating func add(_ text: Span<UInt8>, _ column: Int) {
    if isDone { return }
    bytes += text.count
    guard bytes <= Self.cellsBytesMax else { return }
    if NumberText.contents(text, from: 0, to: text.count).isNumber(digitsMin: Self.digitsMin) {
      hasNumber = true
    }
    let name = Self.name(text)
    if !name.isEmpty { current.append((column, name)) }
  }

  /// Ends a row with text.
  mutating func endRow() {
    if isDone { return }
    defer {
      rowCount += 1
      if rowCount == Self.rowsMax { isDone = true }
    }
    if hasNumber {
      isDone = true
    } else if bytes <= Self.cellsBytesMax {
      if rowCount == 0 { cells = current }
      if index == 0 {
        isDone = true
      } else if isHeader {
        index = rowCount
        cells = current
        isDone = true
      }
    }
  }

  /// Whether the current row has the chosen name, or names of a number column and another one.
  private var isHeader: Bool {
    let names = current.map { String(decoding: $0.name, as: UTF8.self) }
    if let chosenName { return names.contains(chosenName) }
    return names.count > 1 && names.contains(where: CommonFieldNames.isNumber)
  }

  /// A text without the white space around it, and with blanks in place of line breaks.
  private static func name(_ text: Span<UInt8>) -> ContiguousArray<UInt8> {
    let text = WorkbookText.trimmed(text)
    var name: ContiguousArray<UInt8> = []
    var index = 0
    while index < text.count {
      let start = index
      var hasBreak = false
      while index < text.count, text[index].isASCIISpace {
        if text[index] != 0x20 { hasBreak = true }
        index += 1
      }
      if hasBreak { name.append(0x20) } else { name.append(copying: text.extracting(start..<index)) }
      if index < text.count {
        name.append(text[index])
        index += 1
      }
    }
    return name
  }
}
