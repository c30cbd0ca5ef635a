// A unit if pairs are rows: `{"n": "l"`, or `"n": "l"` inside an object or bare. What follows a pair is examined, too,
// because a pair without its bracket is a broken row.
//
// Not for: values in arrays (JSONElements), objects as rows (JSONObjects), making the row (JSONRows).

import Records

/// One unit of the input.
struct JSONUnit {
  enum UnitKind {
    /// A bracket, or a value that is not needed.
    case structure
    /// A closing bracket without an opening one.
    case stray
    /// A row with its fields.
    case row
    /// An object that should be a row and lacks its number.
    case numberless
    /// A value in an array that is not a number.
    case word
  }

  var kind: UnitKind = .structure
  var end = 0
  /// The bracket that the unit leaves open, or 0.
  var opened: UInt8 = 0
  var openedInside: UInt8 = 0
  var number = JSONValue()
  var label = JSONValue()
  var source = JSONValue()
  var score = JSONValue()
  /// The last number of a range.
  var last = JSONValue()
  /// Whether the row is in an array, without an object around it.
  var isElement = false
}

extension JSONMachine {
  /// Reads `{` or `<` and the start of its content.
  mutating func opener(_ bytes: Span<UInt8>, _ at: Int, atEnd: Bool) throws(JSONUnitError) -> JSONUnit {
    let bracket = bytes[at]
    let limit = at + 1 + ParseLimits.lookaheadBytesMax
    var index = at + 1
    while true {
      guard index < bytes.count else { throw .cut }
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        return try pair(bytes, index, atEnd: atEnd, opener: bracket, unitStart: at)
      }
      if bracket == Self.object {
        if byte == UInt8(ascii: "}") { return JSONUnit(end: index + 1) }
        if byte == 0x0A || index == limit {
          // The pairs are on separate lines, and each broken one is a separate reject.
          if context.stack.count >= ParseLimits.depthMax {
            throw .broken(.tooDeep(limit: ParseLimits.depthMax))
          }
          return JSONUnit(end: at + 1, opened: bracket)
        }
      }
      guard JSONToken.isSpace(byte), byte != 0x0A, index < limit else { throw .broken(.unexpectedText) }
      index += 1
    }
  }

  /// Reads a pair. `at` is the index of its key's opening quote, `opener` the bracket that precedes and belongs to it,
  /// or 0, and `unitStart` the index of that bracket.
  mutating func pair(
    _ bytes: Span<UInt8>, _ at: Int, atEnd: Bool, opener: UInt8 = 0, unitStart: Int? = nil
  ) throws(JSONUnitError) -> JSONUnit {
    tokenStart = at
    let key = try JSONToken.string(bytes, from: at + 1)
    let colon = try JSONToken.skipSpace(bytes, from: key.next)
    guard bytes[colon] == UInt8(ascii: ":") else {
      let isElement = bytes[colon] == UInt8(ascii: ",") || bytes[colon] == UInt8(ascii: "]")
      if isElement, opener == 0, isInList { return element(bytes, key) }
      throw .broken(.missingColon)
    }
    let start = try JSONToken.skipSpace(bytes, from: colon + 1)
    var unit = JSONUnit(kind: .row, opened: opener, number: key)
    switch bytes[start] {
    case UInt8(ascii: "\""):
      tokenStart = start
      unit.label = try JSONToken.string(bytes, from: start + 1)
    case Self.object, Self.array:
      if let details = try details(bytes, key, start, unitStart ?? at, atEnd: atEnd) {
        unit.label = details.label
        return try ended(unit, after: details.value, bytes, atEnd: atEnd)
      }
      let isOnNextLine = WordScan.lineFeeds(bytes, from: colon, to: start) > 0
      if !isStrict, isNumber(bytes, key, digits: isOnNextLine ? Self.nextLineDigitsMin : Self.numberDigitsMin)
      {
        // A row without its value, not a key of an object with other rows.
        throw .broken(.missingValue)
      }
      if context.stack.count + (opener == 0 ? 1 : 2) > ParseLimits.depthMax {
        throw .broken(.tooDeep(limit: ParseLimits.depthMax))
      }
      return JSONUnit(end: start + 1, opened: opener, openedInside: bytes[start])
    default:
      tokenStart = start
      unit.label = try JSONToken.scalar(bytes, from: start, atEnd: atEnd)
    }
    return try ended(unit, after: unit.label, bytes, atEnd: atEnd)
  }

  /// Ends a pair after its value, if what follows is valid.
  private mutating func ended(
    _ pair: JSONUnit, after value: JSONValue, _ bytes: Span<UInt8>, atEnd: Bool
  ) throws(JSONUnitError) -> JSONUnit {
    var unit = pair
    let opener = unit.opened
    unit.end = value.next
    if opener != 0, context.stack.count >= ParseLimits.depthMax {
      throw .broken(.tooDeep(limit: ParseLimits.depthMax))
    }
    let holder = opener != 0 ? opener : context.stack.last ?? 0
    let isHeld = holder == Self.object || holder == Self.angle
    try checkFollowing(
      bytes, value, holder: holder, isFirst: opener != 0 || (!isHeld && !context.isInRun), atEnd: atEnd)
    if opener == 0 { noteRowInArray() }
    return unit
  }

  /// A key with at least this many digits before an object or array is a number without its label, not the name of a
  /// list.
  private static let numberDigitsMin = 10
  /// The same limit if the object or array starts on another line, like a following row.
  private static let nextLineDigitsMin = 5

  /// Whether a key can only be a number: at least `digits` digits, and nothing else.
  private func isNumber(_ bytes: Span<UInt8>, _ key: JSONValue, digits: Int) -> Bool {
    for index in key.start..<key.end where bytes[index] &- 0x30 > 9 { return false }
    return key.end - key.start >= digits
  }

  /// Examines what follows a pair, and throws if the pair is not complete. `holder` is the open bracket around the
  /// pair, or 0 for a bare pair; `isFirst`: no other pair precedes this one in it.
  private func checkFollowing(
    _ bytes: Span<UInt8>, _ value: JSONValue, holder: UInt8, isFirst: Bool, atEnd: Bool
  ) throws(JSONUnitError) {
    let isHeld = holder == Self.object || holder == Self.angle
    let end = value.next
    var sawSpace = false
    var sawBreak = false
    var sawComma = false
    var index = end
    while index < end + ParseLimits.lookaheadBytesMax {
      guard index < bytes.count else {
        guard atEnd else { throw .cut }
        // A pair that is not the first is complete without what follows, unless its value may have had more digits.
        if isHeld, isFirst || (value.kind != .string && index == end) { throw .broken(.truncated) }
        return
      }
      switch bytes[index] {
      case UInt8(ascii: ","):
        sawBreak = true
        sawComma = true
      case 0x0A:
        sawBreak = true
      case 0x20, 0x09, 0x0D:
        sawSpace = true
      case UInt8(ascii: "}"):
        if holder != Self.object, isFirst { throw .broken(.missingBrace) }
        return
      case UInt8(ascii: ">"):
        if holder != Self.angle, isFirst || (isHeld && !sawComma) { throw .broken(.missingBrace) }
        return
      case UInt8(ascii: "]"), UInt8(ascii: "["), Self.object, Self.angle:
        // A pair that is not the first is complete with its comma: the error is in what follows.
        if isHeld, isFirst || !sawComma { throw .broken(.missingBrace) }
        return
      case UInt8(ascii: "\""):
        // Two adjacent strings are one string with an unescaped quote in it.
        if sawBreak || (sawSpace && !isHeld) { return }
        throw .broken(.unexpectedText)
      default:
        if sawBreak { return }
        throw .broken(.unexpectedText)
      }
      index += 1
    }
  }
}
