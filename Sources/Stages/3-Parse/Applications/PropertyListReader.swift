// Apple's property lists, in XML or in the binary form: an array of dictionaries, such as the lists of the call blocker
// Begone. Each dictionary in an array is a row. Dictionaries around the array are searched; their entries whose keys are
// numbers are rows, with their texts as labels.
//
// Other lists name the number and the label differently: a dictionary without them is read by the common names.
//
// Begone's dictionaries have `addNational`, `category`, `number` and `title`; `number` and `title` are read. The others
// control what an application does with the entry, not which list it is from: `addNational` requests that the national
// form of the number be added, too, which one number in international form covers here, and `category` is 0 for a
// blocked number and 1 for one that is only identified. `--source category` reads that, too.

import Records
import SystemIO

extension ParseOptions.Format {
  static let plist = Self("plist")
}

extension FormatDescription {
  static let propertyList = FormatDescription(
    format: .plist, what: "a property list, in XML or binary",
    recognised: "an element <plist>, or its first 6 bytes",
    matches: { PropertyListReader.isBinary($0) || XMLStart.root($0) == "plist" },
    makeReader: { PropertyListReader($0) },
    signature: Signature(
      kind: "a binary property list", bytes: PropertyListReader.binaryMark.utf8CodeUnitCount,
      isOnlyForm: false, matches: { PropertyListReader.isBinary($0) }))
}

final class PropertyListReader: FormatReader {
  private let list: PropertyListRows
  private let document: XMLReader
  private let context: StageContext
  /// The reader of a list in the binary form; nil for one in XML.
  private var binary: BinaryPropertyListReader?
  private var isAtStart = true

  init(_ setting: ReaderConfiguration) {
    list = PropertyListRows(setting.options)
    document = XMLReader(setting, list)
    context = setting.context
  }

  func reset() {
    document.reset()
    binary = nil
    isAtStart = true
  }

  func layout(of start: InputStart) -> InputLayout { document.layout(of: start) }

  var endFindings: [InputNotice.Finding] { document.endFindings }

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int {
    if isAtStart {
      if window.count < Self.binaryMark.utf8CodeUnitCount, !isEnd { return 0 }
      isAtStart = false
      if Self.isBinary(window) { binary = try BinaryPropertyListReader(context) }
    }
    if var binary = binary.take() {
      try binary.append(window)
      if isEnd { try read(binary, &rows) } else { self.binary = consume binary }
      return window.count
    }
    return try document.read(window, isEnd: isEnd, into: &rows)
  }

  private func read(_ binary: consuming BinaryPropertyListReader, _ rows: inout RowWriter) throws(Failure) {
    do throws(Failure) {
      try binary.read(into: list, &rows)
    } catch {
      // The rows before an error of the input are valid.
      if error.endsInput { try rows.flush() }
      throw error
    }
  }

  static let binaryMark: StaticString = "BPLIST"

  static func isBinary(_ start: Span<UInt8>) -> Bool { start.startsIgnoringCase(binaryMark) }
}

// Makes rows from a property list's elements: from dictionaries in an array, and, if no field was chosen, from numbers in
// an array, and from entries whose keys are numbers, in a dictionary outside of any array.
//
// In a list without any of these the first text is a reject; an empty list has no text.

final class PropertyListRows: XMLRowHandler {
  enum Element {
    case array
    case dictionary
    case key
    /// A string, a number, a date or any other element with text.
    case text
    /// `<true/>` or `<false/>`.
    case flag(Bool)
    /// The root element.
    case list

    init(_ name: Span<UInt8>) {
      self =
        name.equals("string")
        ? .text
        : name.equals("key")
          ? .key
          : name.equals("dict")
            ? .dictionary
            : name.equals("array")
              ? .array
              : name.equals("true")
                ? .flag(true) : name.equals("false") ? .flag(false) : name.equals("plist") ? .list : .text
    }
  }

  private var hasRoot = false
  private var hasUnknownEntity = false

  let names: NamedFields
  private(set) var chosenFields: ChosenFields
  /// The other common names of the fields that were not chosen.
  private var commonNames: CommonNames
  /// The fields of the first row, for messages.
  private var keys = PropertyListKeys()
  private let recordBytesMax: Int

  /// The arrays and dictionaries around the rows: for each, whether it is an array.
  private var around: [Bool] = []
  /// The number of open elements of the current row, including the row itself; 0 outside rows.
  private var rowDepth = 0
  private var rowPlace = RecordPosition()
  private var fields = RowFields()
  private var seen: FieldSet = []
  /// The fields that are read from the last key.
  private var targetFields: FieldSet = []
  /// Whether the last key is not the format's own name for a field, nor a chosen one.
  private var isCommonName = false
  /// The last key that may show whether the row's number is blocked.
  private var verdictName = ""
  /// Why the row can't be used; nil if it can.
  private var rejectReason: ParseReject?
  /// The number of bytes of the row that are stored.
  private var kept = 0

  /// Whether entries of a dictionary are rows: no field that is read from the list was chosen.
  private let entriesAreRows: Bool
  /// The last key of a dictionary around the rows, if it is a number and its value has not been read yet.
  private var numberKey: ContiguousArray<UInt8>?
  private var numberPlace = RecordPosition()
  /// Whether the current text around the rows is a key.
  private var isKey = false
  /// The last key of a dictionary around the rows that is not a number.
  private var listName: ContiguousArray<UInt8> = []
  /// The number of arrays and dictionaries around the rows of a list of others, by its name; 0 outside of one.
  private var otherDepth = 0
  /// Whether the list has had a row or a reject.
  private var hasFound = false
  private var firstText: ContiguousArray<UInt8>?
  private var firstPlace = RecordPosition()

  /// The text of the current key or value.
  private var text: ContiguousArray<UInt8> = []
  private var isKeeping = false
  private var textPlace = RecordPosition()

  init(_ options: ParseOptions) {
    names = NamedFields(options, number: "number", label: "title")
    commonNames = CommonNames(options)
    chosenFields = ChosenFields(options)
    recordBytesMax = options.recordBytesMax
    entriesAreRows = options.numberField == nil && !options.rowsAreObjects
  }

  /// A key with at least this many digits is a number, as in JSON.
  private static let keyDigitsMin = 3

  func reset() {
    hasRoot = false
    keys = PropertyListKeys()
    chosenFields.reset()
    around.removeAll()
    rowDepth = 0
    numberKey = nil
    listName = []
    otherDepth = 0
    isKey = false
    hasFound = false
    firstText = nil
    rejectReason = nil
    isKeeping = false
    hasUnknownEntity = false
  }

  func complete(_ layout: inout InputLayout, _ options: ParseOptions) { keys.complete(&layout, options) }

  func unknownEntity() { hasUnknownEntity = true }

  func start(
    _ name: Span<UInt8>, _ attributes: borrowing XMLAttributes, at place: () -> RecordPosition,
    into rows: inout RowWriter
  ) throws(Failure) {
    if !hasRoot, !name.equals("plist") {
      throw .otherRoot(name, expected: "plist", at: place(), rows.input)
    }
    hasRoot = true
    try start(Element(name), at: place, &rows)
  }

  func start(
    _ element: Element, at place: () -> RecordPosition, _ rows: inout RowWriter
  ) throws(Failure) {
    text.removeAll(keepingCapacity: true)
    hasUnknownEntity = false
    if rowDepth > 0 {
      startInRow(element)
    } else if case .dictionary = element, around.last == true {
      beginRow(place())
    } else {
      try startAround(element, at: place, &rows)
    }
  }

  private func startAround(
    _ element: Element, at place: () -> RecordPosition, _ rows: inout RowWriter
  ) throws(Failure) {
    isKeeping = false
    isKey = false
    switch element {
    case .array, .dictionary:
      // A number without a label; the content of its value is read nevertheless.
      try rejectKey(.missingValue, &rows)
      let name = around.last == false ? String(decoding: listName, as: UTF8.self) : ""
      listName = []
      if case .array = element { around.append(true) } else { around.append(false) }
      if otherDepth == 0, entriesAreRows, CommonFieldNames.isOfOthers(name) { otherDepth = around.count }
    case .key where around.last == false:
      try rejectKey(.missingValue, &rows)
      isKey = true
      keep(at: place())
    case .text: keep(at: place())
    case .flag(let value):
      text.append(contentsOf: (value ? "true" : "false").utf8)
      try endEntry(&rows)
    case .key, .list: break
    }
  }

  private func keep(at place: RecordPosition) {
    textPlace = place
    isKeeping = true
    kept = 0
    rejectReason = otherDepth > 0 ? .otherList : nil
  }

  private func beginRow(_ place: RecordPosition) {
    rowPlace = place
    rowDepth = 1
    fields.removeAll()
    seen = []
    targetFields = []
    rejectReason = otherDepth > 0 ? .otherList : nil
    kept = 0
    isKeeping = false
  }

  private func startInRow(_ element: Element) {
    isKeeping = false
    if rowDepth == 1 {
      switch element {
      case .key:
        targetFields = []
        isKeeping = true
      case .text:
        isKeeping = !targetFields.isEmpty
      case .flag(let value):
        readWord(value ? "true" : "false")
      case .array, .dictionary, .list:
        if !targetFields.isEmpty, !isCommonName { note(.unusableField(targetFieldName)) }
      }
    }
    rowDepth += 1
  }

  func end(
    _ name: Span<UInt8>, at place: () -> RecordPosition, into rows: inout RowWriter
  ) throws(Failure) {
    try end(Element(name), &rows)
  }

  func end(_ element: Element, _ rows: inout RowWriter) throws(Failure) {
    if rowDepth == 0 { return try endAround(element, &rows) }
    rowDepth -= 1
    if rowDepth == 0 { return try endRow(&rows) }
    guard rowDepth == 1 else { return }
    switch element {
    case .key: readKeyInRow()
    case .text:
      if isKeeping { readText() }
      targetFields = []
    case .array, .dictionary, .list, .flag: targetFields = []
    }
    isKeeping = false
  }

  /// Ends a key of a row. A common name is used unless the field was read before.
  private func readKeyInRow() {
    targetFields = names.fields(named: text.span)
    // A field's own name has precedence, wherever it is.
    isCommonName = targetFields.isEmpty
    let name = text
    chosenFields.note(name.span, readInto: targetFields)
    if isCommonName { targetFields = commonNames.fields(named: text).subtracting(seen) }
    if targetFields.contains(.verdict) { verdictName = String(decoding: text, as: UTF8.self) }
    if keys.isOpen { keys.noteKey(text) }
  }

  private func endAround(_ element: Element, _ rows: inout RowWriter) throws(Failure) {
    switch element {
    case .array, .dictionary:
      try rejectKey(.missingValue, &rows)
      _ = around.popLast()
      if around.count < otherDepth { otherDepth = 0 }
    case .key where isKey: readKey()
    case .text where isKeeping:
      isKeeping = false
      if around.last == true {
        try endElement(&rows)
      } else {
        noteFirst()
        try endEntry(&rows)
      }
    case .list: if let firstText, !hasFound { try reject(firstPlace, .unexpectedText, firstText, &rows) }
    default: break
    }
  }

  /// Ends a key of a dictionary around the rows.
  private func readKey() {
    isKeeping = false
    isKey = false
    noteFirst()
    let contents = NumberText.contents(text.span, from: 0, to: text.count)
    if entriesAreRows, contents.isNumber(digitsMin: Self.keyDigitsMin) {
      numberKey = text
      numberPlace = textPlace
    } else {
      listName = text
    }
  }

  /// Ends a text in an array: a number without a label, unless fields were chosen.
  private func endElement(_ rows: inout RowWriter) throws(Failure) {
    let contents = NumberText.contents(text.span, from: 0, to: text.count)
    guard entriesAreRows, contents.isNumber(digitsMin: Self.keyDigitsMin) else {
      return try reject(textPlace, .unexpectedText, text, &rows)
    }
    hasFound = true
    if hasUnknownEntity { note(.unknownEntity) }
    fields.removeAll()
    fields.number = text
    if let rejectReason { return try rows.reject(fields, at: textPlace, rejectReason) }
    try rows.add(&fields, at: textPlace)
  }

  private func noteFirst() {
    if firstText != nil { return }
    firstText = text
    firstPlace = textPlace
  }

  /// Makes a row from a key that is a number and the text after it.
  private func endEntry(_ rows: inout RowWriter) throws(Failure) {
    guard let number = numberKey.take() else { return }
    if hasUnknownEntity { note(.unknownEntity) }
    hasFound = true
    fields.removeAll()
    fields.number = number
    fields.label = text
    if let rejectReason { return try rows.reject(fields, at: numberPlace, rejectReason) }
    try rows.add(&fields, at: numberPlace)
  }

  private func rejectKey(_ reason: ParseReject, _ rows: inout RowWriter) throws(Failure) {
    if let number = numberKey.take() { try reject(numberPlace, reason, number, &rows) }
  }

  private func reject(
    _ place: RecordPosition, _ reason: ParseReject, _ text: ContiguousArray<UInt8>, _ rows: inout RowWriter
  ) throws(Failure) {
    hasFound = true
    try rows.reject(line: place.line, byte: place.byte, reason, text: text.span)
  }

  /// Stores a part of the current text, if it is needed.
  func text(_ bytes: Span<UInt8>) {
    // A value of the first row.
    if keys.isOpen, rowDepth == 2, !isKeeping || !targetFields.isEmpty { keys.noteValue(bytes) }
    guard isKeeping else { return }
    kept += bytes.count
    if kept > recordBytesMax { return note(.recordTooLong(limit: recordBytesMax)) }
    text.append(copying: bytes)
  }

  private func readWord(_ word: String) {
    if targetFields.contains(.verdict) { noteVerdict(word) }
    if targetFields.isEmpty || isCommonName { return }
    text.append(contentsOf: word.utf8)
    readText()
  }

  private func readText() {
    if targetFields.remove(.verdict) != nil { noteVerdict(String(decoding: text, as: UTF8.self)) }
    if isCommonName {
      // The values of a common name decide whether it is used: a code is not a label.
      let contents = NumberText.contents(text.span, from: 0, to: text.count)
      if contents.letters == 0 { targetFields.remove(.label) }
      if contents.digits < Self.keyDigitsMin { targetFields.remove(.number) }
      if targetFields.isEmpty { return }
    }
    if hasUnknownEntity { note(.unknownEntity) }
    if keys.isOpen { keys.noteUse(targetFields) }
    seen.formUnion(targetFields)
    fields.set(targetFields, text)
  }

  /// Notes whether the row's number is not blocked, by the value of a key that may show it.
  private func noteVerdict(_ text: String) {
    let verdict = CommonFieldNames.verdict(verdictName, of: [text], inAllRows: false)
    if let verdict, CommonFieldNames.isUnblocked(text, verdict) { note(.notBlocked) }
  }

  /// Records why the row can't be used; only the first reason is kept.
  private func note(_ reason: ParseReject) {
    if rejectReason == nil { rejectReason = reason }
  }

  private var targetFieldName: String {
    let name =
      targetFields.contains(.number)
      ? names.number
      : targetFields.contains(.label)
        ? names.label : targetFields.contains(.source) ? names.source : names.score
    return String(decoding: name ?? [], as: UTF8.self)
  }

  private func endRow(_ rows: inout RowWriter) throws(Failure) {
    hasFound = true
    keys.end()
    if rejectReason == nil, names.number != nil, !seen.contains(.number) {
      rejectReason = .missingField(names.numberName)
    }
    if rejectReason == nil, names.number != nil, fields.number.span.skippingSpace() == fields.number.count {
      rejectReason = .missingNumber
    }
    if let rejectReason {
      try rows.reject(fields, at: rowPlace, rejectReason)
    } else {
      try rows.add(&fields, at: rowPlace)
    }
  }
}

// The keys of a property list's first row, for messages and previews.

struct PropertyListKeys {
  /// Whether the row has not ended.
  private(set) var isOpen = true
  /// The keys, in the order of the list.
  private(set) var all: [String] = []
  /// Those whose values contain letters.
  private(set) var texts: [String] = []

  /// The keys that the number and the label were read from; nil for none.
  private(set) var number: String?
  private(set) var label: String?

  /// The maximum size of a key that is listed, in bytes.
  private static let keyBytesMax = 128

  mutating func noteKey(_ key: ContiguousArray<UInt8>) {
    guard all.count < InputLayout.fieldsMax, key.count <= Self.keyBytesMax else { return }
    all.append(String(decoding: key, as: UTF8.self))
  }

  mutating func noteValue(_ value: Span<UInt8>) {
    guard let key = all.last, texts.last != key else { return }
    if NumberText.contents(value, from: 0, to: value.count).letters > 0 { texts.append(key) }
  }

  /// Records that fields were read from the last key.
  mutating func noteUse(_ fields: FieldSet) {
    if fields.contains(.number) { number = all.last }
    if fields.contains(.label) { label = all.last }
  }

  /// Completes a layout whose fields are the format's own and the chosen ones; without a row it has no fields.
  func complete(_ layout: inout InputLayout, _ options: ParseOptions) {
    layout.fields = isOpen ? [] : all
    if options.numberField == nil { layout.number = number }
    guard options.labelField == nil else { return }
    layout.label = label
    if label == nil, options.numberField == nil { layout.possibleLabels = texts.filter { $0 != number } }
  }

  mutating func end() { isOpen = false }
}
