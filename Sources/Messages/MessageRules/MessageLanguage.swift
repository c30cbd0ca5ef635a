// The language of a text, by its script and by letters that only some languages use.
//
// Not for: languages in Latin letters, whose words would have to be known. A text whose language is not certain has none.

import CallStoreFormat

/// A language that a text can be recognised to be in. Rule files name it by its code.
public enum MessageLanguage: UInt8, Sendable, CaseIterable {
  // The raw values are bits of an operand in compiled rules.
  /// Chinese.
  case zh = 0
  /// Japanese.
  case ja
  /// Korean.
  case ko
  /// Russian.
  case ru
  /// Ukrainian.
  case uk
  /// Bulgarian.
  case bg
  /// Greek.
  case el
  /// Armenian.
  case hy
  /// Georgian.
  case ka
  /// Hebrew.
  case he
  /// Arabic.
  case ar
  /// Persian.
  case fa
  /// Urdu.
  case ur
  /// Hindi, and other languages in Devanagari.
  case hi
  /// Bengali, and other languages in its script.
  case bn
  /// Punjabi in Gurmukhi.
  case pa
  /// Gujarati.
  case gu
  /// Tamil.
  case ta
  /// Telugu.
  case te
  /// Kannada.
  case kn
  /// Malayalam.
  case ml
  /// Sinhala.
  case si
  /// Thai.
  case th
  /// Lao.
  case lo
  /// Burmese, and other languages in its script.
  case my
  /// Khmer.
  case km
  /// Amharic, and other languages in the Ethiopic script.
  case am

  /// The code of ISO 639-1, as in rule files.
  public var code: String { "\(self)" }

  /// Creates the language with this code; nil for an unknown code.
  public init?(code: String) {
    guard let language = Self.allCases.first(where: { $0.code == code }) else { return nil }
    self = language
  }

  /// The only language here that is written in a script; nil for a script of several languages or of none.
  init?(script: TextScript) {
    switch script {
    case .greek: self = .el
    case .armenian: self = .hy
    case .georgian: self = .ka
    case .hebrew: self = .he
    case .devanagari: self = .hi
    case .bengali: self = .bn
    case .gurmukhi: self = .pa
    case .gujarati: self = .gu
    case .tamil: self = .ta
    case .telugu: self = .te
    case .kannada: self = .kn
    case .malayalam: self = .ml
    case .sinhala: self = .si
    case .thai: self = .th
    case .lao: self = .lo
    case .myanmar: self = .my
    case .khmer: self = .km
    case .ethiopic: self = .am
    case .hangul: self = .ko
    default: return nil
    }
  }
}

extension CompiledRules {
  /// The language of a text; nil if it is not certain.
  ///
  /// The script other than Latin with the most letters decides if at least a quarter of all letters are of it: names,
  /// codes and links in Latin letters do not change a text's language. Chinese characters and kana count as one script.
  ///
  /// - Complexity: O(bytes).
  borrowing func language(of text: Span<UInt8>) -> MessageLanguage? {
    var counts = scriptCounts(of: text)
    let letters = counts.reduce(0, +) - counts[Int(TextScript.common.rawValue)]
    let kana = counts[Int(TextScript.hiragana.rawValue)] + counts[Int(TextScript.katakana.rawValue)]
    for script in [TextScript.hiragana, .katakana, .bopomofo] {
      counts[Int(TextScript.han.rawValue)] += counts[Int(script.rawValue)]
      counts[Int(script.rawValue)] = 0
    }
    counts[Int(TextScript.common.rawValue)] = 0
    counts[Int(TextScript.latin.rawValue)] = 0
    var best = 0
    for script in counts.indices where counts[script] > counts[best] { best = script }
    guard counts[best] > 0, 4 * counts[best] >= letters, let script = TextScript(rawValue: UInt8(best)) else {
      return nil
    }
    switch script {
    // Chinese texts have a single kana at most, such as の in a name; every other letter of Japanese ones is kana.
    case .han: return 10 * kana >= counts[best] ? .ja : .zh
    case .cyrillic: return CyrillicLetters(text).language
    case .arabic: return ArabicLetters(text).language
    default: return MessageLanguage(script: script)
    }
  }
}

/// The letters that only some languages in Cyrillic use.
private struct CyrillicLetters {
  private var letters = 0
  /// ы, э and ё, and a hard sign before a vowel.
  private var russian = 0
  /// і, ї, є and ґ.
  private var ukrainian = 0
  /// A hard sign before a consonant or at the end of a word.
  private var bulgarian = 0
  /// Letters of other languages, such as Serbian, Belarusian and Kazakh.
  private var others = 0

  init(_ text: Span<UInt8>) {
    var at = 0
    var last: UInt32 = 0
    while at < text.count {
      let scalar = Self.small(Scalars.next(text, &at))
      if last == 0x44A {
        // е, ю, я and ё
        if [0x435, 0x44E, 0x44F, 0x451].contains(scalar) { russian += 1 } else { bulgarian += 1 }
      }
      last = scalar
      guard (0x400..<0x530).contains(scalar) else { continue }
      letters += 1
      switch scalar {
      case 0x44B, 0x44D, 0x451: russian += 1
      case 0x454, 0x456, 0x457, 0x491: ukrainian += 1
      case 0x430...0x44F: break
      default: others += 1
      }
    }
    if last == 0x44A { bulgarian += 1 }
  }

  /// The small letter of one in the Russian or Ukrainian alphabet.
  private static func small(_ scalar: UInt32) -> UInt32 {
    switch scalar {
    case 0x410...0x42F: scalar + 0x20
    case 0x401, 0x404, 0x406, 0x407: scalar + 0x50
    case 0x490: scalar + 1
    default: scalar
    }
  }

  var language: MessageLanguage? {
    // A single letter of another language may be there to deceive.
    if 50 * others > letters { return nil }
    if russian + ukrainian > 0 {
      // Belarusian has і and ы.
      if 4 * russian >= ukrainian, 4 * ukrainian >= russian { return nil }
      return russian > ukrainian ? .ru : .uk
    }
    return bulgarian > 0 ? .bg : nil
  }
}

/// The letters that only some languages in Arabic script use.
private struct ArabicLetters {
  private var letters = 0
  /// ة, ى, ك, ي, أ and إ, which Persian keyboards lack.
  private var arabic = 0
  /// ک and ی, which Arabic keyboards lack.
  private var keyboard = 0
  /// پ, چ, ژ and گ.
  private var persian = 0
  /// ٹ, ڈ, ڑ, ں, ہ, ھ and ے.
  private var urdu = 0
  /// Letters of other languages, such as Kurdish, Pashto and Uyghur.
  private var others = 0

  init(_ text: Span<UInt8>) {
    var at = 0
    while at < text.count {
      let scalar = Scalars.next(text, &at)
      guard (0x620...0x64A).contains(scalar) || (0x66E..<0x6D6).contains(scalar) else { continue }
      letters += 1
      switch scalar {
      case 0x623, 0x625, 0x629, 0x643, 0x649, 0x64A: arabic += 1
      case 0x6A9, 0x6CC: keyboard += 1
      case 0x67E, 0x686, 0x698, 0x6AF: persian += 1
      case 0x679, 0x688, 0x691, 0x6BA, 0x6BE, 0x6C1, 0x6C2, 0x6D2, 0x6D3: urdu += 1
      case 0x620...0x63F, 0x641...0x64A, 0x6C0, 0x6D5: break
      case 0x640: letters -= 1
      default: others += 1
      }
    }
  }

  var language: MessageLanguage? {
    if 50 * others > letters { return nil }
    if 50 * urdu > letters { return .ur }
    if 50 * persian > letters { return .fa }
    return keyboard == arabic ? nil : keyboard > arabic ? .fa : .ar
  }
}
