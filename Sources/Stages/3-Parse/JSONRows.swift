// Makes a raw row from a unit's tokens: decodes escapes, checks UTF-8 and limits, writes the record fields.

import Records
import SystemIO

struct JSONField {
  /// Its name or path in objects, as the user wrote it; nil if it has none.
  var name: ContiguousArray<UInt8>?
  /// Its constant text; nil if it has none.
  var constant: ContiguousArray<UInt8>?

  init(_ selector: FieldSelector?) {
    name = selector?.nameBytes
    constant = selector?.constantBytes
  }
}

/// The fields of rows, in memory of their own: they are read in each row, and never copied.
final class JSONFields: Sendable {
  let number: JSONField
  let label: JSONField
  let source: JSONField
  let score: JSONField
  let date: JSONField
  /// The last number of a range.
  let last: JSONField
  /// The calling code or country of the number.
  let country: JSONField
  /// The family name, which follows a given name in the label.
  let familyName: JSONField
  /// The first digits of the number.
  let areaCode: JSONField
  /// In a log of calls with both parties, their fields.
  let parties: JSONCallParties?
  /// What shows which rows have numbers that are not blocked.
  let verdicts: JSONVerdicts
  let paths: JSONPaths
  let rowsAreObjects: Bool
  /// Whether pairs are rows, and no fields were chosen except constants after the label.
  let isPlain: Bool
  /// Whether the value of a pair is the number, and its key the label.
  let numbersAreValues: Bool
  /// Whether source, score or date are read from the input.
  let hasNamedTail: Bool
  /// Whether the beginning of numbers is declared, by the user or a field.
  let hasPrefix: Bool

  init(_ options: ParseOptions, numbersAreValues: Bool, parties: JSONCallParties?, verdicts: JSONVerdicts) {
    self.numbersAreValues = numbersAreValues
    self.parties = parties
    self.verdicts = verdicts
    number = JSONField(options.numberField)
    label = JSONField(options.labelField)
    source = JSONField(options.sourceField)
    score = JSONField(options.scoreField)
    date = JSONField(options.dateField)
    last = JSONField(options.lastField)
    var country = JSONField(options.countryField)
    if country.constant?.isEmpty == true { country.constant = nil }
    self.country = country
    familyName = JSONField(options.familyNameField)
    areaCode = JSONField(options.areaCodeField)
    let found: [ContiguousArray<UInt8>?] = [
      number.name, label.name, source.name, score.name, last.name, country.name, familyName.name,
      areaCode.name, parties.map { ContiguousArray($0.callee.utf8) },
      parties?.direction.map { ContiguousArray($0.utf8) }, date.name,
    ]
    paths = JSONPaths(found + verdicts.fields.map { ContiguousArray(JSONPaths.part($0.field).utf8) })
    rowsAreObjects = options.rowsAreObjects
    isPlain =
      options.numberField == nil && options.labelField == nil && country.constant == nil
      && !options.rowsAreObjects && !numbersAreValues
    hasPrefix = country.constant != nil || country.name != nil || areaCode.name != nil
    hasNamedTail = source.name != nil || score.name != nil || date.name != nil
  }
}

// A machine that is only read is passed by copying it: functions that are called for each row are mutating.
extension JSONMachine {
  /// Makes a row from a unit with a valid structure, or rejects it.
  mutating func makeRow(
    _ unit: JSONUnit, _ bytes: Span<UInt8>, _ at: Int, _ rows: inout RowWriter
  ) throws(Failure) {
    // An object inside a broken one is not rejected because of its missing number.
    if recovery.isResumed, unit.kind == .numberless { return }
    recovery = .none
    context.resumedInside = 0
    if let others = otherNumbers(unit, bytes) {
      try rows.reject(bytes, from: others.lowerBound, to: others.upperBound, .severalNumbers)
    }
    // Texts are copied only if they differ from the bytes in the window.
    var text: ContiguousArray<UInt8> = []
    var recordFields: ContiguousArray<UInt8> = []
    let textRange: Range<Int>?
    let fieldsRange: Range<Int>?
    var prefix = NumberPrefix()
    do throws(ParseReject) {
      if unit.kind == .numberless {
        throw .missingField(String(decoding: fields.number.name ?? [], as: UTF8.self))
      }
      if unit.end - at > recordBytesMax { throw .recordTooLong(limit: recordBytesMax) }
      if context.otherListDepth > 0, context.stack.count >= context.otherListDepth { throw .otherList }
      if isOfOthers(unit, bytes) { throw .otherList }
      if unit.isUnblocked || fields.verdicts.exist, isUnblocked(unit, bytes) { throw .notBlocked }
      if !fields.rowsAreObjects, fields.number.constant == nil,
        Self.isDate(bytes, unit.number.start, unit.number.end)
      {
        throw .date
      }
      let range = try prepareText(unit, bytes, into: &text)
      if fields.hasPrefix { prefix = try self.prefix(bytes) }
      textRange = fields.last.name == nil ? range : try addLast(unit, bytes, &prefix, to: range, &text)
      var date: ContiguousArray<UInt8> = []
      if fields.date.name != nil { try append(seen.date, bytes, of: fields.date, to: &date) }
      guard case .kept(let day) = try rows.dates.verdict(on: date.span) else { return }
      fieldsRange = try prepareFields(unit, bytes, rows, day, into: &recordFields)
    } catch {
      try rows.reject(bytes, from: at, to: unit.end, error)
      return
    }
    var reason: ParseReject?
    if let textRange {
      if let fieldsRange {
        reason = try addEntry(bytes.extracting(textRange), bytes.extracting(fieldsRange), prefix, &rows)
      } else {
        reason = try addEntry(bytes.extracting(textRange), recordFields.span, prefix, &rows)
      }
    } else if let fieldsRange {
      reason = try addEntry(text.span, bytes.extracting(fieldsRange), prefix, &rows)
    } else {
      reason = try addEntry(text.span, recordFields.span, prefix, &rows)
    }
    if let reason { try rows.reject(bytes, from: at, to: unit.end, reason) }
  }

  /// Whether the row's number is not blocked, by a field for this in its object or its details, or by its label.
  private mutating func isUnblocked(_ unit: JSONUnit, _ bytes: Span<UInt8>) -> Bool {
    func isUnblocked(_ value: JSONValue, _ verdict: JSONVerdict) -> Bool {
      (value.kind == .string || value.kind == .scalar) && verdict.isUnblocked(Self.text(bytes, value))
    }
    if fields.rowsAreObjects {
      for (value, verdict) in zip(verdictValues, fields.verdicts.fields) where isUnblocked(value, verdict) {
        return true
      }
      return false
    }
    return unit.isUnblocked || fields.verdicts.labels.map { isUnblocked(unit.label, $0) } ?? false
  }

  /// Whether the key of a number is that of others than the callers, beside theirs: `"owner": "+15550100"`.
  private mutating func isOfOthers(_ unit: JSONUnit, _ bytes: Span<UInt8>) -> Bool {
    guard fields.numbersAreValues, lists.haveOthers, !unit.isElement, unit.label.kind == .string,
      let name = JSONLists.text(bytes, unit.label)
    else { return false }
    return CommonFieldNames.isOfOthers(name) || CommonFieldNames.statesUnblocked(name)
  }

  /// Other numbers of a row, which are not read: those among its details, or one whose field it has again.
  private mutating func otherNumbers(_ unit: JSONUnit, _ bytes: Span<UInt8>) -> Range<Int>? {
    let replaced = seen.replacedNumber
    // Of a path, several fields may be the one: a key with dots, or the parts of the path.
    guard fields.rowsAreObjects, replaced.end > replaced.start,
      fields.number.name?.contains(UInt8(ascii: ".")) == false,
      !bytes.extracting(replaced.start..<replaced.end).equals(
        ContiguousArray(copying: bytes.extracting(unit.number.start..<unit.number.end)))
    else { return unit.others }
    return replaced.start..<replaced.end
  }

  private mutating func addEntry(
    _ text: Span<UInt8>, _ recordFields: Span<UInt8>, _ prefix: NumberPrefix, _ rows: inout RowWriter
  ) throws(Failure) -> ParseReject? {
    fields.number.constant == nil
      ? try rows.addEntry(text, recordFields, prefix) : try rows.addNumber(text, recordFields, prefix)
  }

  /// What the row, or the user, declares about the beginning of its numbers.
  private mutating func prefix(_ bytes: Span<UInt8>) throws(ParseReject) -> NumberPrefix {
    var prefix = NumberPrefix(country: fields.country.constant)
    if fields.country.name != nil {
      var text: ContiguousArray<UInt8> = []
      try append(seen.country, bytes, of: fields.country, to: &text)
      prefix.country = text
    }
    if fields.areaCode.name != nil {
      var text: ContiguousArray<UInt8> = []
      try append(seen.areaCode, bytes, of: fields.areaCode, to: &text)
      prefix.areaCode = text
    }
    return prefix
  }

  /// Whether a key is a date, and not a number. Eight digits alone may be either.
  static func isDate(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard mayBeDate(bytes, start, end), case .date = TableCell(bytes, from: start, to: end) else {
      return false
    }
    return true
  }

  /// Whether a key is a number, and not a date.
  static func isNumberKey(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, digitsMin: Int) -> Bool {
    NumberText.contents(bytes, from: start, to: end).isNumber(digitsMin: digitsMin)
      && !isDate(bytes, start, end)
  }

  /// Whether a text has the separators of a date such as `2024-01-05` or `05.01.2024`.
  @inline(__always)
  static func mayBeDate(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard end - start >= 10 else { return false }
    let (year, day) = (bytes[start + 4], bytes[start + 2])
    return year < 0x30 && year == bytes[start + 7] || day < 0x30 && day == bytes[start + 5]
  }

  /// Prepares the number's text. Returns its range in the window; nil when it was written to `text`.
  private mutating func prepareText(
    _ unit: JSONUnit, _ bytes: Span<UInt8>, into text: inout ContiguousArray<UInt8>
  ) throws(ParseReject) -> Range<Int>? {
    let number = unit.number
    var range: Range<Int>?
    if let constant = fields.number.constant {
      text = constant
    } else if number.kind == .scalar || (number.kind == .string && !number.hasEscape) {
      try checkUTF8(bytes, number)
      range = number.start..<number.end
      if number.kind == .scalar,
        let whole = try JSONNumber.whole(
          bytes, from: number.start, to: number.end, signed: false)
      {
        text = whole
        range = nil
      }
    } else {
      try append(number, bytes, of: fields.number, to: &text)
    }
    if number.kind == .string, fields.number.constant == nil {
      let whole =
        if let range {
          try SpreadsheetNumber.whole(bytes.extracting(range))
        } else {
          try SpreadsheetNumber.whole(text.span)
        }
      if let whole {
        text = whole
        range = nil
      }
    }
    let count = range?.count ?? text.count
    if count > RawRowBatch.textBytesMax {
      throw .numberTooLong(bytes: count, limit: RawRowBatch.textBytesMax)
    }
    if fields.rowsAreObjects || fields.numbersAreValues, fields.number.constant == nil {
      let lacksNumber =
        if let range {
          self.lacksNumber(bytes.extracting(range))
        } else {
          self.lacksNumber(text.span)
        }
      if lacksNumber { throw .missingNumber }
    }
    return range
  }

  /// Whether the number's text is empty; where it is the value of a label, whether it has no digits, such as `n/a`.
  private mutating func lacksNumber(_ text: Span<UInt8>) -> Bool {
    fields.numbersAreValues
      ? NumberText.contents(text, from: 0, to: text.count).digits == 0 : text.skippingSpace() == text.count
  }

  /// Adds the last number of a range to the number, which is in `range` or in `text`, and completes both: then the prefix
  /// is empty. Returns the number's new range.
  private mutating func addLast(
    _ unit: JSONUnit, _ bytes: Span<UInt8>, _ prefix: inout NumberPrefix, to range: Range<Int>?,
    _ text: inout ContiguousArray<UInt8>
  ) throws(ParseReject) -> Range<Int>? {
    guard unit.last.kind != .absent, unit.last.kind != .null else { return range }
    var row = RowFields()
    if let range {
      row.number = ContiguousArray(copying: bytes.extracting(range))
    } else {
      row.number = text
    }
    var last: ContiguousArray<UInt8> = []
    try append(unit.last, bytes, of: fields.last, to: &last)
    let whole =
      if unit.last.kind == .scalar {
        try JSONNumber.whole(bytes, from: unit.last.start, to: unit.last.end, signed: false)
      } else {
        try SpreadsheetNumber.whole(last.span)
      }
    if let whole { last = whole }
    try prefix.complete(&row.number)
    try prefix.complete(&last)
    prefix = NumberPrefix()
    row.appendLast(last)
    if row.number.count > RawRowBatch.textBytesMax {
      throw .numberTooLong(bytes: row.number.count, limit: RawRowBatch.textBytesMax)
    }
    text = row.number
    return nil
  }

  /// Prepares the record fields. Returns their range in the window; nil when they were written to `recordFields`.
  private mutating func prepareFields(
    _ unit: JSONUnit, _ bytes: Span<UInt8>, _ rows: borrowing RowWriter, _ day: CalendarDay?,
    into recordFields: inout ContiguousArray<UInt8>
  ) throws(ParseReject) -> Range<Int>? {
    let label = unit.label
    var range: Range<Int>?
    let isAlone =
      rows.suffix.isEmpty && !fields.hasNamedTail && fields.label.constant == nil
      && fields.familyName.name == nil
    if isAlone, label.kind == .scalar || (label.kind == .string && !label.needsEscape) {
      try checkUTF8(bytes, label)
      range = label.start..<label.end
    } else {
      try appendField(label, bytes, fields.label, escaped: true, to: &recordFields)
      if fields.familyName.name != nil { try appendFamilyName(bytes, to: &recordFields) }
      if fields.hasNamedTail {
        var source: ContiguousArray<UInt8> = []
        try appendField(unit.source, bytes, fields.source, escaped: false, to: &source)
        let score = try scoreText(unit.score, bytes)
        RecordFields.appendTail(
          source: source.span, score: score.span, day: rows.constants.day ?? day, to: &recordFields)
      } else {
        recordFields.append(contentsOf: rows.suffix)
      }
    }
    let count = range?.count ?? recordFields.count
    if count > RecordFields.bytesMax { throw .fieldsTooLong(bytes: count, limit: RecordFields.bytesMax) }
    return range
  }

  private mutating func appendFamilyName(
    _ bytes: Span<UInt8>, to recordFields: inout ContiguousArray<UInt8>
  ) throws(ParseReject) {
    var name: ContiguousArray<UInt8> = []
    try appendField(seen.familyName, bytes, fields.familyName, escaped: true, to: &name)
    if name.isEmpty { return }
    if !recordFields.isEmpty { recordFields.append(0x20) }
    recordFields.append(contentsOf: name)
  }

  private mutating func scoreText(_ value: JSONValue, _ bytes: Span<UInt8>) throws(ParseReject)
    -> ContiguousArray<
      UInt8
    >
  {
    var text: ContiguousArray<UInt8> = []
    try appendField(value, bytes, fields.score, escaped: false, to: &text)
    if value.kind == .scalar, fields.score.constant == nil {
      do throws(ParseReject) {
        if let whole = try JSONNumber.whole(bytes, from: value.start, to: value.end, signed: true) {
          text = whole
        }
      } catch {
        throw .badScore
      }
    }
    return try RowFields.canonicalScore(text)
  }

  private mutating func appendField(
    _ value: JSONValue, _ bytes: Span<UInt8>, _ field: JSONField, escaped: Bool,
    to result: inout ContiguousArray<UInt8>
  ) throws(ParseReject) {
    var text: ContiguousArray<UInt8> = []
    if let constant = field.constant {
      text = constant
    } else {
      try append(value, bytes, of: field, to: &text)
    }
    if escaped {
      RecordFields.appendEscaped(text.span, to: &result)
    } else {
      result.append(contentsOf: text)
    }
  }

  private mutating func append(
    _ value: JSONValue, _ bytes: Span<UInt8>, of field: JSONField, to text: inout ContiguousArray<UInt8>
  ) throws(ParseReject) {
    switch value.kind {
    case .absent, .null:
      break
    case .container:
      throw .unusableField(String(decoding: field.name ?? [], as: UTF8.self))
    case .scalar:
      for index in value.start..<value.end { text.append(bytes[index]) }
    case .string:
      try checkUTF8(bytes, value)
      try JSONToken.decode(bytes, from: value.start, to: value.end, into: &text)
    }
  }

  private mutating func checkUTF8(_ bytes: Span<UInt8>, _ value: JSONValue) throws(ParseReject) {
    // Escapes are ASCII, so the string is UTF-8 if its raw form is.
    if value.hasNonASCII, !UTF8Check.isValid(bytes.extracting(value.start..<value.end)) { throw .invalidUTF8 }
  }
}
