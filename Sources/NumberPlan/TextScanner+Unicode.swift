// Scans digits in any text: libphonenumber's extractPossibleNumber, isViablePhoneNumber, maybeStripExtension and
// normalize, one after another over ranges of the same bytes. Correctness over speed: few texts need this.
// Not for interpreting the digits, or for the syntax of extensions (ExtensionFinder) and contexts (PhoneContext).

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
