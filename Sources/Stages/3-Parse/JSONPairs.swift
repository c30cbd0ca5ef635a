// A unit if pairs are rows: `{"n": "l"`, or `"n": "l"` inside an object or bare. What follows a pair is examined, too,
// because a pair without its bracket is a broken row.

import Records

struct JSONUnit {
  enum UnitKind {
    /// A bracket, or a value that is not needed.
    case structure
    /// A closing bracket without an opening one.
    case stray
    case row
    /// An object that should be a row and lacks its number.
    case numberless
    /// A value in an array that is not a number.
    case word
    /// A number that is not in a row, where objects are rows.
    case outside
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
  /// Other numbers among the details of the row's number.
  var others: Range<Int>?
  /// Whether a field among the details shows that the number is not blocked.
  var isUnblocked = false
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
      guard byte.isASCIISpace, byte != 0x0A, index < limit else { throw .broken(.unexpectedText) }
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
        unit.others = details.others
        unit.isUnblocked = details.isUnblocked
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
      noteList(bytes, key, depth: context.stack.count + (opener == 0 ? 1 : 2))
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
    bytes.skippingDigits(from: key.start, to: key.end) == key.end && key.end - key.start >= digits
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

// MARK: - JSONElements
// A unit that is a value in an array, if pairs are rows: a single number (`["+15550100", 15550101]`) is a row without a
// label, and an array of a number and another value (`["8613800138000", "label"]`) is a pair. A text that begins with a
// number is an entry of it, with further numbers or a remark. Any other value in an array is a separate reject.
//
// In an array that has other rows, with brackets or colons, a single value is a broken row. A bare number in a damaged
// input may be the rest of a truncated label, so it is not a row.

extension JSONMachine {
  /// A string with at least this many digits is a number: hotlines have three.
  static let stringDigitsMin = 3
  /// An integer with at least this many digits is a phone number. A shorter one is more often a count.
  private static let integerDigitsMin = 5
  /// An integer with more digits than this does not fit into 64 bits, and is not a phone number either.
  private static let integerDigitsMax = 19

  /// Whether a single value is an element of a list: an array that has had no other rows so far.
  var isInList: Bool {
    context.stack.last == Self.array && context.rowsInArrayDepth != context.stack.count
      && !fields.rowsAreObjects
  }

  mutating func noteRowInArray() {
    if context.stack.last == Self.array { context.rowsInArrayDepth = context.stack.count }
  }

  func element(_ bytes: Span<UInt8>, _ value: JSONValue) -> JSONUnit {
    if isEntry(bytes, value) {
      return JSONUnit(kind: .row, end: value.next, number: value, isElement: true)
    }
    // A strict run accepts any document, but only numbers are rows.
    return JSONUnit(kind: isStrict ? .structure : .word, end: value.next)
  }

  /// Reads an unquoted value in an array: a number, a word, or any short text that ends at a comma, at the array's end
  /// or at the line's end.
  mutating func bareElement(_ bytes: Span<UInt8>, _ at: Int, atEnd: Bool) throws(JSONUnitError) -> JSONUnit {
    tokenStart = at
    if isStrict { return element(bytes, try JSONToken.scalar(bytes, from: at, atEnd: atEnd)) }
    let limit = at + ParseLimits.lookaheadBytesMax
    var index = at
    var end = at
    while index < limit {
      guard index < bytes.count else { throw atEnd ? .broken(.unexpectedText) : .cut }
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "]"), 0x0A:
        let value = JSONValue(kind: .scalar, start: at, end: end)
        if context.isDamaged, looksLikeNumber(bytes, value) { throw .broken(.unexpectedText) }
        var unit = element(bytes, value)
        unit.end = end
        return unit
      case UInt8(ascii: "\""), UInt8(ascii: "}"), UInt8(ascii: ":"), UInt8(ascii: ">"), Self.object,
        Self.array,
        Self.angle:
        throw .broken(.unexpectedText)
      default:
        index += 1
        if !byte.isASCIISpace { end = index }
      }
    }
    throw .broken(.unexpectedText)
  }

  /// Reads the array at `at` if it is a pair: a number, and one value that is not a number. Returns nil if it is not a
  /// pair; throws if a value is broken.
  mutating func pairInArray(_ bytes: Span<UInt8>, _ at: Int, atEnd: Bool) throws(JSONUnitError) -> JSONUnit? {
    // It is as long as a record can be and not a pair, so a longer window is never provided.
    let isFull = bytes.count - at >= recordBytesMax + ParseLimits.lookaheadCapacity
    var unit = JSONUnit(kind: .row, isElement: true)
    do throws(JSONUnitError) {
      guard let first = try valueAfterSpace(bytes, at + 1, atEnd: atEnd), isEntry(bytes, first)
      else {
        return nil
      }
      unit.number = first
      let comma = try JSONToken.skipSpace(bytes, from: first.next)
      guard bytes[comma] == UInt8(ascii: ",") else { return nil }
    } catch {
      // The window ends inside the number.
      if case .cut = error, !isFull, !atEnd { throw error }
      return nil
    }
    do throws(JSONUnitError) {
      let comma = try JSONToken.skipSpace(bytes, from: unit.number.next)
      guard let second = try valueAfterSpace(bytes, comma + 1, atEnd: atEnd), !isEntry(bytes, second)
      else { return nil }
      unit.label = second
      unit.end = try JSONToken.skipSpace(bytes, from: second.next) + 1
      return bytes[unit.end - 1] == UInt8(ascii: "]") ? unit : nil
    } catch {
      if case .cut = error {
        if isFull { return nil }
        throw error
      }
      // In a list of pairs this is a broken pair, otherwise a broken value of a list of numbers.
      if context.stack.last == Self.array { throw error }
      return nil
    }
  }

  /// Reads the string, number or word at `start` or after white space; nil if there is something else.
  private mutating func valueAfterSpace(
    _ bytes: Span<UInt8>, _ start: Int, atEnd: Bool
  ) throws(JSONUnitError) -> JSONValue? {
    let index = try JSONToken.skipSpace(bytes, from: start)
    switch bytes[index] {
    case UInt8(ascii: "\""):
      tokenStart = index
      return try JSONToken.string(bytes, from: index + 1)
    case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "t"), UInt8(ascii: "f"),
      UInt8(ascii: "n"):
      tokenStart = index
      return try JSONToken.scalar(bytes, from: index, atEnd: atEnd)
    default:
      return nil
    }
  }

  /// Whether a value is a number, or a text that begins with one.
  private func isEntry(_ bytes: Span<UInt8>, _ value: JSONValue) -> Bool {
    if looksLikeNumber(bytes, value) { return true }
    guard value.kind == .string else { return false }
    if !value.hasEscape { return Self.isEntry(bytes.extracting(value.start..<value.end)) }
    return JSONToken.text(bytes, from: value.start, to: value.end).map { Self.isEntry($0.span) } ?? false
  }

  static func isEntry(_ text: Span<UInt8>) -> Bool {
    do throws(ParseReject) {
      guard let number = try NumberEntry(text)?.numbers.first else { return false }
      return TableCell(text, from: number.lowerBound, to: number.upperBound).rank ?? .time > .time
    } catch {
      // A range in words.
      return error == .severalNumbers && (text[0] &- 0x30 < 10 || "+(".utf8.contains(text[0]))
    }
  }

  func looksLikeNumber(_ bytes: Span<UInt8>, _ value: JSONValue) -> Bool {
    switch value.kind {
    case .string where value.hasEscape:
      guard let text = JSONToken.text(bytes, from: value.start, to: value.end) else { return false }
      return Self.isNumber(text.span, 0, text.count)
    case .string:
      return Self.isNumber(bytes, value.start, value.end)
    case .scalar:
      let contents = NumberText.contents(bytes, from: value.start, to: value.end)
      if contents.digits > Self.integerDigitsMax { return false }
      if isStrict {
        return contents.digits >= Self.integerDigitsMin && contents.digits == value.end - value.start
      }
      return contents.isNumber(digitsMin: Self.integerDigitsMin)
        || SpreadsheetNumber.hasExponent(bytes.extracting(value.start..<value.end))
    case .absent, .null, .container:
      return false
    }
  }

  private static func isNumber(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    let body = NumberText.body(bytes, from: start, to: end)
    let (start, end) = (body.lowerBound, body.upperBound)
    // Most are digits only; eight digits may be a date.
    let first = start < end && bytes[start] == UInt8(ascii: "+") ? start + 1 : start
    let index = bytes.skippingDigits(from: first, to: end)
    if index == end, index - first != dateDigits { return index - first >= stringDigitsMin }
    // A URI (RFC 3966), which is a number for the next stage, too.
    let digits = bytes.startsIgnoringCase("TEL:", at: start) ? start + 4 : start
    guard NumberText.contents(bytes, from: digits, to: end).isNumber(digitsMin: stringDigitsMin) else {
      return false
    }
    if case .date = TableCell(bytes, from: digits, to: end) { return false }
    return true
  }
  private static let dateDigits = 8
}
