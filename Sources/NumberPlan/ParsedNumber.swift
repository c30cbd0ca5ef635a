// A parsed number, and the digits, the stripped prefixes and the position of the extension that it consists
// of.

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

  /// The number without its first national digits.
  func droppingFirst(_ count: Int) -> ParsedNumber {
    var trace = trace
    trace.insert(.nationalPrefix)
    return ParsedNumber(
      callingCode: callingCode, national: digits.dropFirst(count), trace: trace,
      extensionPosition: extensionPosition)
  }

  /// The national number's digits, including leading zeros.
  @inline(__always)
  var digits: Digits {
    var digits = Digits(packed: packed, count: min(Int(nationalLength), 16))
    if nationalLength > 16 { digits.append(bits &>> Self.lastDigitShift & 15) }
    return digits
  }
}

/// The rules that stripped something, and the stripped digits where they are of interest.
///
/// It is one word because it is passed through every step of every parse, and words are passed in registers. The five
/// lowest bits are the rules; a carrier code starts at bit 8, and an international prefix at bit 32. A digit is stored
/// as four bits with its value plus one, so that no count is needed; the first digit is lowest. The generator rejects
/// metadata with prefixes that don't fit.
struct ParseTrace: Sendable, Hashable {
  private var bits: UInt64 = 0

  private static let carrierShift: UInt64 = 8
  private static let carrierDigitsMax = 6
  private static let internationalShift: UInt64 = 32
  private static let internationalDigitsMax = 8

  var stripped: ParsedNumber.Stripped {
    ParsedNumber.Stripped(rawValue: UInt8(truncatingIfNeeded: bits))
  }

  @inline(__always)
  mutating func insert(_ rules: ParsedNumber.Stripped) { bits |= UInt64(rules.rawValue) }

  @inline(__always)
  mutating func formUnion(_ other: ParseTrace) { bits |= other.bits }

  /// Records that the first `count` of `digits` were an international prefix.
  @inline(__always)
  mutating func insertInternationalPrefix(_ digits: Digits, count: Int) {
    insert(.internationalPrefix)
    if count <= Self.internationalDigitsMax { insert(digits, count, at: Self.internationalShift) }
  }

  /// Records that the first `count` of `digits` were a carrier code.
  mutating func insertCarrierCode(_ digits: Digits, count: Int) {
    insert(.carrier)
    if count <= Self.carrierDigitsMax { insert(digits, count, at: Self.carrierShift) }
  }

  var carrierCode: String? { text(at: Self.carrierShift, Self.carrierDigitsMax) }
  var internationalPrefix: String? { text(at: Self.internationalShift, Self.internationalDigitsMax) }

  @inline(__always)
  private mutating func insert(_ digits: Digits, _ count: Int, at shift: UInt64) {
    let mask = (1 &<< UInt64(truncatingIfNeeded: count &* 4)) &- 1
    // No digit is greater than 9, so there is no carry.
    bits |= ((digits.firstSixteen & mask) &+ (0x1111_1111 & mask)) &<< shift
  }

  private func text(at shift: UInt64, _ capacity: Int) -> String? {
    var text = ""
    for place in 0..<capacity {
      let digit = UInt8(truncatingIfNeeded: bits >> (shift + UInt64(place) * 4)) & 15
      if digit == 0 { break }
      text.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "0") + digit - 1))
    }
    return text.isEmpty ? nil : text
  }
}

/// The position of an extension's digits in a text.
///
/// A text has at most `TextScanner.charactersMax` characters, so offsets fit into ten bits; an extension has at most 20
/// digits of four bytes, so its length fits into seven: 34 bits in all. From the lowest bit: start and length, and the
/// same for digits that precede these because of a phone context: "+123-2" before "34#" results in the extension of
/// "-234#".
struct ExtensionPosition: Sendable, Hashable {
  let bits: UInt64

  /// Creates an empty position: there is no extension.
  @inline(__always)
  init() { bits = 0 }

  init(bits: UInt64) { self.bits = bits }

  init(_ digits: Range<Int>, head: Range<Int> = 0..<0) {
    bits = Self.packed(digits) | Self.packed(head) << 17
  }

  /// Empty if there is none.
  var digits: Range<Int> { Self.range(bits) }
  /// Empty if all digits are adjacent.
  var head: Range<Int> { Self.range(bits >> 17) }

  /// The position in the text from which the bytes in `first` and `second` were concatenated.
  func moved(outOf first: Range<Int>, and second: Range<Int>) -> ExtensionPosition {
    if bits == 0 { return self }
    let inFirst = digits.clamped(to: 0..<first.count)
    let inSecond = digits.clamped(to: first.count..<first.count + second.count)
    let front = first.lowerBound + inFirst.lowerBound..<first.lowerBound + inFirst.upperBound
    let shift = second.lowerBound - first.count
    let back = inSecond.lowerBound + shift..<inSecond.upperBound + shift
    return back.isEmpty ? ExtensionPosition(front) : ExtensionPosition(back, head: front)
  }

  private static func packed(_ range: Range<Int>) -> UInt64 {
    range.isEmpty ? 0 : UInt64(range.lowerBound & 1023) | UInt64(range.count & 127) << 10
  }

  private static func range(_ bits: UInt64) -> Range<Int> {
    let start = Int(bits & 1023)
    return start..<start + Int(bits >> 10 & 127)
  }
}

/// Digits of four bits each, the first one lowest, so that dropping leading digits is a shift.
///
/// More than 46 digits are counted but not stored. No number can use them: the longest prefixes that may be stripped
/// one after another have 25 digits together (8 of an international prefix, 3 of a calling code, twice 7 of a national
/// prefix), and a number has at most 17.
struct Digits {
  static let capacity = 46
  // The capacity of `low` and `high`; the remaining digits are stored above the count. Few texts have that many.
  private static let registersCapacity = 32

  private var low: UInt64 = 0
  private var high: UInt64 = 0
  // The lowest eight bits are the count: no text has more digits than characters, 250, and no plan prepends more than
  // four. The other bits are the digits from the 33rd on.
  private var countAndRest: UInt64 = 0

  /// The number of digits, including those that are not stored.
  @inline(__always)
  var count: Int { Int(truncatingIfNeeded: countAndRest & 0xFF) }

  init() {}

  /// `count` digits in packed form; at most 16.
  init(packed: UInt64, count: Int) {
    low = packed
    countAndRest = UInt64(truncatingIfNeeded: count)
  }

  /// The packed form of the first 16 digits, or of all if there are fewer.
  var firstSixteen: UInt64 { low }

  @inline(__always)
  mutating func append(_ digit: UInt64) {
    let count = self.count
    if count < 16 {
      low |= digit &<< UInt64(truncatingIfNeeded: count &* 4)
    } else if count < Self.registersCapacity {
      high |= digit &<< UInt64(truncatingIfNeeded: count &* 4 &- 64)
    } else if count < Self.capacity {
      countAndRest |= digit &<< UInt64(truncatingIfNeeded: (count &- Self.registersCapacity) &* 4 &+ 8)
    }
    countAndRest &+= 1
  }

  /// Eight digits of one byte each in packed form.
  @inline(__always)
  static func packed(_ unpacked: UInt64) -> UInt64 {
    // Bytes to pairs, to fours, to eights.
    var word = (unpacked | unpacked &>> 4) & 0x00FF_00FF_00FF_00FF
    word = (word | word &>> 8) & 0x0000_FFFF_0000_FFFF
    word = (word | word &>> 16) & 0x0000_0000_FFFF_FFFF
    return word
  }

  /// Appends the first `count` of up to eight digits, one in each byte, the first one lowest.
  @inline(__always)
  mutating func append(unpacked digits: UInt64, count: Int) {
    let word = Self.packed(digits) & ((1 &<< UInt64(truncatingIfNeeded: count &* 4)) &- 1)
    let before = self.count
    guard before <= 16 else {
      for index in 0..<count { append((word &>> UInt64(truncatingIfNeeded: index &* 4)) & 15) }
      return
    }
    let shift = UInt64(truncatingIfNeeded: before &* 4)
    if before < 16 { low |= word &<< shift }
    if before > 8 { high |= word &>> (64 &- shift) }
    countAndRest &+= UInt64(truncatingIfNeeded: count)
  }

  mutating func append(_ digits: Digits) {
    for index in 0..<digits.count { append(digits[index]) }
  }

  /// The digit at `index`; 0 for digits that are not stored.
  @inline(__always)
  subscript(index: Int) -> UInt64 {
    let shift = UInt64(truncatingIfNeeded: index &* 4)
    if index < 16 { return (low &>> shift) & 15 }
    if index < Self.registersCapacity { return (high &>> (shift &- 64)) & 15 }
    return index < Self.capacity ? (countAndRest &>> (shift &- 120)) & 15 : 0
  }

  /// The first 1, 2 or 3 digits as a number.
  @inline(__always)
  func leadingValue(_ length: Int) -> Int {
    let one = low & 15
    let two = one &* 10 &+ (low &>> 4) & 15
    let three = two &* 10 &+ (low &>> 8) & 15
    return Int(truncatingIfNeeded: length == 1 ? one : length == 2 ? two : three)
  }

  /// The digits after the first `length`.
  @inline(__always)
  func dropFirst(_ length: Int) -> Digits {
    precondition(length >= 0 && length <= count)
    var rest = self
    let shift = UInt64(truncatingIfNeeded: length &* 4)
    rest.countAndRest = countAndRest &- UInt64(truncatingIfNeeded: length)
    if high == 0, length < 16 {
      rest.low = low &>> shift
    } else {
      rest.low = length < 16 ? (low >> shift) | (high << (64 &- shift)) : (high >> (shift &- 64))
      rest.high = high >> shift
    }
    if countAndRest > 0xFF { rest.refill(droppedFirst: length) }
    return rest
  }

  // Moves digits from above the count to the space that a shift by `length` has freed.
  @inline(never)
  private mutating func refill(droppedFirst length: Int) {
    var moved = Digits()
    for index in 0..<max(Self.registersCapacity - length, 0) { moved.append(self[index]) }
    for index in max(Self.registersCapacity, length)..<Self.capacity {
      moved.append((countAndRest >> UInt64((index - Self.registersCapacity) * 4 + 8)) & 15)
    }
    moved.countAndRest = moved.countAndRest & ~0xFF | countAndRest & 0xFF
    self = moved
  }

  /// The first `length` digits.
  @inline(__always)
  func prefix(_ length: Int) -> Digits {
    if length < 16 {
      return Digits(packed: low & ((1 &<< UInt64(truncatingIfNeeded: length &* 4)) &- 1), count: length)
    }
    var result = Digits()
    for index in 0..<length { result.append(self[index]) }
    return result
  }

  /// The number of leading zeros, not counting the last digit.
  @inline(__always)
  var leadingZeros: Int {
    let zeros = low != 0 ? low.trailingZeroBitCount / 4 : 16 &+ high.trailingZeroBitCount / 4
    return min(zeros, max(count &- 1, 0))
  }

  /// The digits as a number, for at most 19 digits.
  @inline(__always)
  var value: UInt64 {
    precondition(count <= 19)
    if count == 0 { return 0 }
    var result = Self.value(packed: low, count: min(count, 16))
    var index = 16
    while index < count {
      result = result &* 10 &+ self[index]
      index &+= 1
    }
    return result
  }

  /// The number of 1 to 16 packed digits.
  @inline(__always)
  static func value(packed: UInt64, count: Int) -> UInt64 {
    // Right-align, then combine adjacent digits: nibbles to pairs, to fours, to eights.
    var word = packed &<< UInt64(truncatingIfNeeded: 64 &- count &* 4)
    word = (word & 0x0F0F_0F0F_0F0F_0F0F) &* 10 &+ ((word &>> 4) & 0x0F0F_0F0F_0F0F_0F0F)
    word = (word & 0x00FF_00FF_00FF_00FF) &* 100 &+ ((word &>> 8) & 0x00FF_00FF_00FF_00FF)
    word = (word & 0x0000_FFFF_0000_FFFF) &* 10_000 &+ ((word &>> 16) & 0x0000_FFFF_0000_FFFF)
    return (word & 0xFFFF_FFFF) &* 100_000_000 &+ (word &>> 32)
  }
}
