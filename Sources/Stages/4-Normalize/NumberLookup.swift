// One typed number, read as a row of a list is read: for look-ups.

import CallRecord
public import NumberPlan

/// Reads typed numbers under the rules of the stage, with the region's and without further requirements.
public struct NumberLookup {
  private let reader: NumberReader

  /// Makes a reader; without a region numbers are international.
  public init(region: Region?) {
    reader = NumberReader(options: NormalizeOptions(region: region, require: .none))
  }

  /// The number's E.164 digits.
  public func number(_ text: String) throws(NormalizeReject) -> UInt64 {
    // Digits alone may be a number that no plan knows: a store holds what was put into it. No number begins with 0: it
    // would be a prefix to dial, and whose nobody knows here.
    if reader.options.region == nil, text.utf8.first != UInt8(ascii: "0"), let number = UInt64(text),
      number > 0, number <= PhoneNumber.max
    {
      return number
    }
    return try reader.read(Array(text.utf8).span)
  }
}
