// A parser for the part of Java's regular expressions that the metadata uses: digits, \d, classes, groups,
// alternatives, `?`, `{n}`, `{n,m}`, `*`, `+`, and `$`. Anything else is an error, never a guess.
// Not for matching.

/// What a pattern says. Repeats are bounded: see `MetadataPattern.lengthMax`.
indirect enum MetadataPattern: Hashable, Sendable {
  /// One digit out of a set; bit `d` stands for digit `d`.
  case digit(UInt16)
  case sequence([MetadataPattern])
  /// Tried in this order.
  case alternatives([MetadataPattern])
  /// As many as possible, `least...most`.
  case repeated(MetadataPattern, least: Int, most: Int)
  /// A capturing group, counted from 1.
  case group(Int, MetadataPattern)
  /// `$`.
  case end

  /// `*` and `+` are expanded up to this many times: NumberPlan matches no more digits at once than this.
  static let lengthMax = 20

  static let anyDigit = MetadataPattern.digit(0x3FF)

  /// Parses `text`; throws a sentence that quotes it.
  init(_ text: String) throws {
    var parser = PatternParser(text: text, characters: Array(text.utf8))
    self = try parser.alternatives()
    guard parser.isAtEnd else { throw parser.failure() }
  }
}

private struct PatternParser {
  let text: String
  let characters: [UInt8]
  var position = 0
  var groups = 0

  var isAtEnd: Bool { position == characters.count }

  func failure() -> GenerationError {
    GenerationError("pattern '\(text)' is not understood at character \(position + 1)")
  }

  mutating func take(_ character: Character) -> Bool {
    guard position < characters.count, characters[position] == character.asciiValue else { return false }
    position += 1
    return true
  }

  mutating func alternatives() throws -> MetadataPattern {
    var branches = [try sequence()]
    while take("|") { branches.append(try sequence()) }
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
    if take("?") {
      repeated = .repeated(part, least: 0, most: 1)
    } else if take("*") {
      repeated = .repeated(part, least: 0, most: MetadataPattern.lengthMax)
    } else if take("+") {
      repeated = .repeated(part, least: 1, most: MetadataPattern.lengthMax)
    } else if take("{") {
      let least = try number()
      let most = take(",") ? try number() : least
      guard take("}"), least <= most else { throw failure() }
      repeated = .repeated(part, least: least, most: most)
    } else {
      return part
    }
    // A second quantifier would make the first one lazy or possessive, which nobody has needed yet.
    if position < characters.count, "?*+{".utf8.contains(characters[position]) { throw failure() }
    return repeated
  }

  mutating func atom() throws -> MetadataPattern {
    if take("(") {
      var group: Int?
      if take("?") {
        guard take(":") else { throw failure() }
      } else {
        groups += 1
        group = groups
      }
      let inner = try alternatives()
      guard take(")") else { throw failure() }
      return group.map { .group($0, inner) } ?? inner
    }
    if take("[") { return try characterClass() }
    if take("$") { return .end }
    if take("\\") {
      guard take("d") else { throw failure() }
      return .anyDigit
    }
    return .digit(1 << UInt16(try digit()))
  }

  mutating func characterClass() throws -> MetadataPattern {
    var set: UInt16 = 0
    while !take("]") {
      let first = try digit()
      let last = take("-") ? try digit() : first
      guard first <= last else { throw failure() }
      for digit in first...last { set |= 1 << UInt16(digit) }
    }
    return .digit(set)
  }

  mutating func digit() throws -> Int {
    guard position < characters.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(characters[position])
    else {
      throw failure()
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
    guard value <= MetadataPattern.lengthMax else { throw failure() }
    return value
  }
}
