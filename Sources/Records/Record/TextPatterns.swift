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

  /// Creates a pattern from text. Every `*` and `?` in it is a wildcard.
  public init(_ text: String) {
    pattern = text.map { $0 == "*" ? .anyText : $0 == "?" ? .anyCharacter : .character($0) }
  }

  /// Creates a pattern from its parts, for syntaxes in which a `*` can be escaped.
  public init(_ parts: [Part]) {
    pattern = parts
  }

  /// Whether the whole label matches.
  ///
  /// - Complexity: O(label × pattern) in the worst case. Only the last `*` is ever extended.
  public func matches(_ label: String) -> Bool {
    let label = Array(label)
    var at = 0
    var place = 0
    var star: (place: Int, at: Int)?
    while at < label.count {
      if place < pattern.count, pattern[place] == .anyText {
        star = (place, at)
        place += 1
      } else if place < pattern.count,
        pattern[place] == .anyCharacter || pattern[place] == .character(label[at])
      {
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
    return pattern[place...].allSatisfy { $0 == .anyText }
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

/// Several numbers in one text, written as the alternatives of a regular expression: `(15550100|15550101)`. Call
/// blockers store a whole list in one rule like this.
public enum NumberAlternatives {
  /// The alternatives of a text, as ranges of its indices; nil if it does not consist of parentheses with alternatives
  /// in them, optionally between anchors.
  ///
  /// - Complexity: O(bytes).
  public static func ranges(of text: Span<UInt8>) -> [Range<Int>]? {
    var (start, end) = (0, text.count)
    if start < end, text[start] == UInt8(ascii: "^") { start += 1 }
    if start < end, text[end - 1] == UInt8(ascii: "$") { end -= 1 }
    guard end - start > 2, text[start] == UInt8(ascii: "("), text[end - 1] == UInt8(ascii: ")") else {
      return nil
    }
    var alternatives: [Range<Int>] = []
    var first = start + 1
    for index in first..<end {
      switch text[index] {
      case UInt8(ascii: "|"), UInt8(ascii: ")"):
        // Other parentheses are punctuation, or a part of a longer expression.
        guard index > first, index == end - 1 || text[index] == UInt8(ascii: "|") else { return nil }
        alternatives.append(first..<index)
        first = index + 1
      case UInt8(ascii: "("): return nil
      default: break
      }
    }
    return alternatives.count > 1 ? alternatives : nil
  }
}
