// What programs and people write around a number, and libphonenumber does not skip: URIs (`sip:+49301234567@example.com`,
// `tel:%2B4930…;verstat=…`), pauses with digits to dial, counts in brackets. It is not a part of the number.
//
// Texts that libphonenumber reads as valid are none of these, except for URIs with a host and masked counts (`(12x)`).

import Records

enum NumberNotation {
  // MARK: URIs

  private static let schemes: Set<String> = [
    "tel", "sip", "sips", "callto", "sms", "smsto", "mms", "mmsto", "skype", "facetime", "facetime-audio",
    "h323",
  ]

  /// The maximum length of a scheme.
  private static let schemeBytesMax = 14

  /// Whether a URI or a name before it may begin the text.
  @inline(__always)
  static func mayBeginURI(_ text: Span<UInt8>) -> Bool {
    guard text.count > 0 else { return false }
    let byte = text[0]
    return byte.isLetter || byte >= 0x80 || byte == UInt8(ascii: "<") || byte == UInt8(ascii: "\"")
      || byte == UInt8(ascii: "'")
  }

  /// The number of a URI, with the parameters that libphonenumber reads; empty if the URI has none, nil if there is no
  /// URI in the text.
  @inline(never)
  static func number(ofURI text: Span<UInt8>) -> [UInt8]? {
    for colon in text.indices where text[colon] == UInt8(ascii: ":") {
      var start = colon
      while start > 0, text[start - 1].isLetter || text[start - 1] == UInt8(ascii: "-") { start -= 1 }
      let next = colon + 1 < text.count ? text[colon + 1] : 0x20
      // `Tel: 030 1234567` is a label.
      guard colon - start <= schemeBytesMax, next != 0x20, next != Byte.tab else { continue }
      let scheme = String(decoding: text.extracting(start..<colon).lowercased, as: UTF8.self)
      if scheme == "https" || scheme == "http",
        let number = number(ofLink: text.extracting(colon + 1..<text.count))
      {
        return number
      }
      guard schemes.contains(scheme) else { continue }
      var end = colon + 1
      while end < text.count, !"<>\"".utf8.contains(text[end]) { end += 1 }
      let isSession = scheme == "sip" || scheme == "sips"
      return number(text.extracting(colon + 1..<end), needsUser: isSession)
    }
    return nil
  }

  /// The number in a link to a chat, whose digits are in international form; nil for another link.
  ///
  /// Source: WhatsApp, How to use click to chat.
  private static func number(ofLink text: Span<UInt8>) -> [UInt8]? {
    let link = String(decoding: text.lowercased, as: UTF8.self)
    let starts = ["//wa.me/", "//api.whatsapp.com/send?phone=", "//api.whatsapp.com/send/?phone="]
    guard let start = starts.first(where: { link.hasPrefix($0) }) else { return nil }
    let digits = link.utf8.dropFirst(start.utf8.count).drop { $0 == UInt8(ascii: "+") }.prefix { $0.isDigit }
    return digits.isEmpty ? nil : [UInt8(ascii: "+")] + digits
  }

  /// The number of an address or of a URI without its scheme, which begins with a plus sign:
  /// `+12125550199;tag=as58@example.com`; nil if there is none.
  @inline(never)
  static func number(inAddress text: Span<UInt8>) -> [UInt8]? {
    if let number = number(ofURI: text) { return number }
    guard let plus = text.firstIndex(of: UInt8(ascii: "+")),
      plus == 0 || !text[plus - 1].isLetter && !text[plus - 1].isDigit
    else { return nil }
    // An address after the number is not the number's: `+49301234567 max@example.com`.
    var end = plus
    while end < text.count, !"@;?".utf8.contains(text[end]) {
      if text[end].isLetter || text[end] == 0x20 && text.firstIndex(of: UInt8(ascii: "@")) != nil {
        return nil
      }
      end += 1
    }
    let found = number(text.extracting(plus..<text.count), needsUser: false)
    return found.count < text.count - plus ? found : nil
  }

  /// The user of an address, or all of it; unescaped, and without a query and the parameters of other programs.
  private static func number(_ address: Span<UInt8>, needsUser: Bool) -> [UInt8] {
    var end = address.count
    if let at = address.firstIndex(of: UInt8(ascii: "@")) {
      // A password may follow the user; after a space, it is another address.
      let user = address.extracting(0..<at)
      end = user.indices.last { user[$0] == 0x20 } ?? user.firstIndex(of: UInt8(ascii: ":")) ?? at
    } else if needsUser, !isNumber(address) {
      return []
    }
    let text = unescaped(address.extracting(0..<end))
    // A name with digits in it is not a number.
    if needsUser, text.first?.isLetter ?? true { return [] }
    var number: [UInt8] = []
    for (index, part) in text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .enumerated()
    {
      if index == 0 {
        number += part.prefix(query(part))
      } else if !isForeign(part) {
        number += [UInt8(ascii: ";")] + part
      }
    }
    return number
  }

  /// Whether an address without a user is a number, and not a host.
  private static func isNumber(_ address: Span<UInt8>) -> Bool {
    guard address.count > 0 else { return false }
    let end = address.firstIndex(of: UInt8(ascii: ";")) ?? address.count
    return address[0] == UInt8(ascii: "+")
      || address.extracting(0..<end).indices.allSatisfy {
        address[$0].isDigit || address[$0] == UInt8(ascii: "-")
      }
  }

  /// Where `?body=` or `?call` begins.
  private static func query(_ text: ArraySlice<UInt8>) -> Int {
    for index in text.indices.dropLast() where text[index] == UInt8(ascii: "?") && text[index + 1].isLetter {
      return index - text.startIndex
    }
    return text.count
  }

  /// Whether a part after a semicolon is a parameter that libphonenumber does not read.
  private static func isForeign(_ part: ArraySlice<UInt8>) -> Bool {
    guard part.first?.isLetter ?? false else { return false }
    let name = part.prefix { $0 != UInt8(ascii: "=") }.map(\.lowercased)
    if name.count == part.count { return name.elementsEqual("npdi".utf8) }
    return !["ext", "isub", "phone-context"].contains { name.elementsEqual($0.utf8) }
  }

  private static func unescaped(_ text: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "%"), index + 2 < text.count, let high = text[index + 1].hexadecimal,
        let low = text[index + 2].hexadecimal
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(text[index])
        index += 1
      }
    }
    return bytes
  }

  // MARK: Spaces

  /// The text with blanks in place of the spaces that libphonenumber does not skip: U+2000 to U+200A, such as that of a
  /// figure, and the narrow U+202F; nil if there is none.
  @inline(never)
  static func withPlainSpaces(_ text: Span<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var index = 0
    while index < text.count {
      if text[index] == 0xE2, index + 2 < text.count, text[index + 1] == 0x80,
        0x80...0x8A ~= text[index + 2] || text[index + 2] == 0xAF
      {
        bytes.append(0x20)
        index += 3
      } else {
        bytes.append(text[index])
        index += 1
      }
    }
    return bytes.count < text.count ? bytes : nil
  }

  // MARK: Remarks

  /// The maximum number of digits of a count, an extension, or digits to dial; more may be another number.
  private static let digitsMax = 5

  /// Where a remark after a number begins that libphonenumber would read as digits of the number: brackets at the end,
  /// `(3)`, or digits to dial after a pause, `p12`; nil if there is none.
  @inline(__always)
  static func remarkStart(_ text: Span<UInt8>) -> Int? {
    guard let last = text.last else { return nil }
    if last == UInt8(ascii: ")") || last == UInt8(ascii: "]") { return bracketStart(text)?.start }
    guard last.isDigit else { return nil }
    var index = text.count - 1
    let first = max(1, index - digitsMax)
    while index > first, text[index].isDigit { index -= 1 }
    guard text[index] | 0x20 == UInt8(ascii: "p") || text[index] | 0x20 == UInt8(ascii: "w") else {
      return nil
    }
    while index > 0, text[index - 1] | 0x20 == text[index] | 0x20 { index -= 1 }
    return index > 0 && !text[index - 1].isLetter ? index : nil
  }

  /// Where a count in brackets begins that could be taken for digits and a wildcard: `(12x)`; nil if there is none.
  @inline(__always)
  static func countStart(_ text: Span<UInt8>) -> Int? {
    guard let last = text.last, last == UInt8(ascii: ")") || last == UInt8(ascii: "]"),
      let brackets = bracketStart(text), brackets.isCount
    else { return nil }
    return brackets.start
  }

  /// The start of the brackets at the end of a text, if they have few digits; and whether these are a count.
  @inline(never)
  private static func bracketStart(_ text: Span<UInt8>) -> (start: Int, isCount: Bool)? {
    var start = text.count - 2
    var digits = 0
    while start >= 0, text[start] != UInt8(ascii: "("), text[start] != UInt8(ascii: "[") {
      if text[start].isDigit { digits += 1 }
      start -= 1
    }
    guard start > 0, digits > 0, digits <= digitsMax else { return nil }
    var index = start + 1
    while index < text.count - 1, text[index].isDigit || text[index] == 0x20 { index += 1 }
    // x, or the multiplication sign.
    let isTimes =
      text[index] | 0x20 == UInt8(ascii: "x") && index == text.count - 2
      || text[index] == 0xC3 && text[index + 1] == 0x97 && index == text.count - 3
    return (start, isTimes && text[start + 1].isDigit)
  }

  // MARK: Parts of numbers

  /// Where the extension of a number begins that is written after a hyphen and a whole local number, as in China:
  /// `0755-12345678-801`; nil if there is none, or if it may be the end of a range (`0755-12345678-79`).
  @inline(__always)
  static func extensionStart(_ text: Span<UInt8>, _ shape: TextShape) -> Int? {
    guard let last = text.last, last.isDigit, !shape.hasWords else { return nil }
    let size = shape.groupSize(text, before: text.count)
    let end = text.count - size - 1
    guard 2...digitsMax ~= size, end > size, text[end] == UInt8(ascii: "-"),
      shape.groupSize(text, before: end) >= wholeGroupMin
    else { return nil }
    guard size == 2 else { return end }
    let isLater = text[end - 2] < text[end + 1] || text[end - 2] == text[end + 1] && text[end - 1] < last
    return isLater ? nil : end
  }

  /// Whether a text is an address of IPv4, `207.90.238.68`; groups of two digits each are a number's.
  @inline(never)
  static func isIPAddress(_ text: Span<UInt8>) -> Bool {
    var groups = 0
    var areOfTwo = true
    var start = 0
    while true {
      var (end, value) = (start, 0)
      while end < text.count, text[end].isDigit, end - start < 3 {
        value = 10 * value + Int(text[end] &- 0x30)
        end += 1
      }
      guard end > start, value < 256, text[start] != UInt8(ascii: "0") || end - start == 1 else {
        return false
      }
      groups += 1
      if end - start != 2 { areOfTwo = false }
      if end == text.count { return groups == 4 && !areOfTwo }
      guard groups < 4, text[end] == UInt8(ascii: ".") else { return false }
      start = end + 1
    }
  }

  /// Whether a text has the digits of a Brazilian postal code, `01310-100`: local numbers end in four digits.
  static func isPostalCode(_ text: Span<UInt8>, _ shape: TextShape) -> Bool {
    let start = shape.nextDigit(text, from: 0)
    let hyphen = shape.groupEnd(text, from: start)
    guard hyphen - start == 5, hyphen < text.count, text[hyphen] == UInt8(ascii: "-") else { return false }
    let end = shape.groupEnd(text, from: hyphen + 1)
    return end - hyphen == 4 && shape.nextDigit(text, from: end) == text.count
  }

  /// With at least this many digits before it, a word is none of the number's: vanity numbers begin with fewer.
  private static let wholeNumberMin = 7

  /// Whether a word after a whole number leads to other digits, which libphonenumber would append to it, often with the
  /// digits of the word's letters: `030 1234567 t/m 69`, `030 1234567 Fax 79`. Words for extensions are none of these.
  @inline(never)
  static func hasNumberAfterWord(_ text: Span<UInt8>, _ shape: TextShape) -> Bool {
    var digits = 0
    var index = 0
    while index < text.count {
      if text[index].isDigit {
        digits += 1
      } else if digits >= wholeNumberMin, text[index].isLetter || isOtherLetter(text, index),
        text[index - 1] == 0x20
      {
        let next = shape.nextDigit(text, from: index)
        guard next < text.count else { return false }
        return !endsInExtension(text.extracting(index..<next), digits)
      }
      index += 1
    }
    return false
  }

  /// Whether a letter of Latin with an accent, Greek or Cyrillic begins at the index; not a space or another sign.
  private static func isOtherLetter(_ text: Span<UInt8>, _ index: Int) -> Bool {
    (0xC3...0xD4).contains(text[index])
      && !(text[index] == 0xC3 && index + 1 < text.count && text[index + 1] == 0x97)
  }

  /// Whether the text between two groups of digits is written before extensions, or is in capitals, which may be digits
  /// unless there are too many before them.
  private static func endsInExtension(_ words: Span<UInt8>, _ digits: Int) -> Bool {
    var letters: [UInt8] = []
    for index in words.indices where words[index].isLetter || words[index] >= 0x80 {
      letters.append(words[index].lowercased)
    }
    if words.indices.contains(where: { ";,#~*?_%[]{}|\\".utf8.contains(words[$0]) }) { return true }
    if letters.allSatisfy({ "xn".utf8.contains($0) }) { return true }
    let isExtension = extensionWords.contains { letters.elementsEqual($0.utf8) }
    let areCapitals = !words.indices.contains { words[$0] >= 0x61 }
    return isExtension || areCapitals && digits == wholeNumberMin
  }

  /// The words before extensions that libphonenumber reads.
  private static let extensionWords = [
    "ext", "extn", "extension", "extensión", "xt", "xtn", "xtension", "int", "anexo", "доб",
  ]

  // MARK: Groups of digits

  /// The maximum number of digits of a group that may be a count, a day, or the end of another number.
  private static let extraDigitsMax = 4
  /// With at least this many digits, a group is the whole number within its area: nobody writes a few more after a blank.
  private static let wholeGroupMin = 7
  /// After a group of at least this many digits, nobody writes a single one as a group.
  private static let lastGroupMin = 4

  /// Whether a few digits before or after a valid number may not belong to it, by the way they are written: a count before
  /// a plus sign or trunk zero (`1 030 1234567`), digits after a blank and a long group (`0171 1234567 8`), a year or hours
  /// (`030 123 45 67 2024`, `030 1234567 9-17`), and digits in brackets or before a sign.
  @inline(__always)
  static func mayHaveExtraDigits(_ text: Span<UInt8>, _ shape: TextShape) -> Bool {
    guard let last = text.last else { return false }
    if last.isDigit {
      let count = shape.groupSize(text, before: text.count)
      let start = text.count - count
      if start > 1, count <= extraDigitsMax, text[start - 1] == 0x20 {
        if count == 1, isDash(text, before: start - 1) { return true }
        let digits = shape.groupSize(text, before: start - 1)
        if digits >= (count == 1 ? lastGroupMin : wholeGroupMin) || digits == 2 && count == extraDigitsMax {
          return true
        }
        if count == 1, digits == 2, areGroupedFromRight(text, shape, before: start - 1) { return true }
      } else if start > 1, count < extraDigitsMax, text[start - 1] == UInt8(ascii: "-") {
        let first = start - 1 - shape.groupSize(text, before: start - 1)
        if first > 1, text.count - first <= extraDigitsMax + 1, text[first - 1] == 0x20,
          start - first == 2 && count == 2 || shape.groupSize(text, before: first - 1) >= wholeGroupMin
        {
          return true
        }
      } else if start > 1, count < extraDigitsMax, endsInFigure(text, shape) {
        return true
      }
    } else if mayEndInExtraDigits(text, shape) {
      return true
    }
    return beginsWithCount(text, shape)
  }

  /// Whether pairs of digits follow a longer group, `08-123 45 67`: who groups from the right leaves no single digit there.
  @inline(__always)
  private static func areGroupedFromRight(_ text: Span<UInt8>, _ shape: TextShape, before end: Int) -> Bool {
    var end = end
    var size = 2
    while size == 2 {
      end = shape.digitsEnd(text, before: end - size)
      size = shape.groupSize(text, before: end)
    }
    // Not an area code.
    return size > 2 && shape.digitsEnd(text, before: end - size) > 0
  }

  /// Whether the text after the last blank is a figure that nobody writes as digits of a number: `4.5`, `5–10`, and also
  /// `1.234` and `10:30` after a whole number.
  @inline(__always)
  private static func endsInFigure(_ text: Span<UInt8>, _ shape: TextShape) -> Bool {
    var start = text.count
    while start > 0, text[start - 1] != 0x20 {
      if text.count - start == figureBytesMax { return false }
      start -= 1
    }
    guard start > 1 else { return false }
    let first = shape.groupEnd(text, from: start) - start
    let last = shape.groupSize(text, before: text.count)
    let between = start + first..<text.count - last
    let isSigned = between.allSatisfy { ".:/".utf8.contains(text[$0]) || text[$0] >= 0x80 }
    guard first > 0, first + last <= extraDigitsMax, !between.isEmpty, isSigned else { return false }
    return first == 1 || last == 1 || shape.groupSize(text, before: start - 1) >= wholeGroupMin
  }
  /// Four digits, and a sign of three bytes.
  private static let figureBytesMax = 7

  /// Whether a hyphen or a longer dash after a blank is before `end`.
  @inline(__always)
  private static func isDash(_ text: Span<UInt8>, before end: Int) -> Bool {
    guard end > 1 else { return false }
    if text[end - 1] == UInt8(ascii: "-") { return text[end - 2] == 0x20 }
    return end > 3 && text[end - 3] == 0xE2 && text[end - 2] == 0x80 && 0x93...0x94 ~= text[end - 1]
      && text[end - 4] == 0x20
  }

  /// Whether the last digits of a text that does not end in a digit may be a count or an extension: those in brackets, and
  /// one or two after a blank and before a letter or a unit (`030 123 45 67 10+`), or one before another sign (`3★`).
  @inline(never)
  private static func mayEndInExtraDigits(_ text: Span<UInt8>, _ shape: TextShape) -> Bool {
    guard let last = text.last else { return false }
    if (last == UInt8(ascii: ")") || last == UInt8(ascii: "]")), bracketStart(text) != nil { return true }
    var end = text.count
    while end > 0, text[end - 1].isLetter || text[end - 1] >= 0x80 || "+)$%.".utf8.contains(text[end - 1]) {
      end -= 1
    }
    let signs = text.extracting(end..<text.count)
    // Quotes, spaces and marks of direction are no signs.
    guard signs.count > 0, signs[0] != 0xC2, signs.count == 1 || signs[1] != 0x80 else { return false }
    let isGlued = end > 0 && text[end - 1].isDigit
    // Plus signs, the sign of multiplication and those of currencies count something.
    let isUnit =
      "+$".utf8.contains(signs[0])
      || signs.count > 1 && (signs[0] == 0xC3 && signs[1] == 0x97 || signs[0] == 0xE2 && signs[1] == 0x82)
    guard isGlued || isUnit else { return false }
    while end > 0, text[end - 1] == 0x20 { end -= 1 }
    let size = shape.groupSize(text, before: end)
    guard 1...2 ~= size, end - size > 1, text[end - size - 1] == 0x20 else { return false }
    return isUnit || signs[0].isLetter || size == 1 && shape.groupSize(text, before: end - size - 1) > 1
  }

  /// Whether one to four digits without a trunk zero come before a plus sign or a group with a trunk zero.
  @inline(__always)
  private static func beginsWithCount(_ text: Span<UInt8>, _ shape: TextShape) -> Bool {
    let start = shape.nextDigit(text, from: 0)
    guard start < text.count, text[start] != UInt8(ascii: "0"),
      start == 0 || text[start - 1] != UInt8(ascii: "+")
    else { return false }
    let end = shape.groupEnd(text, from: start)
    let digits = end - start
    guard digits <= extraDigitsMax else { return false }
    let next = shape.nextDigit(text, from: end)
    guard next < text.count else { return false }
    if text[next - 1] == UInt8(ascii: "+") { return true }
    guard text[next] == UInt8(ascii: "0") else { return false }
    // `171 0123456` is a mobile number without its trunk zero.
    return digits <= 2 || shape.groupEnd(text, from: next) < text.count
  }

  /// Whether what is left of a text of several groups of digits without a few of them at its start or its end has a
  /// property. Letters may stand for digits, or lead to an extension: then nothing has.
  ///
  /// - Complexity: O(bytes), and at most nine calls of `matches`.
  @inline(__always)
  static func containsWithoutExtraDigits(
    _ text: Span<UInt8>, _ shape: TextShape, where matches: (Range<Int>) -> Bool
  ) -> Bool {
    if shape.hasWords, hasWordAfterDigits(text, shape) { return false }
    let first = shape.nextDigit(text, from: 0)
    guard first < text.count else { return false }
    var dropped = 0
    var start = first
    while first == 0 || text[first - 1] != UInt8(ascii: "+") {
      let end = shape.groupEnd(text, from: start)
      let next = shape.nextDigit(text, from: end)
      dropped += end - start
      if next == text.count || end - start > extraDigitsMax || dropped > extraDigitsMax + 2 { break }
      var rest = end
      while rest < next, text[rest] != UInt8(ascii: "+") { rest += 1 }
      if matches(rest..<text.count) { return true }
      start = next
    }
    dropped = 0
    var end = shape.digitsEnd(text, before: text.count)
    while true {
      let size = shape.groupSize(text, before: end)
      dropped += size
      if end - size <= first || dropped > extraDigitsMax { return false }
      end = shape.digitsEnd(text, before: end - size)
      if matches(0..<end) { return true }
    }
  }

  /// Whether there are three letters in sequence after the first digit.
  @inline(never)
  private static func hasWordAfterDigits(_ text: Span<UInt8>, _ shape: TextShape) -> Bool {
    var letters = 0
    for index in shape.nextDigit(text, from: 0)..<text.count {
      letters = text[index].isLetter ? letters + 1 : 0
      if letters > 2 { return true }
    }
    return false
  }
}

/// The kinds of bytes in a text, found eight at a time. They show of most texts that no notation can be in them.
struct TextShape {
  /// A bit for each byte that is a digit, the first one lowest; of a longer text than 64 bytes, those at its start.
  private var digits: UInt64 = 0
  private let isLong: Bool
  /// Whether there are letters, characters outside ASCII, or signs such as `@` and `_`.
  private(set) var hasWords = false

  private static let bytesMax = 64

  @inline(__always)
  init(_ text: Span<UInt8>) {
    isLong = text.count > Self.bytesMax
    guard !isLong else {
      for index in text.indices where text[index] >= 0x40 { hasWords = true }
      return
    }
    let bytes = unsafe text.bytes
    var others: UInt64 = 0
    var index = 0
    while index &+ 8 <= text.count {
      // Any eight bytes are a valid UInt64.
      let word = unsafe UInt64(
        littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
      others |= word
      digits |= Self.digits(word) &<< UInt64(truncatingIfNeeded: index)
      index &+= 8
    }
    while index < text.count {
      let byte = text[index]
      others |= UInt64(byte)
      digits |= (byte.isDigit ? 1 : 0) &<< UInt64(truncatingIfNeeded: index)
      index &+= 1
    }
    hasWords = others & 0xC0C0_C0C0_C0C0_C0C0 != 0
  }

  /// A bit for each of eight bytes that is a digit.
  @inline(__always)
  private static func digits(_ word: UInt64) -> UInt64 {
    let values = word ^ 0x3030_3030_3030_3030
    // No carry leaves its byte.
    let others = ((values & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7676_7676_7676_7676) | values
    let flags = (~others &>> 7) & 0x0101_0101_0101_0101
    return (flags &* 0x0102_0408_1020_4080) &>> 56
  }

  /// Whether there is anything else than digits after the first byte.
  @inline(__always)
  func hasGroups(_ text: Span<UInt8>) -> Bool { text.count > 1 && groupEnd(text, from: 1) < text.count }

  /// Whether all digits are in one group.
  func isOneGroup(_ text: Span<UInt8>) -> Bool {
    nextDigit(text, from: groupEnd(text, from: nextDigit(text, from: 0))) == text.count
  }

  /// Which of the digits, counted from the first one, are in a range; nil for a long text.
  @inline(__always)
  func digits(in range: Range<Int>) -> Range<Int>? {
    if isLong { return nil }
    let before = digitCount(before: range.lowerBound)
    return before..<digitCount(before: range.upperBound)
  }

  @inline(__always)
  private func digitCount(before end: Int) -> Int {
    end <= 0 ? 0 : (digits &<< UInt64(truncatingIfNeeded: Self.bytesMax &- end)).nonzeroBitCount
  }

  /// The size of the group of digits that ends before `end`.
  @inline(__always)
  func groupSize(_ text: Span<UInt8>, before end: Int) -> Int {
    if end <= 0 { return 0 }
    if !isLong {
      return (~(digits &<< UInt64(truncatingIfNeeded: Self.bytesMax &- end))).leadingZeroBitCount
    }
    var start = end
    while start > 0, text[start - 1].isDigit { start -= 1 }
    return end - start
  }

  /// The index after the last digit before `end`; 0 if there is none.
  @inline(__always)
  func digitsEnd(_ text: Span<UInt8>, before end: Int) -> Int {
    if end <= 0 { return 0 }
    if !isLong {
      return end
        - min(end, (digits &<< UInt64(truncatingIfNeeded: Self.bytesMax &- end)).leadingZeroBitCount)
    }
    var last = end
    while last > 0, !text[last - 1].isDigit { last -= 1 }
    return last
  }

  /// The index of the first digit from `start` on; the number of bytes if there is none.
  @inline(__always)
  func nextDigit(_ text: Span<UInt8>, from start: Int) -> Int {
    if start >= text.count { return text.count }
    if !isLong {
      return min(
        text.count, start + (digits &>> UInt64(truncatingIfNeeded: start)).trailingZeroBitCount)
    }
    var next = start
    while next < text.count, !text[next].isDigit { next += 1 }
    return next
  }

  /// The index of the first byte from `start` on that is not a digit.
  @inline(__always)
  func groupEnd(_ text: Span<UInt8>, from start: Int) -> Int {
    if start >= text.count { return text.count }
    if !isLong {
      return start + (~(digits &>> UInt64(truncatingIfNeeded: start))).trailingZeroBitCount
    }
    var end = start
    while end < text.count, text[end].isDigit { end += 1 }
    return end
  }
}

extension Span where Element == UInt8 {
  fileprivate var last: UInt8? { isEmpty ? nil : self[count - 1] }

  fileprivate func firstIndex(of byte: UInt8) -> Int? { indices.first { self[$0] == byte } }

  fileprivate var lowercased: [UInt8] { indices.map { self[$0].lowercased } }
}

extension UInt8 {
  fileprivate var lowercased: UInt8 { isLetter ? self | 0x20 : self }

  fileprivate var hexadecimal: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
      (self | 0x20) - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
