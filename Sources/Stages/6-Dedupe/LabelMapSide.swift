// The two sides of a label map rule: escapes, surrounding spaces, wildcards.

import Records

/// The left side of a rule.
enum LabelPattern {
  case literal(String)
  case glob(LabelGlob)
}

/// One side of a rule while it is parsed: its characters, without surrounding spaces.
struct LabelMapSide {
  private var scalars: [(scalar: Unicode.Scalar, isPlain: Bool)] = []

  var isEmpty: Bool { scalars.isEmpty }

  /// The character that an escape stands for: itself, or the one that it means in the text form.
  static func unescaped(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "\\", "=", "#", "*", "?", "-", " ": scalar
    case "t": "\t"
    case "n": "\n"
    case "r": "\r"
    default: nil
    }
  }

  mutating func append(literal scalar: Unicode.Scalar) {
    scalars.append((scalar, false))
  }

  mutating func append(plain scalar: Unicode.Scalar) {
    if scalars.isEmpty, Self.isSpace(scalar) { return }
    scalars.append((scalar, true))
  }

  /// Spaces, tabs, and carriage returns, which some systems put at the end of a line.
  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t" || scalar == "\r"
  }

  private var trimmed: ArraySlice<(scalar: Unicode.Scalar, isPlain: Bool)> {
    var all = scalars[...]
    while let last = all.last, last.isPlain, Self.isSpace(last.scalar) { all.removeLast() }
    return all
  }

  var text: String {
    var text = ""
    for part in trimmed { text.unicodeScalars.append(part.scalar) }
    return text
  }

  var isLoneDash: Bool {
    let all = trimmed
    return all.count == 1 && all.first?.scalar == "-" && all.first?.isPlain == true
  }

  var pattern: LabelPattern {
    var parts: [LabelGlob.Part] = []
    var isGlob = false
    var literal = ""
    func characters(_ text: String) -> [LabelGlob.Part] { text.map { .character($0) } }
    for part in trimmed {
      if part.isPlain, part.scalar == "*" || part.scalar == "?" {
        isGlob = true
        parts += characters(literal) + [part.scalar == "*" ? .anyText : .anyCharacter]
        literal = ""
      } else {
        literal.unicodeScalars.append(part.scalar)
      }
    }
    return isGlob ? .glob(LabelGlob(parts + characters(literal))) : .literal(literal)
  }
}
