// How plausible a decoded text is: the share of its characters outside ASCII that stand where such characters stand in
// real words. Text in another encoding has signs inside words, capitals after small letters, and words of two scripts.
//
// Not for: how common a character is in a language (EncodingCandidate, libuchardet).

/// The plausibility of a decoded text.
struct TextPlausibility {
  /// A writing system whose letters are not mixed with those of others in a word.
  private enum Script {
    case latin, greek, cyrillic, hebrew, arabic, thai, eastAsian, other
  }

  /// The maximum number of accented letters that follow one another in a Latin word.
  private static let accentsMax = 2

  /// The maximum number of letters of a word.
  private static let lettersMax = 40

  private let scalars: [Unicode.Scalar]

  /// The share of plausible characters among those outside ASCII, 0 to 1; 0 if there are no letters.
  ///
  /// - Complexity: O(characters).
  static func share(_ text: [UInt8]) -> Double {
    let text = TextPlausibility(scalars: Array(String(decoding: text, as: UTF8.self).unicodeScalars))
    var total = 0
    var plausible = 0
    var letters = 0
    for index in text.scalars.indices where !text.scalars[index].isASCII {
      total += 1
      guard text.isPlausible(index) else { continue }
      plausible += 1
      if text.isLetter(index) { letters += 1 }
    }
    // Signs alone are not text in an alphabet.
    return letters == 0 ? 0 : Double(plausible) / Double(total)
  }

  private func isPlausible(_ index: Int) -> Bool {
    let scalar = scalars[index]
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
      .spacingMark:
      return isPlausibleLetter(index)
    default:
      if 0xFF00..<0xFF66 ~= scalar.value { return true }
      guard Self.signs.contains(scalar) else { return false }
      // East Asian signs stand between letters, and so does an apostrophe; others do not.
      return scalar.value >= 0x3000 || scalar == "\u{2019}" || !(isLetter(index - 1) && isLetter(index + 1))
    }
  }

  /// The signs that lists contain.
  private static let signs = Set("·–—‘’‚“”„«»…€£¥№°§•、。「」『』〜〈〉《》【】　".unicodeScalars)

  private func isPlausibleLetter(_ index: Int) -> Bool {
    let scalar = scalars[index]
    let script = Self.script(scalar)
    if script == .other { return false }
    let isBetweenSmallLetters = isSmallASCII(index - 1) && isSmallASCII(index + 1)
    if script == .eastAsian { return !isBetweenSmallLetters }
    // The signs for ordinals count as letters.
    if script == .latin, scalar.properties.generalCategory == .otherLetter { return false }
    for neighbour in [index - 1, index + 1] where isLetter(neighbour) {
      if Self.script(scalars[neighbour]) != script { return false }
    }
    if scalar.properties.isUppercase, index > 0, scalars[index - 1].properties.isLowercase { return false }
    return script == .latin ? isAccent(index) : script == .thai || !isInLongWord(index)
  }

  /// Whether a letter is in a word that is longer than any. Thai is written without spaces.
  private func isInLongWord(_ index: Int) -> Bool {
    var start = index
    while isLetter(start - 1), index - start <= Self.lettersMax { start -= 1 }
    var end = index + 1
    while isLetter(end), end - start <= Self.lettersMax { end += 1 }
    return end - start > Self.lettersMax
  }

  /// Whether a Latin letter outside ASCII is in a word that also has letters of ASCII.
  private func isAccent(_ index: Int) -> Bool {
    var start = index
    while isAccented(start - 1), index - start < Self.accentsMax { start -= 1 }
    var end = index + 1
    while isAccented(end), end - index <= Self.accentsMax { end += 1 }
    return end - start <= Self.accentsMax && (isLetter(start - 1) || isLetter(end))
  }

  private func isAccented(_ index: Int) -> Bool { isLetter(index) && !scalars[index].isASCII }

  private func isLetter(_ index: Int) -> Bool {
    scalars.indices.contains(index) && scalars[index].properties.isAlphabetic
  }

  private func isSmallASCII(_ index: Int) -> Bool {
    scalars.indices.contains(index) && ("a"..."z").contains(scalars[index])
  }

  private static func script(_ scalar: Unicode.Scalar) -> Script {
    switch scalar.value {
    case 0..<0x250, 0x1E00..<0x1F00: .latin
    case 0x370..<0x400, 0x1F00..<0x2000: .greek
    case 0x400..<0x530: .cyrillic
    case 0x590..<0x600: .hebrew
    case 0x600..<0x700: .arabic
    case 0xE00..<0xE80: .thai
    case 0x2E80..<0xA000, 0xAC00..<0xD7B0, 0xF900..<0xFB00, 0xFF66..<0xFFA0, 0x20000..<0x32000: .eastAsian
    default: .other
    }
  }
}
