// A parser for the part of Java's regular expressions that the metadata uses: digits, \d, classes, groups,
// alternatives, `?`, `{n}`, `{n,m}`, `*`, `+`, and `$`. Anything else is an error, never a guess.
// Not for matching.

/// A parsed pattern. Repeats are bounded: see `Pattern.lengthMax`.
indirect enum MetadataPattern: Hashable, Sendable {
  /// A digit out of a set; bit `d` is digit `d`.
  case digit(UInt16)
  case sequence([MetadataPattern])
  /// Tried in this order.
  case alternatives([MetadataPattern])
  /// `min` to `max` times, as many as possible.
  case repeated(MetadataPattern, min: Int, max: Int)
  /// A capturing group, counted from 1.
  case group(Int, MetadataPattern)
  /// `$`.
  case end

  /// `*` and `+` are expanded up to this many times: NumberPlan matches at most this many digits.
  static let lengthMax = 20

  static let anyDigit = MetadataPattern.digit(0x3FF)

  /// Parses `text`; throws a message that quotes it.
  init(_ text: String) throws {
    var parser = MetadataPatternParser(text: text, characters: Array(text.utf8))
    self = try parser.alternatives()
    guard parser.isAtEnd else { throw parser.error() }
  }
}

private struct MetadataPatternParser {
  let text: String
  let characters: [UInt8]
  var position = 0
  var groups = 0

  var isAtEnd: Bool { position == characters.count }

  func error() -> GenerationError {
    GenerationError("pattern '\(text)' is not understood at character \(position + 1)")
  }

  mutating func consume(_ character: Character) -> Bool {
    guard position < characters.count, characters[position] == character.asciiValue else { return false }
    position += 1
    return true
  }

  mutating func alternatives() throws -> MetadataPattern {
    var branches = [try sequence()]
    while consume("|") { branches.append(try sequence()) }
    return branches.count == 1 ? branches[0] : .alternatives(branches)
  }

  mutating func sequence() throws -> MetadataPattern {
    var parts: [MetadataPattern] = []
    while position < characters.count, characters[position] != UInt8(ascii: "|"),
      characters[position] != UInt8(ascii: ")")
    {
      parts.append(try quantified())
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  mutating func quantified() throws -> MetadataPattern {
    let part = try atom()
    let repeated: MetadataPattern
    if consume("?") {
      repeated = .repeated(part, min: 0, max: 1)
    } else if consume("*") {
      repeated = .repeated(part, min: 0, max: MetadataPattern.lengthMax)
    } else if consume("+") {
      repeated = .repeated(part, min: 1, max: MetadataPattern.lengthMax)
    } else if consume("{") {
      let minimum = try number()
      let maximum = consume(",") ? try number() : minimum
      guard consume("}"), minimum <= maximum else { throw error() }
      repeated = .repeated(part, min: minimum, max: maximum)
    } else {
      return part
    }
    // A second quantifier would make the first one lazy or possessive, which the metadata does not use.
    if position < characters.count, "?*+{".utf8.contains(characters[position]) { throw error() }
    return repeated
  }

  mutating func atom() throws -> MetadataPattern {
    if consume("(") {
      var group: Int?
      if consume("?") {
        guard consume(":") else { throw error() }
      } else {
        groups += 1
        group = groups
      }
      let inner = try alternatives()
      guard consume(")") else { throw error() }
      return group.map { .group($0, inner) } ?? inner
    }
    if consume("[") { return try characterClass() }
    if consume("$") { return .end }
    if consume("\\") {
      guard consume("d") else { throw error() }
      return .anyDigit
    }
    return .digit(1 << UInt16(try digit()))
  }

  mutating func characterClass() throws -> MetadataPattern {
    var set: UInt16 = 0
    while !consume("]") {
      let first = try digit()
      let last = consume("-") ? try digit() : first
      guard first <= last else { throw error() }
      for digit in first...last { set |= 1 << UInt16(digit) }
    }
    return .digit(set)
  }

  mutating func digit() throws -> Int {
    guard position < characters.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(characters[position])
    else {
      throw error()
    }
    position += 1
    return Int(characters[position - 1] - UInt8(ascii: "0"))
  }

  mutating func number() throws -> Int {
    var value = try digit()
    while position < characters.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(characters[position])
    {
      value = value * 10 + (try digit())
    }
    guard value <= MetadataPattern.lengthMax else { throw error() }
    return value
  }
}
