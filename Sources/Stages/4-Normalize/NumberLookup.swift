// One number from the command line, normalized like a row: for lookups.

import Records
package import NumberPlan

/// Normalizes numbers for lookups by the rules of the stage, without requirements.
package struct NumberLookup {
  private let reader: NumberReader

  /// Makes a reader; without a region, numbers are international.
  package init(region: Region?) {
    reader = NumberReader(options: NormalizeOptions(region: region, require: .none))
  }

  /// Whether a text is nothing but digits, also after a plus sign.
  package static func isDigits(_ text: String) -> Bool {
    let digits = text.utf8.first == UInt8(ascii: "+") ? text.utf8.dropFirst() : text.utf8[...]
    return !digits.isEmpty && digits.allSatisfy(\.isDigit)
  }

  /// Returns the number's E.164 digits. Throws for a pattern, whose wildcards would be left out.
  package func number(_ text: String) throws(NormalizeReject) -> UInt64 {
    // Digits alone may be a number of no known plan, since a store holds whatever was put into it. A number can't start
    // with 0: that would be a trunk prefix of an unknown country.
    if reader.options.region == nil, text.utf8.first != UInt8(ascii: "0"), let number = UInt64(text),
      number > 0, number <= PhoneNumber.max
    {
      return number
    }
    let bytes = Array(text.utf8)
    if isPattern(bytes.span) { throw .severalNumbers }
    return try reader.read(bytes.span)
  }

  /// Whether a text stands for several numbers, or would if its wildcards had a meaning.
  private func isPattern(_ text: Span<UInt8>) -> Bool {
    guard NumberMask.mayHaveWildcards(text) else { return false }
    do throws(NormalizeReject) {
      return try NumberPattern.ranges(text, reader) != nil
    } catch {
      return true
    }
  }
}
