// A title before a table: lines of text that other programs write before the header.
//
//     Blocked numbers, May 2026
//
//     Phone;Label;Count
//     030 23125001;spam;3
//
// It is recognised only if a header with a common name for numbers follows, and a regular table of numbers below it.
//
// Not for: comments (TableStart).

import Records

/// The lines before a table's header.
struct TableTitle {
  /// The index of the header.
  private(set) var end: Int
  /// The number of lines with text.
  private(set) var lines = 0
  /// The table below.
  private(set) var table: TableGuess

  /// The maximum number of lines of a title. Reports have a name, a date, and who made them.
  private static let linesMax = 10
  /// The minimum number of records below it, with the header.
  private static let recordsMin = 3

  /// Examines the records from `start` on; nil if they don't start with a title. If a `separator` was chosen, it is the
  /// only one tried. `first` is the best guess for the records from `start` on.
  ///
  /// - Complexity: O(bytes) of the first ``TableStart/recordsMax`` records.
  init?(
    _ bytes: Span<UInt8>, from start: Int, _ first: TableGuess?, _ grammar: TableGrammar, separator: UInt8?
  ) {
    var grammar = grammar
    if let separator { grammar.separator = separator }
    var fields: [TableField] = []
    var at = start
    for line in 0..<Self.linesMax {
      let guess =
        line == 0 ? first : TableGuess.best(bytes, from: at, grammar, names: [], separator: separator)
      if let found = guess, found.isHeaded {
        guard at > start, found.isTable, found.hasNumberColumn, found.records >= Self.recordsMin else {
          return nil
        }
        (end, table) = (at, found)
        return
      }
      let record = grammar.record(
        bytes, from: at, atEnd: false, mayHaveLines: true, fieldsMax: bytes.count, into: &fields)
      guard case .whole(let last, let next) = record, next < bytes.count else { return nil }
      if !grammar.isBlank(bytes, from: at, to: last) {
        if Self.isRow(bytes, at, last, fields) { return nil }
        let contents = NumberText.contents(bytes, from: at, to: last)
        if contents.letters + contents.digits > 0 { lines += 1 }
      }
      at = next
      while at < bytes.count, let lineEnd = grammar.lineEnd(bytes, from: at),
        grammar.isBlank(bytes, from: at, to: lineEnd)
      {
        at = lineEnd
      }
    }
    return nil
  }

  /// Whether a line is a row or a header, not a title.
  private static func isRow(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ fields: [TableField]) -> Bool {
    if fields.contains(where: { CommonFieldNames.isNumber($0.text(bytes)) }) { return true }
    if fields.contains(where: { TableCell(bytes, from: $0.start, to: $0.end).rank != nil }) { return true }
    let line = LineFields.split(bytes, from: start, to: end, separator: nil)
    return NumberText.contents(bytes, from: line.number.lowerBound, to: line.number.upperBound)
      .isNumber(digitsMin: TableCell.numberDigitsMin)
  }
}
