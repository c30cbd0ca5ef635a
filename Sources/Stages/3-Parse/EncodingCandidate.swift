// The encodings that a text may have, each with a measure of how plausible it is: the share of its characters outside
// ASCII that are common in the languages which use the encoding.
//
// Not for: whether the bytes are valid (EncodingGuess asks iconv).

/// An encoding that a text may have.
struct EncodingCandidate {
  /// The names for iconv; the first in which the text is valid is used. Later ones have more characters.
  var names: [String]
  /// Returns the share of common characters, 0 to 1; 0 if there are none outside ASCII.
  var score: (Span<UInt8>) -> Double

  /// The candidates. Of two that are equally plausible, the first is used: Korean text is also plausible as Chinese, but
  /// Chinese text is hardly ever plausible as Korean.
  static var all: [EncodingCandidate] {
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
      EncodingCandidate(names: ["windows-1251"]) {
        SingleByteRuns($0).share(lower: 0xE0...0xFF, upper: 0xC0...0xDF)
      },
      EncodingCandidate(names: ["KOI8-U"]) {
        SingleByteRuns($0).share(lower: 0xC0...0xDF, upper: 0xE0...0xFF)
      },
      EncodingCandidate(names: ["ISO-8859-2"]) {
        SingleByteRuns($0).latinShare(marks: [0xB1, 0xB3, 0xB6, 0xBC])
      },
      EncodingCandidate(names: ["windows-1250"]) {
        SingleByteRuns($0).latinShare(marks: [0xB9, 0xB3, 0x9C, 0x9F])
      },
      EncodingCandidate(names: ["windows-1252"]) { SingleByteRuns($0).latinShare(marks: []) },
    ]
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

/// The bytes outside ASCII in a text with one byte for a character, by their neighbours.
private struct SingleByteRuns {
  /// The counts of bytes inside a word of at least two such bytes, by value: at its start, and after it.
  private var starts = [Int](repeating: 0, count: 256)
  private var followers = [Int](repeating: 0, count: 256)
  /// The counts of bytes next to ASCII letters or alone, by value.
  private var singles = [Int](repeating: 0, count: 256)
  private var total = 0

  /// Counts a text's bytes.
  init(_ bytes: Span<UInt8>) {
    var index = 0
    while index < bytes.count {
      if bytes[index] < 0x80 {
        index += 1
        continue
      }
      let start = index
      while index < bytes.count, bytes[index] >= 0x80 { index += 1 }
      total += index - start
      let isInLatinWord =
        start > 0 && Self.isLetter(bytes[start - 1]) || index < bytes.count && Self.isLetter(bytes[index])
      if index - start <= 2, isInLatinWord {
        for at in start..<index { singles[Int(bytes[at])] += 1 }
      } else {
        starts[Int(bytes[start])] += 1
        for at in start + 1..<index { followers[Int(bytes[at])] += 1 }
      }
    }
  }

  /// The letters that Ukrainian adds, in windows-1251 and in KOI8-U.
  private static let ukrainian: [UInt8] = [
    0xA5, 0xAA, 0xAF, 0xB2, 0xB3, 0xB4, 0xBA, 0xBF, 0xA4, 0xA6, 0xA7, 0xAD,
  ]

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }

  /// The share of letters in words of a script of its own: lower case after the start, either case at the start.
  func share(lower: ClosedRange<UInt8>, upper: ClosedRange<UInt8>) -> Double {
    guard total > 0 else { return 0 }
    var common = 0
    for byte in lower { common += starts[Int(byte)] + followers[Int(byte)] }
    for byte in upper { common += starts[Int(byte)] }
    for byte in Self.ukrainian {
      common += starts[Int(byte)] + followers[Int(byte)]
    }
    return Double(common) / Double(total)
  }

  /// The share of accented letters next to ASCII letters. With `marks`, one in ten must be one of these bytes: letters in
  /// this encoding, and signs in others.
  func latinShare(marks: [UInt8]) -> Double {
    guard total > 0 else { return 0 }
    let marked = marks.reduce(0) { $0 + singles[Int($1)] }
    if !marks.isEmpty, 10 * marked < total { return 0 }
    var common = marked
    for byte in 0xC0...0xFF where !marks.contains(UInt8(byte)) { common += singles[byte] }
    return Double(common) / Double(total)
  }
}
