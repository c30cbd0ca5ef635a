// The formats of messages, and how the format of an input is recognised: by its name, and by its first line.
//
// Not for: reading records (RecordScanner) or what their fields mean (MessageRow).

import Records

/// The format of messages.
package enum MessageFormat: String, CaseIterable, Sendable {
  /// One JSON object per line.
  case json
  /// A table with commas, a header and optional quotes.
  case csv
  /// A table with tabs and without quotes; without a header, its columns are a label and the text.
  case tsv

  /// The number of bytes in which the first line must end to be recognised: far more than a header has.
  static let recognisedBytesMax = 4 << 10

  /// The format that the end of a file's name stands for; nil for any other name.
  package init?(fileName: String) {
    let name = fileName.lowercased()
    let endings: [(MessageFormat, [String])] = [
      (.json, [".jsonl", ".ndjson", ".json"]), (.csv, [".csv"]), (.tsv, [".tsv", ".tab"]),
    ]
    guard let ending = endings.first(where: { $0.1.contains { name.hasSuffix($0) } }) else { return nil }
    self = ending.0
  }

  /// The format of an input that starts with these bytes; nil if its first line is unlike that of any format: a JSON
  /// object, a header that names the text, or a label, a tab and a text.
  package init?(firstBytes bytes: Span<UInt8>) {
    var start = 0
    let mark = RecordScanner.byteOrderMark
    if bytes.count >= mark.count, mark.indices.allSatisfy({ bytes[$0] == mark[$0] }) { start = mark.count }
    while start < bytes.count, bytes[start] == 0x20 || bytes[start] == 0x0D || bytes[start] == Byte.lineFeed {
      start += 1
    }
    guard start < bytes.count else { return nil }
    if bytes[start] == UInt8(ascii: "{") {
      self = .json
      return
    }
    let line = bytes.extracting(start..<LineScan.lineFeed(in: bytes, from: start))
    if MessageColumns.isHeader(Self.fields(of: line, TableGrammar(trimsFields: false))) {
      self = .csv
      return
    }
    let fields = Self.fields(of: line, .tabs)
    guard MessageColumns.isHeader(fields) || (fields.count > 1 && Self.isLabel(fields[0])) else { return nil }
    self = .tsv
  }

  private static func fields(of line: Span<UInt8>, _ grammar: TableGrammar) -> [String] {
    var fields: [TableField] = []
    let end = grammar.record(
      line, from: 0, atEnd: true, mayHaveLines: false, fieldsMax: MessageColumns.headerFieldsMax,
      into: &fields)
    guard case .whole = end else { return [] }
    return fields.map { $0.text(line) }
  }

  /// Whether a text looks like the label of a message, such as `ham`.
  private static func isLabel(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64
      && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
  }
}

extension TableGrammar {
  /// A table with tabs. It has no quotes: a message may start with one.
  static var tabs: TableGrammar {
    TableGrammar(separator: UInt8(ascii: "\t"), hasQuotes: false, trimsFields: false)
  }
}
