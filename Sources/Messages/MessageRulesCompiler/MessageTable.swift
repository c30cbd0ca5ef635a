// Records of an input in a window of its bytes: lines of JSON, or records of a table, whose quoted fields may contain
// line ends; and the columns of a table.
//
// A record that the window cuts is examined again when the window has twice as many of its bytes, so that each byte is
// examined a few times at most.

import Records

/// A record of the input, or the first line of one that can't be read.
struct MessageRecord {
  /// The position of its bytes in the window, without the line end.
  var bytes: Range<Int>
  /// The line on which it starts, from 1.
  var line: UInt64
  /// The offset of its first byte in the input, from 0.
  var byte: UInt64
  /// Why it can't be read; nil for a whole record.
  var reject: MessageReject?
}

struct RecordScanner {
  /// The largest number of bytes that are needed to find the end of a record: the record and its line end.
  private static let recordCapacity = MessageReader.recordBytesMax + 2
  /// The byte order mark of UTF-8.
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The number of unused bytes that the window must have before the next search, unless the input ends.
  private(set) var needed = 1
  /// The fields of the last record, if it is one of a table.
  private(set) var fields: [TableField] = []

  private let format: MessageFormat
  private let grammar: TableGrammar
  private var recovery = TableRecovery()
  /// The index of the next record in the window.
  private var at = 0
  /// The offset of the window in the input.
  private var base: UInt64 = 0
  private var line: UInt64 = 1
  /// Whether the rest of a rejected line is being skipped.
  private var isSkipping = false

  init(_ format: MessageFormat) {
    self.format = format
    grammar = format == .tsv ? .tabs : TableGrammar(trimsFields: false)
  }

  /// Prepares for a window without the bytes that are no longer needed, and returns how many those are.
  mutating func dropUsed() -> Int {
    let used = at
    base += UInt64(used)
    at = 0
    return used
  }

  /// Finds the next record, which may be empty. Returns nil if that requires a longer window, or at the end of the
  /// input.
  mutating func next(in window: Span<UInt8>, isEnd: Bool) -> MessageRecord? {
    if isSkipping {
      let next = grammar.lineEnd(window, from: at)
      isSkipping = next == nil
      use(window, to: next ?? window.count)
    }
    if at < window.count, let record = record(window, isEnd: isEnd) { return record }
    needed = max(1, min(2 * (window.count - at), Self.recordCapacity))
    return nil
  }

  // MARK: Records

  /// Reads the record at `at`; nil if that requires a longer window.
  private mutating func record(_ window: Span<UInt8>, isEnd: Bool) -> MessageRecord? {
    let limit = min(window.count, at + Self.recordCapacity)
    // A record that fills this space is too long, even if the input ends exactly there: the result must not depend on
    // the sizes of reads.
    let isFull = limit - at == Self.recordCapacity
    let isLast = isEnd && !isFull
    let offset = base + UInt64(at)
    let bytes = window.extracting(0..<limit)
    var start = at
    let end: TableRecordEnd
    switch format {
    case .json: end = Self.line(bytes, from: at, isLast: isLast)
    case .csv, .tsv:
      if offset == 0, Self.startsWithMark(bytes) { start = Self.byteOrderMark.count }
      end = grammar.record(
        bytes, from: start, atEnd: isLast, mayHaveLines: recovery.mayHaveLines(at: offset),
        fieldsMax: .max, into: &fields)
    }
    switch end {
    case .whole(let last, let next):
      if last - start > MessageReader.recordBytesMax {
        return rejected(.tooLong, window, examinedTo: next, isFinal: isFull || isEnd)
      }
      let record = MessageRecord(bytes: start..<last, line: line, byte: offset)
      use(window, to: next)
      return record
    case .broken(_, let place):
      return rejected(.malformed, window, examinedTo: place, isFinal: isFull || isEnd)
    case .cut:
      if !isFull, !isLast { return nil }
      return rejected(isFull ? .tooLong : .malformed, window, examinedTo: limit, isFinal: true)
    }
  }

  /// Finds the end of the line at `start`.
  private static func line(_ bytes: Span<UInt8>, from start: Int, isLast: Bool) -> TableRecordEnd {
    let lineFeed = LineScan.lineFeed(in: bytes, from: start)
    if lineFeed == bytes.count, !isLast { return .cut(inQuotes: false) }
    return .whole(end: textEnd(bytes, from: start, lineEnd: lineFeed), next: min(lineFeed + 1, bytes.count))
  }

  /// The end of a line's text: before the carriage return of its line end.
  private static func textEnd(_ bytes: Span<UInt8>, from start: Int, lineEnd: Int) -> Int {
    lineEnd > start && bytes[lineEnd - 1] == Byte.carriageReturn ? lineEnd - 1 : lineEnd
  }

  /// Rejects the record at `at`: reading resumes at the line after its first line. Returns nil if that line is cut,
  /// unless the window is final: then it is long enough for the reject's text.
  private mutating func rejected(
    _ reason: MessageReject, _ window: Span<UInt8>, examinedTo end: Int, isFinal: Bool
  ) -> MessageRecord? {
    let lineFeed = LineScan.lineFeed(in: window, from: at)
    let hasLineEnd = lineFeed < window.count
    if !hasLineEnd, !isFinal { return nil }
    let offset = base + UInt64(at)
    recovery.noteReject(from: offset, examinedTo: base + UInt64(end))
    let record = MessageRecord(
      bytes: at..<Self.textEnd(window, from: at, lineEnd: lineFeed), line: line, byte: offset, reject: reason)
    use(window, to: hasLineEnd ? lineFeed + 1 : lineFeed)
    isSkipping = !hasLineEnd
    return record
  }

  /// Moves to the index `next` in the window, and counts the lines before it.
  private mutating func use(_ window: Span<UInt8>, to next: Int) {
    let bytes = window.extracting(0..<next)
    while let lineEnd = grammar.lineEnd(bytes, from: at) {
      at = lineEnd
      line += 1
    }
    at = next
  }

  private static func startsWithMark(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count >= byteOrderMark.count else { return false }
    return byteOrderMark.indices.allSatisfy { bytes[$0] == byteOrderMark[$0] }
  }
}

/// The positions of the message's fields in a record of a table.
struct MessageColumns {
  /// The maximum number of columns whose names are compared to recognise a header.
  static let headerFieldsMax = 1_000
  /// The names of the columns of a table without a header.
  static let labelName = "label"
  private static let textName = "text"

  private var sender: Int?
  private var text: Int
  private var country: Int?
  private var expected: Int?
  private let count: Int
  /// Whether the table has no header: the text is all that follows the first tab.
  private var isHeadless = false

  /// Whether these are the names of columns.
  static func isHeader(_ fields: [String]) -> Bool { fields.contains { isName($0, textName) } }

  private static func isName(_ field: String, _ name: String) -> Bool {
    field.lowercased() == name.lowercased()
  }

  /// Finds the columns by their names in the header. Fails with the name of the first missing column.
  static func find(_ header: [String], expected name: String?) -> Result<MessageColumns, MessageReject> {
    func column(_ name: String) -> Int? { header.firstIndex { isName($0, name) } }
    guard let text = column(textName) else { return .failure(.missing(textName)) }
    var columns = MessageColumns(
      sender: column("sender"), text: text, country: column("country"), expected: nil, count: header.count)
    if let name {
      guard let expected = column(name) else { return .failure(.missing(name)) }
      columns.expected = expected
    }
    return .success(columns)
  }

  /// The columns of a table without a header: a label and the text.
  static func headless(expected name: String?) -> Result<MessageColumns, MessageReject> {
    if let name, !isName(name, labelName) { return .failure(.noHeader(name)) }
    var columns = MessageColumns(
      sender: nil, text: 1, country: nil, expected: name == nil ? nil : 0, count: 2)
    columns.isHeadless = true
    return .success(columns)
  }

  /// Converts a record with these fields to a message.
  func row(_ fields: [TableField], _ bytes: Span<UInt8>) -> Result<MessageRow, MessageReject> {
    guard fields.count == count || (isHeadless && fields.count > count) else {
      return .failure(.fieldCount(fields.count, of: count))
    }
    var row = MessageRow()
    var body = fields[text]
    if isHeadless { body.end = fields[fields.count - 1].end }
    row.text = Self.text(body, bytes)
    row.sender = sender.map { Self.text(fields[$0], bytes) } ?? ""
    row.country = country.map { Self.text(fields[$0], bytes) }
    row.label = expected.map { Self.text(fields[$0], bytes) }
    return .success(row)
  }

  // MARK: Encodings

  /// A field's text: UTF-8, or Windows-1252, which contains the letters of Latin-1.
  private static func text(_ field: TableField, _ window: Span<UInt8>) -> String {
    var bytes: ContiguousArray<UInt8> = []
    field.append(window, to: &bytes)
    if UTF8Check.isValid(bytes.span) { return String(decoding: bytes, as: UTF8.self) }
    var text = String.UnicodeScalarView()
    for byte in bytes {
      let scalar = (0x80..<0xA0).contains(byte) ? windows1252[Int(byte) - 0x80] : UInt32(byte)
      text.append(Unicode.Scalar(scalar) ?? "\u{FFFD}")
    }
    return String(text)
  }

  /// The characters from 0x80 to 0x9F of Windows-1252. Source: the index of the WHATWG's Encoding standard.
  private static let windows1252: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D,
    0x17D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A,
    0x153, 0x9D, 0x17E, 0x178,
  ]
}
