// Folding: texts that look the same become equal, each kind can be switched off, and the tables are Unicode's.

import Foundation
import TestSupport
import Testing

@testable import MessageRules
@testable import MessageRulesCompiler

@Suite("Folding")
struct FoldingTests {
  /// A text, a keyword that it contains because of one kind of folding, and that kind.
  static let pairs: [(text: String, keyword: String, kind: String)] = [
    ("ＡＢ", "AB", "width"), ("ｶﾞ", "ガ", "width"), ("！", "!", "width"), ("Ab", "aB", "case"),
    ("STRASSE", "straße", "case"), ("ΣΊΣΥΦΟΣ", "σίσυφος", "case"), ("㈱", "(株)", "compatibility"),
    ("𝐚𝐛", "ab", "compatibility"), ("ⓒ🅒🅲⒞🄒🄲", "cccccc", "compatibility"), ("㎏", "kg", "compatibility"),
    ("été", "ete", "marks"), ("a\u{200B}b", "ab", "marks"), ("a\u{336}b\u{336}", "ab", "marks"),
    ("澳\u{FE0F}门", "澳门", "marks"), ("澳\u{3164}门", "澳门", "marks"), ("澳 门", "澳门", "spacing"),
    ("澳。\u{3000}★门", "澳门", "spacing"), ("카.지-노", "카지노", "spacing"), ("a\nb", "a b", "spacing"),
    ("①⓪", "10", "digits compatibility"), ("〇", "0", "digits"), ("1Ο6О", "1060", "digits"),
    ("l0O", "100", "digits"),
    ("٣٤", "34", "digits"), ("❿", "10", "digits"), ("１２", "12", "digits width"),
  ]

  @Test("each folding has its effect, and only if it is on", arguments: pairs)
  func switches(text: String, keyword: String, kind: String) throws {
    let on = try classifier(keywordRules([keyword]))
    #expect(on.classify(sender: "", body: text).rule == 0, "\(text)")
    let off = kind.split(separator: " ").map { "\($0): false" }.joined(separator: ", ")
    let without = try classifier(keywordRules([keyword], folding: "{ \(off) }"))
    #expect(without.classify(sender: "", body: text).rule == nil, "\(text) without \(kind)")
  }

  @Test("decomposed letters equal composed ones, whatever is off")
  func canonical() throws {
    let off =
      "{ width: false, case: false, compatibility: false, marks: false, spacing: false, digits: false }"
    for (text, keyword) in [("e\u{301}", "é"), ("\u{304B}\u{3099}", "が"), ("\u{1112}\u{1161}\u{11AB}", "한")] {
      let classifier = try classifier(keywordRules([keyword], folding: off))
      #expect(classifier.classify(sender: "", body: text).rule == 0, "\(keyword)")
    }
  }

  @Test("separators between voiced Japanese syllables are dropped, too")
  func voicedSpacing() throws {
    for (text, keyword) in [
      ("バ カ", "バカ"), ("カ・ジ・ノ", "カジノ"), ("ﾊﾞ ｶ", "バカ"), ("カ ジ ノ", "ｶｼﾞﾉ"), ("ぱ★ち-ん こ", "ぱちんこ"), ("パ゚", "パ"),
    ] {
      let classifier = try classifier(keywordRules([keyword]))
      #expect(classifier.classify(sender: "", body: "x\(text)x").rule == 0, "\(text)")
    }
    let others = try classifier(keywordRules(["ハカ", "パカ"]))
    #expect(others.classify(sender: "", body: "バカ バ カ").rule == nil)
  }

  @Test("spaces and line ends of all kinds are one space, in texts and in keywords")
  func spaces() throws {
    for keyword in ["win now", "win  now", "win\\r\\nnow"] {
      let classifier = try classifier(keywordRules([keyword]))
      for space in ["\r\n", "  ", " \t ", "\u{200A}", "\u{1680}", "\u{3000}\u{A0}", " \u{200B} ", "\n\n\n"] {
        let text = "you win\(space)now"
        #expect(classifier.classify(sender: "", body: text).rule == 0, "\(text.unicodeScalars.map(\.value))")
      }
      #expect(classifier.classify(sender: "", body: "winnow").rule == nil)
      #expect(classifier.classify(sender: "", body: "win - now").rule == nil)
    }
    // The spaces between East Asian characters are removed, and the characters after them count.
    let mixed = try classifier(keywordRules(["澳门 VIP", "a 门 "]))
    #expect(mixed.classify(sender: "", body: "澳  门  VIP").rule == 0)
    #expect(mixed.classify(sender: "", body: "a 澳 门 \u{2003}").rule == nil)
    #expect(mixed.classify(sender: "", body: "a  门 ").rule == 0)
    let kept = try classifier(keywordRules(["a b"], folding: "{ spacing: false }"))
    #expect(kept.classify(sender: "", body: "a  b").rule == nil)
  }

  @Test("voicing marks change a syllable, and elsewhere don't divide a keyword")
  func voicing() throws {
    for text in ["が", "か\u{3099}", "か\u{309B}", "ガ", "ｶﾞ", "ｶ\u{3099}"] {
      let voiced = try classifier(keywordRules(["が", "ガ"]))
      #expect(voiced.classify(sender: "", body: text).rule == 0, "\(text)")
    }
    let whole = try classifier(keywordRules(["澳门", "アカ", "casino"]))
    for mark in [
      "\u{3099}", "\u{309A}", "\u{309B}", "\u{309C}", "\u{FF9E}", "\u{FF9F}", "\u{302A}", "\u{2DE0}",
    ] {
      for text in ["澳\(mark)门", "ア\(mark)カ", "c\(mark)asino"] {
        #expect(whole.classify(sender: "", body: text).rule == 0, "\(text.unicodeScalars.map(\.value))")
      }
    }
  }

  @Test("the syllables that can be voiced are Unicode's")
  func voicedSyllables() {
    for scalar in (0x3041 as UInt32)...0x30FE {
      for (mark, half) in [("\u{3099}", false), ("\u{309A}", true)] {
        guard let syllable = Unicode.Scalar(scalar) else { continue }
        let composed =
          (String(syllable) + mark).precomposedStringWithCanonicalMapping.unicodeScalars.count == 1
        #expect(Kana.canBeVoiced(scalar, half: half) == composed, "\(String(scalar, radix: 16)) \(half)")
      }
    }
  }

  @Test("letters become digits only in numbers, and words are unchanged")
  func lookAlikes() throws {
    let classifier = try classifier(keywordRules(["100", "off", "oil"]))
    for text in ["1OO", "l0O", "I0O!", "价1OO元", "10Ο"] {
      #expect(classifier.classify(sender: "", body: text).rule == 0, "\(text)")
    }
    for text in ["1OOx", "OOl", "x1OO", "1O"] {
      #expect(classifier.classify(sender: "", body: text).rule == nil, "\(text)")
    }
    #expect(classifier.classify(sender: "", body: "10off").rule == 0)
    #expect(classifier.classify(sender: "", body: "OIL").rule == 0)
  }

  #if os(Linux)
    @Test("every character is folded as Python's unicodedata folds it")
    func oracle() throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["python3", testFolder.appendingPathComponent("Oracle/fold_characters.py").path]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      // If Python has another Unicode version than the tables, there is nothing to compare with.
      if process.terminationStatus == 77 { return }
      #expect(process.terminationStatus == 0)
      let map = FoldMap(FoldingOptions())
      var compared = 0
      var different: [String] = []
      for line in text.split(separator: "\n") {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard let scalar = UInt32(fields[0], radix: 16) else { continue }
        // The short form tests all characters of the basic plane, and one in 16 of the others.
        if !TestEffort.isLong, scalar > 0xFFFF, scalar % 16 != 0 { continue }
        let expected = fields[1].split(separator: " ").compactMap { UInt32($0, radix: 16) }
        if map.fold(scalar) != expected { different.append(String(line)) }
        compared += 1
      }
      #expect(compared > TestEffort.cases(short: 100_000, long: 1_000_000))
      #expect(different.isEmpty, "\(different.count), such as \(different.prefix(5))")
    }
  #endif
}

// Folding by its definition: the characters one after another into an array, then a pass over the array for each step
// that depends on adjacent characters. It is slow and shares no code with the reader: tests compare the reader with it.

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
