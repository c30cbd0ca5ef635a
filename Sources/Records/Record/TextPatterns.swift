// Patterns in lists and options: globs for labels, wildcards for digits, numbers as alternatives of a regular
// expression.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// A pattern in which `*` stands for any text and `?` for any character.
public struct LabelGlob: Sendable {
  public enum Part: Equatable, Sendable {
    /// Any text, or none.
    case anyText
    case anyCharacter
    case character(Character)
  }

  private let pattern: [Part]
  /// The pattern of an ASCII text, with 0x80 for any text and 0x81 for any character; nil for another text.
  private let ascii: [UInt8]?

  /// Creates a pattern from text. Every `*` and `?` in it is a wildcard.
  public init(_ text: String) {
    self.init(text.map { $0 == "*" ? .anyText : $0 == "?" ? .anyCharacter : .character($0) })
  }

  /// Creates a pattern from its parts, for syntaxes in which a `*` can be escaped.
  public init(_ parts: [Part]) {
    pattern = parts
    let bytes = parts.compactMap { part in
      switch part {
      case .anyText: Self.anyText
      case .anyCharacter: Self.anyCharacter
      case .character(let character): character.asciiValue
      }
    }
    ascii = bytes.count == parts.count ? bytes : nil
  }

  private static let anyText: UInt8 = 0x80
  private static let anyCharacter: UInt8 = 0x81

  /// Whether a whole label or source matches, as it stands in record fields.
  public func matches(escaped bytes: Span<UInt8>) -> Bool {
    guard let ascii, bytes.isPlainASCII else { return matches(RecordFields.fields(bytes).label) }
    // Each byte is a character.
    return Self.matches(
      bytes.count, ascii.count, isAnyText: { ascii[$0] == Self.anyText },
      isMatch: { ascii[$0] == Self.anyCharacter || ascii[$0] == bytes[$1] })
  }

  /// Whether the whole label matches.
  ///
  /// - Complexity: O(label × pattern) in the worst case.
  public func matches(_ label: String) -> Bool {
    let label = Array(label)
    return Self.matches(
      label.count, pattern.count, isAnyText: { pattern[$0] == .anyText },
      isMatch: { pattern[$0] == .anyCharacter || pattern[$0] == .character(label[$1]) })
  }

  /// Whether a text of `count` characters matches a pattern of `parts`. Only the last `*` is ever extended.
  @inline(__always)
  private static func matches(
    _ count: Int, _ parts: Int, isAnyText: (_ part: Int) -> Bool,
    isMatch: (_ part: Int, _ character: Int) -> Bool
  ) -> Bool {
    var at = 0
    var place = 0
    var star: (place: Int, at: Int)?
    while at < count {
      if place < parts, isAnyText(place) {
        star = (place, at)
        place += 1
      } else if place < parts, isMatch(place, at) {
        place += 1
        at += 1
      } else if let last = star {
        // The star matches one more character.
        star = (last.place, last.at + 1)
        place = last.place + 1
        at = last.at + 1
      } else {
        return false
      }
    }
    while place < parts, isAnyText(place) { place += 1 }
    return place == parts
  }
}

extension Span<UInt8> {
  fileprivate var isPlainASCII: Bool {
    for index in indices where self[index] >= 0x80 || self[index] == Byte.backslash { return false }
    return true
  }
}

public enum Wildcard {
  /// Whether an ASCII character is a wildcard for a digit: `#`, `*`, `?`, `x` or `X`.
  public static func isWildcard(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "#") || byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?")
      || byte | 0x20 == UInt8(ascii: "x")
  }

  /// The ASCII equivalent of a wildcard, digit, dash or blank of another script; nil for other characters, among them
  /// the ellipses.
  public static func ascii(_ scalar: Unicode.Scalar) -> UInt8? {
    switch scalar.value {
    case 0..<0x80: UInt8(scalar.value)
    // Full-width forms are in the order of ASCII.
    case 0xFF01...0xFF5E: UInt8(scalar.value - 0xFF01 + 0x21)
    // Multiplication signs, bullets, blocks, squares and circles hide digits, or leave space for them.
    case 0xD7, 0x2022, 0x2580...0x25FF, 0x2610...0x2612, 0x26AA, 0x26AB, 0x2B1A...0x2B1C, 0x2B24, 0x2B55,
      0x3007:
      UInt8(ascii: "#")
    // Stars and asterisks, reference marks.
    case 0x203B, 0x204E, 0x2217, 0x22C6, 0x2605, 0x2606, 0x2722...0x274B, 0x2B50: UInt8(ascii: "*")
    case 0x2753, 0x2754: UInt8(ascii: "?")
    case 0x2053, 0x223C, 0x301C: UInt8(ascii: "~")
    case 0x2010...0x2015, 0x2212, 0x30FC, 0xFF0D: UInt8(ascii: "-")
    case 0xA0, 0xAD, 0x2000...0x200F, 0x2018...0x2024, 0x2027...0x203A, 0x203C...0x204D, 0x204F...0x2052,
      0x2054...0x206F, 0x3000...0x3003, 0x3008...0x301B, 0x301D...0x301F, 0xFEFF:
      UInt8(ascii: " ")
    default: nil
    }
  }
}

/// Several numbers in one text, written as the alternatives of a regular expression: `(15550100|15550101)`,
/// `^(0|\+33)162\d{6}$`. Call blockers store a whole list in one rule like this.
public enum NumberAlternatives {
  /// The texts that an expression with alternatives stands for.
  public struct Texts: Sendable {
    /// Each with the anchors of the expression; empty if there are too many, or the parentheses don't match.
    public internal(set) var all: [[UInt8]] = []
    /// Whether digits may be missing, as in `(33)?948\d{6}`.
    public internal(set) var hasOptionalDigits = false
  }

  /// The texts that an expression with alternatives or optional parts stands for; nil if it has none of these.
  ///
  /// - Complexity: O(bytes), and at most ``AlternativesReader/bytesMax`` bytes of combined texts.
  public static func texts(of text: Span<UInt8>) -> Texts? {
    guard AlternativesReader.isNeeded(text) else { return nil }
    var reader = AlternativesReader(text)
    return reader.texts()
  }

  /// Whether an expression has alternatives or optional parts, so that ``texts(of:)`` is not nil.
  ///
  /// - Complexity: O(bytes); nothing is multiplied out.
  public static func areIn(_ text: Span<UInt8>) -> Bool {
    guard AlternativesReader.isNeeded(text) else { return false }
    var reader = AlternativesReader(text)
    return reader.findsChoice()
  }
}

/// Multiplies the alternatives of a regular expression out. Everything but bars, parentheses and question marks after
/// these stays as it is: what a class or a count stands for is another question.
struct AlternativesReader {
  /// The maximum number of bytes in memory that all combined texts of an expression may have, beyond which it is not
  /// multiplied out.
  static let bytesMax = 8 << 20
  /// The memory of a text without its bytes.
  private static let textOverhead = 32
  /// An expression has at most as many combined texts as bytes, or as many as this. Plain alternatives are not combined.
  static let combinationsMax = 4096
  /// The maximum depth of parentheses in parentheses.
  private static let depthMax = 8

  private var text: [UInt8] = []
  private var index = 0
  /// The index of the last bracket that ends a class; -1 if there is none.
  private var lastClassEnd = -1
  /// What is left of ``bytesMax`` and ``combinationsMax``.
  private var bytesLeft = Self.bytesMax
  private var combinationsLeft = Self.combinationsMax
  private var hasStart = false
  private var hasEnd = false
  /// Whether the text is a regular expression, so that a digit before a question mark may be missing.
  private var isExpression = false
  /// Whether parentheses before a question mark may be missing.
  private var hasOptionalGroups = false
  private var hasOptionalDigits = false
  private var hasChoice = false

  /// Whether the text has a bar or a question mark, without which it has no alternatives.
  static func isNeeded(_ text: Span<UInt8>) -> Bool {
    for index in text.indices where text[index] == UInt8(ascii: "|") || text[index] == UInt8(ascii: "?") {
      return true
    }
    return false
  }

  init(_ written: Span<UInt8>) {
    var core = written.indices.map { written[$0] }[...]
    let isDecoration: (UInt8) -> Bool = { " \t\"',;".utf8.contains($0) }
    core = core.drop(while: isDecoration)
    while let last = core.last, isDecoration(last) { core.removeLast() }
    if core.count > 2, core.first == UInt8(ascii: "/"), core.last == UInt8(ascii: "/") {
      core = core.dropFirst().dropLast()
    }
    if core.first == UInt8(ascii: "^") {
      core.removeFirst()
      hasStart = true
    }
    if core.last == UInt8(ascii: "$"), core.dropLast().last != Byte.backslash {
      core.removeLast()
      hasEnd = true
    }
    text = Array(core)
    lastClassEnd = text.lastIndex(of: UInt8(ascii: "]")) ?? -1
    combinationsLeft = max(Self.combinationsMax, text.count)
    isExpression = hasStart || hasEnd || text.contains(Byte.backslash)
    hasOptionalGroups =
      isExpression || text.contains(UInt8(ascii: "|")) || text.contains(UInt8(ascii: "["))
      || zip(text, text.dropFirst()).contains { $0 == Byte.dot && $1 == UInt8(ascii: "*") }
  }

  /// The texts; nil if there is no choice.
  mutating func texts() -> NumberAlternatives.Texts? {
    var result = NumberAlternatives.Texts()
    guard let all = alternatives(depth: 0), index == text.count else { return hasChoice ? result : nil }
    guard hasChoice else { return nil }
    result.all = all.map(anchored)
    result.hasOptionalDigits = hasOptionalDigits
    return result
  }

  /// Whether ``texts()`` finds a choice.
  mutating func findsChoice() -> Bool {
    var depth = 0
    while index < text.count {
      let start = index
      switch text[index] {
      case UInt8(ascii: "|"): return true
      case UInt8(ascii: "("):
        if text[index...].starts(with: "(?:".utf8) { return true }
        guard depth < Self.depthMax else { return false }
        depth += 1
        index += 1
      case UInt8(ascii: ")"):
        guard depth > 0 else { return false }
        depth -= 1
        index += 1
        if hasOptionalGroups, skipQuestionMark() { return true }
      default:
        skipAtom()
        if isOptional(atomAt: start), skipQuestionMark() { return true }
      }
    }
    return false
  }

  /// A text with the anchors of the whole expression, or its own.
  private func anchored(_ text: [UInt8]) -> [UInt8] {
    let hasOwnStart = text.first == UInt8(ascii: "^")
    let hasOwnEnd = text.last == UInt8(ascii: "$")
    return (hasStart && !hasOwnStart ? [UInt8(ascii: "^")] : []) + text
      + (hasEnd && !hasOwnEnd ? [UInt8(ascii: "$")] : [])
  }

  /// Reads alternatives up to a closing parenthesis or the end; nil if there are too many.
  private mutating func alternatives(depth: Int) -> [[UInt8]]? {
    var all: [[UInt8]] = []
    while true {
      guard let texts = sequence(depth: depth) else { return nil }
      all += texts
      guard index < text.count, text[index] == UInt8(ascii: "|") else { return all }
      hasChoice = true
      index += 1
    }
  }

  /// Reads what follows one another up to a bar or a closing parenthesis.
  private mutating func sequence(depth: Int) -> [[UInt8]]? {
    var texts: [[UInt8]] = [[]]
    // What is before the index and has not been appended yet.
    var plain = index
    while index < text.count, text[index] != UInt8(ascii: "|"), text[index] != UInt8(ascii: ")") {
      let start = index
      var part: [[UInt8]]
      if text[start] == UInt8(ascii: "(") {
        guard let group = group(depth: depth) else { return nil }
        part = group
        if hasOptionalGroups, skipQuestionMark() { addNothing(to: &part) }
      } else {
        skipAtom()
        guard isOptional(atomAt: start), skipQuestionMark() else { continue }
        part = [[text[start]]]
        addNothing(to: &part)
      }
      guard multiply(&texts, by: [Array(text[plain..<start])]), multiply(&texts, by: part) else { return nil }
      plain = index
    }
    return multiply(&texts, by: [Array(text[plain..<index])]) ? texts : nil
  }

  /// Reads parentheses and what is in them.
  private mutating func group(depth: Int) -> [[UInt8]]? {
    let isPlain = text[index...].starts(with: "(?:".utf8)
    if isPlain { hasChoice = true }
    index += isPlain ? 3 : 1
    guard depth < Self.depthMax, let texts = alternatives(depth: depth + 1), index < text.count else {
      return nil
    }
    index += 1
    return texts
  }

  /// Whether the atom from `start` to the current position may be missing if a question mark follows: a digit.
  private func isOptional(atomAt start: Int) -> Bool {
    isExpression && index == start + 1 && text[start] &- 0x30 < 10
  }

  private mutating func skipQuestionMark() -> Bool {
    guard index < text.count, text[index] == UInt8(ascii: "?") else { return false }
    index += 1
    return true
  }

  /// Adds the empty text, unless the texts are only a plus sign or punctuation, which make no difference.
  private mutating func addNothing(to texts: inout [[UInt8]]) {
    hasChoice = true
    guard texts.contains(where: { $0.contains { $0 &- 0x30 < 10 } }) else { return }
    hasOptionalDigits = true
    if !texts.contains([]) { texts.append([]) }
  }

  /// Skips a character, an escape or a class.
  private mutating func skipAtom() {
    switch text[index] {
    case Byte.backslash: index = min(index + 2, text.count)
    case UInt8(ascii: "["):
      // An open class is searched for its end only if there is one.
      let close = index < lastClassEnd ? text[index...].firstIndex(of: UInt8(ascii: "]")) : nil
      index = (close ?? index) + 1
    default: index += 1
    }
  }

  /// Appends each of `tails` to each of the texts; returns false if these would be too many or too long.
  private mutating func multiply(_ texts: inout [[UInt8]], by tails: [[UInt8]]) -> Bool {
    if texts == [[]] {
      texts = tails
      return true
    }
    if tails.count == 1 {
      if texts.count > 1 { bytesLeft -= texts.count * tails[0].count }
      guard bytesLeft >= 0 else { return false }
      for index in texts.indices { texts[index] += tails[0] }
      return true
    }
    let count = texts.count * tails.count
    combinationsLeft -= count
    guard combinationsLeft >= 0 else { return false }
    bytesLeft -= count * Self.textOverhead
    bytesLeft -= texts.reduce(0) { $0 + $1.count } * tails.count
    bytesLeft -= tails.reduce(0) { $0 + $1.count } * texts.count
    guard bytesLeft >= 0 else { return false }
    texts = texts.flatMap { head in tails.map { head + $0 } }
    return true
  }
}
