// Number texts that stand for ranges: those that end in wildcards (`33162######`, `+33162*`, `070-XXXX-XXXX`), two
// numbers separated by dots (`33162000000..33162999999`), a number with its last digits' end (`02-312-3400~3499`), and
// the alternatives of a regular expression (`(15550100|155502\d{2})`).
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
    var found = try alternatives(text, reader)
    if found == nil { found = try plainRanges(text, reader) }
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

  /// The ranges of all alternatives; nil if the text has none.
  private static func alternatives(
    _ text: Span<UInt8>, _ reader: NumberReader
  ) throws(NormalizeReject) -> [ClosedRange<UInt64>]? {
    guard let parts = NumberAlternatives.ranges(of: text) else { return nil }
    var ranges: [ClosedRange<UInt64>] = []
    for part in parts {
      let alternative = text.extracting(part)
      if let several = try plainRanges(alternative, reader) {
        ranges += several
      } else {
        let number = try reader.read(alternative)
        ranges.append(number...number)
      }
    }
    return ranges.sorted { $0.lowerBound < $1.lowerBound }
  }

  private static func allRanges(
    _ text: Span<UInt8>, _ reader: NumberReader
  ) throws(NormalizeReject) -> [ClosedRange<UInt64>]? {
    if let range = try dottedRange(text, reader) { return [range] }
    if let range = try tildeRange(text, reader) { return [range] }
    guard let mask = NumberMask(text) else { return nil }
    switch mask.extent {
    case .invalid: throw .badPattern
    case .doubtful:
      guard isPunctuation(mask, text, reader) else { throw .badPattern }
      return nil
    case .digits(let count, let first):
      do throws(NormalizeReject) {
        let range = try fixedLengthRange(mask.prefix, count, first: first, reader)
        // One sign after a complete number is not a missing digit, unless such numbers exist.
        return mask.mayBeTypo && reader.isValid(text) && !hasValidBound(range) ? nil : [range]
      } catch {
        if mask.mayBeTypo, reader.isValid(text) { return nil }
        throw error
      }
    case .anyLength:
      let ranges = anyLengthRanges(mask.prefix, reader)
      if isComplete(text, ranges, reader) { return nil }
      guard !ranges.isEmpty else { throw .badPattern }
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
    for digit: UInt8 in 0...9 {
      let filled = mask.filled(with: digit)
      if reader.isValid(filled.span), (try? reader.read(filled.span)) != number { return false }
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
    guard hasDigit(front), hasDigit(back) else { return nil }
    if NumberMask(front) != nil || NumberMask(back) != nil { throw .badPattern }
    do throws(NormalizeReject) {
      let low = try reader.read(front)
      let high = try reader.read(back)
      guard low <= high, Decimal.digitCount(low) == Decimal.digitCount(high) else { throw .badPattern }
      return low...high
    } catch {
      if !mayBeEnds(front, back), reader.isValid(text) { return nil }
      throw .badPattern
    }
  }

  /// The minimum number of digits of both ends of a range. A number with dots in it has a shorter part, such as its area
  /// code, unless both have as many digits.
  private static let endDigitsMin = 5

  private static func mayBeEnds(_ front: Span<UInt8>, _ back: Span<UInt8>) -> Bool {
    func digits(_ text: Span<UInt8>) -> Int { text.indices.count { text[$0].isDigit } }
    let (first, last) = (digits(front), digits(back))
    return first == last || min(first, last) >= endDigitsMin
  }

  private static func hasDigit(_ text: Span<UInt8>) -> Bool {
    for index in text.indices where text[index] &- UInt8(ascii: "0") < 10 || text[index] >= 0x80 {
      return true
    }
    return false
  }

  // MARK: Wildcards

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

  /// The ranges for every length in the country, for a prefix followed by any number of digits; ascending.
  private static func anyLengthRanges(_ prefix: [UInt8], _ reader: NumberReader) -> [ClosedRange<UInt64>] {
    var reader = reader
    reader.allowsLocalOnly = false
    // A prefix may have several meanings, depending on how many digits follow (`33162` is a French area with its
    // calling code, and the start of a French number). Select one of them.
    var best: (prefix: UInt64, weight: Int)?
    for count in 0...NumberMask.wildcardsMax {
      guard let range = try? fixedLengthRange(prefix, count, reader) else { continue }
      let resolved = range.upperBound / Decimal.tenToThe(count)
      let carriesCallingCode = resolved == number(prefix)
      let weight = carriesCallingCode ? 2 : hasValidBound(range) ? 1 : 0
      if weight > best?.weight ?? -1 { best = (resolved, weight) }
    }
    guard let best, let code = NumberPlan.callingCode(ofDigits: best.prefix) else { return [] }
    let length = Decimal.digitCount(best.prefix) - Decimal.digitCount(UInt64(code))
    let lengths = NumberPlan.possibleLengths(callingCode: code)
    var ranges: [ClosedRange<UInt64>] = []
    for whole in max(length, 1)...PhoneNumber.digitsMax where lengths & (1 << UInt32(whole)) != 0 {
      guard whole + Decimal.digitCount(UInt64(code)) <= PhoneNumber.digitsMax else { break }
      let rangeSize = Decimal.tenToThe(whole - length)
      ranges.append(best.prefix * rangeSize...best.prefix * rangeSize + (rangeSize - 1))
    }
    return ranges
  }

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
