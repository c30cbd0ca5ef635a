// How an input is read whose records are located: its encoding, its format, and the column of its numbers, recognised by
// its start as `parse` recognises them.

package import BasicContainers
package import Records
import SystemIO

/// An input whose start was examined.
package struct LocatedInput {
  /// How cells or members are added to records.
  package enum Form: Sendable, Equatable {
    /// Cells after this byte, in quotes if all cells are quoted.
    case table(separator: UInt8, isQuoted: Bool)
    /// Members of the object in each line.
    case jsonLines
  }

  /// The bytes of the input that decide how it is read. With two bytes for a character, they have as much text as `parse`
  /// examines.
  package static let startBytesMax = 2 * ParseLimits.startBytesMax

  package let form: Form
  package let locator: any RecordLocator
  /// The number of bytes of a byte order mark before the text, in UTF-8.
  package let markBytes: Int
  /// The names of the columns; empty without a header, and of JSON.
  package let names: [String]
  /// What the user should look at.
  package let warnings: [UserMessage]

  /// Examines the start of an input: its first ``startBytesMax`` bytes, or all of them. Returns nil if more bytes are
  /// needed: the options leave nothing to be recognised, but the first record is not complete.
  ///
  /// Sets `encoding` if the records are those of a decoded text.
  package static func open(
    _ start: Span<UInt8>, isWhole: Bool, _ options: ParseOptions, input: String,
    encoding: inout EncodedText?
  ) throws(Failure) -> LocatedInput? {
    try options.check()
    if options.sheet != nil { throw .sheetWithoutWorkbook }
    let formats = FormatTable.all
    if let content = formats.unreadableContent(start) { throw .binaryInput(nil, input, content) }
    if let format = formats.binaryFormat(start) { throw .notLocatable(format, input: input) }
    let name = EncodedText.name(start, isWhole: isWhole, options)
    var text = RigidArray<UInt8>(capacity: start.count)
    var unitBytes = 1
    if let name {
      var examined = try EncodedText.open(name, start)
      examined.decode(start, isEnd: isWhole, into: &text)
      unitBytes = examined.unitBytes
    } else {
      text.append(copying: start)
    }
    let markBytes = ByteOrderMark.utf8Length(text.span)
    let rest = text.span.extracting(markBytes..<text.count)
    let bytes = ContiguousArray(copying: rest.extracting(first: ParseLimits.startBytesMax))
    let whole = isWhole && rest.count == bytes.count
    let examined = InputStart(bytes: bytes, isWhole: whole, input: input)
    let opened = try open(examined, unitBytes: unitBytes, markBytes: markBytes, options)
    // Text in JSON lines is not decoded.
    if let opened, opened.form != .jsonLines, let name { encoding = try EncodedText.open(name, start) }
    return opened
  }

  private static func open(
    _ start: InputStart, unitBytes: Int, markBytes: Int, _ options: ParseOptions
  ) throws(Failure) -> LocatedInput? {
    let bytes = start.bytes.span
    guard let row = FormatTable.all.description(for: options, start: bytes) else {
      throw .unknownFormat(input: start.input, isBinary: Detection.isBinary(bytes))
    }
    var options = options
    switch row.format {
    case .json:
      guard unitBytes == 1 else { throw .wideJSON(input: start.input) }
      let locator = try jsonLines(start, options)
      return LocatedInput(
        form: .jsonLines, locator: locator, markBytes: markBytes, names: [], warnings: [])
    case .csv: break
    case .tsv: options = options.withTabs
    // A list of numbers is a table of one column. Commas in it are text.
    case .lines:
      let hasCommas = WordScan.contains(UInt8(ascii: ","), bytes, from: 0)
      options.separator = options.separator ?? (hasCommas ? Byte.tab : UInt8(ascii: ","))
    default: throw .notLocatable(row.format, input: start.input)
    }
    if LineTerminators(bytes).areReturns { throw .returnLineEnds(input: start.input) }
    let quotesMayBeText = row.format == .tsv && options.format == .auto
    let table = try TableStart(start, options, hasQuotes: row.format != .tsv || quotesMayBeText)
    if options.numberField == nil { try requireNumber(table, start.input) }
    var head = TableHead(table)
    if options.leavesNothingToRecognise {
      guard let first = TableHead(firstRecordOf: start, table.grammar) else { return nil }
      head = first
    }
    // A list has one column, also without a header.
    let width = table.fieldNames?.count ?? (row.format == .lines ? 1 : 0)
    let locator = try TableLocator(
      table, head, options, width: width, quotesMayBeText: quotesMayBeText, input: start.input)
    return LocatedInput(
      form: .table(separator: table.grammar.separator, isQuoted: head.isQuoted), locator: locator,
      markBytes: markBytes, names: table.fieldNames ?? [],
      warnings: warnings(InputLayout(table, options), start.input))
  }

  // MARK: Numbers

  /// Throws if it is not clear which column has the numbers.
  static func requireNumber(_ table: TableStart, _ input: String) throws(Failure) {
    let layout = InputLayout(table, ParseOptions())
    if let numbers = table.columns.contacts?.numbers, numbers.count > 1 {
      let fields = numbers.compactMap { layout.fields.indices.contains($0) ? layout.fields[$0] : nil }
      throw .severalNumberColumns(fields, input: input)
    }
    let isUnknown =
      table.fieldNames == nil ? !table.columns.isNumberGuessed : table.columns.isNumberUnknown
    if isUnknown, table.fieldCount > 1, !table.columns.areOfCalls {
      throw .noNumberColumn(layout.fields, input: input)
    }
  }

  /// The warning that other columns have numbers, too.
  static func warnings(_ layout: InputLayout, _ input: String) -> [UserMessage] {
    var layout = layout
    layout.possibleLabels = []
    layout.label = nil
    layout.unread = layout.unread.filter { if case .numbers = $0 { true } else { false } }
    return InputNotice(.layout(layout), input: input).warnings
  }

  private static func jsonLines(
    _ start: InputStart, _ options: ParseOptions
  ) throws(Failure) -> JSONLineLocator {
    let bytes = start.bytes.span
    let first = bytes.skippingSpace()
    let lineFeed = LineScan.lineFeed(in: bytes, from: first)
    let end = bytes.trimmedEnd(from: first, to: lineFeed)
    let isCut = lineFeed == bytes.count && !start.isWhole
    let isObject =
      first < bytes.count && bytes[first] == JSONMachine.object
      && (isCut || bytes[end - 1] == UInt8(ascii: "}"))
    guard isObject || first == bytes.count else { throw .notJSONLines(input: start.input) }
    var chosen = options
    var parties: JSONCallParties?
    if JSONCommonFields.areNeeded(options) {
      guard
        case .objects(let found) = JSONCommonFields.examine(
          bytes, isEnd: true, bytesMax: options.recordBytesMax)
      else {
        throw .noNumberColumn(
          JSONFieldNames(bytes).layout(options, isNumberChosen: false).fields, input: start.input)
      }
      chosen = found.chosen(options)
      parties = found.parties
    }
    (chosen.labelField, chosen.sourceField, chosen.scoreField) = (nil, nil, nil)
    (chosen.dateField, chosen.familyNameField) = (nil, nil)
    return try JSONLineLocator(chosen, parties: parties, input: start.input)
  }
}

extension ParseOptions {
  /// Whether the options say how an input is read, so that its first record is enough to read it.
  package var leavesNothingToRecognise: Bool {
    guard let numberField else { return false }
    if format == .json { return true }
    return header == .no && numberField.position != nil
      && (format == .tsv || format == .csv && separator != nil)
  }
}

extension Failure {
  fileprivate static func notLocatable(_ format: ParseOptions.Format, input: String) -> Failure {
    parse(
      "not-a-table",
      "\(InputName.quoted(input)) is \(format.row?.signature?.kind ?? "in the format \(format)"), not a text table",
      hint: "save it as CSV; or convert it to a list of its numbers with 'cdpipe convert'")
  }

  fileprivate static func severalNumberColumns(_ names: [String], input: String) -> Failure {
    parse(
      "several-number-columns", "\(InputName.quoted(input)) has several columns of phone numbers",
      hint: "choose one with \(option: "number", "NAME"): \(nameList(names))")
  }

  fileprivate static func noNumberColumn(_ names: [String], input: String) -> Failure {
    parse(
      "no-number-column", "\(InputName.quoted(input)): no column of phone numbers was recognised",
      hint: "choose one with \(option: "number", "NAME")" + (names.isEmpty ? "" : ": \(nameList(names))"))
  }

  fileprivate static func notJSONLines(input: String) -> Failure {
    parse(
      "not-json-lines", "\(InputName.quoted(input)) is JSON, but not one object per line",
      hint: "write one object per line, for example with: jq -c '.[]'")
  }

  fileprivate static func wideJSON(input: String) -> Failure {
    parse("wide-json", "\(InputName.quoted(input)) is JSON, but not UTF-8", hint: "convert it with iconv")
  }

  fileprivate static func returnLineEnds(input: String) -> Failure {
    parse(
      "return-line-ends", "the lines of \(InputName.quoted(input)) end in carriage returns",
      hint: "convert them first with: tr '\\r' '\\n'")
  }

  fileprivate static func notASCII(_ name: String) -> Failure {
    parse(
      .usage, "encoding-without-ascii", "text in ASCII can't be added to \(name)",
      hint: "convert the input with iconv first")
  }
}

/// An encoding other than UTF-8, and how a text in it is decoded piece by piece.
package struct EncodedText: ~Copyable {
  /// The size of a code unit. A character of ASCII is one unit.
  package let unitBytes: Int
  package let isBigEndian: Bool
  private var decoder: TextDecoder
  private var output = ByteChunk(capacity: TextDecoder.outputBytesMax)

  /// The marks of tables, and what is added to them.
  private static let ascii = Array(
    "\r\n\t,;|\"+-_.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

  /// The name of the encoding that was chosen, that a byte order mark declares, or that the start probably has; nil for
  /// UTF-8, and if none is recognised.
  fileprivate static func name(_ start: Span<UInt8>, isWhole: Bool, _ options: ParseOptions) -> String? {
    var name = ByteOrderMark.encoding(start)?.rawValue
    if let chosen = options.encoding, !options.recognisesEncoding {
      name = chosen
    } else if name == nil, options.recognisesEncoding || !options.leavesNothingToRecognise {
      name = EncodingGuess(start, isWhole: isWhole).name
    }
    return name.flatMap { TextDecoder.isUTF8($0) ? nil : $0 }
  }

  /// Opens a decoder for a text with this start.
  fileprivate static func open(_ name: String, _ start: Span<UInt8>) throws(Failure) -> EncodedText {
    guard let decoder = TextDecoder(name) else { throw .unknownEncoding(name) }
    var opened = EncodedText(decoder, isBigEndian: isBigEndian(name, start))
    if opened.unitBytes == 1 {
      var text = RigidArray<UInt8>(capacity: ascii.count)
      opened.decode(ascii.span, isEnd: true, into: &text)
      if !text.span.hasSameBytes(as: ascii.span) { throw .notASCII(name) }
    }
    return opened
  }

  /// Whether the first byte of a code unit is its highest one: that is how the decoder reads a letter after the mark.
  private static func isBigEndian(_ name: String, _ start: Span<UInt8>) -> Bool {
    guard let decoder = TextDecoder(name), decoder.unitBytes > 1 else { return false }
    var probe = EncodedText(decoder, isBigEndian: true)
    var bytes: [UInt8] = []
    if ByteOrderMark.encoding(start) != nil {
      for index in 0..<min(probe.unitBytes, start.count) { bytes.append(start[index]) }
    }
    bytes += Array(repeating: 0, count: probe.unitBytes - 1) + [UInt8(ascii: "A")]
    var text = RigidArray<UInt8>(capacity: bytes.count)
    probe.decode(bytes.span, isEnd: true, into: &text)
    return text.count > 0 && text[text.count - 1] == UInt8(ascii: "A")
  }

  private init(_ decoder: consuming TextDecoder, isBigEndian: Bool) {
    unitBytes = decoder.unitBytes
    self.isBigEndian = isBigEndian
    self.decoder = decoder
  }

  /// Appends bytes in UTF-8 to a text. A character that is cut is kept for the next call.
  package mutating func decode(_ bytes: Span<UInt8>, isEnd: Bool, into text: inout RigidArray<UInt8>) {
    var used = 0
    while used < bytes.count {
      used = decoder.convert(bytes, from: used, into: &output)
      moveOutput(to: &text)
    }
    if isEnd {
      decoder.finish(into: &output)
      moveOutput(to: &text)
    }
  }

  private mutating func moveOutput(to text: inout RigidArray<UInt8>) {
    if text.freeCapacity < output.count {
      text.reallocate(capacity: max(2 * text.capacity, text.count + output.count))
    }
    text.append(copying: output.span)
    output.removeAll()
  }
}
