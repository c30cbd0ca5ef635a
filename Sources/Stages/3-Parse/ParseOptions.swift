// The options of parsing, as plain data.

package import Records

/// Where a field of a raw row comes from.
package enum FieldSelector: Sendable, Equatable {
  /// The field of this name in each object, or of this path if objects are nested: `contact.phone`.
  case name(String)
  /// The same text for every row.
  case constant(String)

  /// Nothing for every row.
  static let noText = FieldSelector.constant("")

  /// Parses a selector: `=TEXT` is a constant, anything else a name.
  package init(_ text: String) {
    self = text.utf8.first == UInt8(ascii: "=") ? .constant(String(text.dropFirst())) : .name(text)
  }

  var isName: Bool {
    if case .name = self { true } else { false }
  }

  /// The position that a name consisting of digits stands for; columns count from 1. A column with that name takes
  /// precedence.
  package var position: Int? {
    guard case .name(let name) = self, name.utf8.count <= 5, name.utf8.allSatisfy({ $0 &- 0x30 < 10 }),
      let position = Int(name), position > 0
    else { return nil }
    return position
  }

  var constantBytes: ContiguousArray<UInt8>? {
    if case .constant(let text) = self { ContiguousArray(text.utf8) } else { nil }
  }

  var nameBytes: ContiguousArray<UInt8>? {
    if case .name(let text) = self { ContiguousArray(text.utf8) } else { nil }
  }
}

package struct ParseOptions: Sendable, Equatable {
  /// A format by its name, which its file declares.
  package struct Format: RawRepresentable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    package let rawValue: String

    /// Detected from the first bytes.
    package static let auto = Format("auto")

    init(_ name: String) { rawValue = name }

    /// The format with this name; nil if there is none.
    package init?(rawValue: String) {
      self.init(rawValue)
      if !Self.allCases.contains(self) { return nil }
    }

    package static var allCases: [Format] { [.auto] + FormatTable.all.names }
    package var description: String { rawValue }

    /// What the format is; nil for `auto`.
    var row: FormatDescription? { FormatTable.all.description(of: self) }
    var isLines: Bool { row?.fieldNames == FormatDescription.FieldNames.none }
    /// Whether the fields of its rows are columns that have positions, and names if there is a header.
    package var hasColumns: Bool { hasHeader || row?.fieldNames == .columns }
    /// Whether its rows are objects or pairs, as in JSON.
    package var hasObjects: Bool { row?.fieldNames == .chosen }
    /// Whether the first record of an input may be a header.
    package var hasHeader: Bool { row?.fieldNames == .header }
  }

  /// Whether the first record of a table contains the names of its columns.
  package enum Header: String, Sendable, CaseIterable {
    /// It does if fields are chosen by name, or if its cell in the number column is not a number.
    case auto
    case yes
    /// It does not.
    case no
  }

  /// The default limit for a record, in bytes. A record has a few dozen bytes; a mebibyte allows objects with long
  /// fields that are not used, and limits the buffer.
  package static let defaultRecordBytes = 1024 * 1024

  /// The default limit for reading a database, in seconds of processor time: hundreds of millions of rows. A view can be
  /// written so that it never ends.
  package static let defaultQuerySeconds = 300.0

  package var format: Format = .auto
  /// The field that the number is read from; nil for the key of a pair.
  package var numberField: FieldSelector?
  /// The field that the label is read from; nil for the value of a pair, or for no label if objects are rows.
  package var labelField: FieldSelector?
  /// The field that the source is read from; nil for none.
  package var sourceField: FieldSelector?
  /// The field that the score is read from; nil for none.
  package var scoreField: FieldSelector?
  /// The field that the last number of a range is read from; nil for none.
  package var lastField: FieldSelector?
  /// The field that the row's date is read from; nil for none.
  package var dateField: FieldSelector?
  /// Which rows are kept by their dates.
  package var dates = DateOptions()
  /// The field of the number's calling code or country; nil to find one by its name, and an empty constant for none.
  package var countryField: FieldSelector?
  /// The field of a family name, which follows a given name in the label; found by its name.
  var familyNameField: FieldSelector?
  /// The first digits of the number, in a field of their own.
  var areaCodeField: FieldSelector?
  /// The maximum size of a record in bytes; a longer one is rejected, and skipped without being buffered.
  package var recordBytesMax = ParseOptions.defaultRecordBytes
  /// Whether JSON must conform strictly to RFC 8259. It has no effect on other formats.
  package var isStrict = false
  /// The ASCII byte between the fields of a record; nil to detect it.
  package var separator: UInt8?
  /// Whether the first record of a table contains the names of its columns.
  package var header: Header = .auto
  /// The input's encoding, by a name that iconv accepts, or ``recognisedEncoding``; nil for UTF-8, or the encoding of a
  /// byte order mark.
  package var encoding: String?
  /// The query whose rows are read if the input is a database.
  package var query: String?
  /// The sheet that is read if the input is a workbook: its name, or its position among the visible ones, from 1; nil
  /// for the first visible one.
  package var sheet: String?
  /// The processor time for reading a database, in seconds.
  package var querySeconds = ParseOptions.defaultQuerySeconds
  /// Whether a row's number is read whatever the row, or a heading above it, states about it: that it is allowed,
  /// removed or the user's own. For a table that is not a list of numbers to block.
  package var ignoresVerdicts = false

  /// The name that stands for an encoding that is recognised by the input's start.
  package static let recognisedEncoding = "auto"

  package init() {}

  /// Whether the name of a file is that of a list of numbers that are not blocked: `lists/whitelist.txt`, `Ausnahmen.csv`.
  package static func isNameOfExceptions(_ path: String) -> Bool {
    let name = path.split(separator: "/").last ?? ""
    return CommonFieldNames.isOfOthers(String(name.prefix { $0 != "." }))
  }

  /// Whether the encoding is recognised by the input's start, the first ``EncodingGuess/bytesMax`` bytes.
  package var recognisesEncoding: Bool { encoding?.lowercased() == Self.recognisedEncoding }

  /// Whether each object is one row, because a field is chosen by its name; otherwise each pair is one row.
  var rowsAreObjects: Bool {
    chosenFields.contains { $0?.isName ?? false }
  }

  private var chosenFields: [FieldSelector?] {
    [numberField, labelField, sourceField, scoreField, dateField, lastField, countryField]
  }

  package func check() throws(Failure) {
    if let row = format.row {
      try check(row)
    } else if case .constant = lastField {
      throw .lastWithoutColumns
    }
    if case .constant(let text) = scoreField, !text.isEmpty, Int64(text) == nil {
      throw .badScoreConstant(text)
    }
    try checkDates()
    if case .constant(let text) = countryField, !text.isEmpty, NumberPrefix.callingCode(text) == nil {
      throw .unknownCountryConstant(text)
    }
    if let separator, !Self.canSeparate(separator) { throw .badSeparator }
    if let encoding, !recognisesEncoding, !TextDecoder.isKnown(encoding) { throw .unknownEncoding(encoding) }
  }

  private func checkDates() throws(Failure) {
    if case .constant(let text) = dateField, CalendarDay(Array(text.utf8).span) == nil {
      throw .badDateConstant(text)
    }
    let needsField = dates.isSelection || dates.format != nil || dates.keepsUndated
    if needsField, dateField?.isName != true { throw .datesWithoutField }
    if dates.now != nil, dates.maxAge == nil { throw .nowWithoutAge }
    if let since = dates.since, let until = dates.until, since > until { throw .emptyDates(since, until) }
  }

  /// Checks what depends on the format, once it is known.
  func check(_ row: FormatDescription) throws(Failure) {
    if query != nil, !row.options.contains("--query") { throw .queryWithoutDatabase }
    let hasFields = row.isJSON || [.chosen, .header].contains(row.fieldNames)
    if let lastField {
      if case .constant = lastField { throw .lastWithoutColumns }
      if !hasFields, row.fieldNames != .columns { throw .lastWithoutColumns }
    }
    if let countryField, countryField != .constant(""), !hasFields {
      throw .countryWithoutColumns
    }
    if dateField?.isName == true, row.fieldNames == .none { throw .datesWithoutColumns }
    if sheet != nil, !row.options.contains("--sheet") { throw .sheetWithoutWorkbook }
    switch row.fieldNames {
    case .chosen:
      if rowsAreObjects, numberField == nil { throw .noNumberField }
    case .header:
      if header == .no, let name = firstName { throw .nameWithoutHeader(name) }
    case .none:
      if let name = firstName { throw .nameWithoutHeader(name) }
    case .own, .columns: break
    }
  }

  /// These options, with tabs between fields unless another separator was chosen.
  var withTabs: ParseOptions {
    var options = self
    options.separator = separator ?? Byte.tab
    return options
  }

  /// The first field that is chosen by a name which can't be a position; nil if there is none.
  var firstName: String? {
    for field in chosenFields {
      if case .name(let name)? = field, field?.position == nil { return name }
    }
    return nil
  }

  /// Whether a byte can separate fields: it is not a letter, digit, sign of a number, quote or line end.
  private static func canSeparate(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x1C...0x1F, 0x21, 0x24...0x26, 0x2C, 0x2F, 0x3A...0x3F, 0x5E, 0x7C, 0x7E: true
    default: false
    }
  }
}

extension Failure {
  /// A failure of `parse`. The rows before it are valid.
  static func parse(
    _ errorClass: ErrorClass, _ code: String, _ text: String, hint: String? = nil
  ) -> Failure {
    Failure(.parse, errorClass, code, text, hint: hint, endsInput: true)
  }

  static func parse(_ code: String, _ text: String, hint: String? = nil) -> Failure {
    parse(.badData, code, text, hint: hint)
  }

  /// A library that the format needs is missing; `package` is the Debian package, most distributions use a similar name.
  static func parserMissing(_ name: String, package: String) -> Failure {
    var failure = Failure.parse(
      .unavailable, "library-missing", "cannot load \(name)",
      hint: "install the package \(package); other formats need no library")
    failure.blamesSource = false
    return failure
  }

  // The command has checked its options before; the input's format may not fit them.
  static let noNumberField = parse(
    "no-number-field", "other fields are named, but not the number", hint: "add \(option: "number", "NAME")")
  static let queryWithoutDatabase = parse(
    "query-without-database", "\(option: "query") needs a database, and the input is not one",
    hint: "add \(option: "format=", "sqlite") if it is")
  static let sheetWithoutWorkbook = parse(
    "sheet-without-workbook", "\(option: "sheet") needs a workbook, and the input is not one",
    hint: "add \(option: "format=", "xlsx") if it is")
  static let lastWithoutColumns = parse(
    "last-without-columns",
    "\(option: "last") names a field of JSON, a table or a database, but the input has none")
  static let countryWithoutColumns = parse(
    "country-without-columns",
    "\(option: "country") names a field of JSON, a table or a workbook, but the input has none")
  static let datesWithoutColumns = parse(
    "date-without-columns", "\(option: "date") names a field, but the input has only numbers and labels")
  static let datesWithoutField = parse(
    .usage, "dates-without-field", "options for dates need \(option: "date", "FIELD")")
  static let nowWithoutAge = parse(
    .usage, "now-without-age", "\(option: "now") needs \(option: "max-age")")
  static let badSeparator = parse(
    .usage, "bad-separator", "\(option: "separator") must be a tab or one of , ; | : ! ? & $ % / < = > ^ ~")

  static func nameWithoutHeader(_ name: String) -> Failure {
    parse(
      "name-without-header", "'\(name)' is the name of a column, but the input has no header",
      hint: "use the column's position, starting at 1")
  }

  static func badScoreConstant(_ text: String) -> Failure {
    parse(.usage, "bad-score-constant", "\(option: "score") ='\(text)' is not an integer")
  }

  static func badDateConstant(_ text: String) -> Failure {
    parse(
      .usage, "bad-date-constant", "\(option: "date") ='\(text)' is not a day",
      hint: "use a day such as =2026-11-29")
  }

  static func emptyDates(_ since: CalendarDay, _ until: CalendarDay) -> Failure {
    parse(.usage, "empty-dates", "no day is both since \(since.text) and until \(until.text)")
  }

  static func unknownCountryConstant(_ text: String) -> Failure {
    parse(
      .usage, "unknown-country-constant", "\(option: "country") ='\(text)' is not a calling code or country",
      hint: "use a code such as =49 or =DE")
  }

  static func unknownEncoding(_ name: String) -> Failure {
    parse(.usage, "unknown-encoding", "unknown encoding: '\(name)'", hint: EncodingNames.hint(name))
  }
}

extension StageName {
  package static let parse = StageName(rawValue: "parse")
}

package struct ParsePlan: StagePlan {
  package var options: ParseOptions
  /// Called with what was recognised about each input, in the stage's thread; nil if that is not needed.
  package var observe: (@Sendable (InputLayout) -> Void)?

  package init(_ options: ParseOptions) { self.options = options }

  package var name: StageName { .parse }
  package var input: DataKind { .bytes }
  package var output: DataKind { .rawRows }
  /// Whether the stage runs on a thread of its own.
  package var needsThread: Bool { true }
  package var assumesEncoding: Bool { options.encoding == nil }

  /// Builds the stage, which sends its output to `downstream`.
  package func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink {
    let parser = RowParser(
      options: options, input: environment.inputName, context: environment.context,
      downstream: downstream.rawRowSink)
    parser.observe = observe
    parser.notify = environment.notify
    if environment.showsDetails { parser.noteDetail = { environment.noteDetail($0) } }
    parser.refusesNothing = true
    let threads = min(environment.threads - Self.otherThreads, InputDivision.threadsMax)
    return .bytes(InputDecoder(parser, threads: threads))
  }

  /// The number of threads that are busy at the same time with reading, normalizing and sorting.
  private static let otherThreads = 3
}

enum ParseLimits {
  /// The number of bytes of an input that are examined to recognise its format: hundreds of rows, and one read from a
  /// pipe.
  static let startBytesMax = 64 * 1024
  /// The deepest nesting. Real lists have three levels; 512 is what other parsers allow.
  static let depthMax = 512
  /// The deepest nesting of objects that are searched for rows. Their contents are read once more for each level; the
  /// responses of web services have two or three levels.
  static let wrapperDepthMax = 32
  /// The maximum number of bytes of white space that are skipped to find what follows a row.
  static let lookaheadBytesMax = 64
  /// The bytes that a window holds beyond the longest record: twice the look-ahead and the bytes around it.
  static let lookaheadCapacity = 2 * lookaheadBytesMax + 16
  /// The maximum number of times that reading resumes inside a broken row before a whole row is found: the row is read
  /// again each time.
  static let resumedInsideMax = 8
  /// The maximum size of a comment that is one reject, in bytes; each line of a longer one is a reject. A comment that
  /// does not end is read up to this size.
  static let commentBytesMax = 1024
  /// The minimum capacity for an unfinished record, enough for a reject's text.
  static let heldBytesMin = 1024

  static func heldBytes(recordBytesMax: Int) -> Int { max(recordBytesMax + lookaheadCapacity, heldBytesMin) }
}
