// Strict RFC 8259: one document and nothing after it. A UTF-8 byte order mark, which section 8.1 allows a parser to
// ignore, is not checked.
//
// A state machine for single bytes defines what is valid. Strings without escapes and what is between them, which is
// nearly all of a list, are passed over token by token first.

import BasicContainers
import Records

/// Checks a stream of bytes against RFC 8259.
struct JSONValidator: ~Copyable {
  /// The bytes that are allowed next.
  private enum Expectation: UInt8 {
    case value, firstValue, key, firstKey, colon, afterValue, done
    // Inside tokens.
    case string, escape, hex
    case minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits
    case word

    var isBetweenTokens: Bool { rawValue <= Expectation.done.rawValue }
    var isBeforeValue: Bool { self == .value || self == .firstValue }
    var isKey: Bool { self == .key || self == .firstKey }
    var isBeforeString: Bool { rawValue <= Expectation.firstKey.rawValue }
  }

  private var state = Expectation.value
  private var stack = RigidArray<UInt8>(capacity: ParseLimits.depthMax)
  /// The opening bracket of the innermost array or object.
  private var innermost: UInt8? { stack.isEmpty ? nil : stack[stack.count &- 1] }
  private var isKey = false
  private var hexLeft = 0
  /// The rest of `true`, `false` or `null`, last letter first.
  private var word: [UInt8] = []
  // For UTF-8 inside a string: the number of continuation bytes that follow, and the range of the next one.
  private var moreBytes = 0
  private var low: UInt8 = 0x80
  private var high: UInt8 = 0xBF

  /// Labels that are known to be valid: lists repeat few.
  private var labels = LabelCache()

  private var line: UInt64 = 1
  private var byte: UInt64

  /// Makes a validator for an input that starts with a byte order mark of this length.
  init(skipping markBytes: Int) {
    byte = UInt64(markBytes)
  }

  /// Checks the next bytes; returns the first error, or nil.
  mutating func check(_ bytes: Span<UInt8>, input: String) -> Failure? {
    var index = 0
    // Up to here each byte is checked separately: a part that failed as a whole is not tried again.
    var stepsUntil = 0
    while index < bytes.count {
      if state == .string {
        if moreBytes == 0, index >= stepsUntil {
          let piece = Self.plainPiece(bytes, from: index)
          index = piece.end
          stepsUntil = piece.stepsUntil
        }
      } else {
        index = skipTokens(bytes, from: index)
      }
      if index == bytes.count { break }
      if let reason = step(bytes[index]) {
        byte += UInt64(index)
        return .notJSON(line: line, byte: byte, input: input, reason)
      }
      index += 1
    }
    byte += UInt64(index)
    return nil
  }

  /// Ends the input; returns an error if it ended inside a document or before one.
  func finish(input: String) -> Failure? {
    let isWhole =
      switch state {
      case .done: true
      case .zero, .integer, .fraction, .exponentDigits: stack.isEmpty
      default: false
      }
    return isWhole ? nil : .notJSON(line: line, byte: byte, input: input, "the document ends too early")
  }

  /// Passes over valid tokens from `start` on: white space, brackets, commas, colons, and strings without escapes that end
  /// in these bytes. Returns the index after the last one; what follows is for ``step(_:)``.
  ///
  /// - Complexity: O(bytes); three to nine instructions a byte.
  private mutating func skipTokens(_ bytes: Span<UInt8>, from start: Int) -> Int {
    // Local variables, which stay in registers.
    var state = state
    guard state.isBetweenTokens else { return start }
    var lineFeeds = 0
    defer {
      self.state = state
      line += UInt64(lineFeeds)
    }
    var isInObject = innermost == JSONMachine.object
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\""):
        if state == .firstKey, isInArrayAround {
          let rows = skipRows(bytes, from: index)
          index = rows.end
          lineFeeds &+= rows.count
        }
        guard state.isBeforeString, let end = Self.stringEnd(bytes, from: index &+ 1) else { return index }
        index = end
        state = state.isKey ? .colon : stack.isEmpty ? .done : .afterValue
      case 0x0A: lineFeeds &+= 1
      case 0x20, 0x0D, 0x09: break
      case UInt8(ascii: ","):
        guard state == .afterValue else { return index }
        state = isInObject ? .key : .value
      case UInt8(ascii: ":"):
        guard state == .colon else { return index }
        state = .value
      case JSONMachine.object, JSONMachine.array:
        guard state.isBeforeValue, stack.count < ParseLimits.depthMax else { return index }
        stack.append(byte)
        isInObject = byte == JSONMachine.object
        state = isInObject ? .firstKey : .firstValue
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        // In ASCII, `}` and `]` come two after `{` and `[`.
        guard state == .afterValue || state == .firstKey || state == .firstValue, innermost == byte &- 2
        else {
          return index
        }
        stack.removeLast()
        isInObject = innermost == JSONMachine.object
        state = stack.isEmpty ? .done : .afterValue
      default: return index
      }
      index &+= 1
    }
    return index
  }

  /// Passes over rows like `"8613800138000": "label"},␊{` in an array; `start` is at the first quote, as the result is
  /// again. They leave the state as it was: a bracket is closed and another one is opened in its place.
  private mutating func skipRows(_ bytes: Span<UInt8>, from start: Int) -> (end: Int, count: Int) {
    let raw = unsafe bytes.bytes
    // So that a label can be looked up, and what follows it loaded, after any key that was found.
    let last = bytes.count &- (Self.keyBytesMax &+ 8 &+ LabelCache.windowBytes &+ 8)
    var index = start
    var count = 0
    defer { labels.removeAll(rows: count) }
    while index <= last {
      guard let key = Self.stringEnd(bytes, from: index &+ 1), key &- index <= Self.keyBytesMax,
        unsafe WordScan.uncheckedHalf(raw, key) == Self.spacedColon
      else { break }
      let label = key &+ 4
      let labelKey = unsafe WordScan.uncheckedWord(raw, label)
      let end: Int
      if labels.isActive, let known = unsafe labels.find(raw, label, key: labelKey) {
        end = label &+ known.count
      } else {
        guard let found = Self.stringEnd(bytes, from: label) else { break }
        end = found
        if labels.isActive {
          unsafe labels.keep(LabelCache.Label(count: end &- label, index: 0), raw, label, key: labelKey)
        }
      }
      // There are at least eight bytes.
      guard unsafe WordScan.uncheckedWord(raw, end) & Self.nextRowMask == Self.nextRow else { break }
      count &+= 1
      index = end &+ 5
    }
    return (index, count)
  }

  private static let keyBytesMax = 32
  // The texts around the strings of a row, as little-endian integers.
  private static let spacedColon: UInt32 = 0x2220_3A22  // ": "
  private static let nextRow: UInt64 = 0x227B_0A2C_7D22  // "},␊{"
  private static let nextRowMask: UInt64 = 0xFFFF_FFFF_FFFF

  /// Whether the innermost open bracket is in an array.
  private var isInArrayAround: Bool { stack.count > 1 && stack[stack.count - 2] == JSONMachine.array }

  /// The end of a string without escapes and control characters, if it ends at least eight bytes before the end of these
  /// bytes and is UTF-8; otherwise nil.
  @inline(__always)
  private static func stringEnd(_ bytes: Span<UInt8>, from start: Int) -> Int? {
    let raw = unsafe bytes.bytes
    // The last index from which a word and the eight bytes after it can be loaded.
    let last = bytes.count &- 16
    var index = start
    var seen: UInt64 = 0
    while index <= last {
      let word = unsafe WordScan.uncheckedWord(raw, index)
      let stops = WordScan.stringStops(word)
      if stops == 0 {
        seen |= word
        index &+= 8
        continue
      }
      // The bytes up to the first marked one.
      seen |= word & (stops ^ (stops &- 1))
      let end = index &+ WordScan.first(stops)
      guard bytes[end] == UInt8(ascii: "\""),
        seen & WordScan.highs == 0 || UTF8Check.isValid(bytes, from: start, endingBeforeASCIIAt: end)
      else { return nil }
      return end
    }
    return nil
  }

  /// The end of the part of a string without quotes, escapes and control characters, if it ends in these bytes and is
  /// UTF-8; otherwise the end of the ASCII at its start, and the index up to which bytes must be checked one by one.
  private static func plainPiece(_ bytes: Span<UInt8>, from start: Int) -> (end: Int, stepsUntil: Int) {
    let raw = unsafe bytes.bytes
    var index = start
    var ascii = start
    var seen: UInt64 = 0
    while index + 8 <= bytes.count {
      let word = WordScan.word(raw, index)
      let stops = WordScan.stringStops(word)
      if seen == 0 {
        let end = stops | (word & WordScan.highs)
        ascii = end == 0 ? index + 8 : index + WordScan.first(end)
      }
      if stops != 0 {
        let length = WordScan.first(stops)
        seen |= word & ((1 << (UInt64(length) * 8)) &- 1) & WordScan.highs
        let end = index + length
        if seen == 0 || UTF8Check.isValid(bytes.extracting(start..<end)) { return (end, 0) }
        return (ascii, end)
      }
      seen |= word & WordScan.highs
      index += 8
    }
    return (ascii, index)
  }

  private static func unexpected(_ byte: UInt8) -> String {
    byte > 0x20 && byte < 0x7F ? "unexpected '\(Unicode.Scalar(byte))'" : "unexpected byte \(byte)"
  }

  /// Reads the next byte; returns what is wrong with it, or nil.
  private mutating func step(_ byte: UInt8) -> String? {
    switch state {
    case .string: return stringByte(byte)
    case .escape, .hex: return escapeByte(byte)
    case .word:
      guard word.popLast() == byte else { return Self.unexpected(byte) }
      if word.isEmpty { endValue() }
      return nil
    case .minus, .zero, .integer, .point, .fraction, .exponent, .exponentSign, .exponentDigits:
      return numberByte(byte)
    default: return structureByte(byte)
    }
  }

  private mutating func structureByte(_ byte: UInt8) -> String? {
    if byte.isASCIISpace {
      if byte == 0x0A { line += 1 }
      return nil
    }
    switch state {
    case .value, .firstValue:
      if byte == UInt8(ascii: "]") {
        if state == .firstValue { return close(byte) }
        if innermost == JSONMachine.array { return "a trailing comma" }
      }
      return beginValue(byte)
    case .key, .firstKey:
      if byte == UInt8(ascii: "}") { return state == .firstKey ? close(byte) : "a trailing comma" }
      guard byte == UInt8(ascii: "\"") else { return Self.unexpected(byte) }
      isKey = true
      state = .string
    case .colon:
      guard byte == UInt8(ascii: ":") else { return Self.unexpected(byte) }
      state = .value
    case .afterValue:
      if byte == UInt8(ascii: ",") {
        state = innermost == JSONMachine.object ? .key : .value
      } else {
        return close(byte)
      }
    default:
      return "text after the end of the document"
    }
    return nil
  }

  private mutating func beginValue(_ byte: UInt8) -> String? {
    switch byte {
    case UInt8(ascii: "\""):
      isKey = false
      state = .string
    case JSONMachine.object, JSONMachine.array:
      if stack.count >= ParseLimits.depthMax { return "nested deeper than \(ParseLimits.depthMax) brackets" }
      stack.append(byte)
      state = byte == JSONMachine.object ? .firstKey : .firstValue
    case UInt8(ascii: "-"): state = .minus
    case UInt8(ascii: "0"): state = .zero
    case UInt8(ascii: "1")...UInt8(ascii: "9"): state = .integer
    // The letters of the words, last one first.
    case UInt8(ascii: "t"): begin(word: "eur")
    case UInt8(ascii: "f"): begin(word: "esla")
    case UInt8(ascii: "n"): begin(word: "llu")
    default: return Self.unexpected(byte)
    }
    return nil
  }

  private mutating func begin(word letters: String) {
    word = Array(letters.utf8)
    state = .word
  }

  private mutating func close(_ byte: UInt8) -> String? {
    // In ASCII, `}` and `]` come two after `{` and `[`.
    guard byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]"), innermost == byte - 2 else {
      return Self.unexpected(byte)
    }
    stack.removeLast()
    endValue()
    return nil
  }

  private mutating func endValue() {
    state = stack.isEmpty ? .done : .afterValue
  }

  private mutating func numberByte(_ byte: UInt8) -> String? {
    let isDigit = byte &- 0x30 < 10
    switch (state, byte) {
    case (.minus, UInt8(ascii: "0")): state = .zero
    case (.minus, _) where isDigit: state = .integer
    case (.zero, _) where isDigit: return "a number with a leading zero"
    case (.integer, _) where isDigit, (.fraction, _) where isDigit, (.exponentDigits, _) where isDigit: break
    case (.zero, UInt8(ascii: ".")), (.integer, UInt8(ascii: ".")): state = .point
    case (.point, _) where isDigit: state = .fraction
    case (.zero, 0x45), (.zero, 0x65), (.integer, 0x45), (.integer, 0x65), (.fraction, 0x45),
      (.fraction, 0x65):
      state = .exponent
    case (.exponent, UInt8(ascii: "+")), (.exponent, UInt8(ascii: "-")): state = .exponentSign
    case (.exponent, _) where isDigit, (.exponentSign, _) where isDigit: state = .exponentDigits
    case (.zero, _), (.integer, _), (.fraction, _), (.exponentDigits, _):
      // The number ended before this byte.
      endValue()
      return structureByte(byte)
    default: return Self.unexpected(byte)
    }
    return nil
  }

  private mutating func escapeByte(_ byte: UInt8) -> String? {
    if state == .hex {
      switch byte {
      case 0x30...0x39, 0x41...0x46, 0x61...0x66: break
      default: return "invalid escape"
      }
      hexLeft -= 1
      if hexLeft == 0 { state = .string }
      return nil
    }
    switch byte {
    case UInt8(ascii: "u"): (state, hexLeft) = (.hex, 4)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      state = .string
    default: return "invalid escape"
    }
    return nil
  }

  private mutating func stringByte(_ byte: UInt8) -> String? {
    if moreBytes > 0 {
      guard byte >= low, byte <= high else { return "not UTF-8" }
      moreBytes -= 1
      (low, high) = (0x80, 0xBF)
      return nil
    }
    switch byte {
    case UInt8(ascii: "\""):
      if isKey { state = .colon } else { endValue() }
    case UInt8(ascii: "\\"): state = .escape
    case 0..<0x20: return "control character \(byte) in a string"
    case 0x20..<0x80: break
    // The Unicode Standard, table 3-7.
    case 0xC2...0xDF: moreBytes = 1
    case 0xE0: (moreBytes, low) = (2, 0xA0)
    case 0xED: (moreBytes, high) = (2, 0x9F)
    case 0xE1...0xEF: moreBytes = 2
    case 0xF0: (moreBytes, low) = (3, 0x90)
    case 0xF4: (moreBytes, high) = (3, 0x8F)
    case 0xF1...0xF3: moreBytes = 3
    default: return "not UTF-8"
    }
    return nil
  }
}

extension Failure {
  /// Input that is not RFC 8259 JSON in a strict run. Lines count from 1, bytes from 0.
  static func notJSON(
    line: UInt64, byte: UInt64, input: String, _ reason: String,
    hint: String = "remove \(option: "strict") to read JSON-like input as far as possible"
  ) -> Failure {
    parse(
      "not-json", "\(InputName.plain(input)):\(line) (byte \(byte)): not RFC 8259 JSON: \(reason)", hint: hint
    )
  }

  /// A byte order mark of UTF-16 or UTF-32: RFC 8259, section 8.1, allows UTF-8 only.
  static func notUTF8JSON(input: String, _ encoding: WideEncoding) -> Failure {
    let name = encoding == .utf16LE || encoding == .utf16BE ? "utf-16" : "utf-32"
    return notJSON(
      line: 1, byte: 0, input: input, "a byte order mark of \(encoding.rawValue); JSON is UTF-8",
      hint: "add \(option: "encoding=", name)")
  }
}
