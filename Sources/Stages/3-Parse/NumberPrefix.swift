// Numbers whose first digits are in other fields of their rows: a calling code or country, and an area code. Such a
// number becomes international, and is never completed with `normalize --region`; if its country is not understood, it
// is a reject.

import NumberPlan
import Records

/// What other fields of a row declare about the beginning of its numbers.
struct NumberPrefix {
  /// The text of the area code; nil if rows have none.
  var areaCode: ContiguousArray<UInt8>?
  /// The calling code or country; nil if rows have none.
  var country: ContiguousArray<UInt8>?

  var isEmpty: Bool { areaCode == nil && country == nil }

  /// Adds the area code and the calling code to a number that lacks them, or to both numbers of a range.
  func complete(_ number: inout ContiguousArray<UInt8>) throws(ParseReject) {
    guard !isEmpty else { return }
    if let dots = number.span.firstIndex(of: "..") {
      var last = ContiguousArray(number[(dots + 2)...])
      number.removeSubrange(dots...)
      try completeOne(&number)
      try completeOne(&last)
      number += "..".utf8
      number += last
    } else {
      try completeOne(&number)
    }
  }

  private func completeOne(_ number: inout ContiguousArray<UInt8>) throws(ParseReject) {
    if let areaCode { try Self.addAreaCode(areaCode, to: &number, in: country) }
    if let country { try Self.addCountry(country, to: &number) }
  }

  private static let plus = UInt8(ascii: "+")
  private static let zero = UInt8(ascii: "0")

  // MARK: Countries

  /// Adds the calling code that a text declares to a national number. A number that is international stays as it is, and
  /// one that may have the code already is read in the way in which it is valid; if both are, it is a reject.
  ///
  /// - Complexity: O(bytes).
  static func addCountry(
    _ country: ContiguousArray<UInt8>, to number: inout ContiguousArray<UInt8>
  ) throws(ParseReject) {
    guard !number.isEmpty, !isInternational(number) else { return }
    let text = String(decoding: country, as: UTF8.self)
    guard let code = callingCode(text) else { throw .unknownCountry(text) }
    var national: ContiguousArray<UInt8> = [plus]
    national += code.utf8
    // Marks of direction are copied along with numbers.
    let marks = String(decoding: number, as: UTF8.self).unicodeScalars
      .prefix { $0.properties.generalCategory == .format }
    national += number.dropFirst(String(marks).utf8.count)
    let digits = digits(number)
    if digits.starts(with: code.utf8) {
      let complete = ContiguousArray([plus]) + number
      if let valid = valid(complete) {
        if let other = Self.valid(national), other != valid { throw .ambiguousCountry(code) }
        national = complete
      }
    }
    number = national
  }

  /// The digits of the calling code that a text declares: `+49`, `0049`, `49`, `DE`, `Germany`, `DE (+49)`, `1-242`; nil
  /// if it is not understood.
  static func callingCode(_ text: String) -> String? {
    let digits = String(decoding: text.utf8.filter { $0 &- 0x30 < 10 }, as: UTF8.self)
    if let sign = text.utf8.lastIndex(of: plus) {
      let marked = text.utf8[sign...].dropFirst().prefix { $0 &- 0x30 < 10 || " -()".utf8.contains($0) }
      return known(String(decoding: marked.filter { $0 &- 0x30 < 10 }, as: UTF8.self))
    }
    let hasLetters = text.unicodeScalars.contains { $0.properties.isAlphabetic }
    if !hasLetters { return known(digits.hasPrefix("00") ? String(digits.dropFirst(2)) : digits) }
    let plain = CommonFieldNames.plain(text)
    let region = plain.utf8.count == 2 ? Region(plain) : nil
    return (region ?? names[plain].flatMap { Region($0) }).map { String($0.callingCode) }
  }

  /// The digits, if they are a calling code, or one of North America with an area code.
  private static func known(_ digits: String) -> String? {
    guard let number = UInt64(digits), digits.first != "0", digits.utf8.count <= 4,
      let code = NumberPlan.callingCode(ofDigits: number)
    else { return nil }
    return String(code) == digits || code == 1 && digits.utf8.count == 4 ? digits : nil
  }

  /// The codes of countries by their plain names, in English and in their own languages.
  private static let names: [String: String] = {
    var codes: [String: String] = [:]
    for (code, name) in CountryNames.byCode { codes[CommonFieldNames.plain(name)] = code }
    let entries = """
      US:usa US:unitedstates US:unitedstatesofamerica US:estadosunidos US:vereinigtestaaten GB:uk GB:england
      GB:greatbritain GB:grossbritannien GB:vereinigteskönigreich DE:deutschland DE:allemagne DE:alemania DE:deu
      AT:österreich CH:schweiz CH:suisse CH:svizzera FR:frankreich FR:francia ES:españa ES:spanien ES:espagne
      IT:italia IT:italien IT:italie NL:nederland NL:niederlande NL:holland BE:belgië BE:belgique BE:belgien
      PL:polska PL:polen CZ:česko CZ:czechrepublic CZ:českárepublika CZ:tschechien SK:slovensko HU:magyarország
      RO:românia DK:danmark SE:sverige NO:norge FI:suomi IS:ísland GR:ελλάδα TR:turkey TR:türkei RU:россия
      RU:russianfederation RU:рф UA:україна UA:украина BY:беларусь KZ:казахстан BG:българия RS:србија HR:hrvatska
      BR:brasil MX:méxico AR:argentina PE:perú CN:中国 CN:中华人民共和国 TW:台灣 TW:台湾 HK:香港 JP:日本 KR:대한민국 KR:한국
      KR:korea KR:southkorea KR:republicofkorea VN:việtnam VN:vietnam TH:ไทย TH:ประเทศไทย IN:भारत IL:ישראל IR:ایران
      SA:السعودية EG:مصر AE:uae AE:الإمارات ID:indonesia MY:malaysia PT:portugal
      """
    for entry in entries.split(whereSeparator: \.isWhitespace) {
      codes[CommonFieldNames.plain(String(entry.dropFirst(3)))] = String(entry.prefix(2))
    }
    return codes
  }()

  // MARK: Area codes

  /// Adds the area code that a text declares before a number that lacks it. A code with a plus sign makes the number
  /// international. A number that may need a code, and whose code is not understood, is a reject.
  private static func addAreaCode(
    _ text: ContiguousArray<UInt8>, to number: inout ContiguousArray<UInt8>,
    in country: ContiguousArray<UInt8>?
  ) throws(ParseReject) {
    guard let area = areaCode(text.span) else {
      if isComplete(number) { return }
      throw .unknownAreaCode(String(decoding: text, as: UTF8.self))
    }
    guard try lacksAreaCode(area, number, in: country) else { return }
    let body = NumberText.body(number.span, from: 0, to: number.count)
    number = area + number[body]
  }

  /// Whether a number lacks the area code of its row. An international number, and one with a trunk prefix of its own, do
  /// not. A number that is long enough to have the code without a trunk prefix is a reject, unless it is valid in the
  /// country in one of the two ways only.
  private static func lacksAreaCode(
    _ area: ContiguousArray<UInt8>, _ number: borrowing ContiguousArray<UInt8>,
    in country: ContiguousArray<UInt8>?
  ) throws(ParseReject) -> Bool {
    guard !number.isEmpty, !hasCallingCode(number) else { return false }
    let code = digits(area)
    let own = digits(number)
    if own.first == zero, code.first == zero || own.count >= lackingDigitsMax { return false }
    let rest = code.drop { $0 == zero }
    guard own.count > lackingDigitsMax || own.count == lackingDigitsMax && own.starts(with: rest) else {
      return true
    }
    if let country, let callingCode = callingCode(String(decoding: country, as: UTF8.self)) {
      let start = [plus] + callingCode.utf8
      let isWhole = valid(ContiguousArray(start + own)) != nil
      if isWhole != (valid(ContiguousArray(start + rest + own)) != nil) { return !isWhole }
    }
    throw .ambiguousAreaCode(String(decoding: code, as: UTF8.self))
  }

  /// The digits of the area code that a text declares, after a plus sign if it has its calling code: `030`, `(030)`,
  /// `+49 (0) 30`, `0049 30`, `030 (Berlin)`, `0xx31`; nil if it is not one code.
  static func areaCode(_ text: Span<UInt8>) -> ContiguousArray<UInt8>? {
    var groups: [[UInt8]] = []
    var isMarked = false
    var index = 0
    while index < text.count {
      let end = text.skippingDigits(from: index, to: text.count)
      if end > index {
        groups.append((index..<end).map { text[$0] })
        index = end
        continue
      }
      // The placeholder of a carrier in Brazil.
      if groups == [[zero]], let next = carrierEnd(text, index) {
        groups = []
        index = next
        continue
      }
      switch text[index] {
      case plus where groups.isEmpty: isMarked = true
      case 0x20, 0x09, UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "-"), UInt8(ascii: "."): break
      case let byte where (byte | 0x20) &- 0x61 < 26 || byte >= 0x80 || byte == UInt8(ascii: "/"):
        // The name of the town, but no wildcard, and no second code.
        let isWildcard = index > 0 && text[index - 1] &- 0x30 < 10 && (byte | 0x20) &- 0x61 < 26
        if isWildcard || !groups.isEmpty && nextDigit(text, index) != nil { return nil }
      default: return nil
      }
      index += 1
    }
    return joined(groups, isMarked: isMarked)
  }

  /// The index after a carrier's two letters, which other digits follow; nil if there are none at `start`.
  private static func carrierEnd(_ text: Span<UInt8>, _ start: Int) -> Int? {
    let first = text.skippingSpace(from: start)
    return text.startsIgnoringCase("XX", at: first) && nextDigit(text, first) != nil ? first + 2 : nil
  }

  private static func nextDigit(_ text: Span<UInt8>, _ start: Int) -> Int? {
    (start..<text.count).first { text[$0] &- 0x30 < 10 }
  }

  /// The groups of digits of one area code; nil if they may be two codes.
  private static func joined(_ groups: [[UInt8]], isMarked: Bool) -> ContiguousArray<UInt8>? {
    guard var first = groups.first else { return nil }
    let rest = groups.dropFirst()
    if isMarked || first.starts(with: [zero, zero]) && first.count > 2 {
      if !isMarked { first.removeFirst(2) }
      // Italy's numbers keep their zero.
      let national = first.starts(with: "39".utf8) ? Array(rest) : rest.map { Array($0.drop { $0 == zero }) }
      let digits = first + national.joined()
      return digits.count <= areaDigitsMax + callingDigitsMax ? [plus] + digits : nil
    }
    let hasTrunk = first.first == zero && rest.count < 2 && rest.allSatisfy { $0.first != zero }
    let digits = first + rest.joined()
    return (rest.isEmpty || hasTrunk) && digits.count <= areaDigitsMax ? ContiguousArray(digits) : nil
  }

  private static let areaDigitsMax = 6
  private static let callingDigitsMax = 3

  /// Whether a number in a column beside area codes lacks its code: it is short, and does not begin with it.
  static func lacks(_ area: ContiguousArray<UInt8>, _ number: borrowing ContiguousArray<UInt8>) -> Bool {
    guard let area = areaCode(area.span) else { return !isComplete(number) }
    let digits = digits(number)
    let code = Self.digits(area).drop { $0 == zero }
    return !hasCallingCode(number) && digits.count <= lackingDigitsMax
      && !digits.drop { $0 == zero }.starts(with: code)
  }

  /// Whether a number certainly has its area code: it is international, has a trunk prefix, or is long; or it is none.
  private static func isComplete(_ number: borrowing ContiguousArray<UInt8>) -> Bool {
    digits(number).count > lackingDigitsMax || hasOwnCode(number)
  }

  /// Whether a number is international or has a trunk prefix, or is none.
  static func hasOwnCode(_ number: borrowing ContiguousArray<UInt8>) -> Bool {
    let digits = digits(number)
    return digits.isEmpty || digits[0] == zero || hasCallingCode(number)
  }

  private static let lackingDigitsMax = 9

  /// Whether a number is international, so that it has its area code. Two zeros may also begin the rest of a shorter one:
  /// `0062000` beside the code 900.
  private static func hasCallingCode(_ number: ContiguousArray<UInt8>) -> Bool {
    isInternational(number) && (number.contains(plus) || digits(number).count > lackingDigitsMax)
  }

  // MARK: Texts

  /// Whether a number has a plus sign, of ASCII or full width, before its first digit, or starts with `00`.
  static func isInternational(_ number: ContiguousArray<UInt8>) -> Bool {
    for index in number.indices {
      let byte = number[index]
      if byte == plus { return true }
      if byte == 0xEF, index + 2 < number.count, number[index + 1] == 0xBC, number[index + 2] == 0x8B {
        return true
      }
      if byte &- 0x30 < 10 {
        return byte == zero && index + 2 < number.count && number[index + 1] == zero
          && number[index + 2] &- 0x31 < 9
      }
    }
    return false
  }

  private static func digits(_ text: ContiguousArray<UInt8>) -> [UInt8] {
    var digits: [UInt8] = []
    for byte in text where byte &- 0x30 < 10 { digits.append(byte) }
    return digits
  }

  /// The digits of an international number that is valid; wildcards stand for some digit.
  private static func valid(_ text: ContiguousArray<UInt8>) -> UInt64? {
    let shown = ContiguousArray(text.map { "#*?xX".utf8.contains($0) ? UInt8(ascii: "5") : $0 })
    guard let number = try? NumberPlan.parse(shown.span, region: nil), NumberPlan.isValid(number) else {
      return nil
    }
    return number.e164
  }
}

// MARK: - The columns of tables

extension TableSample {
  /// Whether half of a column's cells are calling codes or countries.
  func hasCountries(in column: Int) -> Bool {
    let texts = texts(in: column).filter { !$0.isEmpty }
    let known = texts.count { NumberPrefix.callingCode(String(decoding: $0, as: UTF8.self)) != nil }
    return known > 0 && 2 * known >= texts.count
  }

  /// Whether a column has area codes that most numbers of another one lack. Some may not be understood.
  func hasAreaCodes(in column: Int, of number: Int, digitsMax: Int = .max) -> Bool {
    let found = areaCodes(in: column, of: number, digitsMax: digitsMax)
    return found.known > 0 && 2 * found.lacking > found.count
  }

  /// Whether a column has an area code that a number of another one lacks; with `isCertain`, only if no other number may
  /// begin with its code.
  func hasAnyAreaCode(in column: Int, of number: Int, isCertain: Bool = false) -> Bool {
    let found = areaCodes(in: column, of: number)
    return found.known > 0 && !(isCertain && found.doubtful > 0)
  }

  /// The number of area codes that are understood, of numbers that lack their code, of numbers, and of long ones without a
  /// trunk prefix.
  private func areaCodes(
    in column: Int, of number: Int, digitsMax: Int = .max
  ) -> (known: Int, lacking: Int, count: Int, doubtful: Int) {
    guard number >= 0 else { return (0, 0, 0, 0) }
    var (known, lacking, count, doubtful) = (0, 0, 0, 0)
    for (area, number) in zip(texts(in: column), texts(in: number)) where !number.isEmpty {
      let digits = number.count { $0 &- 0x30 < 10 }
      if digits == 0 { continue }
      let isLacking = digits <= digitsMax && NumberPrefix.lacks(area, number)
      if isLacking { lacking += 1 }
      if isLacking, NumberPrefix.areaCode(area.span) != nil { known += 1 }
      if isLacking || !area.isEmpty { count += 1 }
      if !isLacking, !area.isEmpty, !NumberPrefix.hasOwnCode(number) { doubtful += 1 }
    }
    return (known, lacking, count, doubtful)
  }

  /// Whether a column without a name has area codes: each with a trunk prefix, beside a number without one.
  func hasTrunkCodes(in column: Int, of number: Int) -> Bool {
    let codes = texts(in: column).filter { !$0.isEmpty }
    return codes.count > 1 && codes.allSatisfy { $0[0] == UInt8(ascii: "0") && $0.count > 1 }
      && hasAreaCodes(in: column, of: number)
  }

  /// Whether the numbers of two columns are the first and the last ones of ranges, as far as their digits show it.
  func areRanges(_ first: Int, _ last: Int) -> Bool {
    var count = 0
    for (first, last) in zip(texts(in: first), texts(in: last)) where !first.isEmpty && !last.isEmpty {
      let (first, last) = (first.filter { $0 &- 0x30 < 10 }, last.filter { $0 &- 0x30 < 10 })
      guard first.count == last.count, first.prefix(2) == last.prefix(2),
        first.lexicographicallyPrecedes(last) || first == last
      else { return false }
      if first != last { count += 1 }
    }
    return count > 0
  }
}
