// Scans digits in a text. ASCII digits with spaces, hyphens, dots, slashes and brackets between them take one
// pass; everything else follows libphonenumber's extractPossibleNumber, isViablePhoneNumber,
// maybeStripExtension and normalize, one after another over ranges of the same bytes. Correctness over speed:
// few texts need this.

struct ScannedText {
  var digits = Digits()
  /// Whether the number starts with a plus sign.
  var hasPlus = false
  var extensionPosition = ExtensionPosition()
}

enum TextScanner {
  /// libphonenumber's `MAX_INPUT_STRING_LENGTH`, in characters.
  static let charactersMax = 250
  /// libphonenumber's pattern of a viable number requires three digits, or exactly two and nothing else.
  static let digitsMin = 3

  /// The digits of the number in `text`, and whether it has a plus sign.
  @inline(__always)
  static func scan(_ text: Span<UInt8>) throws(NumberParseError) -> ScannedText {
    if let scanned = scanPlain(text) { return scanned }
    return try scanAnyText(text)
  }

  /// The same for a text of at least three ASCII digits and plain punctuation between them; nil for another one.
  @inline(__always)
  static func scanPlain(_ text: Span<UInt8>) -> ScannedText? {
    let count = text.count
    if count > charactersMax { return nil }
    var result = ScannedText()
    var index = 0
    // The number starts with the first plus sign or digit.
    search: while index < count {
      let byte = text[index]
      if byte &- UInt8(ascii: "0") < 10 { break }
      // After a semicolon, what looks like a number may be a phone context.
      if byte >= 0x80 || byte == UInt8(ascii: ";") { return nil }
      index &+= 1
      if byte == UInt8(ascii: "+") {
        result.hasPlus = true
        while index < count, text[index] == UInt8(ascii: "+") { index &+= 1 }
        break search
      }
    }
    if let digits = onlyDigits(text, from: index) {
      result.digits = digits
      return result
    }
    // Eight bytes at a time.
    while index < count {
      let length = min(count &- index, 8)
      let values = word(text, index, length) ^ zeros
      let others = nonDigits(values) & (UInt64.max &>> UInt64(truncatingIfNeeded: 64 &- length &* 8))
      guard appendDigits(values, count: length, besides: others, to: &result.digits) else {
        return nil
      }
      index &+= length
    }
    // Too few digits for the fast path: apply the exact rules.
    if result.digits.count < digitsMin { return nil }
    return result
  }

  private static var zeros: UInt64 { 0x3030_3030_3030_3030 }

  /// The high bit of each byte that is not the value of a digit.
  @inline(__always)
  private static func nonDigits(_ values: UInt64) -> UInt64 {
    // No carry leaves its byte.
    (((values & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080
  }

  /// The digits from `index` on; nil if there are other characters, or not 8 to 16.
  @inline(__always)
  private static func onlyDigits(_ text: Span<UInt8>, from index: Int) -> Digits? {
    let count = text.count &- index
    guard count >= 8, count <= 16 else { return nil }
    // The two words overlap, and agree where they do.
    let front = word(text, index, 8) ^ zeros
    let back = word(text, text.count &- 8, 8) ^ zeros
    guard nonDigits(front) | nonDigits(back) == 0 else { return nil }
    let shift = UInt64(truncatingIfNeeded: (count &- 8) &* 4)
    return Digits(packed: Digits.packed(front) | Digits.packed(back) &<< shift, count: count)
  }

  /// The bytes of the text from `index` on, the first one lowest; the bytes after `length` are undefined.
  @inline(__always)
  private static func word(_ text: Span<UInt8>, _ index: Int, _ length: Int) -> UInt64 {
    let bytes = unsafe text.bytes
    // Checked loads; any eight bytes are a valid UInt64.
    if length == 8 {
      return unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
    if text.count >= 8 {
      let last = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: text.count &- 8, as: UInt64.self)
      return UInt64(littleEndian: last) &>> UInt64(truncatingIfNeeded: 64 &- length &* 8)
    }
    var word: UInt64 = 0
    for offset in 0..<length {
      word |= UInt64(text[index &+ offset]) &<< UInt64(truncatingIfNeeded: offset &* 8)
    }
    return word
  }

  /// Appends the digits among `count` values of a byte each; `others` has the high bit of each byte that is not one.
  /// Returns false if one of those is not plain punctuation.
  @inline(__always)
  private static func appendDigits(
    _ values: UInt64, count: Int, besides others: UInt64, to digits: inout Digits
  ) -> Bool {
    var (values, others, count) = (values, others, count)
    // From the last one on, so that the positions of the ones before stay the same.
    while others != 0 {
      let shift = UInt64(truncatingIfNeeded: 56 &- (others.leadingZeroBitCount & ~7))
      guard isPlainPunctuation(UInt8(truncatingIfNeeded: values &>> shift) ^ 0x30) else { return false }
      let before = (1 &<< shift) &- 1
      values = (values & before) | ((values &>> 8) & ~before)
      others &= before
      count &-= 1
    }
    digits.append(unpacked: values, count: count)
    return true
  }

  /// Space ( ) - . / [ ]: allowed between digits without any other effect.
  @inline(__always)
  private static func isPlainPunctuation(_ byte: UInt8) -> Bool {
    // One bit for each byte from 32 to 95.
    let set: UInt64 = 1 << 0 | 1 << 8 | 1 << 9 | 1 << 13 | 1 << 14 | 1 << 15 | 1 << 59 | 1 << 61
    let place = byte &- 32
    return place < 64 && (set &>> UInt64(place)) & 1 == 1
  }
}

extension TextScanner {
  @inline(never)
  static func scanAnyText(_ text: Span<UInt8>) throws(NumberParseError) -> ScannedText {
    guard characterCount(text) <= charactersMax else { throw .tooLong }
    if let context = try PhoneContext(text) { return try scan(text, context) }
    guard let range = possibleNumber(text) else { throw .notANumber }
    return try scan(text, withoutSubaddress(text, range))
  }

  private static func scan(_ text: Span<UInt8>, _ range: Range<Int>) throws(NumberParseError) -> ScannedText {
    guard isViable(text, range) else { throw .notANumber }
    guard let finder = ExtensionFinder(text, range), let start = finder.first(text),
      isViable(text, range.lowerBound..<start)
    else { return normalized(text, range) }
    var result = normalized(text, range.lowerBound..<start)
    result.extensionPosition = ExtensionPosition(finder.digits)
    return result
  }

  // A context that is a number comes first; then nothing is trimmed before or after the number.
  private static func scan(_ text: Span<UInt8>, _ context: PhoneContext) throws(NumberParseError)
    -> ScannedText
  {
    guard context.isNumber(text) else {
      return try scan(text, withoutSubaddress(text, context.number))
    }
    var number = context.number
    if let parameter = find(";isub=", in: text, from: number.lowerBound, to: number.upperBound) {
      number = number.lowerBound..<parameter
    }
    var joined = ContiguousArray<UInt8>()
    joined.reserveCapacity(context.value.count + number.count)
    for index in context.value { joined.append(text[index]) }
    for index in number { joined.append(text[index]) }
    var result = try scan(joined.span, 0..<joined.count)
    result.extensionPosition = result.extensionPosition.moved(outOf: context.value, and: number)
    return result
  }

  // extractPossibleNumber.
  private static func possibleNumber(_ text: Span<UInt8>) -> Range<Int>? {
    var start = 0
    while start < text.count {
      let (scalar, length) = Characters.decode(text, start, text.count)
      if Characters.isPlus(scalar) || Characters.digit(scalar) != nil { break }
      start += length
    }
    if start == text.count { return nil }
    var end = text.count
    while end > start {
      let (scalar, length) = Characters.decodeBackward(text, end, start)
      if scalar == UInt32(ascii: "#") || Characters.isLetterOrNumber(scalar) { break }
      end -= length
    }
    // "[\\/] *x" starts a second number.
    var index = start
    search: while index < end {
      if text[index] == UInt8(ascii: "/") || text[index] == UInt8(ascii: "\\") {
        var next = index + 1
        while next < end, text[next] == UInt8(ascii: " ") { next += 1 }
        if next < end, text[next] == UInt8(ascii: "x") {
          end = index
          break search
        }
      }
      index += 1
    }
    return start..<end
  }

  // An ISDN subaddress and what follows it are not part of the number, unless there is nothing else.
  private static func withoutSubaddress(_ text: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    guard let parameter = find(";isub=", in: text, from: range.lowerBound, to: range.upperBound),
      parameter > range.lowerBound
    else { return range }
    return range.lowerBound..<parameter
  }

  // isViablePhoneNumber: exactly two digits; or a number, optionally with an extension.
  static func isViable(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
    if isTwoDigits(text, range) || isNumber(text, range) { return true }
    guard let finder = ExtensionFinder(text, range) else { return false }
    return finder.contains(text) { isNumber(text, range.lowerBound..<$0) }
  }

  private static func isTwoDigits(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var index = range.lowerBound
    for _ in 0..<2 {
      guard index < range.upperBound else { return false }
      let (scalar, length) = Characters.decode(text, index, range.upperBound)
      if Characters.digit(scalar) == nil { return false }
      index += length
    }
    return index == range.upperBound
  }

  // Plus signs, three digits with optional punctuation before each, then digits, punctuation and letters.
  private static func isNumber(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var index = range.lowerBound
    var digits = 0
    var mayHavePlus = true
    while index < range.upperBound {
      let (scalar, length) = Characters.decode(text, index, range.upperBound)
      index += length
      if Characters.isPlus(scalar) {
        if !mayHavePlus { return false }
        continue
      }
      mayHavePlus = false
      if Characters.digit(scalar) != nil {
        digits += 1
      } else if !Characters.isPunctuation(scalar) {
        // Letters are only allowed after the third digit.
        if digits < digitsMin || !Characters.isLetter(scalar) { return false }
      }
    }
    return digits >= digitsMin
  }

  // normalize: with three or more letters they are converted to digits; fewer are dropped.
  private static func normalized(_ text: Span<UInt8>, _ range: Range<Int>) -> ScannedText {
    var letters = 0
    for index in range where Characters.keypadDigit(UInt32(text[index])) != nil { letters += 1 }
    var result = ScannedText()
    var index = range.lowerBound
    while index < range.upperBound {
      let (scalar, length) = Characters.decode(text, index, range.upperBound)
      index += length
      if Characters.isPlus(scalar) {
        result.hasPlus = true
      } else if letters < 3 {
        if let digit = Characters.digit(scalar) { result.digits.append(digit) }
      } else if let key = Characters.lettersDigit(scalar) {
        result.digits.append(key)
      } else if scalar < 0x80, let digit = Characters.digit(scalar) {
        // If letters are converted, libphonenumber keeps ASCII digits only.
        result.digits.append(digit)
      }
    }
    return result
  }

  private static func characterCount(_ text: Span<UInt8>) -> Int {
    // A character has one to four bytes, so most texts need not be decoded to compare their length with the maximum.
    if text.count <= charactersMax || text.count > charactersMax * 4 { return text.count }
    var count = 0
    var index = 0
    while index < text.count {
      index += Characters.decode(text, index, text.count).length
      count += 1
    }
    return count
  }

  /// The first occurrence of `literal` in the bytes from `start` to `end`.
  static func find(_ literal: StaticString, in text: Span<UInt8>, from start: Int, to end: Int) -> Int? {
    let first = literal.withUTF8Buffer { unsafe $0[0] }
    var index = start
    while index + literal.utf8CodeUnitCount <= end {
      if text[index] == first, Characters.matches(literal, text, index) { return index }
      index += 1
    }
    return nil
  }
}

/// The parameter `;phone-context=` of RFC 3966's `tel:` addresses, parsed like libphonenumber: either a number's
/// prefix that is written at its end, or a domain name, which is ignored.
struct PhoneContext {
  /// The range of the value: a number with its plus sign, or a domain name.
  let value: Range<Int>
  /// The range between `tel:` and the parameter.
  let number: Range<Int>

  /// Returns nil if the text does not contain the parameter.
  /// - Throws: `notANumber` if the value is neither a number nor a domain name.
  init?(_ text: Span<UInt8>) throws(NumberParseError) {
    guard let place = TextScanner.find(";phone-context=", in: text, from: 0, to: text.count) else {
      return nil
    }
    let start = place + ";phone-context=".utf8.count
    var end = start
    while end < text.count, text[end] != UInt8(ascii: ";") { end += 1 }
    value = start..<end
    guard Self.isGlobalNumber(text, value) || Self.isDomainName(text, value) else { throw .notANumber }
    // The whole text is searched; if it is found after the parameter, the number is empty.
    let scheme = TextScanner.find("tel:", in: text, from: 0, to: text.count)
    number = min(scheme.map { $0 + 4 } ?? 0, place)..<place
  }

  /// Whether the value is a number, which is inserted before the other one.
  func isNumber(_ text: Span<UInt8>) -> Bool { text[value.lowerBound] == UInt8(ascii: "+") }

  // RFC 3966's global-number-digits: a plus sign, at least one digit, and - . ( ).
  private static func isGlobalNumber(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
    guard !range.isEmpty, text[range.lowerBound] == UInt8(ascii: "+") else { return false }
    var index = range.lowerBound + 1
    var hasDigit = false
    while index < range.upperBound {
      let (scalar, length) = Characters.decode(text, index, range.upperBound)
      if Characters.digit(scalar) != nil {
        hasDigit = true
      } else if scalar != 0x2D && scalar != 0x2E && scalar != 0x28 && scalar != 0x29 {
        return false
      }
      index += length
    }
    return hasDigit
  }

  // RFC 3966's domainname: labels of letters, digits and inner hyphens, joined by full stops; the last one starts with
  // a letter, and a full stop may follow it.
  private static func isDomainName(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var index = range.lowerBound
    var labelLength = 0
    var labelIsTop = false
    var endsWithHyphen = false
    while index < range.upperBound {
      let (scalar, length) = Characters.decode(text, index, range.upperBound)
      index += length
      if scalar == UInt32(ascii: ".") {
        if labelLength == 0 || endsWithHyphen { return false }
        if index == range.upperBound { return labelIsTop }
        labelLength = 0
      } else if scalar == UInt32(ascii: "-") {
        if labelLength == 0 { return false }
        endsWithHyphen = true
      } else {
        let isLetter = Characters.keypadDigit(scalar) != nil
        if !isLetter && Characters.digit(scalar) == nil { return false }
        if labelLength == 0 { labelIsTop = isLetter }
        labelLength += 1
        endsWithHyphen = false
      }
    }
    return labelLength > 0 && labelIsTop && !endsWithHyphen
  }
}

/// Finds extensions ("ext. 12", "x12", ";ext=12", ",,12", "- 12#") at the end of a number, like libphonenumber's
/// pattern for parsing. The pattern ends with the text, so it is matched backwards: "#", digits, separators, label.
struct ExtensionFinder {
  // The maximum digits of an extension: the less specific its label, the fewer.
  private static let explicitDigitsMax = 20
  private static let likelyDigitsMax = 15
  private static let ambiguousDigitsMax = 9
  private static let unsureDigitsMax = 6

  let digits: Range<Int>
  private let start: Int
  private let digitCount: Int
  private let hasHash: Bool

  /// Returns nil if the text does not end like a text with an extension.
  init?(_ text: Span<UInt8>, _ range: Range<Int>) {
    start = range.lowerBound
    var end = range.upperBound
    hasHash = end > start && text[end - 1] == UInt8(ascii: "#")
    if hasHash { end -= 1 }
    var first = end
    var count = 0
    while first > start {
      let (scalar, length) = Characters.decodeBackward(text, first, start)
      if Characters.digit(scalar) == nil { break }
      first -= length
      count += 1
    }
    if count == 0 || count > Self.explicitDigitsMax { return nil }
    digits = first..<end
    digitCount = count
  }

  /// The byte offset of the pattern's first match.
  func first(_ text: Span<UInt8>) -> Int? {
    var first: Int?
    _ = contains(text) { start in
      first = min(first ?? start, start)
      return false
    }
    return first
  }

  /// Whether one of the offsets where an extension can start satisfies `isValidStart`.
  ///
  /// If offsets differ only by the separators before the label, only the first one is tried.
  func contains(_ text: Span<UInt8>, where isValidStart: (Int) -> Bool) -> Bool {
    let end = digits.lowerBound
    if !hasHash, let label = labelStart(";ext=", text, end), isValidStart(label) { return true }
    if hasHash, digitCount <= Self.unsureDigitsMax {
      let separator = skipBack(text, end) { $0 == 0x20 || $0 == 0x2D }
      if separator < end, isValidStart(separator) { return true }
    }
    // Between label and digits: a colon or full stop, then spaces, commas and hyphens. Each split is tried.
    var cut = end
    while true {
      if labels(text, cut, isValidStart) { return true }
      if cut == start { return false }
      let (scalar, length) = Characters.decodeBackward(text, cut, start)
      if scalar == 0x3A || scalar == 0x2E || scalar == 0xFF0E {
        if labels(text, cut - length, isValidStart) { return true }
      }
      guard Self.isBlank(scalar) || scalar == 0x2C || scalar == 0x2D else { return false }
      cut -= length
    }
  }

  // Tries all labels that end at `end`.
  private func labels(_ text: Span<UInt8>, _ end: Int, _ isValidStart: (Int) -> Bool) -> Bool {
    if end == start || !Self.canEndLabel(text[end - 1]) { return false }
    for label in Self.explicitLabels {
      if let place = labelStart(label, text, end), isValidStart(wordedStart(text, place)) { return true }
    }
    if digitCount <= Self.ambiguousDigitsMax {
      for label in Self.ambiguousLabels {
        if let place = labelStart(label, text, end), isValidStart(wordedStart(text, place)) { return true }
      }
      let commas = skipBack(text, end) { $0 == 0x2C }
      if commas < end, isValidStart(skipBack(text, commas, Self.isBlank)) { return true }
    }
    if digitCount <= Self.likelyDigitsMax {
      for label in Self.diallingLabels {
        if let place = labelStart(label, text, end), isValidStart(skipBack(text, place, Self.isBlank)) {
          return true
        }
      }
    }
    return false
  }

  // Avoids the search for most numbers, which have no extension.
  private static func canEndLabel(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x80..., UInt8(ascii: "#"), UInt8(ascii: "~"), UInt8(ascii: ","), UInt8(ascii: ";"): true
    default: Characters.keypadDigit(UInt32(byte)) != nil
    }
  }

  // The labels e?xt(?:ensi(?:o\u0301?|\u00F3))?n? and others, in lower case.
  private static let explicitLabels = [
    "ext", "extn", "extensio", "extension",
    "extensio\u{301}", "extensio\u{301}n", "extensi\u{F3}", "extensi\u{F3}n",
    "xt", "xtn", "xtensio", "xtension", "xtensio\u{301}", "xtensio\u{301}n", "xtensi\u{F3}", "xtensi\u{F3}n",
    "\u{FF45}\u{FF58}\u{FF54}\u{FF4E}", "\u{FF45}\u{FF58}\u{FF54}", "\u{FF58}\u{FF54}\u{FF4E}",
    "\u{FF58}\u{FF54}", "\u{434}\u{43E}\u{431}", "anexo",
  ]

  private static let ambiguousLabels = [
    "x", "\u{FF58}", "#", "\u{FF03}", "~", "\u{FF5E}", "int", "\u{FF49}\u{FF4E}\u{FF54}",
  ]

  private static let diallingLabels = [",,", ";"]

  // The start of `label` if it ends at `end`, ignoring case.
  private func labelStart(_ label: String, _ text: Span<UInt8>, _ end: Int) -> Int? {
    var place = end
    for wanted in label.unicodeScalars.reversed() {
      if place == start { return nil }
      let (scalar, length) = Characters.decodeBackward(text, place, start)
      if Characters.folded(scalar) != wanted.value { return nil }
      place -= length
    }
    return place
  }

  // Skips the spaces and commas that may precede a word label.
  private func wordedStart(_ text: Span<UInt8>, _ end: Int) -> Int {
    skipBack(text, end) { Self.isBlank($0) || $0 == 0x2C }
  }

  // Space, no-break space, tab.
  private static func isBlank(_ scalar: UInt32) -> Bool { scalar == 0x20 || scalar == 0xA0 || scalar == 0x09 }

  // The start of the run of matching scalars that ends at `end`.
  private func skipBack(_ text: Span<UInt8>, _ end: Int, _ matches: (UInt32) -> Bool) -> Int {
    var place = end
    while place > start {
      let (scalar, length) = Characters.decodeBackward(text, place, start)
      if !matches(scalar) { break }
      place -= length
    }
    return place
  }
}

extension UInt32 {
  init(ascii scalar: Unicode.Scalar) { self = scalar.value }
}

enum Characters {
  /// The scalar for each byte that is not valid UTF-8; it is never part of a number.
  static let replacement: UInt32 = 0xFFFD

  /// The scalar at `index`, and its length in bytes.
  static func decode(_ text: Span<UInt8>, _ index: Int, _ end: Int) -> (scalar: UInt32, length: Int) {
    let first = UInt32(text[index])
    if first < 0x80 { return (first, 1) }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard first >= 0xC2, first <= 0xF4, index + length <= end else { return (replacement, 1) }
    var scalar = first & (0xFF >> UInt32(length + 1))
    for offset in 1..<length {
      let byte = UInt32(text[index + offset])
      if byte & 0xC0 != 0x80 { return (replacement, 1) }
      scalar = scalar << 6 | (byte & 0x3F)
    }
    let lowest: UInt32 = length == 4 ? 0x1_0000 : length == 3 ? 0x800 : 0x80
    return scalar >= lowest && Unicode.Scalar(scalar) != nil ? (scalar, length) : (replacement, 1)
  }

  /// The scalar that ends before `end`, and its length in bytes.
  static func decodeBackward(_ text: Span<UInt8>, _ end: Int, _ start: Int) -> (scalar: UInt32, length: Int) {
    for length in 1...4 where end - length >= start {
      let byte = text[end - length]
      if byte & 0xC0 == 0x80 { continue }
      let decoded = decode(text, end - length, end)
      return decoded.length == length ? decoded : (replacement, 1)
    }
    return (replacement, 1)
  }

  /// The value of a decimal digit of any script.
  static func digit(_ scalar: UInt32) -> UInt64? {
    switch scalar {
    case 0x30...0x39: return UInt64(scalar - 0x30)
    case 0..<0x660: return nil
    case 0xFF10...0xFF19: return UInt64(scalar - 0xFF10)
    case 0x660...0x669: return UInt64(scalar - 0x660)
    case 0x6F0...0x6F9: return UInt64(scalar - 0x6F0)
    // Dashes, kana, ideographs, Hangul, full-width forms: common in such texts, and without digits.
    case 0x2000...0xA5FF, 0xAC00...0xFFFF: return nil
    default: return Tables.digit(scalar).map { UInt64($0) }
    }
  }

  /// + and its full-width form.
  static func isPlus(_ scalar: UInt32) -> Bool { scalar == 0x2B || scalar == 0xFF0B }

  /// libphonenumber's `VALID_PUNCTUATION`, and the star.
  static func isPunctuation(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x20, 0x28, 0x29, 0x2A, 0x2D, 0x2E, 0x2F, 0x5B, 0x5D, 0x7E:  // space ( ) * - . / [ ] ~
      true
    case 0x58, 0x78:  // X and x stand for a carrier code
      true
    case 0xA0, 0xAD, 0x200B, 0x2010...0x2015, 0x2053, 0x2060, 0x2212, 0x223C, 0x3000, 0x30FC:
      true
    case 0xFF08, 0xFF09, 0xFF0D...0xFF0F, 0xFF3B, 0xFF3D, 0xFF5E:
      true
    default:
      false
    }
  }

  /// The keypad digit of an ASCII letter (ITU-T E.161); nil for anything else.
  static func keypadDigit(_ scalar: UInt32) -> UInt64? {
    switch scalar & ~0x20 {
    case UInt32(ascii: "A")...UInt32(ascii: "C"): 2
    case UInt32(ascii: "D")...UInt32(ascii: "F"): 3
    case UInt32(ascii: "G")...UInt32(ascii: "I"): 4
    case UInt32(ascii: "J")...UInt32(ascii: "L"): 5
    case UInt32(ascii: "M")...UInt32(ascii: "O"): 6
    case UInt32(ascii: "P")...UInt32(ascii: "S"): 7
    case UInt32(ascii: "T")...UInt32(ascii: "V"): 8
    case UInt32(ascii: "W")...UInt32(ascii: "Z"): 9
    default: nil
    }
  }

  /// Whether Python's case-insensitive regular expressions, with which the tests compare this module, match the scalar
  /// with A to Z: the letters, I with and without its dot, the Kelvin sign, and the long s.
  static func isLetter(_ scalar: UInt32) -> Bool {
    if keypadDigit(scalar) != nil { return true }
    return scalar == 0x130 || scalar == 0x131 || scalar == 0x17F || scalar == 0x212A
  }

  /// The digit of a letter in a vanity number. Outside ASCII, only the two letters whose capitals are ASCII have one.
  static func lettersDigit(_ scalar: UInt32) -> UInt64? {
    switch scalar {
    case 0x131: 4
    case 0x17F: 7
    default: keypadDigit(scalar)
    }
  }

  /// The lower-case letter for case-insensitive matching, for the letters in extension labels.
  static func folded(_ scalar: UInt32) -> UInt32 {
    switch scalar {
    case UInt32(ascii: "A")...UInt32(ascii: "Z"): scalar + 0x20
    case 0xD3: 0xF3  // ó
    case 0x130, 0x131: UInt32(ascii: "i")
    case 0x17F: UInt32(ascii: "s")
    case 0x414, 0x1C81: 0x434  // д
    case 0x41E, 0x1C82: 0x43E  // о
    case 0x411: 0x431  // б
    case 0xFF21...0xFF3A: scalar + 0x20
    default: scalar
    }
  }

  /// Whether the scalar is in Unicode's categories L and N, which are not trimmed at the end of a number.
  static func isLetterOrNumber(_ scalar: UInt32) -> Bool {
    if scalar < 0x80 { return scalar &- 0x30 < 10 || keypadDigit(scalar) != nil }
    return Tables.isLetterOrNumber(scalar)
  }

  /// Whether the bytes of `literal` are at `index`.
  static func matches(_ literal: StaticString, _ text: Span<UInt8>, _ index: Int) -> Bool {
    let length = literal.utf8CodeUnitCount
    guard index >= 0, index + length <= text.count else { return false }
    return literal.withUTF8Buffer { buffer in
      for offset in 0..<length {
        if unsafe buffer[offset] != text[index + offset] { return false }
      }
      return true
    }
  }
}
