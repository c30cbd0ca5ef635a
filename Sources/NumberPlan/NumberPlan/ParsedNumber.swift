// What parsing gives: a number or a reason, and what can be said about a number's length. Plain values, no rules.

/// A number taken apart, as libphonenumber's `PhoneNumber`.
///
/// Made by `NumberPlan.parse`. Two are equal when they were also written in the same way: compare `e164` to ask whether
/// they are the same number. Takes 24 bytes.
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
    /// A carrier selection code, together with the national prefix; see `ParsedNumber.carrierCode`.
    public static let carrier = Stripped(rawValue: 16)
  }

  // Three words and no smaller fields: a number is handed on for every row of a list, and words travel in registers.

  /// The first 16 digits of the national number, as `Digits` packs them.
  private let packed: UInt64
  private let trace: ParseTrace
  /// From the lowest bit on: calling code (10 bits), length of the national number (5), its 17th digit (4), and from
  /// bit 24 on the place of the extension.
  private let bits: UInt64

  private static let lengthShift: UInt64 = 10
  private static let lastDigitShift: UInt64 = 15
  private static let extensionShift: UInt64 = 24

  /// The country calling code, 1...999.
  public var callingCode: UInt16 { UInt16(truncatingIfNeeded: bits & 1023) }

  /// Digits of the national number, its leading zeros included; 2...17.
  public var nationalLength: UInt8 { UInt8(truncatingIfNeeded: bits &>> Self.lengthShift & 31) }

  /// What was taken off in front.
  public var stripped: Stripped { trace.stripped }

  /// The national number without its leading zeros; libphonenumber's `national_number`.
  public var nationalNumber: UInt64 { digits.value }

  /// Zeros that belong to the front of the national number, as in Italy; 0...16.
  ///
  /// Of a number that is nothing but zeros the last one is not counted. libphonenumber's `number_of_leading_zeros`, or
  /// 0 where it has no `italian_leading_zero`.
  public var leadingZeros: UInt8 { UInt8(truncatingIfNeeded: digits.leadingZeros) }

  /// The number in E.164 digits: calling code, leading zeros, national number.
  ///
  /// A parsed number need not be possible, and may have more than E.164's 15 digits; see `length`. 0 in the one
  /// case that does not fit: 20 digits, more than any plan allows.
  public var e164: UInt64 {
    if length > 19 { return 0 }
    return UInt64(callingCode) &* Tables.powerOfTen(nationalLength) &+ nationalNumber
  }

  /// Digits of calling code and national number together; 3...20.
  public var length: Int {
    Int(nationalLength) + (callingCode < 10 ? 1 : callingCode < 100 ? 2 : 3)
  }

  /// Where the digits of the extension stand in the text that was parsed, counted in bytes; nil when it has none.
  ///
  /// Digits of any script, one to twenty, as the text has them; see also `extensionHead`.
  ///
  ///     let text = ContiguousArray("+44 20 7946 0958 ext. 12".utf8)
  ///     let number = try NumberPlan.parse(text.span, region: nil)
  ///     number.extension  // 22..<24
  public var `extension`: Range<Int>? {
    let digits = extensionPlace.digits
    return digits.isEmpty ? nil : digits
  }

  /// Where the extension's first digits stand, if not in front of the others; nearly always nil.
  ///
  /// libphonenumber puts the number that a `;phone-context=` names in front of the one it belongs to. So
  /// `34#;phone-context=+123-2` reads `+123-234#`, whose extension, 234, stands in two places.
  public var extensionHead: Range<Int>? {
    let head = extensionPlace.head
    return head.isEmpty ? nil : head
  }

  private var extensionPlace: ExtensionPosition { ExtensionPosition(bits: bits >> Self.extensionShift) }

  /// The carrier selection code that was taken off, such as 15 of Brazil's `0 15 11 91234-5678`; nil without one.
  ///
  /// At most 6 digits. libphonenumber's `preferred_domestic_carrier_code`.
  public var carrierCode: String? { trace.carrierCode }

  /// The digits for dialling abroad that were taken off, such as 00 or 011; nil when there were none.
  ///
  /// At most 8 digits. A plus sign is none of them.
  public var internationalPrefix: String? { trace.internationalPrefix }

  /// A number from a whole national number of 2...17 digits.
  @inline(__always)
  init(callingCode: UInt16, national: Digits, trace: ParseTrace, extensionPlace: ExtensionPosition) {
    packed = national.firstSixteen
    self.trace = trace
    bits =
      UInt64(callingCode) | UInt64(truncatingIfNeeded: national.count) &<< Self.lengthShift
      | national[16] &<< Self.lastDigitShift | extensionPlace.bits &<< Self.extensionShift
  }

  /// The national number's digits, leading zeros included.
  @inline(__always)
  var digits: Digits {
    var digits = Digits(packed: packed, count: min(Int(nationalLength), 16))
    if nationalLength > 16 { digits.append(bits &>> Self.lastDigitShift & 15) }
    return digits
  }
}
