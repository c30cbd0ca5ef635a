// Random texts of mixed scripts, with the characters that people insert to hide words from filters.

import TestSupport

/// Random texts and words.
struct MixedTexts {
  var random: SplitMix64

  init(test name: String) { random = SplitMix64(test: name) }

  /// Alphabets: few characters of each, so that words repeat.
  static let alphabets: [[Character]] = [
    Array("abcolie"), Array("ABCOLI"), Array("0123456789"), Array("10lOoI"), Array("澳门娱乐城"), Array("카지노한각"),
    Array("かカハウキ"), Array("ｶｱﾊ"), Array("абОоеё"), Array("éßﬁǆÅ"), Array("ＡＢａ１０"), Array("𝐚𝟎🅲①❿㈱㎏"),
    Array("ภไกเ"), Array("अ१"),
  ]

  /// Spaces, punctuation, invisible characters, and marks.
  static let fillings: [String] = [
    " ", "  ", "\u{3000}", "\u{A0}", "\n", "\r\n", "\t", ".", "-", "。", "，", "！", "★", "·", "【", "\u{200B}",
    "\u{200D}",
    "\u{FEFF}", "\u{336}", "\u{301}", "\u{FE0F}", "\u{3099}", "\u{309A}", "\u{309B}", "\u{FF9E}", "\u{FF9F}",
    "\u{AD}",
    "\u{3164}", "¨", "´", "€", "😀", "\u{1100}\u{1161}", "\u{1112}\u{1161}\u{11AB}", "\u{1100}", "\u{1161}",
    "\u{11A8}",
    "\u{0}", "\u{7F}", "\u{10FFFF}", "\u{E000}", "\u{D7A3}", "\u{D7FF}",
  ]

  /// Bytes that are not UTF-8, or the beginning of a character.
  static let broken: [[UInt8]] = [
    [0xFF], [0x80], [0xC0, 0x80], [0xE6], [0xE6, 0xBE], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
    [0xE0, 0x80, 0x80],
    [0xE0, 0x9F, 0xBF], [0xF0, 0x9F], [0xF4, 0x90, 0x80, 0x80], [0xC2], [0xE1, 0x84],
  ]

  /// A word of one alphabet, or of any.
  mutating func word(_ length: ClosedRange<Int>) -> String {
    let one = Self.alphabets.randomElement(using: &random) ?? []
    let isMixed = random.chance(oneIn: 5)
    var word = ""
    for _ in 0..<Int.random(in: length, using: &random) {
      let alphabet = isMixed ? Self.alphabets.randomElement(using: &random) ?? [] : one
      word.append(alphabet.randomElement(using: &random) ?? "a")
    }
    return word
  }

  /// A text of random words, of disguised known words, and of separators.
  mutating func text(around known: [String] = []) -> [UInt8] {
    var text: [UInt8] = []
    for _ in 0..<Int.random(in: 0...24, using: &random) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3: text += Array(word(1...8).utf8)
      case 4...5: text += Array((Self.fillings.randomElement(using: &random) ?? "").utf8)
      case 6...8: text += Array(hidden(known.randomElement(using: &random) ?? word(2...7)).utf8)
      default:
        if random.chance(oneIn: 4) { text += Self.broken.randomElement(using: &random) ?? [] }
      }
    }
    return text
  }

  /// A word with separators between its letters, and with the case of some letters changed.
  private mutating func hidden(_ word: String) -> String {
    let filling = Self.fillings.randomElement(using: &random) ?? ""
    let every = Int.random(in: 1...4, using: &random)
    var hidden = ""
    for (index, character) in word.enumerated() {
      if index > 0, index % every == 0, random.chance(oneIn: 2) { hidden += filling }
      hidden += random.chance(oneIn: 4) ? character.uppercased() : String(character)
    }
    return hidden
  }
}
