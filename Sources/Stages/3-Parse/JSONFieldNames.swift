// Decides whether objects are rows if no fields were chosen: they are if the first object has a field with a common
// name for numbers. If a key is itself a number, pairs are rows. If the first object has the fields that `emit` writes,
// all of them are read.

import Records
import SystemIO

struct JSONCommonFields {
  /// The kind of an input's rows, judged by its start.
  enum RowShape {
    /// More bytes are needed to decide.
    case cut
    case pairs
    case objects(JSONCommonFields)
  }

  var number: String
  var label: String?
  /// The family name, if the label is a given name.
  var familyName: String?
  /// The calling code or country of the number.
  var country: String?
  /// The first digits of the number.
  var areaCode: String?
  /// Whether the object has the fields of `emit`, in their order: then the others are read, too.
  var isEmitted = false
  /// In a log of calls with both parties, the fields that tell which one is the number.
  var parties: JSONCallParties?
  var lists = JSONLists()
  /// What shows which objects have numbers that are not blocked.
  var verdicts = JSONVerdicts()

  /// Whether fields must be searched for: no field that is read from the input was chosen.
  static func areNeeded(_ options: ParseOptions) -> Bool {
    options.numberField == nil && !options.rowsAreObjects
  }

  func chosen(_ options: ParseOptions) -> ParseOptions {
    var options = options
    options.numberField = .name(number)
    if isEmitted {
      options.chooseEmitted()
    } else if options.labelField == nil, let label {
      options.labelField = .name(label)
      options.familyNameField = familyName.map { .name($0) }
    }
    if let country, options.countryField == nil { options.countryField = .name(country) }
    options.areaCodeField = areaCode.map { .name($0) }
    return options
  }

  /// An open bracket, and the common names found in it.
  private struct OpenBracket {
    var isObject: Bool
    var number: (name: String, rank: CommonFieldNames.NumberRank)?
    var label: (name: String, rank: CommonFieldNames.LabelRank)?
    var givenName: String?
    var familyName: String?
    var country: String?
    /// A field that may have the first digits of the number, and its text.
    var areaCode: (name: String, text: ContiguousArray<UInt8>)?
    var numberText: ContiguousArray<UInt8> = []
    /// All names, the fields whose values are phone numbers by their length, and those with no text.
    var names: [String] = []
    var figures: [String] = []
    var wordless: [String] = []
    /// The number of the fields of `emit` up to the last one that was found; nil if there are others.
    var emitted: Int? = 0
    /// The name of a list of numbers: with a label, or beside a number that is less clear, the object is a row, though one
    /// that can't be used.
    var numbers: (name: String, rank: CommonFieldNames.NumberRank)?
    /// Short names, which are used if there are no others.
    var shortNumber: String?
    var shortLabel: String?
    /// Whether a value may be a number, and whether the number's field has a text such as `private`.
    var hasNumber = false
    var hasWordNumber = false
    var hasWordCaller = false
    /// The key of the object that is open inside this one, and the path of the first label in such an object.
    var innerKey: String?
    var innerLabel: String?
    /// The paths of the numbers of a call's parties, which are objects: `{"from": {"number": "+15550100"}}`.
    var innerCaller: String?
    var innerCallee: String?
    /// Whether the name of the caller's object is one of those who call: `scammer`, not `from`.
    var isInnerCallerNamed = false
    var hasInnerNumber = false
    /// A phone number in a field with a caller's name and no word for numbers: `{"reported": "2125550143"}`. Alone, it may
    /// be a pair of a label and a number.
    var reported: String?
    /// Whether the object that is open inside this one is about the one who reports, whose number is not that of the row.
    var isInsideOwn: Bool { innerKey.map(CommonFieldNames.isOwnLine) ?? false }
    /// The fields of the objects in a list inside this one, at the smallest depth, and whether their numbers are those of
    /// callers, whatever number this one has.
    private(set) var listed: (fields: JSONCommonFields, depth: Int, areCallers: Bool)?
    /// Whether it is in a list, or an object, with the name of numbers: `{"phones": [{"value": "+15550100"}]}`.
    var isOfNumbers = false

    init(isObject: Bool, in outer: OpenBracket?) {
      self.isObject = isObject
      guard let outer else { return }
      let isInside = !outer.isObject && outer.isOfNumbers
      isOfNumbers = outer.innerKey.map(CommonFieldNames.isNumberList) ?? isInside
    }

    var fields: JSONCommonFields? {
      let hasLabel = label.map { $0.rank != .owner } ?? false
      let call = call
      let list = numbers.flatMap { list in
        let isRow = number.map { list.rank < $0.rank } ?? (hasLabel && CommonFieldNames.isNumber(list.name))
        return isRow ? list.name : nil
      }
      let direct = hasLabel || number != nil || hasInnerNumber ? reported : nil
      let name =
        call?.number ?? list ?? namedCaller ?? (number?.rank == .caller ? number?.name : direct)
        ?? number?.name ?? caller ?? rangeStart ?? shortNumber
      guard let number = name else { return nil }
      var fields = JSONCommonFields(number: number, country: country, isEmitted: emitted ?? 0 > 0)
      fields.parties = call?.parties
      if let areaCode, areaCode.name != number, !numberText.isEmpty,
        NumberPrefix.lacks(areaCode.text, numberText)
      {
        fields.areaCode = areaCode.name
      }
      if let givenName, let familyName, isNamedInParts {
        (fields.label, fields.familyName) = (givenName, familyName)
      } else {
        let isBetter = label.map { $0.rank <= .description } ?? false
        fields.label = (isBetter ? label?.name : nil) ?? innerLabel ?? label?.name ?? shortLabel
      }
      return fields
    }

    /// The fields of the rows: those of this object if it is a row with a number, or of the objects in its list.
    func rows(isRow: Bool) -> JSONCommonFields? {
      guard let listed else { return fields }
      return isRow && !listed.areCallers && hasOwnNumber ? fields : listed.fields
    }

    /// Whether a field of the object itself has its number; names that are also those of counts need a long one.
    private var hasOwnNumber: Bool {
      if reported != nil { return fields != nil }
      guard let number, number.rank < .otherLine else { return false }
      let digits = numberText.count { $0 &- 0x30 < 10 }
      return digits >= (number.rank <= .phone ? digitsMin : longDigitsMin)
    }

    /// Notes the fields of an object in a list inside this one.
    mutating func noteListed(_ fields: JSONCommonFields, depth: Int, areCallers: Bool) {
      let areCallers =
        areCallers || CommonFieldNames.numberRank(fields.number) == .caller && number?.rank != .caller
      if let listed, listed.depth <= depth, listed.areCallers || !areCallers { return }
      listed = (fields, depth, areCallers)
    }

    var isUndecided: Bool { hasWordNumber || hasWordCaller && CommonFieldNames.areOfCalls(names) }

    /// In a log of calls, the field of the other party, or of the one who calls if both are there.
    private var call: (number: String, parties: JSONCallParties?)? {
      guard CommonFieldNames.areOfCalls(names) else { return nil }
      let direction = names.first(where: CommonFieldNames.isDirection)
      if let innerCaller, let innerCallee {
        return (innerCaller, JSONCallParties(callee: innerCallee, direction: direction))
      }
      let numbers = figures.filter { !CommonFieldNames.isOwnLine($0) }
      // A party may be unknown in the first call.
      let all = numbers + wordless
      guard
        let number = numbers.first(where: CommonFieldNames.isCaller) ?? number?.name
          ?? all.first(where: CommonFieldNames.isCaller)
      else { return nil }
      guard CommonFieldNames.isCaller(number),
        let callee = all.first(where: { $0 != number && CommonFieldNames.isCallee($0) })
      else { return (number, nil) }
      return (number, JSONCallParties(callee: callee, direction: direction))
    }

    /// The number in an object with the name of a caller, unless the object around it has a caller, too.
    private var namedCaller: String? {
      guard isInnerCallerNamed, number.map({ $0.rank > .caller }) ?? true else { return nil }
      return innerCaller
    }

    /// The one who calls, beside the one who is called.
    private var caller: String? {
      if innerCallee != nil, let innerCaller { return innerCaller }
      let numbers = figures.filter { !CommonFieldNames.isOwnLine($0) }
      guard numbers.contains(where: CommonFieldNames.isCallee) else { return nil }
      return numbers.first(where: CommonFieldNames.isCaller)
    }

    /// The first number of a range, if there is a last one, too: their names are never labels.
    private var rangeStart: String? {
      guard figures.contains(where: CommonFieldNames.isLast) else { return nil }
      return figures.first { CommonFieldNames.isFirst($0) }
    }

    /// Whether there is no other name than a given and a family name.
    private var isNamedInParts: Bool {
      guard let label else { return true }
      return label.rank > .name || label.name == givenName || label.name == familyName
    }

    /// Compares the next field with those of `emit`: the number is the first, labels, sources and days are strings, the
    /// others are integers.
    mutating func compareWithEmitted(_ name: String, isString: Bool, isInteger: Bool) {
      guard let count = emitted else { return }
      emitted = EmittedFields.inJSON.firstIndex(of: name).flatMap { index in
        let isText = ["label", "source", "day"].contains(name)
        guard isText ? isString : isInteger, index >= count, count > 0 || index == 0 else { return nil }
        return index + 1
      }
    }

    /// Adds what was found in an object inside this one.
    mutating func add(_ inner: OpenBracket) {
      guard let key = innerKey.take() else { return }
      if let fields = inner.fields {
        addParty(key, fields)
        return
      }
      guard innerLabel == nil, !CommonFieldNames.isOwnLine(key),
        let label = inner.label.flatMap({ $0.rank == .owner ? nil : JSONPaths.part($0.name) })
          ?? inner.innerLabel
      else { return }
      innerLabel = JSONPaths.part(key) + "." + label
    }

    /// Adds the number in an object inside this one, if it is that of a party.
    private mutating func addParty(_ key: String, _ fields: JSONCommonFields) {
      let step = JSONPaths.part(key) + "."
      hasInnerNumber = true
      if CommonFieldNames.isCallee(key) { innerCallee = step + fields.number }
      let isNamed = CommonFieldNames.mentionsCaller(key) && !CommonFieldNames.isOwnLine(key)
      guard isNamed || CommonFieldNames.isCaller(key) else { return }
      innerCaller = step + fields.number
      isInnerCallerNamed = isNamed
      if isNamed, let label = fields.label { innerLabel = step + label }
    }
  }

  /// The maximum size of a key that is examined, in bytes; common names are shorter.
  private static let keyBytesMax = 64
  /// A key with at least this many digits is a number.
  private static let digitsMin = 3
  /// A value with at least this many digits is a number.
  private static let valueDigitsMin = 5
  /// A number with at least this many digits is a phone number, not a count.
  private static let longDigitsMin = 7

  /// Examines the window up to the end of the first object that is not inside another object.
  ///
  /// The result depends only on the input's first `bytesMax` bytes (at most ``ParseLimits/startBytesMax``), not on the
  /// window.
  ///
  /// - Complexity: O(bytes).
  static func examine(_ window: Span<UInt8>, isEnd: Bool, bytesMax: Int) -> RowShape {
    let limit = min(bytesMax, ParseLimits.startBytesMax)
    let isWhole = isEnd || window.count >= limit
    let bytes = window.extracting(first: limit)
    var open: [OpenBracket] = []
    var found: JSONCommonFields?
    func end() -> RowShape {
      if !isWhole { return .cut }
      let cut = open.indices.lazy.compactMap { open[$0].rows(isRow: $0 > 0) }.first
      guard let found = cut ?? found else { return .pairs }
      return shape(found, bytes, isIn: open.first, isWhole: isWhole)
    }
    func pairs() -> RowShape { open.contains { $0.listed != nil } ? end() : .pairs }
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if open.count >= ParseLimits.wrapperDepthMax { return pairs() }
        open.append(OpenBracket(isObject: byte == UInt8(ascii: "{"), in: open.last))
      case UInt8(ascii: "]"): _ = open.popLast()
      case UInt8(ascii: "}"):
        guard let closed = open.popLast() else { continue }
        let isFollowed = bytes.skippingSpace(from: index) < bytes.count
        let isDocument = open.isEmpty && closed.listed != nil && !isFollowed
        if add(closed, isRow: !open.isEmpty || isFollowed, to: &open, &found) { continue }
        if let found { return shape(found, bytes, isIn: isDocument ? closed : open.first, isWhole: isWhole) }
        // Without a number, or with a text in its place, the object decides nothing.
        if closed.hasNumber, !closed.isUndecided { return .pairs }
      case UInt8(ascii: "\""):
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != Byte.lineFeed {
          index += bytes[index] == Byte.backslash ? 2 : 1
        }
        let keyEnd = index
        index = bytes.skippingSpace(from: index + 1)
        guard index < bytes.count else { return end() }
        guard bytes[keyEnd] == UInt8(ascii: "\""), bytes[index] == UInt8(ascii: ":") else { continue }
        index = bytes.skippingSpace(from: index + 1)
        if JSONMachine.isNumberKey(bytes, start, keyEnd, digitsMin: digitsMin) { return pairs() }
        guard index < bytes.count else { return end() }
        let next: Int
        (index, next) = JSONTypedValue.bounds(bytes, index)
        defer { index = next }
        guard let value = value(bytes, index) else { return end() }
        if let last = open.indices.last, hasDigits(bytes, index) { open[last].hasNumber = true }
        if keyEnd - start <= keyBytesMax {
          note(
            bytes, start..<keyEnd, value, at: index, isNumber: isNumber(bytes, index),
            isString: bytes[index] == UInt8(ascii: "\""), isInteger: isInteger(bytes, index), &open)
        } else if let last = open.indices.last {
          open[last].emitted = nil
        }
      default: break
      }
    }
    return end()
  }

  /// Adds an object to those around it. Returns false if it decides what the rows are: it is in no other object.
  private static func add(
    _ closed: OpenBracket, isRow: Bool, to open: inout [OpenBracket], _ found: inout JSONCommonFields?
  ) -> Bool {
    if open.last?.isInsideOwn != true { found = closed.rows(isRow: isRow) ?? found }
    if let last = open.indices.last { open[last].add(closed) }
    if open.last?.isObject == true { return true }
    guard open.contains(where: \.isObject) else { return false }
    // An object in a list that is a value of another one, which may be the row.
    if let fields = found.take() { noteListed(fields, of: closed, in: &open) }
    return open.contains { $0.number != nil || $0.listed != nil }
  }

  /// Notes the fields of an object in a list in all objects around it.
  private static func noteListed(
    _ fields: JSONCommonFields, of object: OpenBracket, in open: inout [OpenBracket]
  ) {
    let areCallers =
      CommonFieldNames.areOfCalls(object.names)
      || open.contains { $0.innerKey.map(CommonFieldNames.mentionsCaller) ?? false }
    for index in open.indices where open[index].isObject {
      open[index].noteListed(fields, depth: open.count, areCallers: areCallers)
    }
  }

  /// The shape of rows that are objects, which may be in an outer one. The first rows show the own line of a call log, and
  /// which fields are about blocked numbers.
  private static func shape(
    _ found: JSONCommonFields, _ bytes: Span<UInt8>, isIn outer: OpenBracket?, isWhole: Bool
  ) -> RowShape {
    if !isWhole { return .cut }
    let isInObject = outer?.isObject ?? false
    var found = found
    found.verdicts = JSONVerdicts(bytes, number: found.number)
    if isInObject { found.lists = JSONLists(bytes, of: found.number) }
    if found.parties != nil {
      let ownLine = JSONMachine.ownLine(bytes, found)
      found.parties?.ownLine = ownLine
    }
    return .objects(found)
  }

  private enum ValueKind { case object, list, word, other }

  /// The kind of the value that begins at `start`; nil if the window ends inside it.
  private static func value(_ bytes: Span<UInt8>, _ start: Int) -> ValueKind? {
    switch bytes[start] {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["):
      let first = bytes.skippingSpace(from: start + 1)
      guard first < bytes.count else { return nil }
      // Objects in a list may be rows, and so may nested lists.
      return bytes[first] == UInt8(ascii: "\"") || bytes[first] &- 0x30 < 10 ? .list : .object
    case UInt8(ascii: "\""): break
    default: return .other
    }
    var isEmpty = true
    var index = start + 1
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") || byte == Byte.lineFeed { return isEmpty ? .other : .word }
      // Digits of other scripts are not distinguished from letters here.
      if byte &- 0x30 < 10 || byte >= 0x80 { return .other }
      if byte > 0x20 { isEmpty = false }
      index += byte == Byte.backslash ? 2 : 1
    }
    return nil
  }

  /// Whether the value that begins at `start` is a number or a string with enough digits for a phone number.
  private static func isNumber(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
    let isString = bytes[start] == UInt8(ascii: "\"")
    let first = isString ? start + 1 : start
    var end = first
    while end < bytes.count, NumberText.isCharacter(bytes[end]) { end += 1 }
    if isString, end < bytes.count, bytes[end] != UInt8(ascii: "\"") { return false }
    return NumberText.contents(bytes, from: first, to: end).isNumber(digitsMin: valueDigitsMin)
  }

  /// Whether the value that begins at `start` begins with the digits of a number, or a plus sign.
  private static func hasDigits(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
    guard bytes[start] == UInt8(ascii: "\""), start + 1 < bytes.count else { return isInteger(bytes, start) }
    if bytes[start + 1] == UInt8(ascii: "+") { return true }
    return bytes.skippingDigits(from: start + 1, to: bytes.count) - start > digitsMin
  }

  /// Whether the value that begins at `start` is an integer.
  private static func isInteger(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
    let first = bytes[start] == UInt8(ascii: "-") ? start + 1 : start
    let end = bytes.skippingDigits(from: first, to: bytes.count)
    guard end > first, end < bytes.count else { return false }
    return bytes[end] <= 0x20 || bytes[end] == UInt8(ascii: ",") || bytes[end] == UInt8(ascii: "}")
  }

  /// Stores a key that is a common name, with the object that contains it.
  private static func note(
    _ bytes: Span<UInt8>, _ key: Range<Int>, _ value: ValueKind, at start: Int, isNumber: Bool,
    isString: Bool,
    isInteger: Bool, _ open: inout [OpenBracket]
  ) {
    guard let last = open.indices.last, open[last].isObject else { return }
    guard let text = JSONToken.text(bytes, from: key.lowerBound, to: key.upperBound) else { return }
    let name = String(decoding: text, as: UTF8.self)
    open[last].compareWithEmitted(name, isString: isString, isInteger: isInteger)
    open[last].names.append(name)
    if value == .object {
      open[last].innerKey = name
      return
    }
    let plain = CommonFieldNames.plain(name)
    if value == .other {
      if isLong(bytes, start) { open[last].figures.append(name) } else { open[last].wordless.append(name) }
    } else if value == .word, CommonFieldNames.isCaller(name) {
      open[last].hasWordCaller = true
    }
    noteAreaCode(bytes, name, value, at: start, &open[last])
    if value == .other, open[last].reported == nil, isNamedCaller(bytes, start, name) {
      open[last].reported = name
      return
    }
    let isValue = open[last].isOfNumbers && isNumber && ["value", "national"].contains(plain)
    if value == .list, open[last].numbers == nil, let rank = CommonFieldNames.listRank(name) {
      open[last].numbers = (name, rank)
    } else if value != .list,
      let rank = CommonFieldNames.rankBesideOthers(name)
        ?? (isValue ? .pattern : nil)
    {
      // `{"number": "label"}` may be the heading of a list of pairs.
      if value == .word {
        open[last].hasWordNumber = true
        return
      }
      if rank == .pattern, isOfCells(valueText(bytes, start)) { return }
      if open[last].number.map({ rank < $0.rank }) ?? true {
        open[last].number = (name, rank)
        open[last].numberText = valueText(bytes, start)
      }
    } else if value != .list, CommonFieldNames.isCallingCode(name) || isCountry(bytes, start, name) {
      if open[last].country == nil { open[last].country = name }
    } else if value != .list, !"tf".utf8.contains(bytes[start]), let rank = CommonFieldNames.labelRank(name) {
      if ContactColumns.givenNames.contains(plain), open[last].givenName == nil {
        open[last].givenName = name
      } else if ContactColumns.familyNames.contains(plain), open[last].familyName == nil {
        open[last].familyName = name
      }
      if open[last].label.map({ rank < $0.rank }) ?? true { open[last].label = (name, rank) }
    } else if open[last].shortNumber == nil, isNumber, CommonFieldNames.shortNumber.contains(plain) {
      open[last].shortNumber = name
    } else if open[last].shortLabel == nil, value != .list, CommonFieldNames.shortLabel.contains(plain) {
      open[last].shortLabel = name
    }
  }
}

extension JSONCommonFields {
  private static func noteAreaCode(
    _ bytes: Span<UInt8>, _ name: String, _ value: ValueKind, at start: Int, _ object: inout OpenBracket
  ) {
    guard object.areaCode == nil, value != .list, value != .object,
      CommonFieldNames.isAreaCode(name, inRanges: true)
    else { return }
    let text = valueText(bytes, start)
    // Short names are those of area codes if the value has a trunk prefix.
    let hasTrunk = text.first == UInt8(ascii: "0") && NumberPrefix.areaCode(text.span) != nil
    guard hasTrunk || CommonFieldNames.isAreaCode(name, inRanges: false) else { return }
    object.areaCode = (name, text)
  }

  /// Whether a field has a caller's name without a word for numbers, and a phone number: `{"reported": "2125550143"}`.
  private static func isNamedCaller(_ bytes: Span<UInt8>, _ start: Int, _ name: String)
    -> Bool
  {
    CommonFieldNames.numberRank(name) == nil && CommonFieldNames.mentionsCaller(name)
      && !CommonFieldNames.isOwnLine(name)
      && !CommonFieldNames.isOtherFigure(name) && isLong(bytes, start)
  }

  /// Whether a text names cells of a spreadsheet: `A1:B3`.
  private static func isOfCells(_ text: ContiguousArray<UInt8>) -> Bool {
    text.contains(UInt8(ascii: ":")) && text.first.map { ($0 | 0x20) &- 0x61 < 26 } ?? false
  }

  /// Whether a field has the name and the value of a country.
  private static func isCountry(_ bytes: Span<UInt8>, _ start: Int, _ name: String) -> Bool {
    guard CommonFieldNames.isCountry(name) else { return false }
    return NumberPrefix.callingCode(String(decoding: valueText(bytes, start), as: UTF8.self)) != nil
  }

  /// Whether a value is a phone number by its length.
  private static func isLong(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
    let text = valueText(bytes, start)
    return TableCell(text.span, from: 0, to: text.count).rank.map { $0 >= .long } ?? false
  }

  /// The bytes of the value that begins at `start`, up to a sign that ends numbers and strings.
  private static func valueText(_ bytes: Span<UInt8>, _ start: Int) -> ContiguousArray<UInt8> {
    let first = bytes[start] == UInt8(ascii: "\"") ? start + 1 : start
    var end = first
    while end < bytes.count, !"\",}\n".utf8.contains(bytes[end]) { end += 1 }
    return ContiguousArray(copying: bytes.extracting(first..<end))
  }
}

// Lists the fields of the first row in JSON whose rows are objects, with the paths of nested fields: `contact.phone`.
// For previews and warnings.

struct JSONFieldNames {
  /// The paths of the fields with plain values, in the order of the input; empty if keys are numbers.
  var all: [String] = []
  /// Those whose values contain letters.
  var texts: [String] = []
  /// Those of the object itself whose values are numbers, or texts that begin with one; empty if it is a single object, which may be the head of a
  /// list.
  private(set) var numbers: [String] = []
  /// Those whose values look like phone numbers, also several, with how likely they are, and the digits of the first one.
  var phones: [(path: String, rank: TableNumberRank, digits: [UInt8])] = []
  /// The paths of the arrays with several elements.
  private(set) var longArrays: [String] = []

  /// The maximum size of a listed key, in bytes; real keys are shorter.
  private static let keyBytesMax = 128
  /// Keys with at least this many digits are numbers: the rows are pairs.
  private static let digitsMin = 3
  /// Values with at least this many digits are numbers.
  private static let valueDigitsMin = 5

  private struct OpenBracket {
    var isObject: Bool
    /// The last key that was read, and the fields with values.
    var key: String?
    var fields = JSONFieldNames()
    /// The number of elements of an array that were read.
    var elements = 0
  }

  private init() {}

  /// Lists the fields in the first object of an array, or in the first object that is not inside another one.
  ///
  /// - Complexity: O(bytes).
  init(_ bytes: Span<UInt8>) { self = Self.list(bytes) }

  private static func list(_ bytes: Span<UInt8>) -> JSONFieldNames {
    var open: [OpenBracket] = []
    // The fields in the first object of a list, if the objects are not on lines of their own.
    var listed: JSONFieldNames?
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if open.count >= ParseLimits.wrapperDepthMax { return listed ?? JSONFieldNames() }
        open.append(OpenBracket(isObject: byte == UInt8(ascii: "{")))
        index += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard var closed = open.popLast() else { return listed ?? JSONFieldNames() }
        index += 1
        if closed.isObject, isRow(open) {
          let areLines = open.isEmpty && isObject(bytes, at: index)
          if open.isEmpty, !areLines { closed.fields.numbers = [] }
          if open.first?.isObject != true { return areLines ? closed.fields : listed ?? closed.fields }
          listed = listed ?? closed.fields
        }
        addInner(closed, &open)
      case UInt8(ascii: "\""):
        let start = index + 1
        index = stringEnd(bytes, from: start)
        let next = bytes.skippingSpace(from: index + 1)
        if next < bytes.count, bytes[next] == UInt8(ascii: ":"), open.last?.isObject == true {
          if JSONMachine.isNumberKey(bytes, start, min(index, bytes.count), digitsMin: digitsMin) {
            return listed ?? JSONFieldNames()
          }
          open[open.count - 1].key = key(bytes, start, index)
          index = next + 1
        } else {
          addScalar(bytes, start..<min(index, bytes.count), isString: true, &open)
          index += 1
        }
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "a")...UInt8(ascii: "z"):
        let start = index
        while index < bytes.count, !isEnd(bytes[index]) { index += 1 }
        addScalar(bytes, start..<index, isString: false, &open)
      default: index += 1
      }
    }
    // The first row is longer than the start of the input.
    return listed ?? open.last { $0.isObject }?.fields ?? JSONFieldNames()
  }

  /// Whether the next value is an object: the objects are on lines of their own.
  private static func isObject(_ bytes: Span<UInt8>, at index: Int) -> Bool {
    let next = bytes.skippingSpace(from: index)
    return next < bytes.count && bytes[next] == UInt8(ascii: "{")
  }

  /// Whether an object inside these brackets is a row: not a value of another object, nor of an object in an array.
  private static func isRow(_ around: [OpenBracket]) -> Bool {
    guard let last = around.last else { return true }
    if last.isObject { return false }
    let outer = around.dropLast()
    guard let holder = outer.last, holder.isObject else { return true }
    return !outer.dropLast().contains { !$0.isObject }
  }

  /// The position of the numbers in arrays of an array, the only one with phone numbers; nil if there is none, or if the arrays
  /// are pairs of a number and its label.
  ///
  /// - Complexity: O(bytes).
  static func numberPosition(_ bytes: Span<UInt8>) -> Int? {
    var open: [(isArray: Bool, elements: Int)] = []
    var positions: Set<Int> = []
    var width = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case JSONMachine.object, JSONMachine.array:
        if let last = open.indices.last {
          // An element that is not a text or a number is not a cell of a table.
          if last > 0, open[last].isArray, open[last - 1].isArray { return nil }
          open[last].elements += 1
        }
        open.append((byte == JSONMachine.array, 0))
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
      case UInt8(ascii: "\""), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "a")...UInt8(ascii: "z"):
        let isString = byte == UInt8(ascii: "\"")
        let start = isString ? index : index - 1
        if isString { index = stringEnd(bytes, from: start) }
        while !isString, index < bytes.count, !isEnd(bytes[index]) { index += 1 }
        let end = min(index, bytes.count)
        index += isString ? 1 : 0
        guard let last = open.indices.last else { continue }
        open[last].elements += 1
        guard last > 0, open[last].isArray, open[last - 1].isArray else { continue }
        width = max(width, open[last].elements)
        if let rank = TableCell(bytes, from: start, to: end).rank, rank >= .long {
          positions.insert(open[last].elements)
        }
      default: break
      }
    }
    guard positions.count == 1, let position = positions.first else { return nil }
    return position > 1 || width > 2 ? position : nil
  }

  private static func addInner(_ bracket: OpenBracket, _ open: inout [OpenBracket]) {
    guard let last = open.indices.last, let step = pathStep(&open[last]) else { return }
    let inner = bracket.fields
    let isTyped = bracket.isObject && inner.all.count == 1 && JSONTypedValue.isTag(inner.all[0])
    func path(_ name: String) -> String { isTyped ? step : step + "." + name }
    if !bracket.isObject, bracket.elements > 1 { open[last].fields.longArrays.append(step) }
    open[last].fields.longArrays += inner.longArrays.map { step + "." + $0 }
    open[last].fields.phones += inner.phones.map { (path($0.path), $0.rank, $0.digits) }
    for name in inner.all where open[last].fields.all.count < InputLayout.fieldsMax {
      open[last].fields.all.append(path(name))
      if inner.texts.contains(name) { open[last].fields.texts.append(path(name)) }
    }
  }

  private static func addScalar(
    _ bytes: Span<UInt8>, _ value: Range<Int>, isString: Bool, _ open: inout [OpenBracket]
  ) {
    let contents = NumberText.contents(bytes, from: value.lowerBound, to: value.upperBound)
    guard let last = open.indices.last, let step = pathStep(&open[last]),
      open[last].fields.all.count < InputLayout.fieldsMax
    else { return }
    open[last].fields.all.append(step)
    // `true` and `null` are not texts.
    if isString, contents.letters > 0 { open[last].fields.texts.append(step) }
    if let (rank, number) = phone(bytes, value) {
      open[last].fields.phones.append((step, rank, number.map { bytes[$0] }.filter { $0 &- 0x30 < 10 }))
    }
    if contents.isNumber(digitsMin: valueDigitsMin)
      || isString && JSONMachine.isEntry(bytes.extracting(value))
    {
      open[last].fields.numbers.append(step)
    }
  }

  /// The phone number that a value is, or the first of several; nil if there is none.
  private static func phone(_ bytes: Span<UInt8>, _ value: Range<Int>) -> (TableNumberRank, Range<Int>)? {
    if case .number(let rank) = TableCell(bytes, from: value.lowerBound, to: value.upperBound) {
      return (rank, value)
    }
    guard let numbers = (try? NumberEntry(bytes.extracting(value)))?.numbers, numbers.count > 1 else {
      return nil
    }
    let first = value.lowerBound + numbers[0].lowerBound..<value.lowerBound + numbers[0].upperBound
    guard case .number(let rank) = TableCell(bytes, from: first.lowerBound, to: first.upperBound) else {
      return nil
    }
    return (rank, first)
  }

  /// The step of a path to the current value of a bracket: a key, or a position; nil if it is not listed.
  private static func pathStep(_ bracket: inout OpenBracket) -> String? {
    if bracket.isObject { return bracket.key.take() }
    bracket.elements += 1
    return bracket.elements == 1 ? "1" : nil
  }

  private static func stringEnd(_ bytes: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == Byte.backslash ? 2 : 1
    }
    return index
  }

  private static func isEnd(_ byte: UInt8) -> Bool {
    byte.isASCIISpace || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
  }

  /// The text of a key as a part of a path; nil if it is too long or invalid.
  private static func key(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> String? {
    guard end <= bytes.count, end > start, end - start <= keyBytesMax,
      let text = JSONToken.text(bytes, from: start, to: end)
    else { return nil }
    let part = JSONPaths.part(String(decoding: text, as: UTF8.self))
    // A selector that starts with this sign is a constant.
    return part.hasPrefix("=") ? nil : part
  }
}

// MARK: - JSONLayout
// The layout of JSON: its fields, which of them are read, and which are not though they may belong to the rows.

extension JSONFieldNames {
  /// The layout of an input with these fields. `options` contains the fields that rows are read from; `isNumberChosen`:
  /// the user chose the number's field.
  func layout(_ options: ParseOptions, isNumberChosen: Bool) -> InputLayout {
    guard options.rowsAreObjects else { return layoutOfPairs(options) }
    guard !isNumberChosen, let number = options.numberField?.text else {
      var layout = InputLayout(all, options)
      layout.unread = unreadElements(options)
      return layout
    }
    var names = self
    let (outer, outerNumbers) = names.enterRows(of: number)
    var layout = InputLayout(names.all, options)
    if layout.label == nil { layout.possibleLabels = names.texts.filter { $0 != layout.number } }
    // A type describes the number, and a carrier is not the one who calls.
    let isNamedOutside = outer.contains { CommonFieldNames.labelRank($0) == .name }
    let hasLabel =
      layout.label.map {
        let rank = CommonFieldNames.labelRank($0)
        return rank != .kind && !(rank == .owner && isNamedOutside)
      } ?? false
    if let label = layout.label, let familyName = options.familyNameField?.text {
      layout.labels = [label, familyName]
    }
    if !hasLabel, !outer.isEmpty { layout.unread.append(.outer(outer)) }
    if !outerNumbers.isEmpty { layout.unread.append(.numbers(outerNumbers)) }
    names.addUnreadNumbers(to: &layout)
    return layout
  }

  private func layoutOfPairs(_ options: ParseOptions) -> InputLayout {
    var layout = InputLayout(all, options)
    layout.rowsArePairs = true
    layout.possibleNumbers = numbers.filter(Self.mayBeNumber)
    layout.hasOnlyOtherNumbers = layout.possibleNumbers.isEmpty && !numbers.isEmpty
    // `{"spam": ["+15550100"], "fraud": {"numbers": ["+15550101"]}}`
    let keys = phones.compactMap { phone -> String? in
      guard phone.path.hasSuffix(".1") else { return nil }
      let steps = phone.path.dropLast(2).split(separator: ".")
      let isNamed = steps.count == 1 || steps.count == 2 && CommonFieldNames.isNumberList(String(steps[1]))
      return isNamed ? steps.first.map(String.init) : nil
    }
    if keys.count > 1, options.labelField == nil { layout.unread.append(.keys(keys)) }
    return layout
  }

  /// Whether a field may have the numbers of a list: by its name, they are not those of its author, of another party, or times.
  private static func mayBeNumber(_ name: String) -> Bool {
    !CommonFieldNames.isOwnLine(name) && !CommonFieldNames.isUserLine(name)
      && (name.utf8.count == 1 || !CommonFieldNames.isCallee(name))
      && !CommonFieldNames.namesAuthor(name) && !CommonFieldNames.isOtherFigure(name)
      && !CommonFieldNames.mentionsTime(name)
  }

  /// If the objects that are rows are inside an array of an outer object, leaves only their fields, with paths that
  /// start in them. Returns the outer fields with text, and those with phone numbers of others than the author, which are
  /// read from no row.
  private mutating func enterRows(of number: String) -> (texts: [String], numbers: [String]) {
    guard !all.contains(number), let path = all.first(where: { $0.hasSuffix("." + number) }) else {
      return ([], [])
    }
    let prefix = String(path.dropLast(number.count))
    guard ("." + prefix).contains(".1.") else { return ([], []) }
    let outer = texts.filter { !$0.hasPrefix(prefix) }
    let numbers = phones.filter { phone in
      !phone.path.hasPrefix(prefix) && phone.rank >= .long && !CommonFieldNames.isOwnLine(phone.path)
        && !CommonFieldNames.isOtherFigure(phone.path) && !CommonFieldNames.mentionsTime(phone.path)
    }.map(\.path)
    func inside(_ path: String) -> String? {
      path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
    }
    all = all.compactMap(inside)
    texts = texts.compactMap(inside)
    phones = phones.compactMap { phone in inside(phone.path).map { ($0, phone.rank, phone.digits) } }
    return (outer, numbers)
  }

  /// The elements that are not read if the number is at a chosen position of an array with several ones.
  private func unreadElements(_ options: ParseOptions) -> [UnreadFields] {
    guard case .name(let number)? = options.numberField else { return [] }
    return longArrays.compactMap { array in
      guard number.hasPrefix(array + ".") else { return nil }
      let steps = number.dropFirst(array.count + 1).split(separator: ".", maxSplits: 1)
      guard let position = steps.first, position.allSatisfy(\.isNumber) else { return nil }
      return .elements(of: array, rest: steps.count > 1 ? String(steps[1]) : "")
    }
  }

  /// Adds the numbers that are not read: the last ones of ranges, and other phone numbers.
  private func addUnreadNumbers(to layout: inout InputLayout) {
    if CommonFieldNames.areOfCalls(all) { return }
    let used = [layout.number, layout.last, layout.label, layout.source, layout.score].compactMap(\.self)
    let first = phones.first { $0.path == layout.number }?.digits
    var lasts: [String] = []
    var others: [String] = []
    for phone in phones where !used.contains(phone.path) {
      // The number itself, in an inner object.
      if let number = layout.number,
        !all.contains(number) && phone.path.hasSuffix("." + number) || phone.path == number + ".1"
      {
        continue
      }
      // The first element of a list: `mobile.1`.
      let path = phone.path.hasSuffix(".1") ? phone.path.dropLast(2) : phone.path[...]
      let name = path.split(separator: ".").last.map(String.init) ?? phone.path
      if CommonFieldNames.isOwnLine(name) { continue }
      // A time has other digits than the first number.
      let isOfRange = first.map { $0.count == phone.digits.count && $0.prefix(2) == phone.digits.prefix(2) }
      // Without a name for numbers, one with as many digits as the first number, or with a leading zero.
      let isLong = phone.digits.first == UInt8(ascii: "0") || phone.digits.count == first?.count
      let isSame =
        first?.reversed().starts(with: phone.digits.drop { $0 == UInt8(ascii: "0") }.reversed()) ?? false
      let isOther =
        isLong && !isSame && phone.rank >= .long && !CommonFieldNames.isOtherFigure(name)
        && !CommonFieldNames.mentionsTime(name)
      let isLast = CommonFieldNames.isLast(name)
      if isLast, phone.rank >= .long, isOfRange ?? true {
        lasts.append(phone.path)
      } else if phone.rank == .international || !isLast && CommonFieldNames.isNumberList(name)
        || isOther
      {
        others.append(phone.path)
      }
    }
    if !lasts.isEmpty { layout.unread.append(.lastNumbers(lasts)) }
    if !others.isEmpty { layout.unread.append(.numbers(others)) }
    if let field = all.first(where: CommonFieldNames.isExtension) { layout.unread.append(.extensions(field)) }
  }
}
