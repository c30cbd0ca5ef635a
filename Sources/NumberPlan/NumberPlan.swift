// The numbering plans of the world, and all queries about a number, a prefix, a block of numbers, or a
// region.

/// The world's numbering plans, according to libphonenumber.
///
///     let text = ContiguousArray("0755-12345678".utf8)
///     let number = try NumberPlan.parse(text.span, region: Region("CN"))
///     number.e164                          // 8675512345678
///     NumberPlan.isValid(number)           // true
///     NumberPlan.region(of: number)?.code  // "CN"
///     NumberPlan.type(of: number)          // .fixedLine
///
///     try NumberPlan.parse(text.span, region: nil)  // throws .invalidCountryCode: unknown country
///
/// All results are those of the libphonenumber release in ``metadataVersion``. All functions are thread-safe: they only
/// read constants.
public enum NumberPlan {
  /// libphonenumber's `MIN_LENGTH_FOR_NSN` and `MAX_LENGTH_FOR_NSN`.
  static let nationalLengthMin = 2
  static let nationalLengthMax = 17

  /// The libphonenumber release whose metadata the tables hold.
  public static var metadataVersion: String { Tables.metadataVersion }
}

extension NumberPlan {
  /// Whether the number's length is possible under the rules of its calling code's main region.
  ///
  /// Like libphonenumber's `isPossibleNumberWithReason`, with its limitation: if regions share a calling code, only the
  /// main one is considered.
  ///
  /// - Complexity: O(1).
  public static func isPossible(_ number: ParsedNumber) -> Possibility {
    guard let code = Tables.callingCode(Int(number.callingCode)) else { return .invalidCountryCode }
    return possibility(Int(number.nationalLength), code.plan)
  }

  /// Whether the number matches the pattern of some number type in its region.
  ///
  /// Like libphonenumber's `isValidNumber`. Real numbers can be invalid, such as short service numbers.
  ///
  /// - Complexity: O(*n*) in the number's digits.
  public static func isValid(_ number: ParsedNumber) -> Bool {
    guard let code = Tables.callingCode(Int(number.callingCode)) else { return false }
    var observer = NoDigitObserver()
    return Automaton.accepts(code.valid, number.digits, &observer)
  }

  /// The region that the number belongs to; nil if no region with its calling code has such numbers.
  ///
  /// Like libphonenumber's `getRegionCodeForNumber`. If a calling code has only one region, the result is that region,
  /// whether the number is valid or not. For a network without a country, such as +800, it has the code `001`.
  ///
  ///     let text = ContiguousArray("+1 604 234 5678".utf8)
  ///     NumberPlan.region(of: try NumberPlan.parse(text.span, region: nil))?.code  // "CA"
  ///
  /// - Complexity: O(*n*) in the number's digits.
  public static func region(of number: ParsedNumber) -> Region? { classify(number).region }

  /// The type of the number; `unknown` if and only if it is not valid.
  ///
  /// Like libphonenumber's `getNumberType`.
  ///
  /// - Complexity: O(*n*) in the number's digits.
  public static func type(of number: ParsedNumber) -> NumberType { classify(number).type }

  /// Returns the region and the type. This is as fast as determining one of them.
  ///
  /// - Complexity: O(*n*) in the number's digits.
  public static func classify(_ number: ParsedNumber) -> (region: Region?, type: NumberType) {
    guard let members = Tables.members(Int(number.callingCode)) else { return (nil, .unknown) }
    guard let found = Automaton.numberClass(members.classes, number.digits) else {
      // If a calling code has one region, all of its numbers belong there.
      return (members.count == 1 ? Region(index: Tables.member(Int(members.first))) : nil, .unknown)
    }
    // The four lowest bits are the type; a value that libphonenumber does not have means unknown.
    let type = NumberType(rawValue: Int(found & 15)) ?? .unknown
    return (Region(index: Tables.member(Int(members.first) + Int(found >> 4))), type)
  }

  /// The region in which E.164 digits are a valid number; nil if they are not valid in any.
  ///
  /// For a network without a country, such as +800, it has the code `001`.
  ///
  ///     NumberPlan.region(ofDigits: 16_042_345_678)?.code  // "CA"
  ///
  /// - Complexity: O(*n*) in the digits.
  public static func region(ofDigits digits: UInt64) -> Region? {
    guard let code = callingCode(ofDigits: digits), let members = Tables.members(Int(code)),
      let national = nationalDigits(of: digits, callingCode: code),
      let found = Automaton.numberClass(members.classes, national),
      NumberType(rawValue: Int(found & 15)) != nil
    else { return nil }
    return Region(index: Tables.member(Int(members.first) + Int(found >> 4)))
  }

  /// The regions that share a calling code, the main one first; empty if it is not assigned.
  ///
  ///     NumberPlan.regions(callingCode: 44).map(\.code)  // ["GB", "GG", "IM", "JE"]
  ///
  /// - Complexity: O(*n*) in the regions.
  public static func regions(callingCode: UInt16) -> [Region] {
    guard let members = Tables.members(Int(callingCode)) else { return [] }
    return (0..<Int(members.count)).map { Region(index: Tables.member(Int(members.first) + $0)) }
  }

  /// The possible lengths of national numbers with this calling code: bit `n` for `n` digits, 1...17.
  ///
  /// 0 if it is not assigned. Lengths that can only be dialled within an area are not included.
  public static func possibleLengths(callingCode: UInt16) -> UInt32 {
    guard let code = Tables.callingCode(Int(callingCode)) else { return 0 }
    return code.plan.lengths
  }

  // testNumberLength.
  @inline(__always)
  static func possibility(_ length: Int, _ plan: Plan) -> Possibility {
    let bit: UInt32 = length < 32 ? 1 << UInt32(length) : 0
    if plan.localOnlyLengths & bit != 0 { return .isPossibleLocalOnly }
    if plan.lengths & bit != 0 { return .isPossible }
    if bit == 0 || bit > plan.lengths { return .tooLong }
    // No shorter length is possible.
    return plan.lengths & (bit &- 1) == 0 ? .tooShort : .invalidLength
  }
}

extension NumberPlan {
  /// The country calling code that E.164 digits start with; nil if there is none.
  ///
  /// No calling code is a prefix of another one, so there is at most one.
  ///
  ///     NumberPlan.callingCode(ofDigits: 8270)  // 82
  ///
  /// - Complexity: O(1).
  public static func callingCode(ofDigits digits: UInt64) -> UInt16? {
    var code = digits
    while code >= 1000 { code /= 10 }
    var found: UInt16?
    while code > 0 {
      if Tables.callingCode(Int(code)) != nil { found = UInt16(code) }
      code /= 10
    }
    return found
  }

  /// The lengths of the valid numbers with this prefix of E.164 digits: bit `n` for `n` digits, including the calling
  /// code.
  ///
  /// 0 if there are no such numbers; valid is as defined by `isValid`.
  ///
  ///     NumberPlan.validLengths(ofDigits: 8270)  // bit 12: +82 70 XXXX XXXX
  ///
  /// - Complexity: O(*n*) in the digits.
  public static func validLengths(ofDigits digits: UInt64) -> UInt64 {
    guard let code = callingCode(ofDigits: digits), let entry = Tables.callingCode(Int(code)) else {
      return 0
    }
    guard let national = nationalDigits(of: digits, callingCode: code) else { return 0 }
    var state = UInt(entry.valid)
    for index in 0..<national.count { state = Tables.next(state, national[index]) }
    let codeLength = code < 10 ? 1 : code < 100 ? 2 : 3
    return UInt64(Tables.lengths(state)) << UInt64(national.count + codeLength)
  }

  /// The digits after the calling code; nil if there are more than 16, which no plan has.
  static func nationalDigits(of digits: UInt64, callingCode: UInt16) -> Digits? {
    var rest = digits
    var packed: UInt64 = 0
    var count = 0
    while rest != UInt64(callingCode) {
      guard count < 16 else { return nil }
      // The last digit has the highest place.
      packed = packed &<< 4 | rest % 10
      rest /= 10
      count += 1
    }
    return Digits(packed: packed, count: count)
  }
}

extension NumberPlan {
  /// Consecutive numbers of the same length that belong to the same region and have the same type.
  public struct Block: Sendable, Equatable {
    /// The first number of the block, as E.164 digits.
    public let first: UInt64
    /// The last number of the block.
    public let last: UInt64
    /// The country calling code of the numbers; 0 if their digits start with none.
    public let callingCode: UInt16
    /// The region of the numbers, as `region(of:)` returns it: nil if they are not valid and several regions share the
    /// calling code.
    public let region: Region?
    /// The type of the numbers; `unknown` if and only if they are not valid.
    public let type: NumberType
  }

  /// The block that contains E.164 digits. Blocks are not as large as possible: adjacent ones may be alike.
  ///
  ///     NumberPlan.block(ofDigits: 8_613_800_138_000).type  // .mobile, from 8613000000000 to 8613999999999
  ///
  /// - Complexity: O(*n*) in the digits.
  public static func block(ofDigits number: UInt64) -> Block {
    guard let code = callingCode(ofDigits: number), let members = Tables.members(Int(code)) else {
      // The first three digits decide whether there is a calling code.
      return block(around: number, freeDigits: max(0, digitCount(number) - 3), callingCode: 0, nil, .unknown)
    }
    guard let national = nationalDigits(of: number, callingCode: code) else {
      return block(around: number, freeDigits: 0, callingCode: code, nil, .unknown)
    }
    var state = UInt(members.classes)
    // The digits up to the last one whose value matters.
    var decisive = 0
    for index in 0..<national.count where state != Tables.dead {
      if !isIndifferent(state) { decisive = index + 1 }
      state = Tables.nextClass(state, national[index])
    }
    let free = national.count - decisive
    guard state != Tables.dead, let found = Tables.numberClass(state) else {
      // If a calling code has one region, all of its numbers belong there.
      let only = members.count == 1 ? Region(index: Tables.member(Int(members.first))) : nil
      return block(around: number, freeDigits: free, callingCode: code, only, .unknown)
    }
    // The encoding of `classify`.
    return block(
      around: number, freeDigits: free, callingCode: code,
      Region(index: Tables.member(Int(members.first) + Int(found >> 4))),
      NumberType(rawValue: Int(found & 15)) ?? .unknown)
  }

  /// The block of the numbers that differ from `number` in their last digits only.
  private static func block(
    around number: UInt64, freeDigits: Int, callingCode: UInt16, _ region: Region?, _ type: NumberType
  ) -> Block {
    let width = Tables.powerOfTen(UInt8(truncatingIfNeeded: min(freeDigits, 19)))
    let first = number - number % width
    return Block(
      first: first, last: first &+ (width &- 1), callingCode: callingCode, region: region, type: type)
  }

  /// Whether the state after the next digit is the same for all digits.
  private static func isIndifferent(_ state: UInt) -> Bool {
    let next = Tables.nextClass(state, 0)
    for digit in 1..<UInt64(10) where Tables.nextClass(state, digit) != next { return false }
    return true
  }

  private static func digitCount(_ number: UInt64) -> Int {
    var count = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      count += 1
    }
    return count
  }
}

/// Whether a number's length is possible; libphonenumber's `ValidationResult`, with the raw values of its Python port.
public enum Possibility: Int, Sendable, Hashable, CaseIterable {
  /// The calling code has numbers of this length.
  case isPossible = 0
  /// The calling code is not assigned.
  case invalidCountryCode = 1
  /// Shorter than all numbers with the calling code.
  case tooShort = 2
  /// Longer than all numbers with the calling code.
  case tooLong = 3
  /// Long enough only for dialling within its area.
  case isPossibleLocalOnly = 4
  /// Neither too short nor too long, but no number has this length.
  case invalidLength = 5
}

/// The type of a number; libphonenumber's `PhoneNumberType`, with the raw values of its Python port.
public enum NumberType: Int, Sendable, Hashable, CaseIterable {
  /// A line at a fixed location.
  case fixedLine = 0
  /// A mobile phone.
  case mobile = 1
  /// Either of the two, if the digits don't distinguish them, as in the United States.
  case fixedLineOrMobile = 2
  /// The recipient pays.
  case tollFree = 3
  /// The caller pays more than for other calls.
  case premiumRate = 4
  /// Caller and recipient share the cost.
  case sharedCost = 5
  /// Telephony over the Internet.
  case voip = 6
  /// A person's number, which is routed to any of the person's phones.
  case personalNumber = 7
  /// A pager.
  case pager = 8
  /// A company's number, which is routed to one of its offices.
  case uan = 9
  /// Access to a mailbox.
  case voicemail = 10
  /// No type: the number is not valid.
  case unknown = 99

  /// The name in options and in JSON, such as `fixed-line-or-mobile`.
  package var code: String {
    "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : "\($1)" }
  }
}

/// A region in libphonenumber's metadata, such as `CN`; its rules apply to numbers without a calling code.
///
/// Networks without a country (+800, +882 …) can't be selected by a code. Their numbers have a region with the code
/// `001` (see `NumberPlan.region(of:)`); parsing with it is the same as parsing without a region.
public struct Region: Sendable, Hashable {
  /// The index in the tables, which are sorted by code.
  let index: UInt16

  init(index: UInt16) { self.index = index }

  /// The region with this CLDR two-letter code, in either case; nil for `ZZ`, `001` and unknown codes.
  ///
  /// - Complexity: O(log *n*) in the number of regions.
  public init?(_ code: String) {
    guard code.utf8.count == 2 else { return nil }
    var letters: UInt16 = 0
    for byte in code.utf8 {
      guard (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF), byte < 0x80 else { return nil }
      letters = letters << 8 | UInt16(byte & 0xDF)
    }
    var low = 0
    var high = Tables.geographicRegionCount
    while low < high {
      let middle = (low + high) / 2
      if Self.packedLetters(UInt16(middle)) < letters { low = middle + 1 } else { high = middle }
    }
    guard low < Tables.geographicRegionCount, Self.packedLetters(UInt16(low)) == letters else { return nil }
    index = UInt16(low)
  }

  /// Whether it is a country or territory, as opposed to a network without a country.
  @inline(__always)
  public var isGeographic: Bool { Int(index) < Tables.geographicRegionCount }

  /// Two capital letters; `001` for a network without a country.
  public var code: String {
    if !isGeographic { return "001" }
    let letters = Self.packedLetters(index)
    return String(decoding: [UInt8(letters >> 8), UInt8(letters & 0xFF)], as: UTF8.self)
  }

  /// The country calling code, 1...999; several regions may share one.
  public var callingCode: UInt16 { Plan(index: index).callingCode }

  /// All regions, sorted by code.
  public static var all: [Region] { (0..<Tables.geographicRegionCount).map { Region(index: UInt16($0)) } }

  private static func packedLetters(_ index: UInt16) -> UInt16 {
    let code = Plan(index: index).code
    return UInt16(code.0) << 8 | UInt16(code.1)
  }
}
