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
