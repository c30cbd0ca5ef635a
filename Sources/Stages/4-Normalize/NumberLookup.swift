// One number from the command line, normalized like a row: for lookups.

import CallRecord
public import NumberPlan

/// Normalizes numbers for lookups by the rules of the stage, without requirements.
public struct NumberLookup {
  private let reader: NumberReader

  /// Makes a reader; without a region, numbers are international.
  public init(region: Region?) {
    reader = NumberReader(options: NormalizeOptions(region: region, require: .none))
  }

  /// Returns the number's E.164 digits.
  public func number(_ text: String) throws(NormalizeReject) -> UInt64 {
    // Digits alone may be a number of no known plan, since a store holds whatever was put into it. A number can't start
    // with 0: that would be a trunk prefix of an unknown country.
    if reader.options.region == nil, text.utf8.first != UInt8(ascii: "0"), let number = UInt64(text),
      number > 0, number <= PhoneNumber.max
    {
      return number
    }
    return try reader.read(Array(text.utf8).span)
  }
}
