// What a parser recognised about an input: its format and encoding, its fields, and which of them a row's fields are
// read from. For previews.

package import Records

/// The recognised properties of an input.
package struct InputLayout: Sendable, Equatable {
  package var format: ParseOptions.Format = .auto
  /// The encoding that was chosen or that a byte order mark declares; nil if the bytes were read as UTF-8, or as the
  /// input itself declares.
  package var encoding: String?
  /// The byte between the fields of a table; nil for other formats.
  package var separator: UInt8?
  /// Whether the first record of a table contains the names of its columns; nil for other formats.
  package var hasHeader: Bool?
  /// Whether rows are pairs of a number and its label, which have no field names.
  package var rowsArePairs = false
  /// Whether the number is the value of such a pair, and the label its key.
  package var numbersAreValues = false
  /// The name of the sheet of a workbook; nil for other formats.
  package var sheet: String?
  /// The names of the workbook's other visible sheets with values, unless a sheet was chosen; at most 20.
  package var otherSheets: [String] = []
  /// The number of the sheet's merged ranges of several rows, of which only the first row has the value.
  package var merges = 0
  /// The number of the sheet's formulas without a stored result, which are read as empty.
  var missingResults = 0
  /// The names of the fields in the order of the input, as ``FieldSelector`` accepts them; positions from 1 if they have
  /// no names. At most ``fieldsMax``.
  package var fields: [String] = []
  /// The field of the number, or `=TEXT` for a constant; nil if it is the key of a pair.
  package var number: String?
  /// The field of the label, or `=TEXT` for a constant; nil if it is the value of a pair, or if there is none.
  package var label: String?
  /// The field of the source, or `=TEXT` for a constant; nil if there is none.
  package var source: String?
  /// The field of the score, or `=TEXT` for a constant; nil if there is none.
  package var score: String?
  /// The field of the date, or `=DAY` for a constant; nil if there is none.
  package var date: String?

  /// The field of a range's last number; nil if there is none.
  package var last: String?
  /// The field of the number's calling code or country, or `=TEXT` for a constant; nil if there is none.
  package var country: String?
  /// The field of the number's first digits, an area code; nil if there is none.
  package var areaCode: String?
  /// In a log of calls, the field of the number of outgoing ones; nil if there is none.
  package var outgoing: String?
  /// The fields of the numbers if a record may have several; else empty.
  package var numbers: [String] = []
  /// The fields that the label is made of: the parts of a name, then those that replace an empty one; empty if it is
  /// made of at most one.
  package var labels: [String] = []
  /// The fields that may be the label, because they contain text, if none has a common name for labels and none was
  /// chosen.
  var possibleLabels: [String] = []
  /// What may belong to the rows and is not read from any field above.
  var unread: [UnreadFields] = []
  /// The fields that may be the number, if pairs are rows and no key is a number.
  var possibleNumbers: [String] = []
  /// Whether there are fields with numbers then, but by their names all of them are times, or those of other parties.
  var hasOnlyOtherNumbers = false

  /// The maximum number of fields that are listed. Real tables have a few dozen columns.
  package static let fieldsMax = 64

  package init() {}

  /// Creates the layout of a format whose fields have names, with the fields that were chosen or that the format has by
  /// default.
  package init(_ fields: [String], _ options: ParseOptions) {
    self.fields = Array(fields.prefix(Self.fieldsMax))
    number = options.numberField?.text
    label = options.labelField?.text
    source = options.sourceField?.text
    score = options.scoreField?.text
    date = options.dateField?.text
    last = options.lastField?.text
    country = options.countryField?.chosenText
    areaCode = options.areaCodeField?.text
  }

  package var others: [String] {
    // The second field of a plain list is the rest of the line.
    if format.isLines || rowsArePairs { return [] }
    let used =
      numbers + labels
      + [number, outgoing, last, label, source, score, date, country, areaCode]
      .compactMap(\.self)
    return fields.filter { !used.contains($0) }
  }

  /// The fields that are not read and have a common name for dates or times.
  package var times: [String] { others.filter { CommonFieldNames.isTime($0) } }

  /// The first field with a common name for labels, apart from one field; nil if there is none.
  package func commonLabel(except excluded: String) -> String? {
    CommonFieldNames.bestLabel(fields.filter { $0 != excluded }.map { (field: $0, name: $0) })
  }
}

extension FieldSelector {
  /// The selector as it is typed: a name, or `=TEXT`.
  package var text: String {
    switch self {
    case .name(let name): name
    case .constant(let text): "=" + text
    }
  }

  /// The same, or nil for an empty constant, which stands for no field.
  fileprivate var chosenText: String? { self == .constant("") ? nil : text }
}

extension InputLayout {
  init(_ table: TableStart, _ options: ParseOptions) {
    separator = table.grammar.separator
    hasHeader = table.fieldNames != nil
    let names = table.fieldNames ?? []
    fields = (0..<min(table.fieldCount, Self.fieldsMax)).map { column in
      // A name that is empty or not unique selects nothing, or another column.
      guard column < names.count, !names[column].isEmpty, !names[column].hasPrefix("="),
        names.firstIndex(of: names[column]) == column
      else { return String(column + 1) }
      return names[column]
    }
    number = field(table.columns.number, options.numberField)
    label = field(table.columns.label, options.labelField)
    source = field(table.columns.source, options.sourceField)
    score = field(table.columns.score, options.scoreField)
    date = field(table.columns.date, options.dateField)
    last = field(table.columns.last, options.lastField)
    country = field(table.columns.country, options.countryField == .constant("") ? nil : options.countryField)
    areaCode = field(table.columns.areaCode, nil)
    outgoing = field(table.columns.callee, nil)
    if let contacts = table.columns.contacts {
      numbers = contacts.numbers.compactMap { field($0, nil) }
      labels = (contacts.names + contacts.otherNames + contacts.labels).compactMap { field($0, nil) }
    }
    if let title = table.title, title.lines > 0 {
      unread.append(title.isOfOthers ? .exceptions(title.text) : .lines(title.lines, title: title.text))
    }
    if options.numberField == nil { noteUnread(table, options) }
  }

  /// Notes the columns that may belong to the rows and are not read.
  private mutating func noteUnread(_ table: TableStart, _ options: ParseOptions) {
    let columns = table.columns
    let used =
      [
        columns.number, columns.label, columns.source, columns.score, columns.date, columns.last,
        columns.country,
        columns.areaCode, columns.callee, columns.direction, columns.unreadCallee,
      ]
      + (columns.contacts.map { $0.numbers + $0.names + $0.otherNames + $0.labels } ?? [])
    let free = fields.indices.filter { !used.contains($0) }
    let isLabelled = columns.label >= 0 || !(columns.contacts?.names.isEmpty ?? true)
    if options.labelField == nil, !isLabelled {
      possibleLabels = table.sample.textColumns.filter { free.contains($0) }.map { fields[$0] }
    }
    var lasts: [String] = []
    var others: [String] = []
    for column in free {
      let names = table.fieldNames ?? []
      let name = names.indices.contains(column) ? names[column] : ""
      if columns.areOfCalls, isOfLine(column, name, table) { continue }
      if table.sample.hasNumberLists(in: column), !CommonFieldNames.isOwnLine(name) {
        others.append(fields[column])
        continue
      }
      guard let rank = table.sample.rank(of: column), rank > .time else { continue }
      if CommonFieldNames.isOwnLine(name) || CommonFieldNames.isAmount(name) { continue }
      let isLong = rank >= .long && !CommonFieldNames.isOtherFigure(name)
      let isLast =
        CommonFieldNames.isLast(name)
        || columns.isNumberGuessed && table.sample.areRanges(columns.number, column)
      if columns.last < 0, isLong || columns.areaCode >= 0, isLast, !CommonFieldNames.isOfOthers(name) {
        lasts.append(fields[column])
      } else if rank == .international || CommonFieldNames.isNumber(name) || columns.isNumberGuessed && isLong
        || isLong && table.sample.isAlike(column, columns.number)
      {
        others.append(fields[column])
      }
    }
    let isNational = table.sample.rank(of: columns.number).map { $0 < .international } ?? false
    if columns.country < 0, options.countryField == nil, isNational, let names = table.fieldNames,
      let column = free.first(where: { names.indices.contains($0) && CommonFieldNames.isCountry(names[$0]) }),
      table.sample.textColumns.contains(column)
    {
      unread.append(.country(fields[column]))
    }
    if columns.areaCode < 0, let column = Self.unreadAreaCode(table, free) {
      unread.append(.areaCode(fields[column]))
    }
    if columns.isNumberUnknown, table.fieldNames != nil, !free.isEmpty {
      unread.append(.number(fields[columns.number]))
    }
    if let column = unreadExtensions(table, free) { unread.append(.extensions(fields[column])) }
    if columns.unreadCallee >= 0 { unread.append(.callees(fields[columns.unreadCallee])) }
    if !lasts.isEmpty { unread.append(.lastNumbers(lasts)) }
    if !others.isEmpty { unread.append(.numbers(others)) }
  }

  /// Whether a column of a call log has the subscriber's own numbers, as the others do if its names show the parties.
  private func isOfLine(_ column: Int, _ name: String, _ table: TableStart) -> Bool {
    !table.columns.isNumberGuessed && !CommonFieldNames.isCallback(name)
      || table.sample.hasOneNumber(in: column) || CommonFieldNames.isCallee(name)
  }

  /// The column of the numbers' extensions.
  private func unreadExtensions(_ table: TableStart, _ free: [Int]) -> Int? {
    guard !table.columns.areOfCalls, let names = table.fieldNames else { return nil }
    return free.first {
      names.indices.contains($0) && CommonFieldNames.isExtension(names[$0])
        && table.sample.texts(in: $0).contains { !$0.isEmpty }
    }
  }

  /// The column that may have area codes of the numbers.
  private static func unreadAreaCode(_ table: TableStart, _ free: [Int]) -> Int? {
    guard let names = table.fieldNames else { return nil }
    let numbers = table.columns.contacts?.numbers ?? [table.columns.number]
    return free.first { column in
      guard names.indices.contains(column) else { return false }
      if CommonFieldNames.isAreaCode(names[column], inRanges: false) {
        return numbers.contains { table.sample.hasAnyAreaCode(in: column, of: $0) }
      }
      return CommonFieldNames.numberRank(names[column]) == .pattern
        && numbers.contains { table.sample.hasAreaCodes(in: column, of: $0) }
    }
  }

  private func field(_ column: Int, _ chosen: FieldSelector?) -> String? {
    if case .constant = chosen { return chosen?.text }
    return fields.indices.contains(column) ? fields[column] : chosen?.text
  }
}

/// A part of an input that is not read.
enum UnreadFields: Sendable, Equatable {
  /// Fields that may have the last numbers of ranges.
  case lastNumbers([String])
  /// Fields with other phone numbers of the same rows.
  case numbers([String])
  /// A field that may have the countries of the numbers.
  case country(String)
  /// A field with the numbers that were called, in a log in which nothing shows which calls are outgoing.
  case callees(String)
  /// A field that may have the area codes of the numbers.
  case areaCode(String)
  /// A field with the extensions of the numbers.
  case extensions(String)
  /// The field that is read, which has neither the name nor the contents of phone numbers.
  case number(String)
  /// Fields with text outside of the objects that are rows, in an object around their list.
  case outer([String])
  /// All elements of an array but the one that was chosen by its position; `rest` is the chosen path inside the element.
  case elements(of: String, rest: String)
  case keys([String])
  /// The first lines of a table, before its header.
  case lines(Int, title: String)
  /// The title of a list whose numbers are not blocked, by its words.
  case exceptions(String)
}

package struct InputNotice: RecordedNotice, Equatable {
  /// What was recognised.
  package enum Finding: Sendable, Equatable {
    /// The format, and the fields that rows are read from. Once per input, if it has fields.
    case layout(InputLayout)
    /// The encoding that an input is read in, because it is to be recognised.
    case encoding(String, EncodingGuess.Basis)
    /// An input that is read as UTF-8 is not UTF-8, but probably in this encoding.
    case otherEncoding(String)
    /// No record of an input has these fields, which the user chose; some of the fields that it has.
    case missingFields([String], available: [String])
    /// An input that is not empty has neither a row nor a reject.
    case noRows(ParseOptions.Format)
    /// Texts that are not in the encoding that they declare, or in UTF-8 if it is empty: their rows have none.
    case undecodedTexts(UInt64, encoding: String)
    /// The rows of all inputs that are left out because of their dates, and those that are kept without one.
    case byDate(tooOld: UInt64, tooNew: UInt64, undated: UInt64)
  }

  package var input: String
  /// The source's name; empty if the run has only one.
  package var source: String
  /// What was recognised.
  package var finding: Finding

  init(_ finding: Finding, input: String, source: String = "") {
    self.finding = finding
    self.input = input
    self.source = source
  }
}

// MARK: - Messages

extension InputNotice {
  private static let listedMax = 8

  /// A note for users who are watching, without the command's name; nil if there is nothing to report.
  package var note: String? {
    switch finding {
    case .layout(let layout) where !layout.format.isLines:
      let read =
        layout.rowsArePairs
        ? layout.numbersAreValues
          ? "number from the value, label from the key"
          : "number from the key, "
            + (layout.label.map { $0 == "=" ? "value not read" : "label \($0)" } ?? "label from the value")
        : Self.fields([
          ("number", layout.number), ("number of outgoing calls", layout.outgoing), ("label", layout.label),
          ("source", layout.source),
          ("score", layout.score), ("date", layout.date), ("last number", layout.last),
          ("country", layout.country),
          ("first digits", layout.areaCode),
        ])
      if read.isEmpty { return nil }
      let others = layout.others
      return "\(name): \(read)" + (others.isEmpty ? "" : "; also there: \(Self.listed(others))")
    case .layout, .otherEncoding, .missingFields, .noRows, .undecodedTexts: return nil
    case .byDate(let tooOld, let tooNew, let undated):
      func counted(_ count: UInt64, _ what: String) -> String? {
        count == 0 ? nil : "\(Figures.counted(count, "row")) that \(count == 1 ? "is" : "are") \(what)"
      }
      let leftOut = [counted(tooOld, "too old"), counted(tooNew, "too new")].compactMap(\.self)
      let kept =
        undated == 0 ? nil : "kept \(Figures.counted(undated, "row")) without a date that can be read"
      return [leftOut.isEmpty ? nil : "left out " + leftOut.joined(separator: " and "), kept].compactMap(
        \.self
      )
      .joined(separator: "; ")
    case .encoding(_, .unknown): return nil
    case .encoding(let encoding, let basis):
      return "\(name): \(basis == .plausible ? "probably " : "")\(encoding)"
    }
  }

  /// Whether the note answers a question of the user's: which encoding was recognised, how many rows were left out.
  package var isAnswer: Bool {
    switch finding {
    case .encoding, .byDate: true
    case .layout, .otherEncoding, .missingFields, .noRows, .undecodedTexts: false
    }
  }

  /// What the user should look at; empty if there is nothing.
  package var warnings: [UserMessage] {
    switch finding {
    case .layout(let layout): Self.warnings(layout, name) + Self.sheetWarnings(layout, name)
    case .encoding(let encoding, .unknown):
      [
        UserMessage(
          "\(name): the encoding is not recognised; it is read as \(encoding)",
          hint: "name it with \(option: "encoding", "NAME") (list: 'cdpipe parse --encodings')")
      ]
    case .encoding, .byDate: []
    case .otherEncoding(let encoding):
      [
        UserMessage(
          "\(name) is not UTF-8; it looks like \(encoding)", hint: "try \(option: "encoding", encoding)")
      ]
    case .noRows(let format):
      [
        UserMessage(
          "\(name) has no rows with a number (read as \(format))",
          hint: "check that it is a list in this format")
      ]
    case .missingFields(let missing, let available):
      [
        UserMessage(
          "\(name): no record has the field \(Self.listed(missing))",
          hint: "use one of its fields: \(Self.listed(available))")
      ]
    case .undecodedTexts(let count, let encoding):
      [
        UserMessage(
          "\(name): \(Figures.counted(count, "text")) can't be decoded from "
            + "\(encoding.isEmpty ? "UTF-8" : "'\(PrintableText.line(encoding))'"), and \(count == 1 ? "is" : "are") left out"
        )
      ]
    }
  }

  private var name: String { input == "-" ? "standard input" : "'\(PrintableText.line(input))'" }

  private static func warnings(_ layout: InputLayout, _ name: String) -> [UserMessage] {
    labelWarnings(layout, name) + layout.unread.map { warning($0, layout, name) }
  }

  private static func labelWarnings(_ layout: InputLayout, _ name: String) -> [UserMessage] {
    if !layout.possibleNumbers.isEmpty {
      return [
        UserMessage(
          "\(name): no number field was recognised; its pairs are read as numbers and labels",
          hint: "choose the number with \(option: "number", "NAME"): \(listed(layout.possibleNumbers))")
      ]
    }
    if layout.hasOnlyOtherNumbers {
      return [
        UserMessage(
          "\(name): no number field was recognised; its pairs are read as numbers and labels",
          hint: "by their names, its fields have the numbers of other people, or times; "
            + "if one is the number, choose it with \(option: "number", "NAME")")
      ]
    }
    guard !layout.possibleLabels.isEmpty, var number = layout.number else { return [] }
    // A column can be chosen alone.
    if layout.hasHeader != nil {
      return [
        UserMessage(
          "\(name): no label column was recognised",
          hint: "choose one with \(option: "label", "NAME"): \(listed(layout.possibleLabels))")
      ]
    }
    // The number may be in an inner object, and the label outside of it.
    if !layout.fields.contains(number) {
      number = layout.fields.first { $0.hasSuffix("." + number) } ?? number
    }
    return [
      UserMessage(
        "\(name): no label field was recognised",
        hint:
          "choose one with \(option: "number", "'\(PrintableText.line(number))'") \(option: "label", "NAME"): "
          + listed(layout.possibleLabels))
    ]
  }

  /// What is not read though it may belong to the rows.
  private static func warning(_ unread: UnreadFields, _ layout: InputLayout, _ name: String) -> UserMessage {
    switch unread {
    case .lastNumbers(let fields):
      UserMessage(
        "\(name): \(listed(fields)) may have the last numbers of ranges, and \(areNot(fields.count)) read",
        hint: "read ranges with \(chosen(layout))--last '\(PrintableText.line(fields[0]))'")
    case .numbers(let fields): unreadNumbers(fields, layout, name)
    case .country(let field):
      UserMessage(
        "\(name): \(listed([field])) may have the countries of the numbers, and is not read",
        hint:
          "if it has calling codes or country codes, use \(option: "country", "'\(PrintableText.line(field))'")"
      )
    case .callees(let field):
      UserMessage(
        "\(name): nothing shows which calls are outgoing; the numbers in \(listed([field])) are not read",
        hint: "remove the outgoing calls: their callers are not strangers")
    case .areaCode(let field):
      UserMessage(
        "\(name): \(listed([field])) may have the area codes of the numbers, and is not read",
        hint:
          "if it has area codes, rename it to 'area code'; for calling codes, use "
          + "\(option: "country", "'\(PrintableText.line(field))'")")
    case .extensions(let field):
      UserMessage(
        "\(name): \(listed([field])) may have the last digits of the numbers, and is not read",
        hint: "if they are dialled directly, write them after the numbers, in the same column")
    case .number(let field):
      UserMessage(
        "\(name): no column of phone numbers was recognised; \(listed([field])) is read",
        hint: "choose another one with \(option: "number", "NAME"): \(listed(layout.others))")
    case .outer(let fields):
      UserMessage(
        "\(name): \(listed(fields)) \(areNot(fields.count)) read, because each row is an object inside a list there",
        hint: "copy the label into each of these objects, for example with jq")
    case .elements(let array, let rest):
      UserMessage(
        "\(name): '\(PrintableText.line(array))' has several elements, and one of them is read",
        hint: rest.isEmpty
          ? nil : "read all of them with \(option: "number", "'\(PrintableText.line(rest))'")")
    case .keys(let keys):
      UserMessage(
        "\(name): the names of the lists are not read as labels: \(listed(keys))",
        hint: "read one list at a time, with \(option: "label") =TEXT")
    case .lines(let count, let title):
      UserMessage(
        "\(name): the table begins after the title '\(PrintableText.line(String(title.prefix(titleMax))))': "
          + "\(count) \(count == 1 ? "line is" : "lines are") not read",
        hint: "remove the title if the columns are not those of the table")
    case .exceptions(let title): Self.titled(title, name)
    }
  }

  /// The maximum number of characters of a title.
  private static let titleMax = 60

  private static func unreadNumbers(
    _ fields: [String], _ layout: InputLayout, _ name: String
  ) -> UserMessage {
    let numbers = layout.numbers.isEmpty ? [layout.number].compactMap(\.self) : layout.numbers
    return UserMessage(
      "\(name): the numbers in \(listed(fields)) are not read"
        + (numbers.isEmpty ? "" : ", only those in \(listed(numbers))"),
      hint: CommonFieldNames.isOfOthers(fields[0])
        ? "they are not blocked, by their name: remove them from lists with 'cdpipe subtract'"
        : "read them in another run with \(option: "number", "'\(PrintableText.line(fields[0]))'")"
          + (layout.label.map {
            $0.hasPrefix("=") ? "" : " \(option: "label", "'\(PrintableText.line($0))'")"
          } ?? ""))
  }

  private static func titled(_ title: String, _ name: String) -> UserMessage {
    UserMessage(
      "\(name): '\(PrintableText.line(title))' is the title of a list of numbers that are not blocked; they are read",
      hint: "remove them from other lists with 'cdpipe subtract'")
  }

  private static func areNot(_ count: Int) -> String { count == 1 ? "is not" : "are not" }

  /// The options that choose the fields of a layout; none for a table, whose columns can be chosen one by one.
  private static func chosen(_ layout: InputLayout) -> String {
    if layout.hasHeader != nil { return "" }
    return [("number", layout.number), ("label", layout.label)].compactMap { option, field in
      field.map { "\(option: option, "'\(PrintableText.line($0))'") " }
    }.joined()
  }

  /// What the user should know about a workbook's sheet.
  private static func sheetWarnings(_ layout: InputLayout, _ name: String) -> [UserMessage] {
    guard let sheet = layout.sheet.map({ "'\(PrintableText.line($0))'" }) else { return [] }
    var warnings: [UserMessage] = []
    if !layout.otherSheets.isEmpty {
      warnings.append(
        UserMessage(
          "\(name): only the sheet \(sheet) is read; also there: \(listed(layout.otherSheets))",
          hint: "choose one with \(option: "sheet", "NAME")"))
    }
    if layout.merges > 0 {
      warnings.append(
        UserMessage(
          "\(name): sheet \(sheet) has \(Figures.counted(UInt64(layout.merges), "merged cell")) over several rows; "
            + "only the first row of each has its text",
          hint: "unmerge them in a spreadsheet program, and fill in the text"))
    }
    if layout.missingResults > 0 {
      warnings.append(
        UserMessage(
          "\(name): sheet \(sheet) lacks the results of "
            + "\(Figures.counted(UInt64(layout.missingResults), "formula")); their fields are empty",
          hint: "open and save it in a spreadsheet program"))
    }
    return warnings
  }

  private static func fields(_ fields: [(String, String?)]) -> String {
    fields.compactMap { field, name in
      name.map { "\(field) \($0.hasPrefix("=") ? "" : "from ")'\(PrintableText.line($0))'" }
    }.joined(separator: ", ")
  }

  private static func listed(_ names: [String]) -> String {
    names.prefix(listedMax).map { "'\(PrintableText.line($0))'" }.joined(separator: ", ")
      + (names.count > listedMax ? " and \(names.count - listedMax) more" : "")
  }
}
