// The columns of a table of messages, and the texts of their fields.
//
// Not for: finding records (RecordScanner).

import Records

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
