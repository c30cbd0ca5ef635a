// A parsed number.

/// A parsed number, like libphonenumber's `PhoneNumber`.
///
/// Returned by `NumberPlan.parse`. Two values are equal only if the numbers were also written in the same way: to test
/// whether they are the same number, compare `e164`. Its size is 24 bytes.
public struct ParsedNumber: Sendable, Hashable {
  /// What was stripped before the national number.
  public struct Stripped: OptionSet, Sendable, Hashable {
    /// One bit each.
    public let rawValue: UInt8
    /// Makes a set from its bits.
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

  // Three words without smaller fields: a number is passed around for every row, and words are passed in registers.

  /// The first 16 digits of the national number, packed as in `Digits`.
  private let packed: UInt64
  private let trace: ParseTrace
  /// From the lowest bit: calling code (10 bits), length of the national number (5), its 17th digit (4), and from bit
  /// 24 on the position of the extension.
  private let bits: UInt64

  private static let lengthShift: UInt64 = 10
  private static let lastDigitShift: UInt64 = 15
  private static let extensionShift: UInt64 = 24

  /// The country calling code, 1...999.
  public var callingCode: UInt16 { UInt16(truncatingIfNeeded: bits & 1023) }

  /// The number of digits of the national number, including leading zeros; 2...17.
  public var nationalLength: UInt8 { UInt8(truncatingIfNeeded: bits &>> Self.lengthShift & 31) }

  /// What was stripped.
  public var stripped: Stripped { trace.stripped }

  /// The national number without its leading zeros; libphonenumber's `national_number`.
  @inline(__always)
  public var nationalNumber: UInt64 {
    nationalLength <= 16 ? Digits.value(packed: packed, count: Int(nationalLength)) : digits.value
  }

  /// The number of leading zeros in the national number, as in Italy; 0...16.
  ///
  /// In a number of zeros only, the last one is not counted. libphonenumber's `number_of_leading_zeros`, or 0 if it has
  /// no `italian_leading_zero`.
  public var leadingZeros: UInt8 { UInt8(truncatingIfNeeded: digits.leadingZeros) }

  /// The E.164 digits: calling code, leading zeros, national number.
  ///
  /// A parsed number may be impossible, and have more than E.164's 15 digits; see `length`. 0 in the only case that
  /// does not fit: 20 digits, more than any plan allows.
  public var e164: UInt64 {
    if length > 19 { return 0 }
    return UInt64(callingCode) &* Tables.powerOfTen(nationalLength) &+ nationalNumber
  }

  /// The number of digits of calling code and national number together; 3...20.
  public var length: Int {
    Int(nationalLength) + (callingCode < 10 ? 1 : callingCode < 100 ? 2 : 3)
  }

  /// The byte range of the extension's digits in the parsed text; nil if there is none.
  ///
  /// It has 1 to 20 digits of any script; see also `extensionHead`.
  ///
  ///     let text = ContiguousArray("+44 20 7946 0958 ext. 12".utf8)
  ///     let number = try NumberPlan.parse(text.span, region: nil)
  ///     number.extension  // 22..<24
  public var `extension`: Range<Int>? {
    let digits = extensionPosition.digits
    return digits.isEmpty ? nil : digits
  }

  /// The byte range of the extension's first digits, if they are not adjacent to the others; nearly always nil.
  ///
  /// libphonenumber inserts the number of a `;phone-context=` before the number that it belongs to. So
  /// `34#;phone-context=+123-2` is parsed as `+123-234#`, and the extension 234 is in two ranges.
  public var extensionHead: Range<Int>? {
    let head = extensionPosition.head
    return head.isEmpty ? nil : head
  }

  private var extensionPosition: ExtensionPosition { ExtensionPosition(bits: bits >> Self.extensionShift) }

  /// The carrier selection code that was stripped, such as 15 of Brazil's `0 15 11 91234-5678`; nil if there was none.
  ///
  /// At most 6 digits. libphonenumber's `preferred_domestic_carrier_code`.
  public var carrierCode: String? { trace.carrierCode }

  /// The international prefix that was stripped, such as 00 or 011; nil if there was none.
  ///
  /// At most 8 digits, without a plus sign.
  public var internationalPrefix: String? { trace.internationalPrefix }

  /// Makes a number from a whole national number of 2...17 digits.
  @inline(__always)
  init(callingCode: UInt16, national: Digits, trace: ParseTrace, extensionPosition: ExtensionPosition) {
    packed = national.firstSixteen
    self.trace = trace
    bits =
      UInt64(callingCode) | UInt64(truncatingIfNeeded: national.count) &<< Self.lengthShift
      | national[16] &<< Self.lastDigitShift | extensionPosition.bits &<< Self.extensionShift
  }

  /// The national number's digits, including leading zeros.
  @inline(__always)
  var digits: Digits {
    var digits = Digits(packed: packed, count: min(Int(nationalLength), 16))
    if nationalLength > 16 { digits.append(bits &>> Self.lastDigitShift & 15) }
    return digits
  }
}
