// The Japanese syllables that a mark can voice. Not for: marks of letters, which are dropped after any character.

/// Japanese syllables, and the two marks that turn them into others: `か` and U+3099 are `が`, `は` and U+309A are `ぱ`.
enum Kana {
  /// The size of a syllable or a mark in bytes.
  private static let bytes = 3
  /// Hiragana that can be voiced, except those that can also be half-voiced: the rows of k, s and t, and three single
  /// ones. Source: the Unicode Character Database, canonical decompositions with U+3099.
  private static let voiced: Set<UInt32> = [
    0x3046, 0x304B, 0x304D, 0x304F, 0x3051, 0x3053, 0x3055, 0x3057, 0x3059, 0x305B, 0x305D, 0x305F, 0x3061,
    0x3064,
    0x3066, 0x3068, 0x309D,
  ]
  /// The row of h, which both marks can follow.
  private static let halfVoiced: Set<UInt32> = [0x306F, 0x3072, 0x3075, 0x3078, 0x307B]
  /// Katakana that can be voiced although their hiragana can't: the row of w.
  private static let voicedKatakana: Set<UInt32> = [0x30EF, 0x30F0, 0x30F1, 0x30F2]

  /// Whether the mark that ends before `at` turns the preceding character into another syllable.
  static func isVoiced(before at: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard at >= 2 * bytes, let mark = unsafe Scalars.eastAsian(text, at - bytes),
      let syllable = unsafe Scalars.eastAsian(text, at - 2 * bytes)
    else { return false }
    let isHalf = mark == 0x309A || mark == 0x309C || mark == 0xFF9F
    return canBeVoiced(syllable, half: isHalf)
  }

  /// Whether a mark can follow a syllable, in hiragana, katakana or half-width katakana.
  static func canBeVoiced(_ syllable: UInt32, half: Bool) -> Bool {
    switch syllable {
    // Half-width: h; u, k, s, t, w and o of the row of w.
    case 0xFF8A...0xFF8E: return true
    case 0xFF66, 0xFF73, 0xFF76...0xFF84, 0xFF9C: return !half
    default: break
    }
    let isKatakana = syllable >= 0x30A1 && syllable <= 0x30FE
    let hiragana = isKatakana ? syllable - 0x60 : syllable
    if halfVoiced.contains(hiragana) { return true }
    return !half && (voiced.contains(hiragana) || voicedKatakana.contains(syllable))
  }
}
