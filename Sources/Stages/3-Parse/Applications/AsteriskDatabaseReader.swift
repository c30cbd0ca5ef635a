// The blacklist of Asterisk as its command line prints it (`asterisk -rx 'database show blacklist'`): one line per
// number, padded with blanks.
//
//     /blacklist/15550100001                            : Spam
//     1 results found.
//
// The description is the label; `1`, which stands for none, is an empty one. Settings of FreePBX's Blacklist module,
// which are in the same family, and the last line are not rows; lines of other families are rejects.
//
// Source: asterisk/asterisk, main/db.c (database show); FreePBX/blacklist, Blacklist.class.php (`blocked`, `dest`).

import Records
import SystemIO

extension ParseOptions.Format {
  static let asterisk = Self("asterisk")
}

extension FormatDescription {
  static let asterisk = FormatDescription(
    format: .asterisk, what: "Asterisk's blacklist, as 'database show' prints it",
    recognised: "lines with /blacklist/", matches: { AsteriskDatabaseReader.isListing($0) },
    makeReader: { AsteriskDatabaseReader($0) }, needsStart: true, hasLines: true)
}

final class AsteriskDatabaseReader: FormatReader {
  private static let family: StaticString = "/blacklist/"

  private let options: ParseOptions
  private let names: NamedFields
  private var line: UInt64 = 1
  /// Whether the rest of a line that is too long is being skipped.
  private var isSkipping = false
  private var fields = RowFields()

  init(_ setting: ReaderConfiguration) {
    options = setting.options
    names = NamedFields(options, number: "key", label: "value")
  }

  func reset() {
    line = 1
    isSkipping = false
  }

  func layout(of start: InputStart) -> InputLayout { InputLayout(names, options) }

  /// Whether the first line is an entry of a database, and some line is one of the blacklist.
  static func isListing(_ start: Span<UInt8>) -> Bool {
    var at = start.skippingSpace()
    guard at < start.count, start[at] == UInt8(ascii: "/") else { return false }
    while at < start.count {
      if starts(start, at) { return true }
      at = LineScan.lineFeed(in: start, from: at) + 1
    }
    return false
  }

  private static func starts(_ bytes: Span<UInt8>, _ at: Int) -> Bool {
    let end = at + family.utf8CodeUnitCount
    return end <= bytes.count && bytes.extracting(at..<end).equals(family)
  }

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int {
    if !window.isEmpty { try ChosenFields(options).check(["key", "value"], rows.input) }
    var at = 0
    while at < window.count {
      let end = LineScan.lineFeed(in: window, from: at)
      let isWhole = end < window.count
      if isSkipping {
        isSkipping = !isWhole
      } else if end - at > options.recordBytesMax {
        // Without its line end, a line is only as long as the window.
        guard isWhole || isEnd || end - at > max(options.recordBytesMax + 1, Reject.textBytesMax) else {
          return at
        }
        try reject(window, at, end, .recordTooLong(limit: options.recordBytesMax), &rows)
        isSkipping = !isWhole
      } else if isWhole || isEnd {
        try readLine(window, at, end, &rows)
      } else {
        return at
      }
      if isWhole { line += 1 }
      at = isWhole ? end + 1 : end
    }
    return at
  }

  private func readLine(
    _ window: Span<UInt8>, _ start: Int, _ lineEnd: Int, _ rows: inout RowWriter
  ) throws(Failure) {
    let end = window.trimmedEnd(from: start, to: lineEnd)
    if end == start || Self.isTotal(window.extracting(start..<end)) { return }
    guard Self.starts(window, start) else { return try reject(window, start, end, .unexpectedText, &rows) }
    let key = start + Self.family.utf8CodeUnitCount
    var colon = key
    while colon < end, window[colon] != UInt8(ascii: ":") { colon += 1 }
    guard colon < end else { return try reject(window, start, end, .missingColon, &rows) }
    let number = window.extracting(key..<window.trimmedEnd(from: key, to: colon))
    if number.equals("blocked") || number.equals("dest") { return }
    if number.isEmpty { return try reject(window, start, end, .missingNumber, &rows) }
    var value = colon + 1
    while value < end, window[value] == 0x20 { value += 1 }
    var label = window.extracting(value..<end)
    if label.equals("1") { label = label.extracting(0..<0) }
    try addRow(number, label, window, start, &rows)
  }

  private func addRow(
    _ number: Span<UInt8>, _ label: Span<UInt8>, _ window: Span<UInt8>, _ start: Int, _ rows: inout RowWriter
  ) throws(Failure) {
    fields.removeAll()
    fields.set(names.fields(named: Array("key".utf8).span), ContiguousArray(copying: number))
    fields.set(names.fields(named: Array("value".utf8).span), ContiguousArray(copying: label))
    let place = RecordPosition(line: line, byte: rows.windowStart + UInt64(start))
    if names.number != nil, fields.number.isEmpty {
      return try rows.reject(fields, at: place, .missingField(names.numberName))
    }
    try rows.add(&fields, at: place)
  }

  private func reject(
    _ window: Span<UInt8>, _ start: Int, _ end: Int, _ reason: ParseReject, _ rows: inout RowWriter
  ) throws(Failure) {
    let last = window.trimmedEnd(from: start, to: min(end, start + Reject.textBytesMax))
    try rows.reject(
      line: line, byte: rows.windowStart + UInt64(start), reason, text: window.extracting(start..<last))
  }

  /// Whether a line is the last one of a listing: `2 results found.`
  private static func isTotal(_ line: Span<UInt8>) -> Bool {
    let digits = line.skippingDigits(from: 0, to: line.count)
    let rest = line.extracting(digits..<line.count)
    return digits > 0 && (rest.equals(" results found.") || rest.equals(" result found."))
  }
}
