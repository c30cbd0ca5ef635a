// Makes workbooks for tests: XML parts in a zip archive whose members are not compressed.

import InputStages

/// A workbook, as parts.
struct WorkbookMaker {
  /// A sheet: its name, state and XML rows.
  struct Sheet {
    var name: String
    var rows: String
    var state = ""
    var kind = "worksheet"
    /// The references of merged cells.
    var merges: [String] = []
  }

  var sheets: [Sheet]
  /// The XML of the shared strings; nil for none.
  var strings: String?
  /// The XML of the formats; nil for none.
  var styles: String?
  /// Parts in addition to those of the sheets, or in place of them.
  var parts: [(name: String, text: String)] = []
  /// Whether the names of the strict form are used, and elements have a prefix.
  var isStrict = false

  init(_ rows: String, strings: String? = nil) {
    sheets = [Sheet(name: "Sheet1", rows: rows)]
    self.strings = strings
  }

  init(_ sheets: [Sheet]) {
    self.sheets = sheets
  }

  /// The archive's bytes.
  var bytes: [UInt8] { Self.archive(members) }

  private var members: [(String, String)] {
    let types =
      isStrict
      ? "http://purl.oclc.org/ooxml/officeDocument/relationships/"
      : "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
    let main =
      isStrict
      ? "http://purl.oclc.org/ooxml/spreadsheetml/main"
      : "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    func relationships(_ list: [(String, String, String)]) -> String {
      "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">"
        + list.map { "<Relationship Id=\"\($0.0)\" Type=\"\(types)\($0.1)\" Target=\"\($0.2)\"/>" }
        .joined() + "</Relationships>"
    }
    var list = sheets.enumerated().map { ("r\($0)", $1.kind, "worksheets/sheet\($0).xml") }
    if strings != nil { list.append(("rs", "sharedStrings", "/xl/sharedStrings.xml")) }
    if styles != nil { list.append(("rf", "styles", "styles.xml")) }
    let tabs = sheets.enumerated().map { index, sheet in
      "<sheet name=\"\(sheet.name)\" sheetId=\"\(index + 1)\" state=\"\(sheet.state)\" r:id=\"r\(index)\"/>"
    }
    var members = [
      ("[Content_Types].xml", "<Types/>"),
      ("_rels/.rels", relationships([("r", "officeDocument", "xl/workbook.xml")])),
      (
        "xl/workbook.xml",
        "<workbook xmlns=\"\(main)\" xmlns:r=\"\(types.dropLast())\"><sheets>\(tabs.joined())</sheets></workbook>"
      ), ("xl/_rels/workbook.xml.rels", relationships(list)),
    ]
    for (index, sheet) in sheets.enumerated() {
      let merges = sheet.merges.map { "<mergeCell ref=\"\($0)\"/>" }.joined()
      let data = "<sheetData>\(sheet.rows)</sheetData><mergeCells>\(merges)</mergeCells>"
      members.append(("xl/worksheets/sheet\(index).xml", "<worksheet xmlns=\"\(main)\">\(data)</worksheet>"))
    }
    if let strings { members.append(("xl/sharedStrings.xml", "<sst xmlns=\"\(main)\">\(strings)</sst>")) }
    if let styles {
      members.append(("xl/styles.xml", "<styleSheet xmlns=\"\(main)\">\(styles)</styleSheet>"))
    }
    for part in parts {
      members.removeAll { $0.0 == part.name }
      if !part.text.isEmpty { members.append((part.name, part.text)) }
    }
    return members
  }

  /// A zip archive of members that are not compressed.
  static func archive(_ members: [(String, String)]) -> [UInt8] {
    var bytes: [UInt8] = []
    var directory: [UInt8] = []
    for (name, text) in members {
      let data = Array(text.utf8)
      let offset = bytes.count
      var fields: [UInt8] = []
      fields.add(20, 2)
      fields.add(0, 2)  // flags
      fields.add(0, 2)  // method
      fields.add(0, 4)  // time and date
      fields.add(crc32(data), 4)
      fields.add(data.count, 4)
      fields.add(data.count, 4)
      fields.add(name.utf8.count, 2)
      fields.add(0, 2)
      bytes.add(0x0403_4B50, 4)
      bytes += fields + Array(name.utf8) + data
      directory.add(0x0201_4B50, 4)
      directory.add(20, 2)
      directory += fields
      directory.add(0, 2 + 2 + 2 + 4)
      directory.add(offset, 4)
      directory += Array(name.utf8)
    }
    let start = bytes.count
    bytes += directory
    bytes.add(0x0605_4B50, 4)
    bytes.add(0, 4)
    bytes.add(members.count, 2)
    bytes.add(members.count, 2)
    bytes.add(directory.count, 4)
    bytes.add(start, 4)
    bytes.add(0, 2)
    return bytes
  }

  private static func crc32(_ bytes: [UInt8]) -> Int {
    var value: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return Int(~value)
  }
}

extension [UInt8] {
  /// Appends an integer in little-endian order.
  fileprivate mutating func add(_ value: Int, _ width: Int) {
    for index in 0..<width { append(index < 8 ? UInt8(truncatingIfNeeded: value >> (8 * index)) : 0) }
  }
}
