// The parameter `;phone-context=` of RFC 3966's `tel:` addresses, parsed like libphonenumber: either a number's prefix
// that is written at its end, or a domain name, which is ignored. Not for the number itself (TextScanner).

/// The position of the parameter's value in a text, and of the number that it completes.
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
