// The encodings that a text may have. For those with two bytes for a character, also the share of characters that are
// common in the languages which use the encoding.
//
// Not for: whether the bytes are valid (EncodingGuess asks iconv), or whether the words are plausible
// (TextPlausibility).

/// An encoding that a text may have.
struct EncodingCandidate {
  /// The names for iconv; the first in which the text is valid is used. Later ones have more characters.
  var names: [String]
  /// Whether most letters of a text are ASCII, which shows that the others are letters, too.
  var isLatin = false
  /// Returns the share of common characters, 0 to 1; nil if the encoding has one byte for a character.
  var commonShare: ((Span<UInt8>) -> Double)?

  /// The minimum number of bytes outside ASCII. A few are plausible in several encodings, and may be damage.
  static let highMin = 3
  /// The minimum for this encoding.
  var highMin: Int { isLatin ? 1 : Self.highMin }

  /// The minimum share of plausible characters. Text in any encoding is valid in most of those with one byte for a
  /// character.
  var shareMin: Double { commonShare == nil ? 0.9 : 0.7 }

  /// The candidates. Of two that are equally plausible, the first is used: Korean text is also plausible as Chinese, but
  /// Chinese text is hardly ever plausible as Korean.
  static var all: [EncodingCandidate] { withPairs + withSingles }

  private static var withPairs: [EncodingCandidate] {
    [
      EncodingCandidate(names: ["EUC-KR", "CP949"]) { pairs($0) { korean($0, $1) }.share },
      EncodingCandidate(names: ["EUC-JP"]) { text in
        let found = pairs(text) { japanese($0, $1) }
        // Without kana it is more likely Chinese.
        return 20 * found.kana >= found.total ? found.share : 0
      },
      EncodingCandidate(names: ["GB18030"]) { pairs($0) { chinese($0, $1) }.share },
      EncodingCandidate(names: ["BIG5", "BIG5-HKSCS"]) { text in
        let found = pairs(text) { traditional($0, $1) }
        // Two in five characters have a second byte that is ASCII.
        return 7 * found.low >= found.total ? found.share : 0
      },
      // Microsoft's variant of Shift_JIS, in which the backslash is a backslash.
      EncodingCandidate(names: ["CP932"]) { pairs($0, hasSingles: true) { shiftJIS($0, $1) }.share },
    ]
  }

  private static let latin = ["WINDOWS-1252", "WINDOWS-1250", "ISO-8859-2", "IBM850", "MACINTOSH"]

  private static var withSingles: [EncodingCandidate] {
    [
      "WINDOWS-1252", "WINDOWS-1250", "ISO-8859-2", "WINDOWS-1251", "KOI8-U", "ISO-8859-5", "IBM866",
      "WINDOWS-1253", "IBM850", "MACINTOSH",
    ].map { EncodingCandidate(names: [$0], isLatin: latin.contains($0)) }
  }

  // MARK: Two bytes for a character

  /// How common a character is.
  private enum Rank { case common, kana, rare }

  /// Counts of characters.
  private struct Counts {
    var total = 0
    var common = 0
    var kana = 0
    /// Characters whose second byte is ASCII.
    var low = 0

    var share: Double { total == 0 ? 0 : Double(common + kana) / Double(total) }
  }

  /// Counts the characters outside ASCII. `hasSingles`: the bytes A1 to DF are characters of their own.
  private static func pairs(
    _ bytes: Span<UInt8>, hasSingles: Bool = false, _ rank: (UInt8, UInt8) -> Rank
  ) -> Counts {
    var counts = Counts()
    var index = 0
    while index < bytes.count {
      let lead = bytes[index]
      index += 1
      if lead < 0x80 { continue }
      counts.total += 1
      if hasSingles, lead >= 0xA1, lead <= 0xDF { continue }
      guard index < bytes.count, bytes[index] >= 0x30 else { continue }
      let trail = bytes[index]
      index += 1
      if trail < 0x80 { counts.low += 1 }
      switch rank(lead, trail) {
      case .common: counts.common += 1
      case .kana: counts.kana += 1
      case .rare: break
      }
    }
    return counts
  }

  /// Punctuation, full-width letters, and the 3,755 characters of GB 2312's first level.
  private static func chinese(_ lead: UInt8, _ trail: UInt8) -> Rank {
    trail >= 0xA1 && (lead == 0xA1 || lead == 0xA3 || (lead >= 0xB0 && lead <= 0xD7)) ? .common : .rare
  }

  /// Punctuation, full-width letters, and the 2,350 syllables of KS X 1001.
  private static func korean(_ lead: UInt8, _ trail: UInt8) -> Rank {
    trail >= 0xA1 && (lead == 0xA1 || lead == 0xA3 || (lead >= 0xB0 && lead <= 0xC8)) ? .common : .rare
  }

  /// Punctuation, kana, and the 2,965 characters of JIS X 0208's first level, in EUC.
  private static func japanese(_ lead: UInt8, _ trail: UInt8) -> Rank {
    guard trail >= 0xA1 else { return .rare }
    if lead == 0xA4 || lead == 0xA5 { return .kana }
    return lead == 0xA1 || lead == 0xA3 || (lead >= 0xB0 && lead <= 0xCF) ? .common : .rare
  }

  /// The same characters in Shift_JIS.
  private static func shiftJIS(_ lead: UInt8, _ trail: UInt8) -> Rank {
    switch lead {
    case 0x81: .common
    case 0x82: trail >= 0x9F && trail <= 0xF1 ? .kana : trail >= 0x4F ? .common : .rare
    case 0x83: trail >= 0x40 && trail <= 0x96 ? .kana : .rare
    case 0x88: trail >= 0x9F ? .common : .rare
    case 0x89...0x97: .common
    case 0x98: trail <= 0x72 ? .common : .rare
    default: .rare
    }
  }

  /// Punctuation and the 5,401 characters of Big5's first level.
  private static func traditional(_ lead: UInt8, _ trail: UInt8) -> Rank {
    lead >= 0xA1 && lead <= 0xC6 && (trail >= 0xA1 || (trail >= 0x40 && trail <= 0x7E)) ? .common : .rare
  }
}
