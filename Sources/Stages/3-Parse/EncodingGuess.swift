// Recognises the encoding of an input: by a byte order mark, as UTF-8 if it is valid, as UTF-16 by its zero bytes,
// otherwise the encoding in which the bytes are valid and the text is most plausible.

import CLibraries
package import SystemIO

package struct EncodingGuess: Sendable, Equatable {
  /// How an encoding was recognised.
  package enum Basis: Sendable, Equatable {
    /// The user chose it.
    case chosen
    /// The input is not text, or declares its encoding in a form that its format reads.
    case declared
    case mark
    case validUTF8
    /// Zero bytes alternate with others.
    case zeroBytes
    /// Escape sequences switch between ASCII and Japanese.
    case escapes
    /// The bytes are valid in the encoding, and the text is plausible.
    case plausible
    /// No encoding is plausible.
    case unknown
  }

  /// How the encoding was recognised.
  package var basis: Basis
  /// The name to be chosen for `parse`; nil if `parse` reads the input without one.
  package var name: String?

  package init(_ basis: Basis, name: String? = nil) {
    self.basis = basis
    self.name = name
  }

  /// The number of bytes that are examined: thousands of rows.
  package static let bytesMax = 256 * 1024

  /// Guesses the encoding by an input's first bytes. `isWhole`: they are the whole input. `usesLibrary`: libuchardet is
  /// asked, too, if it is installed.
  ///
  /// - Complexity: O(bytes), for at most ``bytesMax`` of them.
  package init(_ head: Span<UInt8>, isWhole: Bool, usesLibrary: Bool = true) {
    let bytes = head.extracting(first: Self.bytesMax)
    if FormatTable.all.binaryFormat(bytes) != nil {
      self.init(.declared)
    } else if ByteOrderMark.encoding(bytes) != nil || ByteOrderMark.utf8Length(bytes) > 0 {
      self.init(.mark)
    } else if let wide = Self.wide(bytes) {
      self.init(.zeroBytes, name: wide)
    } else if let escaped = Self.escaped(bytes) {
      self.init(.escapes, name: escaped)
    } else if let declared = Self.declared(bytes) {
      self = declared
    } else {
      self.init(
        text: bytes, isCut: !isWhole || head.count > Self.bytesMax, isAtStart: true, usesLibrary: usesLibrary)
    }
  }

  /// Guesses the encoding of a part of a text that is not UTF-16. `isCut`: the part may end inside a character;
  /// `isAtStart`: it does not start inside one.
  init(text bytes: Span<UInt8>, isCut: Bool, isAtStart: Bool, usesLibrary: Bool = true) {
    if Self.isUTF8(bytes, isCut: isCut) {
      self.init(.validUTF8)
    } else if let name = PlausibleEncoding.name(
      EncodingSample(bytes, isAtStart: isAtStart), usesLibrary: usesLibrary)
    {
      self.init(.plausible, name: name)
    } else {
      self.init(.unknown)
    }
  }

  // MARK: Certain cases

  /// UTF-16 whose byte order is shown by zero bytes: digits, separators and Latin letters have one each.
  static func wide(_ bytes: Span<UInt8>) -> String? {
    var zeros = (even: 0, odd: 0)
    let count = min(bytes.count, 4096) & ~1
    for index in 0..<count where bytes[index] == 0 {
      if index & 1 == 0 { zeros.even += 1 } else { zeros.odd += 1 }
    }
    // At least one in four code units, and nearly all zeros on one side. A few zeros are damage.
    guard zeros.even + zeros.odd >= 4, 8 * (zeros.even + zeros.odd) > count else { return nil }
    if zeros.odd > 20 * zeros.even { return WideEncoding.utf16LE.rawValue }
    if zeros.even > 20 * zeros.odd { return WideEncoding.utf16BE.rawValue }
    return nil
  }

  /// ISO-2022-JP, which is ASCII with sequences that begin Japanese text: `ESC $ @`, `ESC $ B`.
  ///
  /// Source: RFC 1468.
  static func escaped(_ bytes: Span<UInt8>) -> String? {
    for index in bytes.indices.dropLast(2) where bytes[index] == 0x1B && bytes[index + 1] == UInt8(ascii: "$")
    {
      if bytes[index + 2] == UInt8(ascii: "@") || bytes[index + 2] == UInt8(ascii: "B") {
        return "ISO-2022-JP"
      }
    }
    return nil
  }

  /// The encoding that an XML document declares. expat reads some encodings itself; the others must be chosen.
  private static func declared(_ bytes: Span<UInt8>) -> EncodingGuess? {
    guard let name = XMLStart.declaredEncoding(bytes) else { return nil }
    let known = ["UTF-8", "UTF-16", "ISO-8859-1", "US-ASCII"]
    if known.contains(name.uppercased()) {
      return name.uppercased() == "UTF-8" ? nil : EncodingGuess(.declared)
    }
    return TextDecoder.isKnown(name) ? EncodingGuess(.declared, name: name) : nil
  }

  /// Whether the bytes are UTF-8. A few invalid bytes among many valid characters are damaged rows, and so are as many as
  /// there are characters inside of words in ASCII: no other encoding has such pairs there.
  private static func isUTF8(_ bytes: Span<UInt8>, isCut: Bool) -> Bool {
    var valid = 0
    var invalid = 0
    var embedded = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte < 0x80 { continue }
      let before = index < 2 ? 0 : bytes[index - 2]
      let length = byte >= 0xC2 && byte < 0xE0 ? 2 : byte >= 0xE0 && byte < 0xF0 ? 3 : byte < 0xF5 ? 4 : 0
      guard byte >= 0xC2, length > 0 else {
        invalid += 1
        continue
      }
      var following = 1
      while following < length, index < bytes.count, bytes[index] & 0xC0 == 0x80 {
        following += 1
        index += 1
      }
      if following == length {
        valid += 1
        let after = index < bytes.count ? bytes[index] : 0
        let isInWord = [before, after].contains { ($0 | 0x20) &- 0x61 < 26 }
        if isInWord, before < 0x80, after < 0x80 { embedded += 1 }
      } else if index < bytes.count || !isCut {
        invalid += 1
      }
    }
    return invalid == 0 || valid > 20 * invalid || embedded >= invalid
  }
}

// The encoding in which a text is valid and most plausible. The result is probable, not certain.
//
// The candidates are compared by the share of characters that are plausible where they stand; libuchardet, which knows
// how frequent letters are in many languages, decides between those with one byte for a character.

/// The parts of a text that show its encoding: the fields that contain bytes outside ASCII.
struct EncodingSample {
  /// The maximum size of a sample in bytes: thousands of labels.
  static let bytesMax = 64 * 1024

  /// The fields, each with a line feed after it.
  private(set) var bytes: [UInt8] = []
  /// The number of bytes outside ASCII.
  private(set) var highCount = 0
  /// Whether the byte A0 is between digits: then it is a no-break space, and in the sample a blank.
  private(set) var hasNoBreakSpaces = false

  /// Examines a text. `isAtStart`: it does not start inside a character.
  ///
  /// - Complexity: O(bytes).
  init(_ text: Span<UInt8>, isAtStart: Bool) {
    var start = 0
    for index in 1..<max(text.count - 1, 1) where text[index] == Self.noBreakSpace {
      // In GB18030, the digit before A0 may be a part of a character, whose first byte is not in ASCII.
      let isInCharacter = index > 1 && text[index - 2] >= 0x80
      if !isInCharacter, text[index - 1] &- 0x30 < 10, text[index + 1] &- 0x30 < 10 {
        hasNoBreakSpaces = true
        break
      }
    }
    if !isAtStart {
      while start < text.count, !Self.endsField(text[start]) { start += 1 }
    }
    var high = 0
    var index = start
    while index < text.count, bytes.count + index - start < Self.bytesMax {
      if Self.endsField(text[index]) {
        add(text.extracting(start..<index), high)
        start = index + 1
        high = 0
      } else if text[index] >= 0x80, !(hasNoBreakSpaces && text[index] == Self.noBreakSpace) {
        high += 1
      }
      index += 1
    }
    add(text.extracting(start..<index), high)
  }

  private mutating func add(_ field: Span<UInt8>, _ high: Int) {
    if high == 0 { return }
    for index in field.indices {
      bytes.append(hasNoBreakSpaces && field[index] == Self.noBreakSpace ? 0x20 : field[index])
    }
    bytes.append(0x0A)
    highCount += high
  }

  /// The no-break space of the encodings of Windows and ISO 8859. Others have a letter or a sign there, which is not
  /// between digits.
  private static let noBreakSpace: UInt8 = 0xA0

  func allows(_ name: String) -> Bool {
    !hasNoBreakSpaces || name.hasPrefix("WINDOWS-125") || name.hasPrefix("ISO-8859-")
  }

  /// Whether a byte ends a field. None of these is a part of a character of two or four bytes.
  private static func endsField(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x0A, 0x0D, UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"): true
    default: false
    }
  }
}

/// An encoding in which a text is valid, and how plausible the text is.
struct PlausibleEncoding {
  private var name: String
  /// The share of plausible characters, 0 to 1.
  private var share: Double
  /// Whether the encoding has two bytes for a character.
  private var hasPairs: Bool
  /// The text in UTF-8.
  private var text: [UInt8]

  /// An encoding is rejected if more than one in this many bytes outside ASCII is invalid. Real lists have damaged rows.
  private static let validShare = 200
  /// The minimum share of plausible characters in the encoding that libuchardet names.
  private static let libraryShareMin = 0.7
  /// From this share on, an encoding with two bytes for a character is certain enough without libuchardet, whose
  /// answers for few different characters are often wrong.
  private static let certainShare = 0.95

  /// The name of the encoding in which a sample is most plausible; nil if it is in none.
  ///
  /// - Complexity: O(bytes × candidates).
  static func name(_ sample: EncodingSample, usesLibrary: Bool) -> String? {
    // Numbers with no-break spaces, and otherwise ASCII.
    if sample.hasNoBreakSpaces, sample.highCount == 0 { return "WINDOWS-1252" }
    var best: PlausibleEncoding?
    for candidate in EncodingCandidate.all where candidate.names.allSatisfy(sample.allows) {
      let common = candidate.commonShare?(sample.bytes.span, false)
      guard sample.highCount >= candidate.highMin, common ?? 1 >= candidate.shareMin,
        common ?? 1 > best?.share ?? 0,
        let found = candidate.names.lazy.compactMap({ PlausibleEncoding($0, sample, common: common) }).first
      else { continue }
      if found.share >= candidate.shareMin, found.share > best?.share ?? 0 { best = found }
    }
    if usesLibrary, sample.highCount >= EncodingCandidate.highMin { best = corrected(best, sample) }
    if let best, best.isDoubtful(sample) { return nil }
    return best?.name
  }

  /// Up to this number of different characters of two bytes, a text that is plausible in two encodings may be in either.
  private static let doubtfulCharactersMax = 3

  /// Whether a text of few characters is as plausible in another encoding with two bytes for a character.
  private func isDoubtful(_ sample: EncodingSample) -> Bool {
    let bytes = sample.bytes.span
    guard hasPairs, EncodingCandidate.countsDifferent(bytes, upTo: Self.doubtfulCharactersMax) else {
      return false
    }
    return EncodingCandidate.all.contains { candidate in
      guard let common = candidate.commonShare?(bytes, true), common >= candidate.shareMin,
        !candidate.names.contains(name)
      else { return false }
      return candidate.names.contains { other in
        PlausibleEncoding(other, sample, common: common).map {
          $0.share >= candidate.shareMin && $0.text != text
        } ?? false
      }
    }
  }

  /// The encoding after libuchardet was asked.
  private static func corrected(_ best: PlausibleEncoding?, _ sample: EncodingSample) -> PlausibleEncoding? {
    if let best, best.hasPairs, best.share >= certainShare { return best }
    guard let answer = EncodingLibrary.encoding(of: sample.bytes.span) else { return best }
    var chosen: PlausibleEncoding?
    for name in KnownEncoding.names(forLibrary: answer) where sample.allows(name) {
      let candidate = EncodingCandidate.all.first { $0.names.contains(name) }
      let common = candidate?.commonShare?(sample.bytes.span, false)
      guard let found = PlausibleEncoding(name, sample, common: common) else { continue }
      // The same text: the more common encoding is used.
      if let best, best.text == found.text { return best }
      if found.share > chosen?.share ?? 0 { chosen = found }
    }
    guard let chosen, chosen.share >= libraryShareMin else { return best }
    // An encoding with two bytes for a character is hardly ever named for text in another one.
    guard let best, best.share > chosen.share, best.hasPairs || !chosen.hasPairs else { return chosen }
    return best
  }

  /// Decodes a sample; nil if iconv does not support the encoding, or if too many bytes are invalid. `common` is the
  /// share of common characters, if it is known.
  private init?(_ name: String, _ sample: EncodingSample, common: Double?) {
    guard var decoder = TextDecoder(name) else { return nil }
    let bytes = sample.bytes.span
    var output = ByteChunk(capacity: TextDecoder.outputBytesMax)
    var text: [UInt8] = []
    var invalid = 0
    var used = 0
    while used < bytes.count {
      used = decoder.convert(bytes, from: used, into: &output)
      // The decoder writes this byte for each invalid one.
      for index in 0..<output.count where output.span[index] == 0xFF { invalid += 1 }
      text.append(copying: output.span)
      output.removeAll()
    }
    guard invalid * Self.validShare <= sample.highCount else { return nil }
    self.name = name
    self.text = text
    hasPairs = common != nil
    share = min(common ?? 1, TextPlausibility.share(text))
  }
}

// The encodings that a text may have. For those with two bytes for a character, also the share of characters that are
// common in the languages which use the encoding.

struct EncodingCandidate {
  /// The names for iconv; the first in which the text is valid is used. Later ones have more characters.
  var names: [String]
  /// Whether most letters of a text are ASCII, which shows that the others are letters, too.
  var isLatin = false
  /// Returns the share of common characters, 0 to 1; nil if the encoding has one byte for a character. With `isShort`, the
  /// text has too few characters to expect some of each kind.
  var commonShare: ((Span<UInt8>, _ isShort: Bool) -> Double)?

  /// The minimum number of bytes outside ASCII. A few are plausible in several encodings, and may be damage.
  static let highMin = 3
  var highMin: Int { isLatin ? 1 : Self.highMin }

  /// The minimum share of plausible characters. Text in any encoding is valid in most of those with one byte for a
  /// character.
  var shareMin: Double { commonShare == nil ? 0.9 : 0.7 }

  /// The candidates. Of two that are equally plausible, the first is used: Korean text is also plausible as Chinese, but
  /// Chinese text is hardly ever plausible as Korean.
  static var all: [EncodingCandidate] { withPairs + withSingles }

  private static var withPairs: [EncodingCandidate] {
    [
      EncodingCandidate(names: ["EUC-KR", "CP949"]) { text, _ in pairs(text) { korean($0, $1) }.share },
      EncodingCandidate(names: ["EUC-JP"]) { text, isShort in
        let found = pairs(text) { japanese($0, $1) }
        // Without kana it is more likely Chinese.
        return isShort || 20 * found.kana >= found.total ? found.share : 0
      },
      EncodingCandidate(names: ["GB18030"]) { text, _ in pairs(text) { chinese($0, $1) }.share },
      EncodingCandidate(names: ["BIG5", "BIG5-HKSCS"]) { text, isShort in
        let found = pairs(text) { traditional($0, $1) }
        // Two in five characters have a second byte that is ASCII.
        return isShort || 7 * found.low >= found.total ? found.share : 0
      },
      // Microsoft's variant of Shift_JIS, in which the backslash is a backslash.
      EncodingCandidate(names: ["CP932"]) { text, _ in
        pairs(text, hasSingles: true) { shiftJIS($0, $1) }.share
      },
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

  /// Whether a text has at most this many different characters outside ASCII, with two bytes each.
  static func countsDifferent(_ bytes: Span<UInt8>, upTo countMax: Int) -> Bool {
    var found: Set<UInt16> = []
    _ = pairs(bytes) { lead, trail in
      if found.count <= countMax { found.insert(UInt16(lead) << 8 | UInt16(trail)) }
      return .rare
    }
    return found.count <= countMax
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

// How plausible a decoded text is: the share of its characters outside ASCII that stand where such characters stand in
// real words. Text in another encoding has signs inside words, capitals after small letters, and words of two scripts.

struct TextPlausibility {
  /// A writing system whose letters are not mixed with those of others in a word.
  private enum Script {
    case latin, greek, cyrillic, hebrew, arabic, thai, eastAsian, other
  }

  /// The maximum number of accented letters that follow one another in a Latin word.
  private static let accentsMax = 2

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

// The encoding that an input probably has if it is read as UTF-8 and is not UTF-8: examined from the first row that is
// not UTF-8 on, so that inputs in UTF-8 cost nothing.

struct EncodingSuggestion {
  /// The number of bytes that are collected before the encoding is recognised, unless the input ends before.
  private static let bytesMin = 64 * 1024

  /// The number of bytes before the first one outside ASCII that are collected: the word that it may be in.
  private static let contextBytes = 64

  /// Whether the encoding was recognised, or never will be.
  private(set) var isDone = false
  private var bytes: [UInt8] = []
  private var isAtStart = false

  /// Adds the next part of the input, which begins at `offset`; returns the encoding's name once it is recognised.
  mutating func add(_ part: Span<UInt8>, at offset: UInt64, isEnd: Bool) -> String? {
    var start = 0
    if bytes.isEmpty {
      // The bytes before the first one outside ASCII show nothing.
      while start < part.count, part[start] < 0x80 { start += 1 }
      isAtStart = offset == 0 || start > 0
      start = max(0, start - Self.contextBytes)
    }
    let new = part.extracting(start..<part.count)
    bytes.append(copying: new.extracting(first: EncodingGuess.bytesMax - bytes.count))
    guard isEnd || bytes.count >= Self.bytesMin else { return nil }
    let name = EncodingGuess(text: bytes.span, isCut: true, isAtStart: isAtStart).name
    end()
    return name
  }

  mutating func end() {
    bytes = []
    isDone = true
  }
}

// libuchardet's answer for a text. The library is optional.

enum EncodingLibrary {
  /// The library examines nothing if a text is shorter than this, in bytes.
  private static let bytesMin = 4
  /// The maximum length of a name, in bytes; real ones have at most 16.
  private static let nameBytesMax = 64

  /// The library's name of the encoding that a text probably has; nil without an answer, or without the library.
  ///
  /// - Complexity: O(bytes).
  static func encoding(of text: Span<UInt8>) -> String? {
    guard text.count >= bytesMin, cdp_encodings_load() == 0 else { return nil }
    var name = [CChar](repeating: 0, count: nameBytesMax)
    let length = unsafe text.withUnsafeBufferPointer { text in
      unsafe name.withUnsafeMutableBufferPointer { name in
        unsafe cdp_encoding_of(text.baseAddress, text.count, name.baseAddress, name.count)
      }
    }
    if length == 0 { return nil }
    return String(decoding: name[..<length].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }
}

extension RuntimeLibrary {
  /// libuchardet, which recognises encodings. Opens it.
  package static var uchardet: RuntimeLibrary {
    RuntimeLibrary(
      name: unsafe String(cString: cdp_encodings_library_name()), command: "parse",
      isUsable: cdp_encodings_load() == 0, isOptional: true)
  }
}
