// A unit where objects are rows: a whole object with the fields that were asked for, others of any shape
// skipped.
//
// An object without the number's field is a reject, unless it holds objects or arrays: then it is taken for a
// wrapper (`{"status": "ok", "data": [ … ]}`) and the rows are looked for inside. So is one that is broken, cut
// short, or longer than a record may be, and has shown no number so far: the rows before and behind the broken
// one are good. The bytes of a wrapper are looked at once more for each wrapper around them.
//
// Not for: pairs as rows (JSONPairs), making the row (JSONRows).

import CallRecord

extension JSONMachine {
  /// Reads the object that begins at `at`.
  mutating func object(_ bytes: Span<UInt8>, _ at: Int) throws(UnitBreak) -> JSONUnit {
    var unit = JSONUnit(kind: .row)
    hasNumber = fields.number.name == nil
    hasInside = false
    tokenStart = at
    var index = at + 1
    var isSeparated = true
    while true {
      guard index < bytes.count else { throw .cut }
      let byte = bytes[index]
      if byte == UInt8(ascii: ",") || JSONToken.isSpace(byte) {
        // A line end separates as a comma does.
        if byte == UInt8(ascii: ",") || byte == 0x0A { isSeparated = true }
        index += 1
        continue
      }
      if byte == UInt8(ascii: "}") { break }
      guard byte == UInt8(ascii: "\""), isSeparated else { throw .broken(foreign(byte)) }
      tokenStart = index
      let key = try JSONToken.string(bytes, from: index + 1)
      let colon = try JSONToken.skipSpace(bytes, from: key.next)
      guard bytes[colon] == UInt8(ascii: ":") else { throw .broken(.missingColon) }
      let value = try value(bytes, try JSONToken.skipSpace(bytes, from: colon + 1))
      assign(bytes, key, value, to: &unit)
      index = value.next
      isSeparated = false
    }
    unit.end = index + 1
    if hasNumber { return unit }
    if hasInside, stack.count < ParseLimits.wrapperDepthMax {
      return JSONUnit(end: at + 1, opened: Self.object)
    }
    unit.kind = .numberless
    return unit
  }

  private func foreign(_ byte: UInt8) -> ParseReject {
    switch byte {
    case Self.object, Self.array, UInt8(ascii: "]"): .missingBrace
    default: .unexpectedText
    }
  }

  /// Whether an object that can't be read as one row is a wrapper: then it is open from here on.
  mutating func isWrapper(_ bytes: Span<UInt8>, _ at: Int, _ reason: ParseReject?) -> Bool {
    guard fields.rowsAreObjects, bytes[at] == Self.object, hasInside, !hasNumber,
      stack.count < ParseLimits.wrapperDepthMax
    else { return false }
    if case .tooDeep = reason { return false }
    stack.append(Self.object)
    return true
  }

  private mutating func assign(
    _ bytes: Span<UInt8>, _ key: JSONValue, _ value: JSONValue, to unit: inout JSONUnit
  ) {
    // The last of several fields with one name counts, as it does for most readers of JSON.
    if fields.number.isNamed(bytes, key) {
      unit.number = value
      hasNumber = value.kind != .null
    }
    if fields.label.isNamed(bytes, key) { unit.label = value }
    if fields.source.isNamed(bytes, key) { unit.source = value }
    if fields.score.isNamed(bytes, key) { unit.score = value }
  }

  /// Reads any value; what is inside a container is passed over.
  private mutating func value(_ bytes: Span<UInt8>, _ start: Int) throws(UnitBreak) -> JSONValue {
    switch bytes[start] {
    case UInt8(ascii: "\""):
      tokenStart = start
      return try JSONToken.string(bytes, from: start + 1)
    case Self.object, Self.array:
      return try container(bytes, start)
    default:
      tokenStart = start
      return try JSONToken.scalar(bytes, from: start, atEnd: false)
    }
  }

  private mutating func container(_ bytes: Span<UInt8>, _ start: Int) throws(UnitBreak) -> JSONValue {
    hasInside = true
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
        if stack.count + inside.count >= ParseLimits.depthMax {
          throw .broken(.tooDeep(limit: ParseLimits.depthMax))
        }
        inside.append(byte)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        // `{` and `[` stand two before `}` and `]` in ASCII.
        guard inside.popLast() == byte - 2 else { throw .broken(.missingBrace) }
        if inside.isEmpty { return JSONValue(kind: .container, start: start, end: index + 1) }
      default:
        break
      }
      index += 1
    }
    throw .cut
  }

  /// Reads what stands between rows in a wrapper: a member of it, or a string in an array.
  mutating func member(_ bytes: Span<UInt8>, _ at: Int, atEnd: Bool) throws(UnitBreak) -> JSONUnit {
    tokenStart = at
    if stack.isEmpty { throw .broken(.unexpectedText) }
    let key = try JSONToken.string(bytes, from: at + 1)
    guard isInObject else { return JSONUnit(end: key.next) }
    let colon = try JSONToken.skipSpace(bytes, from: key.next)
    guard bytes[colon] == UInt8(ascii: ":") else { throw .broken(.missingColon) }
    let start = try JSONToken.skipSpace(bytes, from: colon + 1)
    switch bytes[start] {
    case UInt8(ascii: "\""):
      return JSONUnit(end: try JSONToken.string(bytes, from: start + 1).next)
    case Self.object, Self.array:
      isAfterColon = true
      return JSONUnit(end: start)
    default:
      return JSONUnit(end: try JSONToken.scalar(bytes, from: start, atEnd: atEnd).end)
    }
  }
}
