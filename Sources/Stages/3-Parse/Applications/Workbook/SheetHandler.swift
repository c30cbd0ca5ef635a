// The cells of a sheet: rows and columns with or without references, and the kinds of values.
//
// Formulas are ignored, and their results are read. A number has the digits that are stored; formats such as leading
// zeros and dates are not applied.
//
// After the rows come the merged ranges, of which only the first cell has a value.
//
// Not for: which cells make a row of the list (SheetTable).
//
// Sources: ISO/IEC 29500-1, 18.3.1.4 (cells), 18.3.1.73 (rows), 18.18.11 (types of cells).

import Records
import SystemIO

/// Reads the part of a sheet, and passes its cells to a table.
final class SheetHandler: XMLHandler {
  /// The kind of value of a cell.
  private enum CellType {
    case number, shared, inline, boolean, text

    init(_ type: Span<UInt8>) {
      self =
        type.isEmpty || type.equals("n")
        ? .number
        : type.equals("s")
          ? .shared : type.equals("inlineStr") ? .inline : type.equals("b") ? .boolean : .text
    }
  }

  private let table: SheetTable
  private let strings: SharedStrings?
  private let valueBytesMax: Int

  private var isInData = false
  private var isInCell = false
  /// The number of the row, from 1; 0 before the first one.
  private var row: UInt64 = 0
  /// The column of the last cell, from 0.
  private var column = -1
  private var kind = CellType.number
  private var isInValue = false
  private var hasUnknownEntity = false
  private var hasFormula = false
  /// The text of the cell's value element; a longer one than the limit is cut, and its row is rejected for its length.
  private var value: ContiguousArray<UInt8> = []
  private var inlineText: RichText

  /// Makes a handler for a part whose rows go to `table`.
  init(_ table: SheetTable, _ strings: SharedStrings?, recordBytesMax: Int) {
    self.table = table
    self.strings = strings
    valueBytesMax = recordBytesMax
    inlineText = RichText(bytesMax: recordBytesMax)
  }

  func start(
    _ name: Span<UInt8>, _ attributes: borrowing XMLAttributes, at place: () -> RecordPosition,
    into rows: inout RowWriter
  ) throws(Failure) {
    let name = name.localName
    if !isInData {
      isInData = name.equals("sheetData")
      if name.equals("mergeCell"), let range = CellRange(attributes.value(of: "ref").span) {
        table.noteMerge(range)
      }
    } else if isInCell {
      if name.equals("f") { hasFormula = true }
      isInValue = name.equals("v")
      if kind == .inline { inlineText.start(name, attributes) }
    } else if name.equals("c") {
      beginCell(attributes)
    } else if name.equals("row") {
      let number = WorkbookText.integer(attributes.value(of: "r").span)
      row = number.flatMap { $0 > 0 && $0 <= WorkbookLimits.rowsMax ? $0 : nil } ?? row + 1
      column = -1
      table.beginRow(row)
    }
  }

  private func beginCell(_ attributes: borrowing XMLAttributes) {
    isInCell = true
    isInValue = false
    hasUnknownEntity = false
    hasFormula = false
    value.removeAll(keepingCapacity: true)
    let type = attributes.value(of: "t")
    kind = CellType(type.span)
    if kind == .inline { inlineText.removeAll() }
    let reference = attributes.value(of: "r")
    column = reference.isEmpty ? column + 1 : WorkbookText.column(reference.span) ?? WorkbookLimits.columnsMax
  }

  func end(_ name: Span<UInt8>, into rows: inout RowWriter) throws(Failure) {
    guard isInData else { return }
    let name = name.localName
    if isInCell {
      isInValue = false
      if kind == .inline { inlineText.end(name) }
      if name.equals("c") {
        isInCell = false
        try endCell()
      }
    } else if name.equals("row") {
      try table.endRow(&rows)
    } else if name.equals("sheetData") {
      isInData = false
    }
  }

  func text(_ bytes: Span<UInt8>) {
    guard isInCell else { return }
    if kind == .inline { inlineText.add(bytes) }
    guard isInValue, value.count <= valueBytesMax else { return }
    value.append(copying: bytes.extracting(first: valueBytesMax + 1 - value.count))
  }

  func unknownEntity() {
    guard isInCell else { return }
    inlineText.noteUnknownEntity()
    if isInValue { hasUnknownEntity = true }
  }

  private func endCell() throws(Failure) {
    guard table.needs(column) else {
      if !value.isEmpty || (kind == .inline && !inlineText.unescaped.isEmpty) { table.noteText() }
      return
    }
    // A text may be an empty result; a number may not.
    if hasFormula, value.isEmpty, kind == .number { table.noteFormula(column) }
    if hasUnknownEntity || (kind == .inline && inlineText.hasUnknownEntity) {
      return table.reject(.unknownEntity)
    }
    switch kind {
    case .inline: table.add(inlineText.unescaped.span, column)
    case .number: table.add(Self.number(value.span).span, column)
    case .boolean:
      let word = WorkbookText.trimmed(value.span).equals("1") ? "TRUE" : value.isEmpty ? "" : "FALSE"
      table.add(ContiguousArray(word.utf8).span, column)
    case .text:
      var text = value
      WorkbookText.unescape(&text)
      table.add(text.span, column)
    case .shared:
      if value.isEmpty { return }
      var text: ContiguousArray<UInt8> = []
      let index = WorkbookText.integer(value.span)
      guard let index, let strings, try strings.append(index, to: &text, limit: valueBytesMax + 1) else {
        throw .missingText(row: row, input: table.input)
      }
      table.add(text.span, column)
    }
  }

  /// The digits of a number: a whole number without point and exponent, and any other one as it is stored.
  private static func number(_ text: Span<UInt8>) -> ContiguousArray<UInt8> {
    let digits = WorkbookText.trimmed(text)
    let whole = try? JSONNumber.whole(digits, from: 0, to: digits.count, signed: true)
    return whole ?? ContiguousArray(copying: digits)
  }
}
