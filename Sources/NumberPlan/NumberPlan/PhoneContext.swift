// The parameter `;phone-context=` of RFC 3966's `tel:` addresses, as libphonenumber's parse reads it: a number's
// beginning that stands at its end, or the name of a domain that tells nothing. Not for the number itself (TextScanner).

/// Where the value of the parameter stands in a text, and where the number does that it completes.
struct PhoneContext {
  /// The bytes of the value; a number with its plus sign, or a domain's name.
  let value: Range<Int>
  /// The bytes between `tel:` and the parameter.
  let number: Range<Int>

  /// Nil without the parameter.
  /// - Throws: `notANumber` for a value that is neither of the two.
  init?(_ text: Span<UInt8>) throws(NumberParseError) {
    guard let place = TextScanner.find(";phone-context=", in: text, from: 0, to: text.count) else {
      return nil
    }
    let start = place + ";phone-context=".utf8.count
    var end = start
    while end < text.count, text[end] != UInt8(ascii: ";") { end += 1 }
    value = start..<end
    guard Self.isGlobalNumber(text, value) || Self.isDomainName(text, value) else { throw .notANumber }
    // It is looked for everywhere, and found behind the parameter leaves no number at all.
    let scheme = TextScanner.find("tel:", in: text, from: 0, to: text.count)
    number = min(scheme.map { $0 + 4 } ?? 0, place)..<place
  }

  /// Whether the value is a number, which goes in front of the other.
  func isNumber(_ text: Span<UInt8>) -> Bool { text[value.lowerBound] == UInt8(ascii: "+") }

  // RFC 3966's global-number-digits: a plus sign, digits and - . ( ), one digit at least.
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

  // RFC 3966's domainname: labels of letters, digits and inner hyphens, joined by full stops; the last one begins with
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
