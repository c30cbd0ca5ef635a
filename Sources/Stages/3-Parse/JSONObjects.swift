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
// If several fields have the same name, the last one is used, as in most readers of JSON. A field whose name is the
// whole path takes precedence over one that is found part by part.
//
// Not for: pairs as rows (JSONPairs), making the row (JSONRows), what a path means (JSONPath).

import Records

/// What was found so far of the row that is being read.
struct JSONSeen {
  /// Whether its number was found.
  var hasNumber = false
  /// Whether it contains an object or array.
  var hasInside = false
  /// Whether it contains something that may be a row.
  var hasRowInside = false
  /// Whether it contains an empty object or array.
  var hasEmptyInside = false
  /// The index of the path's part with which each field's value was found; `Int8.max` if it was not found.
  var foundAt = SIMD8<Int8>(repeating: .max)
  /// Whether the array is a list: at the position of a row's number, it has an array or object.
  var isList = false
  /// The number of open containers around the current position, including the row itself.
  var depth = 0
}

extension JSONMachine {
  /// Reads the object that starts at `at`.
  mutating func object(_ bytes: Span<UInt8>, _ at: Int) throws(JSONUnitError) -> JSONUnit {
    var unit = JSONUnit(kind: .row)
    seen = JSONSeen()
    seen.hasNumber = fields.number.name == nil
    tokenStart = at
    unit.end = try members(bytes, at, fields.paths.all, &unit)
    if seen.hasNumber { return unit }
    let isAnswer = seen.hasEmptyInside && context.stack.last != Self.array
    if seen.hasRowInside || isAnswer, context.stack.count < ParseLimits.wrapperDepthMax {
      return JSONUnit(end: at + 1, opened: Self.object)
    }
    unit.kind = .numberless
    return unit
  }

  /// Reads the array that starts at `at`, if arrays may be rows.
  mutating func array(_ bytes: Span<UInt8>, _ at: Int) throws(JSONUnitError) -> JSONUnit {
    var unit = JSONUnit(kind: .row)
    seen = JSONSeen()
    tokenStart = at
    unit.end = try elements(bytes, at, fields.paths.all, &unit)
    let isList =
      seen.isList || (seen.hasInside && !seen.hasNumber && context.stack.count < ParseLimits.wrapperDepthMax)
    if isList { return JSONUnit(end: at + 1, opened: Self.array) }
    if !seen.hasNumber { unit.kind = isEmpty(bytes, at, unit.end) ? .structure : .numberless }
    return unit
  }

  private func isEmpty(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    for index in start + 1..<end - 1 where !JSONToken.isSpace(bytes[index]) { return false }
    return true
  }

  /// Whether an object that can't be read as one row is a wrapper. Then its bracket is left open.
  mutating func isWrapper(_ bytes: Span<UInt8>, _ at: Int, _ reason: ParseReject?) -> Bool {
    guard fields.rowsAreObjects, seen.hasInside, !seen.hasNumber,
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
      if byte == UInt8(ascii: ",") || JSONToken.isSpace(byte) {
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
      if byte == UInt8(ascii: ",") || JSONToken.isSpace(byte) {
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
      if byte == UInt8(ascii: ",") || JSONToken.isSpace(byte) {
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
  private func match(_ bytes: Span<UInt8>, _ key: JSONValue, _ search: JSONFieldParts) -> JSONMatch {
    if !key.hasEscape {
      if !fields.paths.mayMatch(length: key.end - key.start) { return JSONMatch() }
      return fields.paths.match(bytes, from: key.start, to: key.end, search)
    }
    var text: ContiguousArray<UInt8> = []
    do throws(ParseReject) {
      try JSONToken.decode(bytes, from: key.start, to: key.end, into: &text)
    } catch {
      return JSONMatch()
    }
    return fields.paths.match(text.span, from: 0, to: text.count, search)
  }

  // MARK: Values

  /// Reads the value at `start`, stores it for the fields that it belongs to, and returns the index after it.
  private mutating func value(
    _ bytes: Span<UInt8>, _ start: Int, _ match: JSONMatch, _ unit: inout JSONUnit
  ) throws(JSONUnitError) -> Int {
    let continuesInside = !match.inside.isEmpty
    if continuesInside { discard(match.inside, &unit) }
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
    for field in 0..<JSONPaths.fieldCount where hits[field] >= 0 && hits[field] <= seen.foundAt[field] {
      seen.foundAt[field] = hits[field]
      set(value, field, &unit)
    }
  }

  /// Discards what was found before on the same path.
  private mutating func discard(_ inside: JSONFieldParts, _ unit: inout JSONUnit) {
    for field in 0..<JSONPaths.fieldCount where inside[field] >= 0 && inside[field] <= seen.foundAt[field] {
      seen.foundAt[field] = .max
      set(JSONValue(), field, &unit)
    }
  }

  private mutating func set(_ value: JSONValue, _ field: Int, _ unit: inout JSONUnit) {
    switch field {
    case 0:
      unit.number = value
      seen.hasNumber = value.kind != .null && value.kind != .absent
    case 1: unit.label = value
    case 2: unit.source = value
    case 3: unit.score = value
    default: unit.last = value
    }
  }

  /// Skips a container.
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
    guard isInObject else { return JSONUnit(end: key.next) }
    let colon = try JSONToken.skipSpace(bytes, from: key.next)
    guard bytes[colon] == UInt8(ascii: ":") else { throw .broken(.missingColon) }
    let start = try JSONToken.skipSpace(bytes, from: colon + 1)
    switch bytes[start] {
    case UInt8(ascii: "\""):
      return JSONUnit(end: try JSONToken.string(bytes, from: start + 1).next)
    case Self.object, Self.array:
      context.isAfterColon = true
      return JSONUnit(end: start)
    default:
      return JSONUnit(end: try JSONToken.scalar(bytes, from: start, atEnd: atEnd).end)
    }
  }
}
