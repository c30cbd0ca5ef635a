// A unit if objects are rows: a whole object with the chosen fields; other fields of any kind are skipped. An array is
// a row, too, if the number was chosen by its position.
//
// An object without the number's field is a reject, with three exceptions. If it contains objects, it is a wrapper
// (`{"status": "ok", "data": [ … ]}`), and its contents are searched for rows. If it is not in an array and contains an
// empty array or object, it is a response with no results. If it is broken, truncated, or longer than a record may be,
// and its number was not found so far, it is a wrapper if it contains any array or object: the rows before and after
// the broken one are valid. The bytes of a wrapper are read once more for each wrapper around them.
//
// An array is a wrapper if the value at its number's position is an array or object; an empty one contains no row.
//
// If several fields have the same name, the last one is used, as in most readers of JSON; another number before it is a
// reject. A field whose name is the whole path takes precedence over one that is found part by part.

import Records

/// What was found so far of the row that is being read.
struct JSONSeen {
  var hasNumber = false
  /// Whether it contains an object or array.
  var hasInside = false
  /// Whether it contains something that may be a row.
  var hasRowInside = false
  /// Whether it contains an empty object or array.
  var hasEmptyInside = false
  /// The index of the path's part with which each field's value was found; `Int8.max` if it was not found.
  var foundAt = SIMD16<Int8>(repeating: .max)
  /// The calling code or country, and the family name after the label.
  var country = JSONValue()
  var familyName = JSONValue()
  /// The first digits of the number.
  var areaCode = JSONValue()
  /// The parties of a call, and its direction.
  var caller = JSONValue()
  var callee = JSONValue()
  var direction = JSONValue()
  var date = JSONValue()
  /// A number whose field the object has again.
  var replacedNumber = JSONValue()
  /// Whether the array is a list: at the position of a row's number, it has an array or object.
  var isList = false
  /// The number of open containers around the current position, including the row itself.
  var depth = 0
}

extension JSONMachine {
  /// Reads the object that starts at `at`.
  mutating func object(_ bytes: Span<UInt8>, _ at: Int) throws(JSONUnitError) -> JSONUnit {
    var unit = JSONUnit(kind: .row)
    beginRow()
    seen.hasNumber = fields.number.name == nil
    tokenStart = at
    unit.end = try members(bytes, at, fields.paths.all, &unit)
    chooseParty(bytes, &unit)
    if seen.hasNumber, !(seen.hasRowInside && mayHoldRows) {
      // Beside the list, `{"account": {"phone": …}, "calls": [ … ]}`.
      if mayHoldRows, !context.stack.isEmpty, context.otherListDepth == 0 { unit.kind = .outside }
      return unit
    }
    let isAnswer = seen.hasEmptyInside && context.stack.last != Self.array
    if seen.hasRowInside || isAnswer, context.stack.count < ParseLimits.wrapperDepthMax {
      return JSONUnit(end: at + 1, opened: Self.object)
    }
    unit.kind = .numberless
    return unit
  }

  private mutating func beginRow() {
    seen = JSONSeen()
    for index in verdictValues.indices { verdictValues[index] = JSONValue() }
  }

  /// Reads the array that starts at `at`, if arrays may be rows.
  mutating func array(_ bytes: Span<UInt8>, _ at: Int) throws(JSONUnitError) -> JSONUnit {
    var unit = JSONUnit(kind: .row)
    beginRow()
    tokenStart = at
    unit.end = try elements(bytes, at, fields.paths.all, &unit)
    let isList =
      seen.isList || (seen.hasInside && !seen.hasNumber && context.stack.count < ParseLimits.wrapperDepthMax)
    if isList { return JSONUnit(end: at + 1, opened: Self.array) }
    if !seen.hasNumber { unit.kind = isEmpty(bytes, at, unit.end) ? .structure : .numberless }
    return unit
  }

  /// Whether the object at the current position holds the list of rows, though it has a number, too.
  private var mayHoldRows: Bool { lists.haveRows && !context.stack.contains(Self.array) }

  private func isEmpty(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    bytes.skippingSpace(from: start + 1) >= end - 1
  }

  /// Whether an object that can't be read as one row is a wrapper. Then its bracket is left open.
  mutating func isWrapper(_ bytes: Span<UInt8>, _ at: Int, _ reason: ParseReject?) -> Bool {
    guard fields.rowsAreObjects, seen.hasInside, !seen.hasNumber || mayHoldRows,
      bytes[at] == Self.object || (bytes[at] == Self.array && fields.paths.rowsMayBeArrays),
      context.stack.count < ParseLimits.wrapperDepthMax
    else { return false }
    if case .tooDeep = reason { return false }
    context.stack.append(bytes[at])
    return true
  }

  // MARK: Containers

  /// Reads the members of the object at `start`, and returns the index after it.
  private mutating func members(
    _ bytes: Span<UInt8>, _ start: Int, _ search: JSONFieldParts, _ unit: inout JSONUnit
  ) throws(JSONUnitError) -> Int {
    try enter()
    var index = start + 1
    var isSeparated = true
    while true {
      guard index < bytes.count else { throw .cut }
      let byte = bytes[index]
      if byte == UInt8(ascii: ",") || byte.isASCIISpace {
        // A line end separates members like a comma.
        if byte == UInt8(ascii: ",") || byte == 0x0A { isSeparated = true }
        index += 1
        continue
      }
      if byte == UInt8(ascii: "}") { break }
      guard byte == UInt8(ascii: "\""), isSeparated else { throw .broken(rejectReason(forUnexpected: byte)) }
      tokenStart = index
      let key = try JSONToken.string(bytes, from: index + 1)
      let colon = try JSONToken.skipSpace(bytes, from: key.next)
      guard bytes[colon] == UInt8(ascii: ":") else { throw .broken(.missingColon) }
      let valueStart = try JSONToken.skipSpace(bytes, from: colon + 1)
      index = try value(bytes, valueStart, match(bytes, key, search), &unit)
      isSeparated = false
    }
    seen.depth -= 1
    return index + 1
  }

  /// Reads the elements of the array at `start`, and returns the index after it.
  private mutating func elements(
    _ bytes: Span<UInt8>, _ start: Int, _ search: JSONFieldParts, _ unit: inout JSONUnit
  ) throws(JSONUnitError) -> Int {
    try enter()
    var index = start + 1
    var isSeparated = true
    var position = 1
    while true {
      guard index < bytes.count else { throw .cut }
      let byte = bytes[index]
      if byte == UInt8(ascii: ",") || byte.isASCIISpace {
        if byte == UInt8(ascii: ",") || byte == 0x0A { isSeparated = true }
        index += 1
        continue
      }
      if byte == UInt8(ascii: "]") { break }
      guard isSeparated, byte != UInt8(ascii: "}") else { throw .broken(rejectReason(forUnexpected: byte)) }
      if seen.depth == 1, position == fields.paths.numberPosition, byte == Self.object || byte == Self.array {
        // Continuing would mean reading all of it twice: the content may be as long as the input.
        seen.isList = true
        return index
      }
      if seen.depth == 1, byte == Self.array, seen.hasNumber, try looksLikeRow(bytes, index) {
        // The next row starts here: this one lacks its bracket.
        tokenStart = index - 1
        throw .broken(.missingBrace)
      }
      index = try value(bytes, index, fields.paths.match(position: position, search), &unit)
      position += 1
      isSeparated = false
    }
    seen.depth -= 1
    return index + 1
  }

  /// Whether an array inside a row has, at the position of a row's number, a number with too many digits for a count or
  /// date.
  private func looksLikeRow(_ bytes: Span<UInt8>, _ start: Int) throws(JSONUnitError) -> Bool {
    var index = start + 1
    var position = 1
    while fields.paths.numberPosition > 0 {
      guard index < bytes.count else { throw .cut }
      let byte = bytes[index]
      if byte == UInt8(ascii: ",") || byte.isASCIISpace {
        index += 1
        continue
      }
      let value: JSONValue
      if byte == UInt8(ascii: "\"") {
        value = try JSONToken.string(bytes, from: index + 1)
      } else if byte &- 0x30 < 10 || byte == UInt8(ascii: "-") || byte | 0x20 &- 0x61 < 26 {
        value = try JSONToken.scalar(bytes, from: index, atEnd: false)
      } else {
        return false
      }
      if position == fields.paths.numberPosition {
        var digits = 0
        for at in value.start..<value.end where bytes[at] &- 0x30 < 10 { digits += 1 }
        return digits >= Self.rowDigitsMin
      }
      position += 1
      index = value.next
    }
    return false
  }
  /// The minimum number of digits for that: a phone number has more digits than a count, a date or a postcode.
  private static let rowDigitsMin = 9

  private mutating func enter() throws(JSONUnitError) {
    if context.stack.count + seen.depth >= ParseLimits.depthMax {
      throw .broken(.tooDeep(limit: ParseLimits.depthMax))
    }
    seen.depth += 1
  }

  private func rejectReason(forUnexpected byte: UInt8) -> ParseReject {
    switch byte {
    case Self.object, Self.array, UInt8(ascii: "]"), UInt8(ascii: "}"): .missingBrace
    default: .unexpectedText
    }
  }

  @inline(__always)
  private mutating func match(_ bytes: Span<UInt8>, _ key: JSONValue, _ search: JSONFieldParts) -> JSONMatch {
    if !key.hasEscape {
      if !fields.paths.mayMatch(length: key.end - key.start) { return JSONMatch() }
      return fields.paths.match(bytes, from: key.start, to: key.end, search)
    }
    guard let text = JSONToken.text(bytes, from: key.start, to: key.end) else { return JSONMatch() }
    return fields.paths.match(text.span, from: 0, to: text.count, search)
  }

  // MARK: Values

  /// Reads the value at `start`, stores it for the fields that it belongs to, and returns the index after it.
  private mutating func value(
    _ bytes: Span<UInt8>, _ start: Int, _ match: JSONMatch, _ unit: inout JSONUnit
  ) throws(JSONUnitError) -> Int {
    let continuesInside = !match.inside.isEmpty
    if continuesInside { discard(match.inside, &unit) }
    if !match.hits.isEmpty, !continuesInside, let typed = JSONTypedValue.value(bytes, start) {
      keep(typed.value, match.hits, &unit)
      return typed.next
    }
    let value: JSONValue
    switch bytes[start] {
    case UInt8(ascii: "\""):
      tokenStart = start
      value = try JSONToken.string(bytes, from: start + 1)
    case Self.object:
      seen.hasInside = true
      let end = continuesInside ? try members(bytes, start, match.inside, &unit) : try container(bytes, start)
      noteInside(bytes, start, end)
      value = JSONValue(kind: .container, start: start, end: end)
    case Self.array:
      seen.hasInside = true
      let end =
        continuesInside ? try elements(bytes, start, match.inside, &unit) : try container(bytes, start)
      noteInside(bytes, start, end)
      value = JSONValue(kind: .container, start: start, end: end)
    default:
      tokenStart = start
      value = try JSONToken.scalar(bytes, from: start, atEnd: false)
    }
    if !match.hits.isEmpty { keep(value, match.hits, &unit) }
    return value.next
  }

  private mutating func noteInside(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
    if isEmpty(bytes, start, end) {
      seen.hasEmptyInside = true
    } else if bytes[start] == Self.object || fields.paths.rowsMayBeArrays {
      seen.hasRowInside = true
    }
  }

  private mutating func keep(_ value: JSONValue, _ hits: JSONFieldParts, _ unit: inout JSONUnit) {
    for field in fields.paths.fields where hits[field] >= 0 && hits[field] <= seen.foundAt[field] {
      seen.foundAt[field] = hits[field]
      set(value, field, &unit)
    }
  }

  /// Discards what was found before on the same path.
  private mutating func discard(_ inside: JSONFieldParts, _ unit: inout JSONUnit) {
    for field in fields.paths.fields where inside[field] >= 0 && inside[field] <= seen.foundAt[field] {
      seen.foundAt[field] = .max
      set(JSONValue(), field, &unit)
    }
  }

  private mutating func set(_ value: JSONValue, _ field: Int, _ unit: inout JSONUnit) {
    switch field {
    case 0:
      if unit.number.kind == .string || unit.number.kind == .scalar, value.kind != .absent {
        seen.replacedNumber = unit.number
      }
      unit.number = value
      seen.hasNumber = value.kind != .null && value.kind != .absent
    case 1: unit.label = value
    case 2: unit.source = value
    case 3: unit.score = value
    case 4: unit.last = value
    case 5: seen.country = value
    case 6: seen.familyName = value
    case 7: seen.areaCode = value
    case 8: seen.callee = value
    case 9: seen.direction = value
    case 10: seen.date = value
    default: verdictValues[field - JSONPaths.firstVerdict] = value
    }
  }

  private mutating func container(_ bytes: Span<UInt8>, _ start: Int) throws(JSONUnitError) -> Int {
    inside.removeAll(keepingCapacity: true)
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\""):
        tokenStart = index
        index = try JSONToken.string(bytes, from: index + 1).next
        continue
      case Self.object, Self.array:
        if context.stack.count + seen.depth + inside.count >= ParseLimits.depthMax {
          throw .broken(.tooDeep(limit: ParseLimits.depthMax))
        }
        if byte == Self.object, index > start { seen.hasRowInside = true }
        inside.append(byte)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        // In ASCII, `}` and `]` come two after `{` and `[`.
        guard inside.popLast() == byte - 2 else { throw .broken(.missingBrace) }
        if inside.isEmpty { return index + 1 }
      default:
        break
      }
      index += 1
    }
    throw .cut
  }

  // MARK: Between rows

  /// Reads what is between the rows of a wrapper: a member of it, or a string in an array.
  mutating func member(_ bytes: Span<UInt8>, _ at: Int, atEnd: Bool) throws(JSONUnitError) -> JSONUnit {
    tokenStart = at
    if context.stack.isEmpty, !isStrict { throw .broken(.unexpectedText) }
    let key = try JSONToken.string(bytes, from: at + 1)
    guard isInObject else { return JSONUnit(kind: betweenRows(bytes, key), end: key.next) }
    let colon = try JSONToken.skipSpace(bytes, from: key.next)
    guard bytes[colon] == UInt8(ascii: ":") else { throw .broken(.missingColon) }
    let start = try JSONToken.skipSpace(bytes, from: colon + 1)
    switch bytes[start] {
    case UInt8(ascii: "\""):
      let value = try JSONToken.string(bytes, from: start + 1)
      let isNumber = bytes[value.start] == UInt8(ascii: "+") && betweenRows(bytes, value) == .outside
      return JSONUnit(kind: isNumber ? .outside : betweenRows(bytes, key), end: value.next)
    case Self.object, Self.array:
      context.isAfterColon = true
      noteList(bytes, key, depth: context.stack.count)
      return JSONUnit(kind: betweenRows(bytes, key), end: start)
    default:
      let value = try JSONToken.scalar(bytes, from: start, atEnd: atEnd)
      return JSONUnit(kind: betweenRows(bytes, key), end: value.end)
    }
  }

  /// Notes whether the numbers in a list are those that are not blocked, by its name. `depth` is the minimum number of
  /// brackets around its rows.
  mutating func noteList(_ bytes: Span<UInt8>, _ name: JSONValue, depth: Int) {
    guard lists.haveOthers, context.otherListDepth == 0 || depth <= context.otherListDepth else { return }
    context.otherListDepth = JSONLists.isOfOthers(bytes, name) ? depth : 0
  }

  /// The kind of a value or a key between the rows: a number there is not lost silently. An integer may be an identifier
  /// or a time.
  func betweenRows(_ bytes: Span<UInt8>, _ value: JSONValue) -> JSONUnit.UnitKind {
    guard reportsNumbers, looksLikeNumber(bytes, value),
      let rank = TableCell(bytes, from: value.start, to: value.end).rank, rank >= .long
    else { return .structure }
    let isCertain = value.kind == .string || value.end - value.start >= Self.rowIntegerDigitsMin
    return isCertain ? .outside : .structure
  }
  private static let rowIntegerDigitsMin = 10
}

// MARK: - JSONPath
// The paths of the fields in a row: `phone`, `contact.phone`, `phones.1`, `2`.
//
// The parts of a path are separated by dots. In an object a part is a key; in an array a part that is a number is a
// position, and the first is 1, as columns are counted everywhere in `parse`. A key may contain dots: at every level,
// the rest of the path is tried as one key before its first part is, so `a.b` finds {"a.b": …} before {"a": {"b": …}}.
// `\.` is a dot inside a key, `\\` a backslash.

/// The fields that are searched for in a container, and the part of its path with which each one continues.
struct JSONFieldParts {
  /// For number, label, source, score, last number, country, family name, area code, callee, direction, date and verdicts: the
  /// index of the part, or -1.
  private(set) var parts = SIMD16<Int8>(repeating: -1)
  /// Whether no field is searched for.
  private(set) var isEmpty = true

  subscript(field: Int) -> Int8 {
    get { parts[field] }
    set {
      parts[field] = newValue
      if newValue >= 0 { isEmpty = false }
    }
  }
}

/// The fields that a key or a position matches.
struct JSONMatch {
  var hits = JSONFieldParts()
  var inside = JSONFieldParts()
}

/// The paths of the fields, stored for fast comparison.
struct JSONPaths {
  private static let fieldsMax = firstVerdict + JSONVerdicts.fieldsMax
  /// The index of the first field that shows whether the number is blocked.
  static let firstVerdict = 11
  /// The maximum number of parts. Each is a nested call; rows are three or four levels deep. The rest of a longer path
  /// is one key.
  static let partsMax = 32
  /// The maximum number of digits of a position: no record has more elements.
  static let positionDigitsMax = 9

  /// One part: its key, and the rest of the path from there on as one key, as ranges in ``bytes``.
  private struct PathPart {
    var keyStart: Int
    var keyEnd: Int
    var restStart: Int
    var restEnd: Int
    /// The position in an array, from 1; 0 if the part is not a position.
    var position: Int
    var isLast: Bool
  }

  /// The fields that have a path.
  private(set) var fields: ContiguousArray<Int> = []
  private var bytes: ContiguousArray<UInt8> = []
  private var parts: ContiguousArray<PathPart> = []
  /// The index of each field's first part.
  private var starts = SIMD16<Int>()
  /// All fields that have a path, each at its first part.
  private(set) var all = JSONFieldParts()
  /// Whether the number's path starts with a position, so that an array can be a row.
  private(set) var rowsMayBeArrays = false
  /// The number's position in an array that is a row; 0 when it is deeper, or not in an array.
  private(set) var numberPosition = 0
  /// One bit for the length of each key that is searched for: most other keys of a row differ in their length. The last
  /// bit is for all longer keys.
  private var lengths: UInt64 = 0

  /// Parses the paths as the user wrote them, in the order number, label, source, score, last number, country, family
  /// name, area code, callee, direction, date, verdicts.
  init(_ paths: [ContiguousArray<UInt8>?]) {
    for (field, path) in paths.prefix(Self.fieldsMax).enumerated() {
      guard let path else { continue }
      fields.append(field)
      starts[field] = parts.count
      all[field] = 0
      add(Self.keys(path))
      let first = parts[starts[field]]
      if field == 0, first.position > 0 {
        rowsMayBeArrays = true
        if first.isLast { numberPosition = first.position }
      }
    }
  }

  private mutating func add(_ keys: [ContiguousArray<UInt8>]) {
    // The keys with dots between them: the rest of the path is then the text from a key on.
    var ranges: [Range<Int>] = []
    for key in keys {
      if !ranges.isEmpty { bytes.append(UInt8(ascii: ".")) }
      ranges.append(bytes.count..<bytes.count + key.count)
      bytes.append(contentsOf: key)
    }
    for (index, range) in ranges.enumerated() {
      parts.append(
        PathPart(
          keyStart: range.lowerBound, keyEnd: range.upperBound, restStart: range.lowerBound,
          restEnd: bytes.count, position: Self.position(keys[index]), isLast: index == ranges.count - 1))
      lengths |= Self.lengthBit(range.count) | Self.lengthBit(bytes.count - range.lowerBound)
    }
  }

  static func keys(_ path: ContiguousArray<UInt8>) -> [ContiguousArray<UInt8>] {
    var keys: [ContiguousArray<UInt8>] = [[]]
    var index = 0
    while index < path.count {
      let byte = path[index]
      index += 1
      if byte == UInt8(ascii: "\\"), index < path.count,
        path[index] == UInt8(ascii: ".") || path[index] == UInt8(ascii: "\\")
      {
        keys[keys.count - 1].append(path[index])
        index += 1
      } else if byte == UInt8(ascii: "."), keys.count < partsMax {
        keys.append([])
      } else {
        keys[keys.count - 1].append(byte)
      }
    }
    return keys
  }

  /// A key as a part of a path, as the user writes it.
  static func part(_ key: String) -> String {
    var part = ""
    for scalar in key.unicodeScalars {
      if scalar == "." || scalar == "\\" { part.append("\\") }
      part.unicodeScalars.append(scalar)
    }
    return part
  }

  /// The position that a part stands for; 0 if it is not one.
  private static func position(_ key: ContiguousArray<UInt8>) -> Int {
    guard !key.isEmpty, key.count <= positionDigitsMax, key[0] != UInt8(ascii: "0") else { return 0 }
    var position = 0
    for byte in key {
      guard byte &- 0x30 < 10 else { return 0 }
      position = position * 10 + Int(byte &- 0x30)
    }
    return position
  }

  private static func lengthBit(_ length: Int) -> UInt64 { 1 << UInt64(min(length, 63)) }

  @inline(__always)
  func mayMatch(length: Int) -> Bool { lengths & Self.lengthBit(length) != 0 }

  /// Matches the key from `start` to `end`, with its escapes decoded, against the fields that are searched for.
  func match(_ text: Span<UInt8>, from start: Int, to end: Int, _ search: JSONFieldParts) -> JSONMatch {
    var match = JSONMatch()
    for field in fields where search[field] >= 0 {
      let index = starts[field] + Int(search[field])
      let part = parts[index]
      if isEqual(text, start, end, part.restStart, part.restEnd) {
        match.hits[field] = search[field]
      } else if !part.isLast, isEqual(text, start, end, part.keyStart, part.keyEnd) {
        match.inside[field] = search[field] + 1
      }
    }
    return match
  }

  /// Matches an array's element at `position` against the fields that are searched for.
  func match(position: Int, _ search: JSONFieldParts) -> JSONMatch {
    var match = JSONMatch()
    for field in fields where search[field] >= 0 {
      let part = parts[starts[field] + Int(search[field])]
      guard part.position == position else { continue }
      if part.isLast {
        match.hits[field] = search[field]
      } else {
        match.inside[field] = search[field] + 1
      }
    }
    return match
  }

  @inline(__always)
  private func isEqual(_ text: Span<UInt8>, _ start: Int, _ end: Int, _ from: Int, _ to: Int) -> Bool {
    guard end - start == to - from else { return false }
    for offset in 0..<end - start where text[start + offset] != bytes[from + offset] { return false }
    return true
  }
}

// MARK: - JSONDetails
// A pair whose value is an object or an array with details of the number:
// `{"13800138000": {"label": "spam", "count": 3}}`. The first field in it with a common name for labels is the label;
// without one the row is a reject, and its content is not read as rows.
//
// If it contains numbers, as keys or as elements of arrays, the number is the key of an object with other rows, or it
// lacks its value and the next rows follow. Beside a label, the numbers in a list such as `aliases` are a reject: they may
// be those of somebody else.

extension JSONMachine {
  /// The maximum size of an object or array with details, in bytes. Apps store a few hundred bytes per number; a longer
  /// object is treated as a list.
  private static let detailBytesMax = 4096
  /// The deepest nesting in it.
  private static let detailDepthMax = 32
  /// The maximum size of a key that is examined, in bytes; common names are shorter.
  private static let detailKeyBytesMax = 64

  struct NumberDetails {
    /// The label, or the container itself if it contains none.
    var label: JSONValue
    var value: JSONValue
    /// Other numbers in a list among the details, which may be those of somebody else.
    var others: Range<Int>?
    /// Whether a field shows that the number is not blocked.
    var isUnblocked = false
  }

  /// The details of the number `key` in the container at `start`; nil if it has none. The unit starts at `at`.
  ///
  /// - Complexity: O(bytes of the container), 4,096 at most.
  func details(
    _ bytes: Span<UInt8>, _ key: JSONValue, _ start: Int, _ at: Int, atEnd: Bool
  ) throws(JSONUnitError) -> NumberDetails? {
    let limit = start + Self.detailBytesMax
    // A longer window is never provided.
    let isFull = bytes.count >= limit || bytes.count - at >= recordBytesMax + ParseLimits.lookaheadCapacity
    guard case .number(let rank) = TableCell(bytes, from: key.start, to: key.end), rank != .short else {
      return nil
    }
    do throws(JSONUnitError) {
      return try walk(bytes.extracting(0..<min(limit, bytes.count)), start)
    } catch {
      if case .cut = error, !isFull, !atEnd { throw error }
      return nil
    }
  }

  /// Reads the container at `start`; nil if it contains numbers, as rows do, or is not JSON.
  private func walk(_ bytes: Span<UInt8>, _ start: Int) throws(JSONUnitError) -> NumberDetails? {
    var details = NumberDetails(
      label: JSONValue(kind: .container, start: start, end: start), value: JSONValue())
    var hasLabel = false
    // Whether the position is in a list whose name is not that of a list of rows.
    var isInList = false
    var open: [UInt8] = []
    var index = start
    while true {
      guard index < bytes.count else { throw .cut }
      let byte = bytes[index]
      switch byte {
      case Self.object, Self.array:
        if open.count == Self.detailDepthMax { return nil }
        open.append(byte)
        index += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        // In ASCII, `}` and `]` come two after `{` and `[`.
        guard open.popLast() == byte - 2 else { return nil }
        index += 1
        if open.isEmpty {
          if details.others != nil, !hasLabel { return nil }
          details.value = JSONValue(kind: .container, start: start, end: index)
          return details
        }
      case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
        index += 1
      case UInt8(ascii: "\"") where open.last == Self.object:
        let key = try JSONToken.string(bytes, from: index + 1)
        let contents = NumberText.contents(bytes, from: key.start, to: key.end)
        if contents.isNumber(digitsMin: Self.stringDigitsMin) { return nil }
        let colon = try JSONToken.skipSpace(bytes, from: key.next)
        guard bytes[colon] == UInt8(ascii: ":") else { return nil }
        index = try JSONToken.skipSpace(bytes, from: colon + 1)
        if bytes[index] == Self.object || bytes[index] == Self.array {
          if open.count == 1 { isInList = !isNumberList(bytes, key) }
          continue
        }
        let value = try plainValue(bytes, index)
        index = value.next
        if open.count == 1, !hasLabel, isLabel(bytes, key) {
          hasLabel = true
          details.label = value
        }
        if open.count == 1, isUnblocked(bytes, key, value) { details.isUnblocked = true }
      default:
        guard open.last == Self.array else { return nil }
        let value = try plainValue(bytes, index)
        if looksLikeNumber(bytes, value) {
          guard isInList, open.count == 2 else { return nil }
          details.others = (details.others?.lowerBound ?? value.start)..<value.end
        }
        index = value.next
      }
    }
  }

  /// Whether a field shows that its number is not blocked.
  private func isUnblocked(_ bytes: Span<UInt8>, _ key: JSONValue, _ value: JSONValue) -> Bool {
    guard !fields.verdicts.fields.isEmpty, value.kind != .null, let name = JSONLists.text(bytes, key) else {
      return false
    }
    return fields.verdicts.fields.contains { $0.field == name && $0.isUnblocked(Self.text(bytes, value)) }
  }

  private func isNumberList(_ bytes: Span<UInt8>, _ key: JSONValue) -> Bool {
    guard let text = JSONToken.text(bytes, from: key.start, to: key.end) else { return false }
    return CommonFieldNames.isNumberList(String(decoding: text, as: UTF8.self))
  }

  private func plainValue(_ bytes: Span<UInt8>, _ start: Int) throws(JSONUnitError) -> JSONValue {
    bytes[start] == UInt8(ascii: "\"")
      ? try JSONToken.string(bytes, from: start + 1) : try JSONToken.scalar(bytes, from: start, atEnd: false)
  }

  private func isLabel(_ bytes: Span<UInt8>, _ key: JSONValue) -> Bool {
    guard key.end - key.start <= Self.detailKeyBytesMax,
      let text = JSONToken.text(bytes, from: key.start, to: key.end)
    else { return false }
    return CommonFieldNames.isLabel(String(decoding: text, as: UTF8.self))
  }
}
