// A unit that is a value in an array, if pairs are rows: a single number (`["+15550100", 15550101]`) is a row without a
// label, and an array of a number and another value (`["8613800138000", "label"]`) is a pair. Any other value in an
// array is a separate reject.
//
// In an array that has other rows, with brackets or colons, a single value is a broken row. A bare number in a damaged
// input may be the rest of a truncated label, so it is not a row.
//
// Not for: pairs with a colon (JSONPairs), arrays whose columns were chosen (JSONObjects).

import Records

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

  /// Records that the array has a row with brackets or a colon.
  mutating func noteRowInArray() {
    if context.stack.last == Self.array { context.rowsInArrayDepth = context.stack.count }
  }

  /// Makes the unit of a value in an array.
  func element(_ bytes: Span<UInt8>, _ value: JSONValue) -> JSONUnit {
    if looksLikeNumber(bytes, value) {
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
        if !JSONToken.isSpace(byte) { end = index }
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
      guard let first = try valueAfterSpace(bytes, at + 1, atEnd: atEnd), looksLikeNumber(bytes, first)
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
      guard let second = try valueAfterSpace(bytes, comma + 1, atEnd: atEnd), !looksLikeNumber(bytes, second)
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

  /// Whether a single value is a number.
  func looksLikeNumber(_ bytes: Span<UInt8>, _ value: JSONValue) -> Bool {
    switch value.kind {
    case .string where value.hasEscape:
      var text: ContiguousArray<UInt8> = []
      do throws(ParseReject) {
        try JSONToken.decode(bytes, from: value.start, to: value.end, into: &text)
      } catch {
        return false
      }
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
    // Most are digits only; eight digits may be a date.
    let first = start < end && bytes[start] == UInt8(ascii: "+") ? start + 1 : start
    var index = first
    while index < end, bytes[index] &- 0x30 < 10 { index += 1 }
    if index == end, index - first != dateDigits { return index - first >= stringDigitsMin }
    guard NumberText.contents(bytes, from: start, to: end).isNumber(digitsMin: stringDigitsMin) else {
      return false
    }
    if case .date = TableCell(bytes, from: start, to: end) { return false }
    return true
  }
  private static let dateDigits = 8
}
