// Folding by its definition: the characters one after another into an array, then a pass over the array for each step
// that depends on adjacent characters. It is slow and shares no code with the reader: tests compare the reader with it.
//
// Not for: the folding of single characters, which FoldMap defines and FoldingTests compares with Python's tables.

@testable import MessageRules
@testable import MessageRulesCompiler

/// Texts folded by the slow model.
struct FoldingModel {
  /// A folded character, and its class for folding.
  private struct Token {
    var scalar: UInt32
    var kind: FoldKind
    var isSpace: Bool
  }

  let map: FoldMap

  init(_ options: FoldingOptions) { map = FoldMap(options) }

  /// The folded characters of a text.
  func fold(_ text: [UInt8]) -> [UInt32] {
    var tokens = tokens(Self.syllables(Self.scalars(text)))
    replaceLookAlikes(&tokens)
    tokens = Self.withoutSeparatorsInside(tokens)
    return tokens.indices.filter { !(tokens[$0].isSpace && $0 > 0 && tokens[$0 - 1].isSpace) }
      .map { tokens[$0].scalar }
  }

  /// A text's characters; each byte that does not begin a character is U+FFFD.
  private static func scalars(_ text: [UInt8]) -> [UInt32] {
    var scalars: [UInt32] = []
    var at = 0
    while at < text.count {
      var length = 1
      var scalar: UInt32 = 0xFFFD
      for count in 1...4 where at + count <= text.count {
        guard let character = String(validating: text[at..<at + count], as: UTF8.self),
          let only = character.unicodeScalars.first, character.unicodeScalars.count == 1
        else { continue }
        (length, scalar) = (count, only.value)
        break
      }
      scalars.append(scalar)
      at += length
    }
    return scalars
  }

  /// Korean letters composed: a consonant and a vowel, optionally followed by another consonant. Source: The Unicode
  /// Standard, section 3.12.
  private static func syllables(_ scalars: [UInt32]) -> [UInt32] {
    var composed: [UInt32] = []
    var at = 0
    while at < scalars.count {
      let letters = scalars[at...].prefix(3).map(Int.init)
      guard letters.count >= 2, (0x1100...0x1112).contains(letters[0]), (0x1161...0x1175).contains(letters[1])
      else {
        composed.append(scalars[at])
        at += 1
        continue
      }
      let hasEnd = letters.count == 3 && (0x11A8...0x11C2).contains(letters[2])
      let syllable = ((letters[0] - 0x1100) * 21 + letters[1] - 0x1161) * 28
      composed.append(UInt32(0xAC00 + syllable + (hasEnd ? letters[2] - 0x11A7 : 0)))
      at += hasEnd ? 3 : 2
    }
    return composed
  }

  private func tokens(_ scalars: [UInt32]) -> [Token] {
    var tokens: [Token] = []
    for (index, scalar) in scalars.enumerated() {
      let parts = map.fold(scalar)
      if map.isVoicingMark(parts) {
        // The mark counts only after a syllable that it can voice.
        let isHalf = [0x309A, 0x309C, 0xFF9F].contains(scalar)
        guard index > 0, Kana.canBeVoiced(scalars[index - 1], half: isHalf) else { continue }
      }
      for part in parts {
        let isWhole = parts.count == 1 && !map.isVoicingMark(parts)
        let entry = map.entry(raw: isWhole ? scalar : part, folded: part, symbol: 0)
        tokens.append(
          Token(
            scalar: part, kind: entry.kind, isSpace: entry.kind == .separator && entry.ascii == 0x20))
      }
    }
    return tokens
  }

  /// In a run that contains only digits and similar letters, all are digits.
  private func replaceLookAlikes(_ tokens: inout [Token]) {
    let zeros = Set(LookAlikes.zeros.flatMap(map.fold))
    var start = 0
    while start < tokens.count {
      var end = start
      while end < tokens.count, [.digit, .lookAlike, .letter].contains(tokens[end].kind) { end += 1 }
      let kinds = Set(tokens[start..<end].map(\.kind))
      if kinds == [.digit, .lookAlike] {
        for index in start..<end where tokens[index].kind == .lookAlike {
          tokens[index].scalar = zeros.contains(tokens[index].scalar) ? 0x30 : 0x31
        }
      }
      start = end + 1
    }
  }

  /// Separators between two East Asian characters are dropped.
  private static func withoutSeparatorsInside(_ tokens: [Token]) -> [Token] {
    var kept: [Token] = []
    var separators: [Token] = []
    for token in tokens {
      if token.kind == .separator {
        separators.append(token)
        continue
      }
      if !(token.kind == .eastAsian && kept.last?.kind == .eastAsian) { kept += separators }
      separators = []
      kept.append(token)
    }
    return kept + separators
  }
}
