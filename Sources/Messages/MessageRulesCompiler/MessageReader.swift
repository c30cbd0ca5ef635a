// Reads the messages of one input in order and rejects invalid ones with their location.

import FoundationEssentials
package import MessageRules
package import Records
import SystemIO

package struct MessageReader {
  /// The maximum length of a record in bytes; a long message has a few thousand.
  static let recordBytesMax = 1 << 20

  /// The format of the input; nil to recognise it.
  package let format: MessageFormat?
  /// The field that contains the expected action; nil to not read one.
  package let expected: ExpectedActions?
  /// The name of the input; `-` for standard input.
  package let input: String
  package let context: StageContext

  package init(format: MessageFormat?, expected: ExpectedActions?, input: String, context: StageContext) {
    self.format = format
    self.expected = expected
    self.input = input
    self.context = context
  }

  /// Calls `begin` with the input's format, then `body` with every valid message and its row number. Rejected rows are
  /// numbered, too. Throws if the header is invalid, or the first line of another format.
  package func read(
    _ begin: (MessageFormat) throws(Failure) -> Void = { _ in },
    _ body: (MessageRow, UInt64) throws(Failure) -> Void
  ) throws(Failure) {
    var file = try asFailure(.classify) { () throws(SystemError) in
      try InputFile(input, calls: context.calls)
    }
    var chunk = ByteChunk()
    var window: ContiguousArray<UInt8> = []
    var isEnd = false
    while !isEnd, !hasFirstLine(window.span) { isEnd = try append(to: &window, &chunk, &file) }
    let format = try recognise(window.span)
    try begin(format)
    var scanner = RecordScanner(format)
    var columns: MessageColumns?
    while true {
      while let record = scanner.next(in: window.span, isEnd: isEnd) {
        if record.bytes.isEmpty { continue }
        let text = window.span.extracting(record.bytes)
        if let reason = record.reject {
          try reject(record, text, reason)
        } else if format == .json {
          try process(JSONMessage.read(text, expected: expected?.field), of: record, text, body)
        } else if let columns {
          try process(columns.row(scanner.fields, window.span), of: record, text, body)
        } else {
          let (found, isHeader) = try header(scanner.fields, window.span, format)
          columns = found
          if !isHeader { try process(found.row(scanner.fields, window.span), of: record, text, body) }
        }
      }
      if isEnd { return }
      window.removeSubrange(0..<scanner.dropUsed())
      while window.count < scanner.needed, !isEnd { isEnd = try append(to: &window, &chunk, &file) }
    }
  }

  // MARK: The format

  /// Whether a window has all that is compared to recognise the format: a line that is not empty, or enough bytes.
  private func hasFirstLine(_ window: Span<UInt8>) -> Bool {
    if window.count >= MessageFormat.recognisedBytesMax { return true }
    var start = 0
    while start < window.count, window[start] <= 0x20 { start += 1 }
    return LineScan.lineFeed(in: window, from: start) < window.count
  }

  private func recognise(_ window: Span<UInt8>) throws(Failure) -> MessageFormat {
    if let content = BinaryContent(window) { throw .binaryInput(.classify, input, content) }
    let start = window.extracting(0..<min(window.count, MessageFormat.recognisedBytesMax))
    let named = MessageFormat(fileName: input)
    let found = MessageFormat(firstBytes: start)
    if let chosen = format ?? named, let found, found != chosen {
      throw .otherFormat(found, chosen: chosen, byName: format == nil, input)
    }
    return format ?? named ?? found ?? .json
  }

  /// Appends the next bytes of the input to the window, and returns whether there are no more.
  private func append(
    to window: inout ContiguousArray<UInt8>, _ chunk: inout ByteChunk, _ file: inout InputFile
  ) throws(Failure) -> Bool {
    chunk.removeAll()
    let count = try asFailure(.classify) { () throws(SystemError) in try file.read(into: &chunk) }
    context.meter.bytesIn.add(count)
    window.append(copying: chunk.span)
    return count == 0
  }

  // MARK: Records

  /// The columns by the first record of a table, and whether it is a header.
  private func header(
    _ fields: [TableField], _ bytes: Span<UInt8>, _ format: MessageFormat
  ) throws(Failure) -> (columns: MessageColumns, isHeader: Bool) {
    let names = fields.map { $0.text(bytes) }
    let isHeader = format == .csv || MessageColumns.isHeader(names)
    func endsLine(_ name: String) -> Bool {
      name.utf8.contains(Byte.carriageReturn) && !name.utf8.contains(Byte.lineFeed)
    }
    if isHeader, names.contains(where: endsLine) { throw .carriageReturns(input) }
    let columns =
      isHeader
      ? MessageColumns.find(names, expected: expected?.field)
      : MessageColumns.headless(expected: expected?.field)
    switch columns {
    case .success(let columns): return (columns, isHeader)
    case .failure(let reason): throw .header(reason, input)
    }
  }

  private func process(
    _ result: Result<MessageRow, MessageReject>, of record: MessageRecord, _ text: Span<UInt8>,
    _ body: (MessageRow, UInt64) throws(Failure) -> Void
  ) throws(Failure) {
    switch result {
    case .failure(let reason): try reject(record, text, reason)
    case .success(var row):
      row.line = record.line
      // An empty column counts as absent.
      if let country = row.country, !country.isEmpty, !CountryName.isOne(country) {
        return try reject(record, text, .unknownCountry(country))
      }
      if let label = row.label {
        guard let actions = expected?.actions(of: label) else {
          return try reject(record, text, .unknownAction(label))
        }
        row.expected = actions
      }
      context.meter.rowsIn.add(1)
      try body(row, context.meter.rowsIn.value)
    }
  }

  private func reject(_ record: MessageRecord, _ text: Span<UInt8>, _ reason: MessageReject) throws(Failure) {
    context.meter.rowsIn.add(1)
    try context.reject(.line(record.line, byte: record.byte, input: input), reason, text: text)
  }
}

package enum MessageFormat: String, CaseIterable, Sendable {
  case json
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

// Inputs that can't be read as messages at all.
extension Failure {
  fileprivate static func header(_ reason: MessageReject, _ input: String) -> Failure {
    let name = InputName.plain(input)
    if case .noHeader = reason {
      return Failure(
        .classify, .badData, reason.code, "\(name): \(reason.text)", hint: "use --evaluate label")
    }
    return Failure(
      .classify, .badData, reason.code, "\(name): \(reason.text) in the header",
      hint: "name the columns sender, text and country")
  }

  /// Carriage returns end the lines, alone, and all rows would be a part of the header.
  fileprivate static func carriageReturns(_ input: String) -> Failure {
    Failure(
      .classify, .badData, "carriage-returns",
      "\(InputName.plain(input)): the lines end with carriage returns alone",
      hint: #"convert it: tr '\r' '\n' <FILE"#)
  }

  /// The first line is of another format than the chosen one; `byName`: chosen by the name of the file.
  fileprivate static func otherFormat(
    _ found: MessageFormat, chosen: MessageFormat, byName: Bool, _ input: String
  ) -> Failure {
    Failure(
      .classify, .badData, "other-format",
      "\(InputName.plain(input)): "
        + (byName ? "the name is that of \(chosen.phrase)" : "--format \(chosen.rawValue)")
        + ", but the first line is \(found.phrase)",
      hint: (byName ? "rename the file" : "remove --format") + ", or use --format \(found.rawValue)")
  }
}

extension MessageFormat {
  fileprivate var phrase: String {
    switch self {
    case .json: "JSON"
    case .csv: "CSV"
    case .tsv: "a table with tabs"
    }
  }
}

package enum MessageReject: RejectReason {
  /// The line is not a JSON object, or the record is not one of a table.
  case malformed
  case missing(String)
  case notText(String)
  /// The line or record exceeds the maximum length.
  case tooLong
  /// The bytes are not UTF-8.
  case notUTF8
  /// The record's number of fields differs from the header's.
  case fieldCount(Int, of: Int)
  case unknownCountry(String)
  /// The expected action is neither a known label nor the name of an action.
  case unknownAction(String)
  /// A table without a header does not have this column.
  case noHeader(String)

  /// The stable code that reports and metrics use.
  package var code: String {
    switch self {
    case .malformed: "malformed"
    case .missing: "missing-field"
    case .notText: "not-text"
    case .tooLong: "too-long"
    case .notUTF8: "not-utf8"
    case .fieldCount: "field-count"
    case .unknownCountry: "unknown-country"
    case .unknownAction: "unknown-action"
    case .noHeader: "no-header"
    }
  }

  package var text: String {
    switch self {
    case .malformed: "not a message: neither a JSON object nor a CSV record"
    case .missing(let name): "no field '\(name)'"
    case .notText(let name): "'\(name)' is not text"
    case .tooLong: "longer than \(Figures.bytes(MessageReader.recordBytesMax))"
    case .notUTF8: "not UTF-8"
    case .fieldCount(let count, let expected): "\(count) fields; the header has \(expected)"
    case .unknownCountry(let name): "unknown country code '\(PrintableText.line(name))'"
    case .unknownAction(let name):
      "unknown action '\(PrintableText.line(name))'; --expected-labels assigns actions to labels"
    case .noHeader(let name): "no column '\(name)': without a header, the columns are 'label' and 'text'"
    }
  }
}

/// A message, its place, and its expected action, if any.
package struct MessageRow {
  /// The sender: a phone number or a name.
  package var sender = ""
  package var text = ""
  /// The receiver's country as two letters; nil if the input does not contain it.
  package var country: String?
  /// The label that stands for the expected action; nil if it is not read.
  var label: String?
  /// The actions that are right, the expected one first; empty if they are not read.
  package var expected: [MessageAction] = []
  /// The line on which the message starts, from 1.
  package var line: UInt64 = 0
}

struct JSONMessage {
  /// Reads a line; `expected` is the field that contains the expected action.
  static func read(_ line: Span<UInt8>, expected: String?) -> Result<MessageRow, MessageReject> {
    guard UTF8Check.isValid(line) else { return .failure(.notUTF8) }
    let decoder = JSONDecoder()
    if let expected { decoder.userInfo[.expectedField] = expected }
    do {
      return .success(try decoder.decode(MessageDocument.self, from: Data([UInt8](copying: line))).row)
    } catch let error as MessageReject {
      return .failure(error)
    } catch {
      return .failure(.malformed)
    }
  }

  private struct FieldName: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }

  private struct MessageDocument: Decodable {
    var row = MessageRow()

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: FieldName.self)
      func text(_ name: String) throws -> String? {
        let key = FieldName(stringValue: name)
        guard fields.contains(key), try !fields.decodeNil(forKey: key) else { return nil }
        guard let text = try? fields.decode(String.self, forKey: key) else {
          throw MessageReject.notText(name)
        }
        return text
      }
      row.sender = try text("sender") ?? ""
      guard let body = try text("text") else { throw MessageReject.missing("text") }
      row.text = body
      row.country = try text("country")
      if let field = decoder.userInfo[.expectedField] as? String {
        guard let expected = try text(field) else { throw MessageReject.missing(field) }
        row.label = expected
      }
    }
  }
}

extension CodingUserInfoKey {
  fileprivate static var expectedField: CodingUserInfoKey {
    // Any text makes a valid key.
    CodingUserInfoKey(rawValue: "expected")!
  }
}

extension MessageReject: Error {}

extension StageName {
  /// Classifies messages. Not a stage of a pipeline, but a filter with rejects like those of the stages.
  package static let classify = StageName(rawValue: "classify")
}
