// What people write before a number, and texts that look like numbers and are none: amounts, identifiers, dates, digits
// that are written with letters. One rule for lines, fields and JSON.

import Records

enum EntryText {
  // MARK: Words before a number

  /// The index of the number that words lead to, such as `Tel.: 030 1234567`; `start` if the text begins with none. Throws
  /// if what the words lead to is not a phone number, or unless they are ignored, if they state that it is not blocked.
  ///
  /// - Complexity: O(1) for a text that begins with a digit or a sign of a number, O(bytes) for others.
  static func numberStart(
    _ bytes: Span<UInt8>, from start: Int, to end: Int, ignoresVerdicts: Bool = false
  ) throws(ParseReject) -> Int {
    guard start < end, bytes[start] >= 0x80 || (bytes[start] | 0x20) &- 0x61 < 26 else {
      guard isStruck(bytes, start, end) else { return start }
      if ignoresVerdicts { return start + 2 }
      throw .removed
    }
    let digits = nextDigit(bytes, from: start, to: end)
    guard digits < end else { return start }
    if isOther(bytes, start, digits) { throw .unexpectedText }
    if !ignoresVerdicts, isUnblocked(bytes, start, digits) { throw .notBlocked }
    switch DateText.beginning(bytes, from: digits, to: end) {
    case .noDate: break
    case .date: throw .date
    case .number(let index): return index
    }
    let group = bytes.skippingDigits(from: digits, to: end)
    if TableCell.isDate(bytes, digits, group), group == end { throw .date }
    if let number = afterColon(bytes, start, end) {
      if digits < number, CommonFieldNames.namesAreaCode(text(bytes, start, digits)) { throw .severalNumbers }
      return number
    }
    if areHours(bytes, start, digits, end) || isTooShort(bytes, start, digits, end)
      || isIdentifier(bytes, start, digits, end)
    {
      throw .unexpectedText
    }
    return start
  }

  /// Whether a few digits are among words: `Mon-Fri 9-17 h`, `page 1 of 3`; but not `CALL 1-800-FLOWERS`.
  private static func areHours(_ bytes: Span<UInt8>, _ start: Int, _ digits: Int, _ end: Int) -> Bool {
    let contents = NumberText.contents(bytes, from: digits, to: end)
    return contents.letters > 1 && contents.digits < NumberEnd.digitsMin
      && NumberText.contents(bytes, from: start, to: digits).letters > 1
      && (digits..<end).contains { bytes[$0] >= 0x61 }
  }

  /// Whether words lead to an identifier: digits without a sign of phone numbers after a word for one (`Fall 20241234567`),
  /// or that begin with a year or end in one after a slash (`Az. 12345/24`), where no word is one for phone numbers.
  private static func isIdentifier(_ bytes: Span<UInt8>, _ start: Int, _ digits: Int, _ end: Int) -> Bool {
    guard bytes[digits] != UInt8(ascii: "0"), !"+(*".utf8.contains(bytes[digits - 1]) else { return false }
    let words = text(bytes, start, digits)
    if CommonFieldNames.namesNumber(words) { return false }
    let group = bytes.skippingDigits(from: digits, to: end)
    if group < end, bytes[group] == UInt8(ascii: "/") {
      let last = bytes.skippingDigits(from: group + 1, to: end)
      if last == end || bytes[last].isASCIISpace, last - group == 3 || last - group == 5 { return true }
    }
    if CommonFieldNames.mentionsRecord(words) || CommonFieldNames.endsInRecord(words) { return true }
    let year = (digits..<min(digits + 4, group)).reduce(0) { 10 * $0 + Int(bytes[$1] &- 0x30) }
    return group - digits > yearDigits && years.contains(year)
      && (group == end || bytes[group].isASCIISpace || bytes[group] == UInt8(ascii: "-"))
  }

  private static let years = 1990...2049
  /// A year and the digits of a North American number's last two groups.
  private static let yearDigits = 10

  private static func nextDigit(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, bytes[index] &- 0x30 >= 10 { index += 1 }
    return index
  }

  /// The index of the first whole number after a colon and a blank.
  private static func afterColon(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
    var index = start
    while index + 2 < end {
      defer { index += 1 }
      guard bytes[index] == UInt8(ascii: ":"), bytes[index + 1].isASCIISpace else { continue }
      let number = bytes.skippingSpace(from: index + 1, to: end)
      guard ListMarker.beginsNumber(bytes, number, end), bytes[number] < 0x60 else { continue }
      var last = number
      while last < end, NumberText.isCharacter(bytes[last]) { last += 1 }
      if NumberText.contents(bytes, from: number, to: last).digits >= NumberEnd.digitsMin { return number }
    }
    return nil
  }

  /// Whether the words before the digits name something else.
  private static func isOther(_ bytes: Span<UInt8>, _ start: Int, _ digits: Int) -> Bool {
    // A postal code in Japan; amounts.
    let signs: [StaticString] = [
      "\u{3012}", "\u{20AC}", "\u{A3}", "\u{A5}", "\u{20BD}", "\u{20A9}", "\u{20B9}",
    ]
    if signs.contains(where: { bytes.startsIgnoringCase($0, at: start) }) { return true }
    let words = text(bytes, start, digits)
    return CommonFieldNames.namesOther(words) || CommonFieldNames.namesAuthor(words)
  }

  /// Whether the words before the digits say that the number is not blocked: `Whitelist: …`, `const ALLOWED = ["…`,
  /// `My cell: …`.
  private static func isUnblocked(_ bytes: Span<UInt8>, _ start: Int, _ digits: Int) -> Bool {
    let words = bytes.extracting(start..<digits)
    if CommonFieldNames.namesUnblocked(words) { return true }
    let text = text(bytes, start, digits)
    return CommonFieldNames.namesOwnLine(text)
      || words.firstIndex(of: "=") != nil && CommonFieldNames.heading(text) == .others
  }

  /// Whether a number is struck out: `~~030 1234567~~`.
  private static func isStruck(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard start < end, bytes[start] == UInt8(ascii: "~"), bytes.startsIgnoringCase("~~", at: start),
      let close = bytes.extracting(0..<end).firstIndex(of: "~~", from: start + 2)
    else { return false }
    return NumberText.contents(bytes, from: start + 2, to: close).digits > 2
  }

  private static func text(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> String {
    TableField(start: start, end: end).text(bytes)
  }

  /// Whether words lead to a few digits that are not written as a number: `seit 2019`, `Zimmer 12345`, `D-10115 Berlin`; but
  /// not `Tel. 110`.
  private static func isTooShort(_ bytes: Span<UInt8>, _ start: Int, _ digits: Int, _ end: Int) -> Bool {
    // Digits of other scripts are in the words.
    let words = NumberText.contents(bytes, from: start, to: digits)
    guard words.letters > 0, words.digits == 0, bytes[digits] != UInt8(ascii: "0"),
      !"+(*#".utf8.contains(bytes[digits - 1])
    else { return false }
    let last = NumberEnd.find(bytes, from: digits, to: end).end
    let contents = NumberText.contents(bytes, from: digits, to: last)
    return contents.digits < NumberEnd.digitsMin && contents.isNumber(digitsMin: 1) && contents.letters == 0
      && !CommonFieldNames.namesNumber(text(bytes, start, digits))
  }

  // MARK: Texts that are not numbers

  /// Whether a text is certainly not a phone number: an amount, an identifier in hexadecimal digits, an address of a
  /// computer, an ISBN, a number with letters for zeros, or with Chinese digits.
  static func isOther(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    isAmount(bytes, start, end) || isAddress(bytes, start, end) || isISBN(bytes, start, end)
      || isUUID(bytes, start, end) || hasLetterZeros(bytes, start, end)
      || hasIdeographs(bytes, start, end)
  }

  /// Whether a text begins with an amount: `1.234.567,89`, `1.234,56 €`.
  private static func isAmount(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    var index = bytes.skippingDigits(from: start, to: end)
    guard 1...3 ~= index - start, index < end, bytes[index] == UInt8(ascii: "."),
      bytes[start] != UInt8(ascii: "0")
    else { return false }
    while index < end, bytes[index] == UInt8(ascii: ".") {
      let last = bytes.skippingDigits(from: index + 1, to: end)
      if last != index + 4 { return false }
      index = last
    }
    guard index < end, bytes[index] == UInt8(ascii: ",") else { return false }
    let last = bytes.skippingDigits(from: index + 1, to: end)
    return last == index + 3 && (last == end || bytes[last] == 0x20 || bytes[last] >= 0x80)
  }

  /// Whether a text is an address of a computer: four numbers up to 255, `8.8.8.8`. In phone numbers with points, no group
  /// has one digit only, and those with a leading 1 and three digits are no first group.
  private static func isAddress(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard end - start <= 15 else { return false }
    var (groups, short) = (0, 0)
    var index = start
    while index < end {
      let last = bytes.skippingDigits(from: index, to: end)
      guard 1...3 ~= last - index, bytes[index] != UInt8(ascii: "0") || last - index == 1,
        (index..<last).reduce(0, { 10 * $0 + Int(bytes[$1] &- 0x30) }) < 256
      else { return false }
      groups += 1
      if last - index == 1 || groups == 1 && last - index == 3 && bytes[index] == UInt8(ascii: "1") {
        short += 1
      }
      if last == end { return groups == 4 && short > 0 }
      guard bytes[last] == UInt8(ascii: ".") else { return false }
      index = last + 1
    }
    return false
  }

  /// The size of an ISBN with its four hyphens.
  static let isbnBytes = 17

  private static func isISBN(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard end - start == isbnBytes,
      bytes.startsIgnoringCase("978", at: start) || bytes.startsIgnoringCase("979", at: start)
    else { return false }
    let text = bytes.extracting(start..<end)
    return text.indices.count { text[$0] == UInt8(ascii: "-") } == 4
      && text.indices.count { text[$0] &- 0x30 < 10 } == 13
  }

  private static func isUUID(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard end - start >= 36, [8, 13, 18, 23].allSatisfy({ bytes[start + $0] == UInt8(ascii: "-") }) else {
      return false
    }
    return (start..<start + 36).allSatisfy {
      bytes[$0] &- 0x30 < 10 || (bytes[$0] | 0x20) &- 0x61 < 6 || bytes[$0] == UInt8(ascii: "-")
    }
  }

  /// Whether a word has digits and the letter O, or that and the letters for one, and nothing else: `O3O`, `03O/1234567`.
  /// After a complete number it is a word (`O2`).
  private static func hasLetterZeros(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    var digits = 0
    var index = start
    while index < end, digits < completeDigits {
      var (zeros, others, count) = (0, 0, 0)
      while index < end,
        bytes[index] &- 0x30 < 10 || (bytes[index] | 0x20) &- 0x61 < 26 || bytes[index] >= 0x80
      {
        switch bytes[index] {
        case 0x30...0x39: count += 1
        case UInt8(ascii: "O"), UInt8(ascii: "o"): zeros += 1
        default: others += 1
        }
        index += 1
      }
      // `O2` is a company.
      if others > 0
        || zeros > 0 && (count == 0 || zeros + count == 2 && bytes[index - 1] == UInt8(ascii: "2"))
      {
        return false
      }
      if zeros > 0 { return true }
      digits += count
      if index < end, ",;|:\t".utf8.contains(bytes[index]) { return false }
      index += 1
    }
    return false
  }

  private static let completeDigits = 10

  /// Whether a text begins with digits of Chinese before those of a number: `〇一〇12345678`.
  private static func hasIdeographs(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard start < end, bytes[start] >= 0xE3 else { return false }
    let ideographs: Set<Unicode.Scalar> = ["〇", "零", "一", "二", "三", "四", "五", "六", "七", "八", "九", "壹", "贰"]
    var index = start
    while index < end, let (scalar, length) = NumberText.scalar(bytes, at: index, end: end),
      ideographs.contains(scalar)
    {
      index += length
    }
    return index - start > 3 && index < end && bytes[index] &- 0x30 < 10
  }
}

/// A link of Markdown whose text is a number: `[030 1234567](https://example.com/0301234567)`.
struct MarkdownLink {
  let number: Range<Int>
  /// The index after the link.
  let end: Int

  init?(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
    guard start < end, bytes[start] == UInt8(ascii: "["),
      let close = bytes.extracting(0..<end).firstIndex(of: "](", from: start + 1),
      NumberText.contents(bytes, from: start + 1, to: close).isNumber(digitsMin: NumberEnd.digitsMin)
    else { return nil }
    number = start + 1..<close
    var last = close + 2
    while last < end, bytes[last] != UInt8(ascii: ")") { last += 1 }
    self.end = min(last + 1, end)
  }
}

/// The lines of a list in Markdown that are neither its items nor text: rules, the underlines of titles, and footnotes
/// without numbers.
enum MarkdownText {
  static func begins(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    let first = bytes[start]
    if first == UInt8(ascii: "["), start + 1 < end, bytes[start + 1] == UInt8(ascii: "^") {
      guard let close = bytes.extracting(0..<end).firstIndex(of: "]:", from: start) else { return false }
      return NumberText.contents(bytes, from: close, to: end).digits < NumberEnd.digitsMin
    }
    guard "-=*_".utf8.contains(first) else { return false }
    var last = start
    while last < end, bytes[last] == first || bytes[last].isASCIISpace { last += 1 }
    return last == end && (start..<end).count { bytes[$0] == first } >= ruleMin
  }

  /// The minimum number of signs in a rule.
  private static let ruleMin = 3
}
