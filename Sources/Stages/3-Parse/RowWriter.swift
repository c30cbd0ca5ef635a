// The output of all formats' readers: rows go into the batch, broken parts into the rejects, each with its position.

import BasicContainers
import Records
import SystemIO

/// Collects rows into batches and passes them on; reports rejects.
struct RowWriter: ~Copyable {
  var batch = RawRowBatch()
  var labels = LabelCache()
  /// The number of rows, valid or not, that were found since the meter was last updated.
  var found = 0
  private var nextOrdinal: UInt64 = 1
  private var scratch: ContiguousArray<UInt8> = []

  private let context: StageContext
  private let downstream: any RawRowSink
  private(set) var input: String

  /// The offset of the window in its input.
  private var windowByte: UInt64 = 0
  /// The number of line feeds before `countedTo`, which is an index into the window.
  private var linesBefore: UInt64 = 0
  private var countedTo = 0

  /// Whether the start of the input is not UTF-8, or a row was rejected because it is not.
  private(set) var hasInvalidText = false
  /// The number of the row that the window consists of, for a format whose rows are not lines of the input; nil otherwise.
  var rowNumber: UInt64?
  /// The records that the window was converted from; empty if it is a part of the input.
  var records: ContiguousArray<ConvertedRecord> = []

  /// The text after each label: a tab, the constant source, a tab, the constant score, a tab, the constant day; or nothing.
  let suffix: ContiguousArray<UInt8>
  /// The fields that are the same for every row.
  let constants: ConstantFields
  private let ignoresVerdicts: Bool
  /// The dates of the input's rows.
  var dates: RowDates

  init(options: ParseOptions, input: String, context: StageContext, downstream: any RawRowSink) {
    self.input = input
    self.context = context
    self.downstream = downstream
    constants = ConstantFields(options)
    ignoresVerdicts = options.ignoresVerdicts
    dates = RowDates(options)
    let source = constants.source ?? []
    let score = constants.score ?? []
    var suffix: ContiguousArray<UInt8> = []
    // The reader adds fields that are read from the input, and the constants with them.
    if ![options.sourceField, options.scoreField, options.dateField].contains(where: { $0?.isName ?? false })
    {
      RecordFields.appendTail(source: source.span, score: score.span, day: constants.day, to: &suffix)
    }
    self.suffix = suffix
  }

  // MARK: Rows

  /// Adds a row whose record fields are already escaped, checked and complete with their suffix.
  mutating func add(_ text: Span<UInt8>, _ recordFields: Span<UInt8>) throws(Failure) {
    if !batch.append(text: text, recordFields: recordFields) {
      try flush()
      // An empty batch has capacity for one row of any allowed size.
      _ = batch.append(text: text, recordFields: recordFields)
    }
    found += 1
  }

  /// Adds a row whose label needs no escapes; adds the suffix, or the constants and a day. Returns false, and adds nothing, if the label is not
  /// UTF-8. Afterwards ``lastFields`` is the index of the record fields.
  mutating func addNew(
    _ text: Span<UInt8>, _ label: Span<UInt8>, _ day: CalendarDay? = nil, isASCII: Bool
  ) throws(Failure) -> Bool {
    guard isASCII || UTF8Check.isValid(label) else { return false }
    if suffix.isEmpty, day == nil {
      try add(text, label)
    } else {
      var recordFields: ContiguousArray<UInt8> = []
      swap(&recordFields, &scratch)
      recordFields.removeAll(keepingCapacity: true)
      for index in 0..<label.count { recordFields.append(label[index]) }
      if let day {
        let (source, score) = (constants.source ?? [], constants.score ?? [])
        RecordFields.appendTail(source: source.span, score: score.span, day: day, to: &recordFields)
      } else {
        recordFields.append(contentsOf: suffix)
      }
      try add(text, recordFields.span)
      swap(&recordFields, &scratch)
    }
    return true
  }

  /// The index of a label's record fields, which are added if they are new; nil when the table is full. The label must
  /// be escaped like record fields, without the suffix.
  @inline(__always)
  static func intern(
    _ label: Span<UInt8>, _ suffix: borrowing ContiguousArray<UInt8>, in fieldsTable: inout RecordFieldsTable
  ) -> Int? {
    suffix.isEmpty ? fieldsTable.intern(label) : intern(label, with: suffix, in: &fieldsTable)
  }

  private static func intern(
    _ label: Span<UInt8>, with suffix: borrowing ContiguousArray<UInt8>,
    in fieldsTable: inout RecordFieldsTable
  ) -> Int? {
    var recordFields: ContiguousArray<UInt8> = []
    recordFields.reserveCapacity(label.count + suffix.count)
    for index in 0..<label.count { recordFields.append(label[index]) }
    for index in suffix.indices { recordFields.append(suffix[index]) }
    return fieldsTable.intern(recordFields.span)
  }

  /// The index of the last row's record fields in the batch.
  var lastFields: Int { Int(batch.fieldsIndices[batch.count - 1]) }

  /// Sends the batch downstream.
  mutating func flush() throws(Failure) {
    guard !batch.isEmpty else { return }
    let count = batch.count
    batch.firstOrdinal = nextOrdinal
    nextOrdinal += UInt64(count)
    try downstream.receive(&batch)
    context.meter.rowsOut.add(count)
    batch.removeAll()
    labels.removeAll(rows: count)
  }

  /// Sends the last batch downstream and ends the stream.
  mutating func finish() throws(Failure) {
    try flush()
    try downstream.finish()
    context.meter.finish()
  }

  // MARK: Rejects and places

  mutating func noteInvalidText() { hasInvalidText = true }

  /// Rejects a part whose bytes are not in the window: `text` represents it, `line` counts from 1 and `byte` from 0.
  mutating func reject(
    line: UInt64, byte: UInt64, _ reason: ParseReject, text: Span<UInt8>
  ) throws(Failure) {
    found += 1
    if reason == .invalidUTF8 { hasInvalidText = true }
    let shown = text.extracting(0..<min(text.count, Reject.textBytesMax))
    try reject(.line(line, byte: byte, input: input), reason, shown)
  }

  /// Rejects a row of a database, which has no bytes in the window; the first row is 1.
  mutating func reject(row: UInt64, _ reason: ParseReject, text: Span<UInt8>) throws(Failure) {
    found += 1
    let shown = text.extracting(0..<min(text.count, Reject.textBytesMax))
    let source = context.origin.source
    let place =
      source.isEmpty ? InputLocation.row(row) : .sourceRow(row, input: input, source: source)
    try reject(place, reason, shown)
  }

  /// The number of rows so far.
  var count: UInt64 { nextOrdinal - 1 + UInt64(batch.count) }

  /// The offset of the window in its input.
  var windowStart: UInt64 { windowByte }

  /// The line in which the window starts. Only before a window is read.
  var windowLine: UInt64 { linesBefore + 1 }

  /// Continues at another place of the input, without the rows that were found before. Lines and rows are counted from 1.
  mutating func enter(atByte byte: UInt64) {
    labels.removeAll(rows: batch.count)
    batch.removeAll()
    (windowByte, linesBefore, nextOrdinal) = (byte, 0, 1)
    (countedTo, found) = (0, 0)
    hasInvalidText = false
  }

  /// Passes on a batch of rows that another writer found after those of this one.
  mutating func pass(_ rows: inout RawRowBatch) throws(Failure) {
    try flush()
    rows.firstOrdinal = nextOrdinal
    nextOrdinal += UInt64(rows.count)
    try downstream.receive(&rows)
    rows.removeAll()
  }

  /// Continues after bytes that another writer has counted.
  mutating func skip(bytes: Int, lines: UInt64) {
    windowByte += UInt64(bytes)
    linesBefore += lines
  }

  /// Rejects the bytes of `window` from `start` to `end`.
  mutating func reject(
    _ window: Span<UInt8>, from start: Int, to end: Int, _ reason: ParseReject
  ) throws(Failure) {
    if let rowNumber {
      return try reject(row: rowNumber, reason, text: window.extracting(start..<end))
    }
    if let place = ConvertedRecord.place(of: start, in: records) {
      return try reject(
        line: place.line, byte: place.byte, reason, text: window.extracting(start..<end))
    }
    found += 1
    if reason == .invalidUTF8 { hasInvalidText = true }
    countLines(window, to: start)
    let place = InputLocation.line(linesBefore + 1, byte: windowByte + UInt64(start), input: input)
    var last = min(end, start + Reject.textBytesMax)
    if last > start, window[last - 1] == 0x0D { last -= 1 }
    try reject(place, reason, window.extracting(start..<max(start, last)))
  }

  private func reject(_ place: InputLocation, _ reason: ParseReject, _ text: Span<UInt8>) throws(Failure) {
    try context.reject(place, reason, text: text)
  }

  /// Ends the window after its first `count` bytes; the next window starts there.
  mutating func advance(_ window: Span<UInt8>, by count: Int) {
    countByDate()
    countLines(window, to: count)
    windowByte += UInt64(count)
    countedTo = 0
    context.meter.rowsIn.add(found)
    found = 0
  }

  /// Starts another input.
  mutating func begin(_ input: String) {
    self.input = input
    rowNumber = nil
    records.removeAll()
    context.origin.rows?.begin(input, at: nextOrdinal + UInt64(batch.count))
    windowByte = 0
    linesBefore = 0
    countedTo = 0
    hasInvalidText = false
  }

  /// Records that the reader counted the line feeds in the bytes from `start` to `end`.
  mutating func countLineFeeds(_ window: Span<UInt8>, from start: Int, to end: Int, lineFeeds: Int) {
    countLines(window, to: start)
    linesBefore += UInt64(lineFeeds)
    countedTo = end
  }

  private mutating func countLines(_ window: Span<UInt8>, to end: Int) {
    guard end > countedTo else { return }
    linesBefore += UInt64(WordScan.lineFeeds(window, from: countedTo, to: end))
    countedTo = end
  }
}

// One row as most formats find it: five fields of plain bytes, which have not been checked or escaped, and without the
// constants of the options. Used by all formats except JSON, which copies fewer bytes.

/// The fields of one row, unescaped and unchecked. A reader reuses one for all rows.
struct RowFields {
  /// The number's text.
  var number: ContiguousArray<UInt8> = []
  /// The label; empty when there is none.
  var label: ContiguousArray<UInt8> = []
  /// The source; empty when there is none.
  var source: ContiguousArray<UInt8> = []
  /// The score's digits; empty when there is none.
  var score: ContiguousArray<UInt8> = []
  /// The date's text; empty when there is none.
  var date: ContiguousArray<UInt8> = []
  /// What other fields declare about the beginning of each number in ``number``.
  var prefix = NumberPrefix()

  /// Adds the last number of a range to the number, as in the text form: `first..last`.
  mutating func appendLast(_ last: ContiguousArray<UInt8>) {
    if last.isEmpty || last == number { return }
    number += "..".utf8
    number += last
  }

  /// Empties the fields and keeps their memory.
  mutating func removeAll() {
    number.removeAll(keepingCapacity: true)
    label.removeAll(keepingCapacity: true)
    source.removeAll(keepingCapacity: true)
    score.removeAll(keepingCapacity: true)
    date.removeAll(keepingCapacity: true)
    prefix = NumberPrefix()
  }
}

/// The fields that are the same for every row.
struct ConstantFields {
  var number: ContiguousArray<UInt8>?
  var label: ContiguousArray<UInt8>?
  var source: ContiguousArray<UInt8>?
  var score: ContiguousArray<UInt8>?
  var day: CalendarDay?

  init(_ options: ParseOptions) {
    number = options.numberField?.constantBytes
    label = options.labelField?.constantBytes
    source = options.sourceField?.constantBytes
    // In its shortest form. A text that is not a score is kept, so that each row is rejected.
    score = options.scoreField?.constantBytes
    if let text = score, let number = Int64(String(decoding: text, as: UTF8.self)) {
      score = ContiguousArray(String(number).utf8)
    }
    day = options.dateField?.constantBytes.flatMap { CalendarDay($0.span) }
  }
}

extension RowFields {
  /// Writes the record fields of a row: its label, source, score and day, escaped, with the constants.
  ///
  /// Throws the reason why the row can't be used. Also checks the number's text, and converts it to a whole number.
  mutating func writeFields(
    _ constants: ConstantFields, _ day: CalendarDay?, to recordFields: inout ContiguousArray<UInt8>
  ) throws(ParseReject) {
    if constants.number == nil { try SpreadsheetNumber.makeWhole(&number) }
    let text = constants.number ?? number
    let label = constants.label ?? label
    let source = constants.source ?? source
    if text.count > RawRowBatch.textBytesMax {
      throw .numberTooLong(bytes: text.count, limit: RawRowBatch.textBytesMax)
    }
    guard UTF8Check.isValid(text.span) else { throw .invalidUTF8 }
    recordFields.removeAll(keepingCapacity: true)
    RecordFields.appendEscaped(label.span, to: &recordFields)
    let score = try Self.canonicalScore(constants.score ?? score)
    RecordFields.appendTail(
      source: source.span, score: score.span, day: constants.day ?? day, to: &recordFields)
    if recordFields.count > RecordFields.bytesMax {
      throw .fieldsTooLong(bytes: recordFields.count, limit: RecordFields.bytesMax)
    }
    guard UTF8Check.isValid(recordFields.span) else { throw .invalidUTF8 }
  }

  /// Returns the shortest form of a 64-bit integer; an empty text stays empty.
  static func canonicalScore(_ text: ContiguousArray<UInt8>) throws(ParseReject) -> ContiguousArray<UInt8> {
    if text.isEmpty { return text }
    guard text.count <= RawRowBatch.textBytesMax, let score = Int64(String(decoding: text, as: UTF8.self))
    else { throw .badScore }
    return ContiguousArray(String(score).utf8)
  }
}

extension RowWriter {
  /// Counts the rows that were left out since the last call, as rows of the stage, too, and those without a date.
  private mutating func countByDate() {
    let rows = dates.uncounted
    dates.uncounted = RowDates.Uncounted()
    found += rows.tooOld + rows.tooNew
    context.meter.leaveOut(rows.tooOld, because: RowDates.tooOld)
    context.meter.leaveOut(rows.tooNew, because: RowDates.tooNew)
    context.meter.undated.add(rows.undated)
  }

  /// Adds a row, unless it is left out; returns why it can't be used, or nil.
  mutating func add(_ fields: inout RowFields) throws(Failure) -> ParseReject? {
    var recordFields: ContiguousArray<UInt8> = []
    do throws(ParseReject) {
      guard case .kept(let day) = try dates.verdict(on: fields.date.span) else { return nil }
      try fields.writeFields(constants, day, to: &recordFields)
    } catch {
      return error
    }
    if let number = constants.number {
      return try addNumber(number.span, recordFields.span, fields.prefix)
    }
    return try addEntry(fields.number.span, recordFields.span, fields.prefix)
  }

  /// Adds a row for each number of a field, completed, without what follows it. Returns why a part of the field is left
  /// out; nil if all of its numbers are rows.
  mutating func addEntry(
    _ text: Span<UInt8>, _ recordFields: Span<UInt8>, _ prefix: NumberPrefix
  ) throws(Failure) -> ParseReject? {
    guard NumberEnd.isPossible(text) else { return try addNumber(text, recordFields, prefix) }
    let entry: NumberEntry?
    if NumberList.intervalEnd(text, from: 0, to: text.count) != nil { return .severalNumbers }
    do throws(ParseReject) {
      entry = try NumberEntry(text, ignoresVerdicts: ignoresVerdicts)
    } catch {
      return error
    }
    guard let entry else { return try addNumber(text, recordFields, prefix) }
    for number in entry.numbers {
      if let reason = try addNumber(text.extracting(number), recordFields, prefix) { return reason }
    }
    return entry.rejectReason
  }

  /// Adds a row with a number, completed; returns why it can't be used, or nil.
  mutating func addNumber(
    _ number: Span<UInt8>, _ recordFields: Span<UInt8>, _ prefix: NumberPrefix
  ) throws(Failure) -> ParseReject? {
    if prefix.isEmpty {
      try add(number, recordFields)
      return nil
    }
    var completed = ContiguousArray(copying: number)
    do throws(ParseReject) {
      try prefix.complete(&completed)
    } catch {
      return error
    }
    try add(completed.span, recordFields)
    return nil
  }

  /// Adds a row made from the bytes of `window` from `start` to `end`, or rejects those bytes.
  mutating func add(
    _ fields: inout RowFields, madeOf window: Span<UInt8>, from start: Int, to end: Int
  ) throws(Failure) {
    if let reason = try add(&fields) { try reject(window, from: start, to: end, reason) }
  }
}

/// The start of a record in its input.
struct RecordPosition: Equatable {
  /// The line; the first is 1.
  var line: UInt64 = 1
  /// The byte offset; the first is 0.
  var byte: UInt64 = 0
}

/// A record of the input that was converted to another format, in which it starts at an index of the window.
struct ConvertedRecord {
  var start: Int
  var place: RecordPosition

  /// The place of the record that contains an index; nil if there are none.
  ///
  /// - Complexity: O(log records).
  static func place(of index: Int, in records: ContiguousArray<ConvertedRecord>) -> RecordPosition? {
    var known = 0..<records.count
    while known.count > 1 {
      let middle = known.lowerBound + known.count / 2
      known = records[middle].start <= index ? middle..<known.upperBound : known.lowerBound..<middle
    }
    return known.first.map { records[$0].place }
  }
}

extension RowWriter {
  /// The place of a byte of the window that is not before those whose places were asked for.
  mutating func place(of index: Int, in window: Span<UInt8>) -> RecordPosition {
    countLines(window, to: index)
    return RecordPosition(line: linesBefore + 1, byte: windowByte + UInt64(index))
  }

  /// Adds a row whose record starts at `place`, or rejects it, with its number as the text.
  mutating func add(_ fields: inout RowFields, at place: RecordPosition) throws(Failure) {
    if let reason = try add(&fields) { try reject(fields, at: place, reason) }
  }

  /// Rejects a record, with its number as the text, or its label if it has no number.
  mutating func reject(
    _ fields: borrowing RowFields, at place: RecordPosition, _ reason: ParseReject
  ) throws(Failure) {
    if fields.number.isEmpty {
      try reject(line: place.line, byte: place.byte, reason, text: fields.label.span)
    } else {
      try reject(line: place.line, byte: place.byte, reason, text: fields.number.span)
    }
  }
}

// A contact or card: each of its numbers is a row, and their label is known only when the contact ends.

struct ContactRows {
  /// A number, by the ends of its text and its kind in ``texts``: the numbers of a contact may be many and short.
  private struct Number {
    var textEnd: Int32
    var kindEnd: Int32
    var place: RecordPosition
  }

  /// The fields of the contact, as opposed to those of a number.
  var fields = RowFields()
  private(set) var rejectReason: ParseReject?
  /// The number of bytes of the input that are stored.
  var kept = 0
  private var numbers: [Number] = []
  /// The texts of the numbers, each before its kind.
  private var texts: ContiguousArray<UInt8> = []
  private var seen: FieldSet = []
  private var place = RecordPosition()

  var hasNumber: Bool { !numbers.isEmpty }

  mutating func begin(at place: RecordPosition) {
    self.place = place
    numbers.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    fields.removeAll()
    seen = []
    rejectReason = nil
    kept = 0
  }

  /// Records why the contact can't be used; only the first reason is kept.
  mutating func reject(_ reason: ParseReject) {
    if rejectReason == nil { rejectReason = reason }
  }

  mutating func add(
    _ number: ContiguousArray<UInt8>, _ kind: ContiguousArray<UInt8> = [], at place: RecordPosition
  ) {
    texts.append(contentsOf: number)
    let textEnd = Int32(texts.count)
    texts.append(contentsOf: kind)
    numbers.append(Number(textEnd: textEnd, kindEnd: Int32(texts.count), place: place))
  }

  /// Sets fields other than the number to a text that is not blank. If there are several, the first one is used.
  mutating func set(_ fields: FieldSet, _ text: borrowing ContiguousArray<UInt8>) {
    let newFields = fields.subtracting(seen).subtracting(.number)
    self.fields.set(newFields, text)
    seen.formUnion(newFields)
  }

  /// Adds the rows, or rejects the contact. The kinds of the numbers are read into fields, too.
  mutating func end(kindsReadInto kindFields: FieldSet = [], _ rows: inout RowWriter) throws(Failure) {
    if let rejectReason {
      if let first = numbers.first { fields.number = ContiguousArray(texts[..<Int(first.textEnd)]) }
      return try rows.reject(fields, at: place, rejectReason)
    }
    var start = 0
    for number in numbers {
      fields.number = ContiguousArray(texts[start..<Int(number.textEnd)])
      fields.set(kindFields, ContiguousArray(texts[Int(number.textEnd)..<Int(number.kindEnd)]))
      try rows.add(&fields, at: number.place)
      start = Int(number.kindEnd)
    }
  }
}
