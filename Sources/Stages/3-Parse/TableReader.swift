// Tables of text: `csv` (any separator, quotes) and `tsv` (tabs, no quotes). The outer loop, and the records that the
// fast path does not read.
//
// A broken record is one reject. Reading resumes at the line after the record's first line (TableRecovery).

import Records

extension ParseOptions.Format {
  package static let csv = Self("csv")
  package static let tsv = Self("tsv")
}

extension FormatDescription {
  static let csv = FormatDescription(
    format: .csv, what: "fields between , ; | or tabs, quoted where needed",
    recognised: "equally many fields in nearly all records, one of them numbers",
    options: fieldOptions + " --separator --header", fieldNames: .header, turn: .last,
    matches: { TableGuess.table($0).map { !$0.isTabbed } ?? false },
    makeReader: { TableReader($0.options, hasQuotes: true) }, needsStart: true,
    hasLines: true)

  static let tsv = FormatDescription(
    format: .tsv, what: "fields between tabs; quotes are text",
    recognised: "the same, with tabs and without quoted fields", options: fieldOptions + " --header",
    fieldNames: .header, turn: .last, matches: { TableGuess.table($0)?.isTabbed ?? false },
    makeReader: {
      let isRecognised = $0.options.format == .auto
      return TableReader($0.options.withTabs, hasQuotes: isRecognised, quotesMayBeText: isRecognised)
    }, needsStart: true,
    hasLines: true)
}

/// The reader for the formats `csv` and `tsv`, and for tables that a reader of another format writes as CSV.
final class TableReader: FormatReader {
  private let options: ParseOptions
  private let hasQuotes: Bool
  private let quotesMayBeText: Bool
  private let checksWidth: Bool
  private var machine: TableMachine

  /// Makes a reader; without quotes, a quote is a character like any other, and with `quotesMayBeText` it is one in
  /// records that quotes would break. With `checksWidth`, a record with more fields than the header is not read by
  /// position.
  init(_ options: ParseOptions, hasQuotes: Bool, quotesMayBeText: Bool = false, checksWidth: Bool = true) {
    self.options = options
    self.hasQuotes = hasQuotes
    self.quotesMayBeText = quotesMayBeText
    self.checksWidth = checksWidth
    machine = TableMachine(TableGrammar(), TableColumns(options), options, skip: 0)
  }

  /// The number of columns that are read: a record needs no more fields. Known once the start was examined.
  var columnCount: Int { machine.columns.fieldsMax }

  func begin(_ start: InputStart) throws(Failure) {
    let found = try TableStart(start, options, hasQuotes: hasQuotes)
    machine = TableMachine(
      found.grammar, found.columns, options, skip: found.skippedBytes, header: found.header,
      width: checksWidth ? found.fieldNames?.count ?? 0 : 0, quotesMayBeText: quotesMayBeText,
      isText: checksWidth)
  }

  func read(
    _ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter
  ) throws(Failure) -> Int {
    try machine.read(window, isEnd, &rows)
  }

  var hasOtherLineEnds: Bool { machine.hasOtherLineEnds }

  var position: ReaderPosition? {
    machine.isBetweenRecords && machine.isFirstTable && !machine.isInOthers ? ReaderPosition() : nil
  }

  func resume(at position: ReaderPosition) -> Bool {
    machine.resume()
    return true
  }

  func layout(of start: InputStart) -> InputLayout {
    guard let found = try? TableStart(start, options, hasQuotes: hasQuotes) else { return InputLayout() }
    return InputLayout(found, options)
  }
}

/// A record, for a reader that needs its place.
struct TableRecord {
  enum Outcome { case row, blank, header, broken }

  var kind = Outcome.row
  /// The index after its text, before its line end. Not of a broken record.
  var end = 0
  /// The number of its fields.
  var fields = 0
}

/// The state between records, and the loop over them.
struct TableMachine: ~Copyable {
  let grammar: TableGrammar
  private(set) var columns: TableColumns
  /// Whether the columns are those of the input's start, and not of a table with another header after it.
  private(set) var isFirstTable = true
  private let options: ParseOptions
  let recordBytesMax: Int
  /// Whether only number and label are read from a record, or more only if it has more.
  private(set) var hasFastPath = false
  /// Whether the fast path reads only records whose fields after the label are empty, as most that `emit` writes are.
  private(set) var needsEmptyRest = false
  /// The record fields if the label is not read from the records.
  let fixedFields: ContiguousArray<UInt8>
  /// The label at the start of them.
  let fixedLabel: ContiguousArray<UInt8>

  /// The table's header; a record that repeats it is not a row.
  let header: TableHeader
  /// The number of the header's fields; 0 if records may have any number.
  private(set) var width: Int
  /// What ``record(_:_:_:_:)`` read last.
  private(set) var lastRecord = TableRecord()
  /// The calling code or country of all numbers, if the user chose it.
  private let country: ContiguousArray<UInt8>?
  private let quotesMayBeText: Bool

  /// Whether records are lines of an input, and not written by a reader of another format.
  private let isText: Bool
  /// Whether the reader needs the records' places and numbers, and not their other fields.
  private let keepsPlaces: Bool
  /// Whether a record with a carriage return that ends a line was found: it is converted before the record is read.
  private(set) var hasOtherLineEnds = false

  /// The bytes before the first record.
  private var skip: Int
  /// The offset of the window in the input.
  var base: UInt64 = 0
  /// Where records may span lines.
  private var recovery = TableRecovery()
  /// The offset up to which the input was examined for broken records.
  private var examinedEnd: UInt64 = 0
  /// Whether the rest of a rejected line is being skipped.
  var isSkipping = false
  /// Whether the rows are below a heading of numbers that are not blocked.
  private(set) var isInOthers = false
  private var fields: [TableField] = []
  private var row = RowFields()
  /// The text of a cell that may have several numbers.
  private var cell: ContiguousArray<UInt8> = []

  init(
    _ grammar: TableGrammar, _ columns: TableColumns, _ options: ParseOptions, skip: Int,
    header: TableHeader = TableHeader(), width: Int = 0, quotesMayBeText: Bool = false,
    isText: Bool = false, keepsPlaces: Bool = false
  ) {
    self.isText = isText
    self.keepsPlaces = keepsPlaces
    self.grammar = grammar
    self.columns = columns
    self.width = width
    self.quotesMayBeText = quotesMayBeText
    country = options.countryField?.constantBytes.flatMap { $0.isEmpty ? nil : $0 }
    self.skip = skip
    self.header = header
    self.options = options
    recordBytesMax = options.recordBytesMax
    var fixed: ContiguousArray<UInt8> = []
    let constants = ConstantFields(options)
    let label = constants.label ?? []
    let source = constants.source ?? []
    let score = constants.score ?? []
    RecordFields.appendEscaped(label.span, to: &fixed)
    fixedLabel = fixed
    RecordFields.appendTail(source: source.span, score: score.span, day: constants.day, to: &fixed)
    fixedFields = fixed
    chooseFastPath()
  }

  private mutating func chooseFastPath() {
    // Constants that are out of range, or not a valid score, cause a reject for each row.
    let others = [columns.source, columns.score, columns.mayLackFields ? columns.date : -1].filter { $0 >= 0 }
    needsEmptyRest = !others.isEmpty
    hasFastPath =
      columns.areNumbersPlain && country == nil && !isInOthers
      && others.allSatisfy { columns.mayLackFields && $0 > max(columns.number, columns.label) }
      && columns.number != columns.label
      && fixedFields.count <= Self.fixedBytesMax && UTF8Check.isValid(fixedFields.span)
  }

  /// Continues with the columns of another table, which follows in the same input with its own header.
  private mutating func enterTable(_ names: [String], _ input: String) throws(Failure) {
    do throws(NoSuchColumn) {
      columns = try TableColumns(options, header: names, sample: TableSample())
    } catch {
      throw .noSuchColumn(error.name, names: names, input: input)
    }
    if keepsPlaces { columns = columns.ofNumbers }
    if width > 0 { width = names.count }
    isFirstTable = false
    chooseFastPath()
  }

  /// What a record of one text names as the heading of the rows below it, `Whitelist;;`; nil if it is none. In the column of
  /// labels, `Family` may be that of a row without a number.
  func section(_ window: Span<UInt8>, from start: Int, to end: Int) -> CommonFieldNames.Heading? {
    guard let text = TableHeader.onlyText(window, from: start, to: end, grammar),
      let heading = CommonFieldNames.heading(text)
    else { return nil }
    let isLabel = columns.label == 0 || columns.contacts?.names.contains(0) ?? false
    return isLabel && heading == .others && !CommonFieldNames.isAllowed(text) ? nil : heading
  }

  /// Continues below the heading of a section.
  private mutating func enterSection(_ heading: CommonFieldNames.Heading) {
    isInOthers = heading == .others && !options.ignoresVerdicts
    chooseFastPath()
  }

  /// Whether the next record starts a line, and nothing from there on was examined for an earlier one.
  var isBetweenRecords: Bool { skip == 0 && !isSkipping && base >= examinedEnd }

  /// Continues at the start of a record.
  mutating func resume() {
    skip = 0
    isSkipping = false
    if isInOthers { enterSection(.blocked) }
    hasOtherLineEnds = false
    recovery = TableRecovery()
    examinedEnd = 0
  }

  /// The maximum size of the constants for the fast path, in bytes.
  private static let fixedBytesMax = 4096

  mutating func read(
    _ window: Span<UInt8>, _ isEnd: Bool, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    var at = min(skip, window.count)
    skip -= at
    while at < window.count {
      if isSkipping {
        guard let next = grammar.lineEnd(window, from: at) else {
          at = window.count
          break
        }
        isSkipping = false
        at = next
      }
      if hasFastPath { at = try fastRows(window, from: at, &rows) }
      if at == window.count { break }
      let next = try record(window, at, isEnd, &rows)
      if next < 0 { break }
      at = next
    }
    base += UInt64(at)
    return at
  }

  /// Reads one record of any kind; returns the index after it, or -1 if the window ends inside it.
  mutating func record(
    _ window: Span<UInt8>, _ at: Int, _ isEnd: Bool, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    let recordLimit = recordBytesMax + ParseLimits.lookaheadCapacity
    let limit = min(window.count, at + recordLimit)
    let bytes = window.extracting(0..<limit)
    // A record that fills this space is too long, even if the input ends exactly there: the result must not depend on
    // the windows.
    let isFull = limit - at == recordLimit
    let atEnd = isEnd && limit == window.count && !isFull
    let fieldsMax = width > 0 || keepsPlaces ? Int.max : columns.fieldsMax
    var end = grammar.record(
      bytes, from: at, atEnd: atEnd, mayHaveLines: recovery.mayHaveLines(at: base + UInt64(at)),
      fieldsMax: fieldsMax, into: &fields)
    if noteLineEnds(bytes, at, end, isComplete: isFull || isEnd) { return -1 }
    if quotesMayBeText, let examined = Self.isBroken(end, limit, isComplete: isFull || isEnd) {
      var plain = grammar
      plain.hasQuotes = false
      end = plain.record(
        bytes, from: at, atEnd: atEnd, mayHaveLines: false, fieldsMax: fieldsMax, into: &fields)
      recovery.noteReject(from: base + UInt64(at), examinedTo: base + UInt64(examined))
      examinedEnd = max(examinedEnd, base + UInt64(examined))
    }
    switch end {
    case .whole(let last, let next):
      lastRecord = TableRecord(kind: .blank, end: last, fields: fields.count)
      if grammar.isBlank(window, from: at, to: last) { return next }
      lastRecord.kind = .header
      if isFirstTable, header.isRepeated(window, from: at, to: last) { return next }
      if mayBeHeader(window), let names = header.otherNames(window, from: at, to: last, grammar) {
        try enterTable(names, rows.input)
        return next
      }
      lastRecord.kind = .row
      if last - at > recordBytesMax {
        return try rejectRecord(
          window, at, .recordTooLong(limit: recordBytesMax), examinedTo: next, isEnd, &rows)
      }
      if let heading = section(window, from: at, to: last) {
        enterSection(heading)
        try rows.reject(window, from: at, to: last, .missingNumber)
        return next
      }
      try makeRow(window, at, last, &rows)
      return next
    case .broken(let reason, let place):
      return try rejectRecord(window, at, ParseReject(reason), examinedTo: place, isEnd, &rows)
    case .cut(let inQuotes):
      if !isFull, !isEnd { return -1 }
      return try rejectRecord(
        window, at,
        inQuotes
          ? .openQuote(limit: isFull ? recordBytesMax : nil)
          : .recordTooLong(limit: recordBytesMax), examinedTo: limit, isEnd, &rows)
    }
  }

  /// Notes that the record at `start` has a carriage return that ends a line.
  private mutating func noteLineEnds(
    _ bytes: Span<UInt8>, _ start: Int, _ end: TableRecordEnd, isComplete: Bool
  ) -> Bool {
    guard isText, !hasOtherLineEnds else { return false }
    var limit = bytes.count
    switch end {
    case .whole(_, let next): limit = next
    case .broken(_, at: let place): limit = place
    case .cut: if !isComplete { return false }
    }
    guard LineTerminators.other(bytes, from: start, to: limit, isList: false) != nil else { return false }
    // In a quoted field it is text.
    if case .whole = end, !LineTerminators(bytes.extracting(start..<limit)).haveReturns { return false }
    hasOtherLineEnds = true
    return true
  }

  /// Where a quote that breaks a record was found; nil if none does, or if it may still end.
  private static func isBroken(_ end: TableRecordEnd, _ limit: Int, isComplete: Bool) -> Int? {
    switch end {
    case .broken(_, let place): place
    case .cut(inQuotes: true): isComplete ? limit : nil
    case .whole, .cut: nil
    }
  }

  /// Whether the record's cell in the number column is a word, or missing.
  private func mayBeHeader(_ window: Span<UInt8>) -> Bool {
    guard columns.number >= 0 else { return false }
    guard columns.number < fields.count else { return true }
    let cell = fields[columns.number]
    return cell.start < cell.end && window[cell.start] >= header.letterMin
  }

  /// Rejects the record at `start`, and returns where reading resumes; -1 if that requires a longer window.
  private mutating func rejectRecord(
    _ window: Span<UInt8>, _ start: Int, _ reason: ParseReject, examinedTo end: Int, _ isEnd: Bool,
    _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    let next = grammar.lineEnd(window, from: start)
    // The reject's text must not depend on where the windows end; it may lack a last carriage return.
    if next == nil, !isEnd, window.count - start <= Reject.textBytesMax { return -1 }
    try rows.reject(window, from: start, to: next.map { $0 - 1 } ?? window.count, reason)
    recovery.noteReject(from: base + UInt64(start), examinedTo: base + UInt64(end))
    examinedEnd = max(examinedEnd, base + UInt64(end))
    isSkipping = next == nil
    lastRecord = TableRecord(kind: .broken)
    return next ?? window.count
  }

  // MARK: Rows

  private mutating func makeRow(
    _ window: Span<UInt8>, _ start: Int, _ end: Int, _ rows: inout RowWriter
  ) throws(Failure) {
    if !joinLabel() { return try rows.reject(window, from: start, to: end, .tooManyFields) }
    if isInOthers { return try rows.reject(window, from: start, to: end, .otherList) }
    if isUnblocked(window) { return try rows.reject(window, from: start, to: end, .notBlocked) }
    if let contacts = columns.contacts { return try makeRows(contacts, window, start, end, &rows) }
    row.removeAll()
    let isNeeded = !columns.mayLackFields
    do throws(ParseReject) {
      let prefix = try self.prefix(window)
      try Self.copy(
        try numberColumn(window), columns.numberName, fields, window, isNeeded: true, into: &row.number)
      if columns.areOfCalls {
        let number = CommonFieldNames.partyNumber(row.number)
        if number.count < row.number.count { row.number = ContiguousArray(row.number[number]) }
      }
      if columns.number >= 0, row.number.isEmpty { throw .missingNumber }
      if columns.last >= 0 {
        var last: ContiguousArray<UInt8> = []
        try Self.copy(columns.last, columns.lastName, fields, window, isNeeded: isNeeded, into: &last)
        try prefix.complete(&row.number)
        try prefix.complete(&last)
        row.appendLast(last)
      } else {
        row.prefix = prefix
      }
      try Self.copy(
        columns.label, columns.labelName, fields, window, isNeeded: columns.isLabelChosen, into: &row.label)
      try Self.copy(columns.source, columns.sourceName, fields, window, isNeeded: isNeeded, into: &row.source)
      try Self.copy(columns.score, columns.scoreName, fields, window, isNeeded: isNeeded, into: &row.score)
      try Self.copy(columns.date, columns.dateName, fields, window, isNeeded: isNeeded, into: &row.date)
    } catch {
      return try rows.reject(window, from: start, to: end, error)
    }
    try rows.add(&row, madeOf: window, from: start, to: end)
  }

  /// Whether the record has the fields of the header, and only empty ones more. In a table of a number and its label,
  /// the separators of the label are part of it.
  private mutating func joinLabel() -> Bool {
    guard width > 0, fields.count > width, fields[width...].contains(where: { $0.start < $0.end }) else {
      return true
    }
    guard width == 2, columns.number == 0, columns.label == 1, columns.contacts == nil,
      !fields[1...].contains(where: \.isQuoted)
    else { return false }
    fields[1].end = fields[fields.count - 1].end
    return true
  }

  /// Whether the record's number is not blocked, by one of the columns for this.
  private func isUnblocked(_ window: Span<UInt8>) -> Bool {
    columns.verdicts.contains { verdict in
      let isFilled = verdict.column < fields.count && !Self.isMissing(fields[verdict.column], window)
      return CommonFieldNames.isUnblocked(isFilled ? fields[verdict.column].text(window) : "", verdict.kind)
    }
  }

  /// The column of the number: in a log with both parties of a call, the other party.
  private func numberColumn(_ window: Span<UInt8>) throws(ParseReject) -> Int {
    guard columns.callee >= 0 else { return columns.number }
    var direction: ContiguousArray<UInt8> = []
    var caller: ContiguousArray<UInt8> = []
    try Self.copy(columns.direction, "", fields, window, isNeeded: false, into: &direction)
    try Self.copy(columns.number, "", fields, window, isNeeded: false, into: &caller)
    if columns.haveExtensions, CommonFieldNames.isExtension(caller) {
      var callee: ContiguousArray<UInt8> = []
      try Self.copy(columns.callee, "", fields, window, isNeeded: false, into: &callee)
      if callee.isEmpty || CommonFieldNames.isExtension(callee) { throw .internalCall }
      return columns.callee
    }
    let isOutgoing =
      CommonFieldNames.isOutgoing(String(decoding: direction, as: UTF8.self))
      || !caller.isEmpty && caller == columns.ownLine
    return isOutgoing ? columns.callee : columns.number
  }

  /// What other columns, or the user, declare about the beginning of the record's numbers.
  private func prefix(_ window: Span<UInt8>) throws(ParseReject) -> NumberPrefix {
    var prefix = NumberPrefix()
    if columns.areaCode >= 0 {
      var text: ContiguousArray<UInt8> = []
      try Self.copy(columns.areaCode, "", fields, window, isNeeded: false, into: &text)
      prefix.areaCode = text
    }
    if columns.country >= 0 {
      var text: ContiguousArray<UInt8> = []
      try Self.copy(columns.country, "", fields, window, isNeeded: false, into: &text)
      prefix.country = text
    } else {
      prefix.country = country
    }
    return prefix
  }

  private mutating func makeRows(
    _ contacts: ContactColumns, _ window: Span<UInt8>, _ start: Int, _ end: Int, _ rows: inout RowWriter
  ) throws(Failure) {
    row.removeAll()
    var prefix = NumberPrefix()
    do throws(ParseReject) {
      prefix = try self.prefix(window)
      if contacts.names.isEmpty {
        try Self.copy(
          columns.label, columns.labelName, fields, window, isNeeded: columns.isLabelChosen, into: &row.label)
      } else {
        Self.copyName(contacts, fields, window, into: &row.label)
      }
      try Self.copy(columns.source, columns.sourceName, fields, window, isNeeded: true, into: &row.source)
      try Self.copy(columns.score, columns.scoreName, fields, window, isNeeded: true, into: &row.score)
      try Self.copy(columns.date, columns.dateName, fields, window, isNeeded: true, into: &row.date)
    } catch {
      return try rows.reject(window, from: start, to: end, error)
    }
    var hasNumber = false
    for (index, column) in contacts.numbers.enumerated()
    where column < fields.count && !Self.isMissing(fields[column], window) {
      if !contacts.labels.isEmpty {
        row.label.removeAll(keepingCapacity: true)
        try? Self.copy(contacts.labels[index], "", fields, window, isNeeded: false, into: &row.label)
      }
      cell.removeAll(keepingCapacity: true)
      fields[column].append(window, to: &cell)
      var at = 0
      while at < cell.count {
        let next = cell.span.firstIndex(of: Self.numberSeparator, from: at) ?? cell.count
        if next > at {
          hasNumber = true
          row.number.removeAll(keepingCapacity: true)
          row.number.append(contentsOf: cell[at..<next])
          row.prefix = prefix
          try rows.add(&row, madeOf: window, from: start, to: end)
        }
        at = next + Self.numberSeparator.utf8CodeUnitCount
      }
    }
    if !hasNumber { try rows.reject(window, from: start, to: end, .missingNumber) }
  }

  /// What Google writes between several numbers in one cell.
  private static let numberSeparator: StaticString = " ::: "

  /// Copies the parts of a contact's name with blanks between them, or another name if they are empty.
  private static func copyName(
    _ contacts: ContactColumns, _ fields: [TableField], _ window: Span<UInt8>,
    into text: inout ContiguousArray<UInt8>
  ) {
    func isFilled(_ column: Int) -> Bool {
      column < fields.count && fields[column].end > fields[column].start
        && !isMissing(fields[column], window)
    }
    for column in contacts.names where isFilled(column) {
      if !text.isEmpty { text.append(0x20) }
      fields[column].append(window, to: &text)
    }
    if text.isEmpty, let column = contacts.otherNames.first(where: isFilled) {
      fields[column].append(window, to: &text)
    }
  }

  private static func copy(
    _ column: Int, _ name: String, _ fields: [TableField], _ window: Span<UInt8>, isNeeded: Bool,
    into text: inout ContiguousArray<UInt8>
  ) throws(ParseReject) {
    guard column >= 0 else { return }
    if column < fields.count {
      if !isMissing(fields[column], window) { fields[column].append(window, to: &text) }
    } else if isNeeded {
      throw .missingField(name)
    }
  }
}

extension TableMachine {
  /// Whether a field is `\N`, a missing value in the texts that PostgreSQL and MySQL write.
  private static func isMissing(_ field: TableField, _ window: Span<UInt8>) -> Bool {
    field.end - field.start == 2 && window[field.start] == Byte.backslash
      && window[field.start + 1] == UInt8(ascii: "N")
  }
}

extension ParseReject {
  /// The reject of a record that a quote breaks.
  fileprivate init(_ reason: QuoteReject) {
    self =
      switch reason {
      case .unterminatedQuote: .openQuote(limit: nil)
      case .textAfterQuote: .textAfterQuote
      }
  }
}
