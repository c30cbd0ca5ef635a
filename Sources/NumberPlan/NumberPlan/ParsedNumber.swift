// What parsing gives: a number or a reason, and what can be said about a number's length. Plain values, no rules.

/// A number taken apart, as libphonenumber's `PhoneNumber`.
public struct ParsedNumber: Sendable, Hashable {
  /// What stood in front of the national number and was taken off.
  public struct Stripped: OptionSet, Sendable, Hashable {
    /// One bit each.
    public let rawValue: UInt8
    /// A set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A plus sign.
    public static let plus = Stripped(rawValue: 1)
    /// The region's prefix for dialling abroad, such as 00 or 011.
    public static let internationalPrefix = Stripped(rawValue: 2)
    /// The region's own calling code, written without a plus sign.
    public static let callingCode = Stripped(rawValue: 4)
    /// The prefix for dialling inside the country, such as 0; also when it was replaced by other digits.
    public static let nationalPrefix = Stripped(rawValue: 8)
    /// A carrier selection code, together with the national prefix.
    public static let carrier = Stripped(rawValue: 16)
  }

  /// The first 16 digits of the national number, as `Digits` packs them; saves taking `nationalNumber` apart again.
  let packed: UInt64
  /// The country calling code, 1...999.
  public let callingCode: UInt16
  /// The national number without its leading zeros.
  public let nationalNumber: UInt64
  /// Zeros that belong to the front of the national number, as in Italy; 0...16.
  public let leadingZeros: UInt8
  /// Digits of the national number, its leading zeros included; 2...17.
  public let nationalLength: UInt8
  /// What was taken off in front.
  public let stripped: Stripped

  /// The number in E.164 digits: calling code, leading zeros, national number.
  ///
  /// A parsed number need not be possible, and may have more than E.164's 15 digits; see `length`. 0 in the one
  /// case that does not fit: 20 digits, more than any plan allows.
  public var e164: UInt64 {
    if length > 19 { return 0 }
    return UInt64(callingCode) &* Self.powersOfTen(nationalLength) &+ nationalNumber
  }

  /// Digits of calling code and national number together; 3...20.
  public var length: Int {
    Int(nationalLength) + (callingCode < 10 ? 1 : callingCode < 100 ? 2 : 3)
  }

  /// A number from a whole national number of 2...17 digits.
  @inline(__always)
  init(callingCode: UInt16, national: Digits, stripped: Stripped) {
    packed = national.firstSixteen
    self.callingCode = callingCode
    nationalNumber = national.value
    leadingZeros = UInt8(truncatingIfNeeded: national.leadingZeros)
    nationalLength = UInt8(truncatingIfNeeded: national.count)
    self.stripped = stripped
  }

  /// The national number's digits, leading zeros included.
  @inline(__always)
  var digits: Digits {
    var digits = Digits(packed: packed, count: min(Int(nationalLength), 16))
    if nationalLength > 16 { digits.append(nationalNumber % 10) }
    return digits
  }

  private static func powersOfTen(_ exponent: UInt8) -> UInt64 {
    var power: UInt64 = 1
    for _ in 0..<exponent { power &*= 10 }
    return power
  }
}

/// Why a text is not a number; libphonenumber's `NumberParseException.ErrorType`.
public enum ParseFailure: Error, Sendable, Hashable, CaseIterable {
  /// The text does not look like a phone number, or is in a form that is not supported.
  case notANumber
  /// There is a calling code that nobody has, or none and no region either.
  case invalidCountryCode
  /// An international prefix, and too little behind it.
  case tooShortAfterIDD
  /// Less than two digits for a national number.
  case tooShortNSN
  /// More than 250 characters, or more than 17 digits of national number.
  case tooLong
}

/// What a number's length says; libphonenumber's `ValidationResult`.
public enum Possibility: Sendable, Hashable, CaseIterable {
  case isPossible
  /// Long enough for dialling inside its area only.
  case isPossibleLocalOnly
  case invalidCountryCode
  case tooShort
  /// Between the shortest and the longest, but no number is that long.
  case invalidLength
  case tooLong
}
