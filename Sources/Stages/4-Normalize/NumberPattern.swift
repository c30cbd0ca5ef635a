// Number texts that stand for ranges: those that end in wildcards (`33162######`, `+33162*`, `070-XXXX-XXXX`), two
// numbers separated by dots (`33162000000..33162999999`), a number with its last digits' end (`02-312-3400~3499`), and
// the alternatives of a regular expression (`(0|\+33)162\d{6}`).
//
// The lowest and the highest number are parsed like any other, and their distance must match the wildcards. Wildcards
// that are not at the end, or of unknown length, are rejected: without them, `138****5678` would be a different
// number.

import NumberPlan
import Records

enum NumberPattern {
  /// The ranges that a text stands for, ascending; nil if it is one number. Texts without a character of patterns
  /// (`NumberMask.mayHaveWildcards`) always are, unless the list is one of prefixes.
  ///
  /// Throws the reason if it is neither.
  static func ranges(
    _ text: Span<UInt8>, _ reader: NumberReader
  ) throws(NormalizeReject) -> [ClosedRange<UInt64>]? {
    if NumberNotation.mayBeginURI(text), let number = NumberNotation.number(ofURI: text) {
      return try ranges(number.span, reader)
    }
    var reader = reader
    reader.isPatternEnd = true
    var found: [ClosedRange<UInt64>]?
    if let texts = NumberAlternatives.texts(of: text) {
      found = try alternatives(texts, reader)
    } else {
      found = try plainRanges(text, reader)
    }
    guard let ranges = found else { return nil }
    if let max = reader.options.patternNumbersMax, numberCount(ranges) > max { throw .largePattern }
    return ranges
  }

  /// How many numbers the ranges have.
  static func numberCount(_ ranges: [ClosedRange<UInt64>]) -> UInt64 {
    ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound + 1) }
  }

  private static func plainRanges(
    _ text: Span<UInt8>, _ reader: NumberReader
  ) throws(NormalizeReject) -> [ClosedRange<UInt64>]? {
    guard reader.options.arePrefixes, !NumberMask.mayHaveWildcards(text) else {
      return try allRanges(text, reader)
    }
    var pattern: ContiguousArray<UInt8> = []
    for index in text.indices { pattern.append(text[index]) }
    pattern.append(UInt8(ascii: "*"))
    return try allRanges(pattern.span, reader)
  }

  /// The ranges of all alternatives. Where two of them are spellings of the same numbers, these are one range.
  private static func alternatives(
    _ texts: NumberAlternatives.Texts, _ reader: NumberReader
  ) throws(NormalizeReject) -> [ClosedRange<UInt64>] {
    // Without its optional digits, such as `(44)?`, a number may be another country's, or only a part of one.
    let isCertain =
      !texts.hasOptionalDigits || !reader.isInternational
      || texts.all.allSatisfy { $0.contains(UInt8(ascii: "+")) }
    if texts.all.isEmpty || !isCertain { throw .badPattern }
    var reader = reader
    if texts.hasOptionalDigits { reader.allowsLocalOnly = false }
    // One without wildcards is a whole number: `030 12345678|0211` has an area code.
    var whole = reader
    whole.isPatternEnd = false
    var ranges: [ClosedRange<UInt64>] = []
    for text in texts.all {
      if let several = try plainRanges(text.span, reader) {
        ranges += several
      } else {
        let number = try whole.read(text.span)
        ranges.append(number...number)
      }
    }
    var disjoint: [ClosedRange<UInt64>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = disjoint.last, range.lowerBound <= last.upperBound {
        disjoint[disjoint.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        disjoint.append(range)
      }
    }
    return disjoint
  }

  private static func allRanges(
    _ text: Span<UInt8>, _ reader: NumberReader
  ) throws(NormalizeReject) -> [ClosedRange<UInt64>]? {
    if let end = NumberNotation.countStart(text) { return try allRanges(text.extracting(0..<end), reader) }
    if let range = try dottedRange(text, reader) { return [range] }
    if let range = try tildeRange(text, reader) { return [range] }
    if NumberMask.isMarked(text), reader.isValid(text) { return nil }
    guard let mask = NumberMask(text) else { return nil }
    let ranges = try self.ranges(of: mask, text, reader)
    if let digits = digitsAfterNumber(text, reader), digits > 0 || ranges != nil { throw .extraDigits }
    return ranges
  }

  /// The ranges that a mask stands for; nil if its wildcards are none.
  private static func ranges(
    of mask: NumberMask, _ text: Span<UInt8>, _ reader: NumberReader
  ) throws(NormalizeReject) -> [ClosedRange<UInt64>]? {
    switch mask.extent {
    case .invalid: throw .badPattern
    case .doubtful, .carrier:
      guard isPunctuation(mask, text, reader) else { throw .badPattern }
      return nil
    case .digits(let count, let first):
      let range: ClosedRange<UInt64>
      do throws(NormalizeReject) {
        range = try maskRange(mask.prefix, count, first: first, reader)
      } catch {
        if mask.mayBeTypo, reader.isValid(text) { return nil }
        throw error
      }
      // One sign after a complete number is not a missing digit, unless such numbers exist.
      guard mask.mayBeTypo else { return [range] }
      if !hasValidBound(range) { return reader.isValid(text) ? nil : [range] }
      if mask.endsInSign, reader.options.require != .none || reader.isLookup,
        isWhole(mask.prefix.span, digitsMin: wholeDigitsMin, reader)
      {
        throw .ambiguous
      }
      return [range]
    case .anyLength where reader.isLookup:
      if !reader.options.arePrefixes, isComplete(text, anyLengthRanges(mask.prefix, reader), reader) {
        return nil
      }
      return PhoneNumber.ranges(startingWith: try wantedPrefix(mask.prefix, reader))
    case .anyLength:
      let ranges = anyLengthRanges(mask.prefix, reader)
      if isComplete(text, ranges, reader) { return nil }
      guard !ranges.isEmpty else { throw reader.options.require == .valid ? .notValid : .badPattern }
      return ranges
    case .open(let dots):
      guard mask.mayBeTypo else { throw .openPattern }
      let ranges =
        if let dots {
          [try? fixedLengthRange(mask.prefix, min(dots, NumberMask.wildcardsMax), reader)].compactMap { $0 }
        } else {
          anyLengthRanges(mask.prefix, reader)
        }
      if isComplete(text, ranges, reader) { return nil }
      throw .openPattern
    }
  }

  /// A valid number with at least this many digits after the calling code is complete. Where numbers have different
  /// lengths, shorter ones may be the start of a pattern: `030 1234 XXXX`.
  private static let wholeDigitsMin = 8

  /// The digits of the count after a complete number and a blank, `030 12345678 3x`; 0 for a mark, `030 12345678 *`, and for
  /// stars, `030 12345678 ★★★`, also with a count before them. Nil if there is no such number.
  private static func digitsAfterNumber(_ text: Span<UInt8>, _ reader: NumberReader) -> Int? {
    guard reader.options.require != .none else { return nil }
    var end = text.count
    while end > 0, !text[end - 1].isDigit { end -= 1 }
    var signs = end
    while signs < text.count, text[signs] == 0x20 { signs += 1 }
    let areStars = signs < text.count && areStars(text.extracting(signs..<text.count))
    var start = end
    while start > 0, text[start - 1].isDigit { start -= 1 }
    if signs == end || areStars, start > 1, end - start <= 3, text[start - 1] == 0x20,
      isWhole(text.extracting(0..<start - 1), digitsMin: wholeDigitsMin, reader)
    {
      return end - start
    }
    let isMark = (signs..<text.count).count { text[$0] & 0xC0 != 0x80 } == 1
    guard signs > end, isMark || areStars,
      isWhole(text.extracting(0..<end), digitsMin: wholeDigitsMin + 1, reader)
    else { return nil }
    return 0
  }

  private static func isWhole(_ text: Span<UInt8>, digitsMin: Int, _ reader: NumberReader) -> Bool {
    guard !NumberMask.mayHaveWildcards(text), let number = reader.validNumber(text) else { return false }
    return number.nationalLength >= digitsMin
  }

  /// Whether a text consists of stars, as those of a rating.
  private static func areStars(_ text: Span<UInt8>) -> Bool {
    MaskReader.folded(text).allSatisfy { $0 == UInt8(ascii: "*") || $0 == 0x20 }
  }

  /// Whether the text without its wildcard is a valid number, and no longer numbers start with it.
  private static func isComplete(
    _ text: Span<UInt8>, _ ranges: [ClosedRange<UInt64>], _ reader: NumberReader
  ) -> Bool {
    reader.isValid(text) && ranges.allSatisfy { $0.count == 1 || !hasValidBound($0) }
  }

  /// Whether wildcards before or between digits are punctuation: the text without them is a valid number, and no other
  /// number has digits in their place.
  private static func isPunctuation(_ mask: NumberMask, _ text: Span<UInt8>, _ reader: NumberReader) -> Bool {
    guard reader.isValid(text), let number = try? reader.read(text) else { return false }
    let isCarrier = mask.extent == .carrier
    for digit: UInt8 in (isCarrier ? 1 : 0)...9 {
      for next in isCarrier ? 0...9 : digit...digit {
        let filled = mask.filled(with: digit, next)
        if reader.isValid(filled.span), (try? reader.read(filled.span)) != number { return false }
      }
    }
    return true
  }

  // MARK: Tildes

  /// The range of `02-312-3400~3499` or `02-312-3400~02-312-3499`, as Korean, Chinese and Japanese lists write them; nil
  /// if there is no tilde between digits.
  ///
  /// libphonenumber reads the digits after a tilde as an extension.
  private static func tildeRange(
    _ text: Span<UInt8>, _ reader: NumberReader
  ) throws(NormalizeReject) -> ClosedRange<UInt64>? {
    let folded = MaskReader.folded(text)
    guard let tilde = folded.firstIndex(of: UInt8(ascii: "~")) else { return nil }
    let front = Array(folded[..<tilde])
    let back = Array(folded[(tilde + 1)...])
    guard hasDigit(front.span), hasDigit(back.span) else { return nil }
    guard NumberMask(front.span) == nil, NumberMask(back.span) == nil else { throw .badPattern }
    let last = back.filter(\.isDigit)
    let count = last.count
    let low = try reader.read(front.span)
    if back.allSatisfy({ $0.isDigit || $0 == 0x20 }), count < Decimal.digitCount(low), let end = number(last)
    {
      let high = low / Decimal.tenToThe(count) * Decimal.tenToThe(count) + end
      guard low < high else { throw .badPattern }
      return low...high
    }
    let high = try reader.read(back.span)
    guard low < high, Decimal.digitCount(low) == Decimal.digitCount(high) else { throw .badPattern }
    return low...high
  }

  // MARK: Dots

  /// The range from the number before `..` to the one after it, which must have the same number of digits; nil if there
  /// are no dots between digits, or the text is a number with dots in it.
  private static func dottedRange(
    _ text: Span<UInt8>, _ reader: NumberReader
  ) throws(NormalizeReject) -> ClosedRange<UInt64>? {
    var dots = 0
    while dots < text.count, !NumberMask.isTwoDots(text, at: dots) { dots += 1 }
    guard dots < text.count else { return nil }
    let front = text.extracting(0..<dots)
    let back = text.extracting(dots + 2..<text.count)
    guard hasDigit(front) else { return nil }
    guard hasDigit(back) else {
      // The last number is missing, unless the dots only end the text.
      for index in back.indices where !" .,;:'\")]$/".utf8.contains(back[index]) { throw .badPattern }
      return nil
    }
    if NumberMask(front) != nil || NumberMask(back) != nil { throw .badPattern }
    let low: UInt64
    let high: UInt64
    do throws(NormalizeReject) {
      low = try reader.read(front)
      high = try reader.read(back)
    } catch {
      if reader.isValid(text), !areEnds(front, back, reader) { return nil }
      throw error
    }
    if low <= high, Decimal.digitCount(low) == Decimal.digitCount(high) { return low...high }
    if reader.isValid(text), !areEnds(front, back, reader) { return nil }
    throw .badPattern
  }

  /// Whether the digits before and after two dots look like the ends of a range, although they are not two numbers:
  /// `22455..22999`, `999..1000`, `030 1234500..99`. Else they may be parts of one number: `030..1234567`.
  private static func areEnds(_ front: Span<UInt8>, _ back: Span<UInt8>, _ reader: NumberReader) -> Bool {
    func digits(_ text: Span<UInt8>) -> [UInt8] {
      text.indices.compactMap { text[$0].isDigit ? text[$0] : nil }
    }
    let (first, last) = (digits(front), digits(back))
    if first.count == last.count || min(first.count, last.count) >= endDigitsMin { return true }
    if reader.isValid(front) { return true }
    return first.count + 1 == last.count && front[0] != UInt8(ascii: "+") && first.first != UInt8(ascii: "0")
  }

  /// Two parts of a number with dots have fewer digits, at least one of them, unless both have as many.
  private static let endDigitsMin = 5

  private static func hasDigit(_ text: Span<UInt8>) -> Bool {
    for index in text.indices where text[index] &- UInt8(ascii: "0") < 10 || text[index] >= 0x80 {
      return true
    }
    return false
  }

  // MARK: Wildcards

  /// The range of a mask with `count` wildcards. Throws if no digit is known after the calling code or trunk zero, which
  /// is an empty field of a form, or if the requirement is not met.
  private static func maskRange(
    _ prefix: [UInt8], _ count: Int, first: ClosedRange<UInt8>, _ reader: NumberReader
  ) throws(NormalizeReject) -> ClosedRange<UInt64> {
    let range = try fixedLengthRange(prefix, count, first: first, reader.withoutValidity)
    guard count > 0, let code = NumberPlan.callingCode(ofDigits: range.upperBound) else { return range }
    let known = range.upperBound / Decimal.tenToThe(count)
    let codeDigits = Decimal.digitCount(UInt64(code))
    guard known > 0, Decimal.digitCount(known) > codeDigits,
      known % Decimal.tenToThe(Decimal.digitCount(known) - codeDigits) > 0
    else { throw .emptyMask }
    if reader.options.require == .valid {
      let length = UInt64(Decimal.digitCount(range.upperBound))
      let step = Decimal.tenToThe(count - 1)
      let isAssigned = (range.lowerBound / step...range.upperBound / step).contains {
        NumberPlan.validLengths(ofDigits: $0) >> length & 1 == 1
      }
      guard isAssigned else { throw .notValid }
    }
    return range
  }

  /// The range of numbers with `count` digits after `prefix`, the first of them in `first`. Throws if its highest number
  /// is invalid, or if the numbers are not one range.
  private static func fixedLengthRange(
    _ prefix: [UInt8], _ count: Int, first: ClosedRange<UInt8> = 0...9, _ reader: NumberReader
  ) throws(NormalizeReject) -> ClosedRange<UInt64> {
    let highest = text(prefix, first.upperBound, UInt8(ascii: "9"), count)
    let high = try reader.read(highest.span)
    let rangeSize = count == 0 ? 1 : UInt64(first.count) * Decimal.tenToThe(count - 1)
    let lowest = text(prefix, first.lowerBound, UInt8(ascii: "0"), count)
    if let low = try? reader.read(lowest.span), high >= low, high - low == rangeSize - 1 { return low...high }
    // After a calling code the zeros of the lowest number may be parsed as a trunk prefix: `+44 ##########`.
    guard let digits = number(highest), digits == high else { throw .badPattern }
    return high - (rangeSize - 1)...high
  }

  /// A prefix with `count` more digits: `first`, then all the same.
  private static func text(_ prefix: [UInt8], _ first: UInt8, _ others: UInt8, _ count: Int) -> [UInt8] {
    guard count > 0 else { return prefix }
    return prefix + [UInt8(ascii: "0") + first] + Array(repeating: others, count: count - 1)
  }

  /// The ranges for a prefix followed by any number of digits, ascending: one for every length that the plan assigns to
  /// numbers with this prefix, or else, unless numbers must be valid, for every length that is possible in the country.
  private static func anyLengthRanges(_ prefix: [UInt8], _ reader: NumberReader) -> [ClosedRange<UInt64>] {
    guard let prefix = e164Prefix(prefix, reader), let code = NumberPlan.callingCode(ofDigits: prefix) else {
      return []
    }
    var lengths = NumberPlan.validLengths(ofDigits: prefix)
    if lengths == 0, reader.options.require != .valid {
      lengths =
        UInt64(NumberPlan.possibleLengths(callingCode: code)) << UInt64(Decimal.digitCount(UInt64(code)))
    }
    let length = Decimal.digitCount(prefix)
    var ranges: [ClosedRange<UInt64>] = []
    for whole in length...max(length, PhoneNumber.digitsMax) where lengths >> UInt64(whole) & 1 == 1 {
      let rangeSize = Decimal.tenToThe(whole - length)
      ranges.append(prefix * rangeSize...prefix * rangeSize + (rangeSize - 1))
    }
    return ranges
  }

  /// The E.164 digits that the numbers with a prefix start with; nil if there are no such numbers.
  private static func e164Prefix(_ prefix: [UInt8], _ reader: NumberReader) -> UInt64? {
    var possible = reader.withoutValidity
    possible.allowsLocalOnly = false
    // A prefix may have several meanings, depending on how many digits follow (`33162` is a French area with its
    // calling code, and the start of a French number). Select one of them.
    let digits = number(prefix)
    var best: (prefix: UInt64, weight: Int)?
    let counts = Array(0...NumberMask.wildcardsMax)
    // Most masks have a calling code, which most numbers of eleven digits show.
    let likely = prefix.first == UInt8(ascii: "+") ? counts.filter { $0 + prefix.count == likelyBytes } : []
    for count in likely + counts {
      guard let range = try? fixedLengthRange(prefix, count, possible) else { continue }
      let resolved = range.upperBound / Decimal.tenToThe(count)
      if resolved == digits { return resolved }
      let weight = hasValidBound(range) ? 2 : isNational(digits, resolved) ? 1 : 0
      if weight > best?.weight ?? -1 { best = (resolved, weight) }
    }
    return best?.prefix
  }

  /// The E.164 digits of a prefix that is looked up. Digits that start with a calling code stay as they are, whether the
  /// plan has such numbers or not, for a list may have them.
  private static func wantedPrefix(_ prefix: [UInt8], _ reader: NumberReader) throws(NormalizeReject)
    -> UInt64
  {
    // In some countries, the zero of `+49 (0)30` belongs to the number.
    if let zero = prefix.firstRange(of: Array("(0)".utf8)),
      prefix[..<zero.lowerBound].contains(where: \.isDigit)
    {
      throw .ambiguous
    }
    let hasCallingCode = reader.isInternational || prefix.first == UInt8(ascii: "+")
    guard hasCallingCode, prefix.allSatisfy({ $0 < 0x80 }) else {
      guard let found = e164Prefix(prefix, reader) else {
        _ = try reader.read(prefix.span)
        throw .badPattern
      }
      // A trunk zero alone.
      if number(prefix) == 0, NumberPlan.validLengths(ofDigits: found) == 0 { throw .emptyMask }
      return found
    }
    if prefix.first(where: \.isDigit) == UInt8(ascii: "0") { throw .invalidCountryCode }
    guard let digits = number(prefix) else { throw .tooLong }
    return digits
  }

  /// Whether E.164 digits are a calling code and the digits of a prefix without its trunk zero. In few digits, the zero may
  /// look like a part of the number.
  private static func isNational(_ prefix: UInt64?, _ resolved: UInt64) -> Bool {
    guard let prefix, let code = NumberPlan.callingCode(ofDigits: resolved) else { return false }
    return resolved == UInt64(code) * Decimal.tenToThe(Decimal.digitCount(prefix)) + prefix
  }

  /// The size of a plus sign and eleven digits.
  private static let likelyBytes = 12

  private static func hasValidBound(_ range: ClosedRange<UInt64>) -> Bool {
    for end in [range.lowerBound, range.upperBound] where NumberReader.isValid(e164: end) { return true }
    return false
  }

  /// The ASCII digits of a text as a number; nil if there are more than a number can have.
  private static func number(_ text: [UInt8]) -> UInt64? {
    var value: UInt64 = 0
    for byte in text where byte &- UInt8(ascii: "0") < 10 {
      guard value < Decimal.tenToThe(PhoneNumber.digitsMax - 1) else { return nil }
      value = value * 10 + UInt64(byte &- UInt8(ascii: "0"))
    }
    return value
  }
}
