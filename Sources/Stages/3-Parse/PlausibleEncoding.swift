// The encoding in which a text is valid and most plausible. The result is probable, not certain.
//
// The candidates are compared by the share of characters that are plausible where they stand; libuchardet, which knows
// how frequent letters are in many languages, decides between those with one byte for a character.
//
// Not for: UTF-8 and UTF-16, which are recognised with certainty (EncodingGuess).

import SystemIO

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

  /// Whether an encoding may be that of the sample, by its no-break spaces.
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
      let common = candidate.commonShare?(sample.bytes.span)
      guard sample.highCount >= candidate.highMin, common ?? 1 >= candidate.shareMin,
        common ?? 1 > best?.share ?? 0,
        let found = candidate.names.lazy.compactMap({ PlausibleEncoding($0, sample, common: common) }).first
      else { continue }
      if found.share >= candidate.shareMin, found.share > best?.share ?? 0 { best = found }
    }
    if usesLibrary, sample.highCount >= EncodingCandidate.highMin { best = corrected(best, sample) }
    return best?.name
  }

  /// The encoding after libuchardet was asked.
  private static func corrected(_ best: PlausibleEncoding?, _ sample: EncodingSample) -> PlausibleEncoding? {
    if let best, best.hasPairs, best.share >= certainShare { return best }
    guard let answer = EncodingLibrary.encoding(of: sample.bytes.span) else { return best }
    var chosen: PlausibleEncoding?
    for name in KnownEncoding.names(forLibrary: answer) where sample.allows(name) {
      let candidate = EncodingCandidate.all.first { $0.names.contains(name) }
      let common = candidate?.commonShare?(sample.bytes.span)
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
