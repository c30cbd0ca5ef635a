// The tokens of JSON: strings, scalars, white space. Each is read from its first byte on; an error reports that the
// window ends inside it.

import Records
import SystemIO

/// Why a unit of JSON can't be read.
enum JSONUnitError: Error {
  /// The window ends inside it.
  case cut
  case broken(ParseReject)

  /// Whether the only error may be that the input ends here: part of a word is unexpected text.
  var isEnd: Bool {
    switch self {
    case .cut, .broken(.truncated), .broken(.unexpectedText): true
    case .broken: false
    }
  }
}

/// A value and its position: a string without its quotes, a scalar, or the first byte of a container.
struct JSONValue {
  enum ValueKind: UInt8 {
    case absent
    case string
    /// A number, `true` or `false`.
    case scalar
    /// `null`.
    case null
    /// An object or an array.
    case container
  }

  var kind: ValueKind = .absent
  var start = 0
  var end = 0
  var hasEscape = false
  var hasNonASCII = false
  /// Whether it contains a control character or a backslash, which the text form may have to escape.
  var needsEscape = false

  /// The index after the token, including its closing quote.
  var next: Int { kind == .string ? end + 1 : end }
}

enum JSONToken {
  /// Reads a string; `start` is the index after its opening quote.
  ///
  /// A line feed in it makes it broken. Other control characters are kept: JSONValidator reports that they are not
  /// allowed.
  static func string(_ bytes: Span<UInt8>, from start: Int) throws(JSONUnitError) -> JSONValue {
    let raw = unsafe bytes.bytes
    let count = bytes.count
    var value = JSONValue(kind: .string, start: start)
    var seen: UInt64 = 0
    var index = start
    while true {
      while index + 8 <= count {
        let word = WordScan.word(raw, index)
        let stops = WordScan.stringStops(word)
        if stops != 0 {
          let length = WordScan.first(stops)
          // Bytes after the end do not belong to the string.
          seen |= word & ((1 << (UInt64(length) * 8)) &- 1)
          index += length
          break
        }
        seen |= word
        index += 8
      }
      guard index < count else { throw .cut }
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        value.end = index
        value.hasNonASCII = seen & WordScan.highs != 0
        return value
      } else if byte == UInt8(ascii: "\\") {
        guard index + 1 < count else { throw .cut }
        value.hasEscape = true
        value.needsEscape = true
        // An escaped line feed still counts as a line feed: the next iteration finds it.
        index += bytes[index + 1] == 0x0A ? 1 : 2
        if index > start + 1, bytes[index - 1] >= 0x80 { seen |= 0x80 }
      } else if byte == 0x0A {
        throw .broken(.unterminatedString)
      } else {
        if byte < 0x20 { value.needsEscape = true }
        if byte >= 0x80 { seen |= 0x80 }
        index += 1
      }
    }
  }

  /// Reads a number or one of the three words; `start` is its first byte.
  static func scalar(_ bytes: Span<UInt8>, from start: Int, atEnd: Bool) throws(JSONUnitError) -> JSONValue {
    var index = start
    var digits = 0
    var letterCount = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
      case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        break
      case UInt8(ascii: "a")...UInt8(ascii: "z"): letterCount += 1
      default:
        return try scalar(bytes, start, index, digits: digits, letterCount: letterCount)
      }
      index += 1
    }
    guard atEnd else { throw .cut }
    return try scalar(bytes, start, index, digits: digits, letterCount: letterCount)
  }

  private static func scalar(
    _ bytes: Span<UInt8>, _ start: Int, _ end: Int, digits: Int, letterCount: Int
  ) throws(JSONUnitError) -> JSONValue {
    var value = JSONValue(kind: .scalar, start: start, end: end)
    if digits > 0, letterCount == 0 { return value }
    let word = bytes.extracting(start..<end)
    if word.equals("true") || word.equals("false") { return value }
    guard word.equals("null") else { throw .broken(.unexpectedText) }
    value.kind = .null
    return value
  }

  /// The index of the first byte that is not white space.
  static func skipSpace(_ bytes: Span<UInt8>, from start: Int) throws(JSONUnitError) -> Int {
    let index = bytes.skippingSpace(from: start)
    if index >= bytes.count { throw .cut }
    return index
  }

  // MARK: Escapes

  /// A string's text with its escapes decoded; nil if one is invalid.
  static func text(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> ContiguousArray<UInt8>? {
    var text: ContiguousArray<UInt8> = []
    do throws(ParseReject) {
      try decode(bytes, from: start, to: end, into: &text)
      return text
    } catch {
      return nil
    }
  }

  /// Appends a string's text with its escapes decoded.
  static func decode(
    _ bytes: Span<UInt8>, from start: Int, to end: Int, into text: inout ContiguousArray<UInt8>
  ) throws(ParseReject) {
    var index = start
    while index < end {
      let byte = bytes[index]
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        index += 1
        continue
      }
      guard index + 1 < end else { throw .badEscape }
      let letter = bytes[index + 1]
      index += 2
      switch letter {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0C)
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "r"): text.append(0x0D)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "u"): try decodeUnit(bytes, &index, end, into: &text)
      default: throw .badEscape
      }
    }
  }

  /// Decodes `\uXXXX`, together with the `\uXXXX` after it if the first one is half of a surrogate pair.
  private static func decodeUnit(
    _ bytes: Span<UInt8>, _ index: inout Int, _ end: Int, into text: inout ContiguousArray<UInt8>
  ) throws(ParseReject) {
    guard let first = hex(bytes, index, end) else { throw .badEscape }
    index += 4
    var code = first
    if first & 0xFC00 == 0xDC00 { throw .loneSurrogate }
    if first & 0xFC00 == 0xD800 {
      guard index + 6 <= end, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u"),
        let second = hex(bytes, index + 2, end), second & 0xFC00 == 0xDC00
      else { throw .loneSurrogate }
      index += 6
      code = 0x10000 + ((first & 0x3FF) << 10 | (second & 0x3FF))
    }
    guard let scalar = Unicode.Scalar(code) else { throw .badEscape }
    text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  private static func hex(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> UInt32? {
    guard start + 4 <= end else { return nil }
    var code: UInt32 = 0
    for index in start..<start + 4 {
      guard let digit = bytes[index].hexDigit else { return nil }
      code = code << 4 | UInt32(digit)
    }
    return code
  }
}

// A JSON number as a phone number or a score: spreadsheets and data frames turn 8613800138000 into 8613800138000.0 or
// 8.6138001380e12, whose digits, read as text, would be a different number.

enum JSONNumber {
  /// The maximum number of digits of a whole number that is written with a point or an exponent. A phone number has at
  /// most 15, a score 19.
  static let digitsMax = 32
  /// A larger exponent is out of range for any digits.
  private static let exponentMax = 1 << 40

  /// The digits of the whole number from `start` to `end`; nil if the bytes need no change, because they are plain
  /// digits or not a JSON number.
  ///
  /// Throws ``ParseReject/notWhole`` for a JSON number that has a fraction, is out of range, or is negative where
  /// that is not allowed.
  static func whole(
    _ bytes: Span<UInt8>, from start: Int, to end: Int, signed: Bool
  ) throws(ParseReject) -> ContiguousArray<UInt8>? {
    guard let parts = notation(bytes, from: start, to: end) else { return nil }
    if parts.isPlain, !parts.isNegative { return nil }
    if parts.isNegative, !signed { throw .notWhole }
    // The value is `digits`, without zeros at either end, times ten to the power of `exponent`.
    var digits: ContiguousArray<UInt8> = []
    var exponent = parts.exponent
    var zeros = 0
    var isFraction = false
    for index in parts.start..<parts.end {
      let byte = bytes[index]
      if byte == UInt8(ascii: ".") {
        isFraction = true
        continue
      }
      if isFraction { exponent -= 1 }
      if byte == UInt8(ascii: "0") {
        zeros += 1
        continue
      }
      if !digits.isEmpty {
        guard digits.count + zeros < digitsMax else { throw .notWhole }
        for _ in 0..<zeros { digits.append(UInt8(ascii: "0")) }
      }
      zeros = 0
      digits.append(byte)
    }
    if digits.isEmpty { return [UInt8(ascii: "0")] }
    exponent += zeros
    guard exponent >= 0, digits.count + exponent <= digitsMax else { throw .notWhole }
    for _ in 0..<exponent { digits.append(UInt8(ascii: "0")) }
    return parts.isNegative ? [UInt8(ascii: "-")] + digits : digits
  }

  private struct Notation {
    var isNegative: Bool
    /// Whether it has neither a point nor an exponent.
    var isPlain: Bool
    /// The range of the digits, which may contain a point.
    var start: Int
    var end: Int
    var exponent: Int
  }

  private static func notation(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Notation? {
    guard start < end else { return nil }
    let isNegative = bytes[start] == UInt8(ascii: "-")
    let digits = isNegative ? start + 1 : start
    var index = bytes.skippingDigits(from: digits, to: end)
    guard index > digits, bytes[digits] != UInt8(ascii: "0") || index == digits + 1 || index == end else {
      return nil
    }
    if index < end, bytes[index] == UInt8(ascii: ".") {
      let fraction = index + 1
      index = bytes.skippingDigits(from: fraction, to: end)
      guard index > fraction else { return nil }
    }
    var parts = Notation(
      isNegative: isNegative, isPlain: index == end, start: digits, end: index, exponent: 0)
    if index == end {
      for at in digits..<end where bytes[at] == UInt8(ascii: ".") { parts.isPlain = false }
      return parts
    }
    guard bytes[index] | 0x20 == UInt8(ascii: "e") else { return nil }
    index += 1
    guard index < end else { return nil }
    let hasSign = bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+")
    let hasMinus = bytes[index] == UInt8(ascii: "-")
    if hasSign { index += 1 }
    guard index < end, bytes.skippingDigits(from: index, to: end) == end else { return nil }
    for at in index..<end { parts.exponent = min(parts.exponent * 10 + Int(bytes[at] &- 0x30), exponentMax) }
    if hasMinus { parts.exponent = -parts.exponent }
    return parts
  }
}
