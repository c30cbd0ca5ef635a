// The only file that accesses the generated C tables. Every index is checked here, so that a wrong one stops the
// program instead of reading past the end of an array. Contains no rules.

import CNumberPlanTables

/// A state of the shared automata: the start of its row; 0 accepts nothing and has no transitions.
typealias AutomatonState = UInt16

enum Tables {
  static let dead: UInt = 0

  /// The state after `digit` (0...9). States are machine words during a walk, to avoid conversions.
  @inline(__always)
  static func next(_ state: UInt, _ digit: UInt64) -> UInt {
    let index = state &* 2 &+ UInt(truncatingIfNeeded: digit)
    precondition(index < UInt(cnp_state_count()) &* 10)
    // In bounds: the table has ten entries per state.
    return unsafe UInt(cnp_transitions()[Int(bitPattern: index)])
  }

  /// The state after `digit` in the automata of territories and types, which have their own table.
  @inline(__always)
  static func nextClass(_ state: UInt, _ digit: UInt64) -> UInt {
    let index = state &* 2 &+ UInt(truncatingIfNeeded: digit)
    precondition(index < UInt(cnp_class_state_count()) &* 10)
    return unsafe UInt(cnp_class_transitions()[Int(bitPattern: index)])
  }

  /// The result of a state of those automata, as stored; nil if there is none.
  @inline(__always)
  static func numberClass(_ state: UInt) -> UInt16? {
    let first = UInt(cnp_first_class())
    if state < first { return nil }
    let index = (state &- first) / 5
    precondition(state / 5 < UInt(cnp_class_state_count()))
    return unsafe cnp_classes()[Int(bitPattern: index)]
  }

  @inline(__always)
  static func accepts(_ state: UInt) -> Bool { state >= UInt(cnp_first_accepting()) }

  /// Whether from `state` on only the number of digits matters. True for `dead`.
  @inline(__always)
  static func isIndifferent(_ state: UInt) -> Bool {
    let first = UInt(cnp_first_choosing())
    return state &- first >= UInt(cnp_first_indifferent()) &- first
  }

  /// The lengths of paths from `state` to an accepting state: bit n for n digits.
  @inline(__always)
  static func lengths(_ state: UInt) -> UInt32 {
    let row = state / 5
    precondition(row < UInt(cnp_state_count()))
    return unsafe cnp_lengths()[Int(bitPattern: row)]
  }

  @inline(__always)
  static func programWord(_ index: Int) -> UInt16 {
    precondition(index >= 0 && index < Int(cnp_program_count()))
    return unsafe cnp_programs()[index]
  }

  static var geographicRegionCount: Int { Int(cnp_geographic_region_count()) }

  /// The entry of a calling code; nil if it is not assigned.
  @inline(__always)
  static func callingCode(_ code: Int) -> CallingCode? {
    guard code > 0, code < 1000 else { return nil }
    let place = unsafe cnp_calling_code_index()[code]
    if place == 0 { return nil }
    precondition(UInt32(place) <= cnp_calling_code_count())
    let entry = unsafe cnp_calling_codes()[Int(place) &- 1]
    return CallingCode(plan: Plan(index: entry.main_region), valid: entry.valid)
  }

  /// The automaton for territory and type of a calling code's numbers; nil if it is not assigned.
  static func members(_ code: Int) -> Members? {
    guard code > 0, code < 1000 else { return nil }
    let place = unsafe cnp_calling_code_index()[code]
    if place == 0 { return nil }
    precondition(UInt32(place) <= cnp_calling_code_count())
    let entry = unsafe cnp_calling_codes()[Int(place) &- 1]
    return Members(
      classes: entry.classes, first: entry.first_member, count: entry.member_count, formats: entry.formats)
  }

  /// The index of the territory at `place` among the members of all calling codes.
  static func member(_ place: Int) -> UInt16 {
    precondition(place >= 0 && place < Int(cnp_member_count()))
    return unsafe cnp_members()[place]
  }

  /// The format at `place` of the lists, and whether it is the last one of its list.
  static func format(_ place: Int) -> (format: NumberFormat, isLast: Bool) {
    precondition(place >= 0 && place < Int(cnp_format_list_count()))
    let item = unsafe cnp_format_lists()[place]
    precondition(UInt32(item & 0x7FFF) < cnp_format_count())
    let row = unsafe cnp_formats()[Int(item & 0x7FFF)]
    let none: UInt16 = 0xFFFF
    return (
      NumberFormat(
        groups: row.groups, national: Int(row.national),
        international: row.international == none ? nil : Int(row.international)), item > 0x7FFF
    )
  }

  static func templateByte(_ place: Int) -> UInt8 {
    precondition(place >= 0 && place < Int(cnp_template_count()))
    return unsafe cnp_templates()[place]
  }

  /// The value of a decimal digit of any script in Unicode 14.
  static func digit(_ scalar: UInt32) -> UInt32? {
    let count = firstIndex(above: scalar, in: Int(cnp_digit_zero_count())) { unsafe cnp_digit_zeros()[$0] }
    if count == 0 { return nil }
    let value = unsafe scalar &- cnp_digit_zeros()[count &- 1]
    return value < 10 ? value : nil
  }

  /// Whether the scalar is in the categories L and N of Unicode 14.
  static func isLetterOrNumber(_ scalar: UInt32) -> Bool {
    // Within a range, the number of bounds up to the scalar is odd.
    firstIndex(above: scalar, in: Int(cnp_word_bound_count())) { unsafe cnp_word_bounds()[$0] } & 1 == 1
  }

  // How many of `count` ascending values are at most `scalar`; `value` is only called for indices below `count`.
  private static func firstIndex(above scalar: UInt32, in count: Int, _ value: (Int) -> UInt32) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if value(middle) <= scalar { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// 10 to the power of `exponent`, at most 19.
  @inline(__always)
  static func powerOfTen(_ exponent: UInt8) -> UInt64 { cnp_power_of_ten(UInt32(exponent)) }

  static var metadataVersion: String { unsafe String(cString: cnp_metadata_version()) }
}

/// One territory's rules: a checked reference into the table, which is cheaper than copying the row.
@safe
struct Plan {
  // In bounds, because `init` checks the index; and the table is never deallocated.
  private let row: UnsafePointer<cnp_region>

  @inline(__always)
  init(index: UInt16) {
    precondition(UInt32(index) < cnp_region_count())
    unsafe row = cnp_regions() + Int(index)
  }

  var code: (UInt8, UInt8) {
    let code = unsafe row.pointee.code
    return (UInt8(bitPattern: code.0), UInt8(bitPattern: code.1))
  }
  @inline(__always) var callingCode: UInt16 { unsafe row.pointee.calling_code }
  @inline(__always) var internationalPrefix: AutomatonState { unsafe row.pointee.international_prefix }
  @inline(__always) var nationalPrefix: AutomatonState { unsafe row.pointee.national_prefix }
  /// The start of the program for the national prefix; nil if it has no captures.
  var nationalPrefixProgram: Int? {
    let place = unsafe Int(row.pointee.national_prefix_program)
    return place == 0 ? nil : place - 1
  }
  /// Whether the automaton alone determines the national prefix of a number that starts with `digit`.
  @inline(__always)
  func isCaptureless(from digit: UInt64) -> Bool {
    unsafe row.pointee.national_prefix_program == 0
      || (row.pointee.captureless_digits &>> UInt16(truncatingIfNeeded: digit)) & 1 == 1
  }
  var nationalPrefixGroups: Int { unsafe Int(row.pointee.national_prefix_groups) }
  /// The group that the transform rule keeps, and the digits it prepends; nil without a rule.
  var transform: (group: Int, digits: Digits)? {
    let group = unsafe Int(row.pointee.transform_group)
    if group == 0 { return nil }
    let digits = unsafe Digits(
      packed: UInt64(row.pointee.transform_digits), count: Int(row.pointee.transform_digit_count))
    return (group, digits)
  }
  @inline(__always) var general: AutomatonState { unsafe row.pointee.general }
  @inline(__always) var generalLengths: UInt32 { unsafe row.pointee.general_lengths }
  @inline(__always) var lengths: UInt32 { unsafe row.pointee.lengths }
  @inline(__always) var localOnlyLengths: UInt32 { unsafe row.pointee.local_only_lengths }
}

/// A calling code's territories, and the automata that determine a number's territory and type, and its formats.
struct Members {
  let classes: AutomatonState
  let first: UInt16
  let count: UInt16
  let formats: AutomatonState
}

/// A country calling code: its main territory's rules, and the automaton of its valid numbers.
struct CallingCode {
  let plan: Plan
  let valid: AutomatonState
}

enum Automaton {
  /// Whether the automaton accepts all of `digits`.
  @inline(__always)
  static func accepts(_ start: AutomatonState, _ digits: Digits, _ observer: inout some DigitObserver) -> Bool
  {
    var state = UInt(start)
    var word = digits.firstSixteen
    var left = digits.count
    if left > 16 {
      observer.examined(allButLast: 0)
      return accepts(state, digits)
    }
    // Most numbers end in digits that don't matter individually: from there on, counting them is enough.
    while !Tables.isIndifferent(state) {
      if left == 0 {
        observer.examined(allButLast: 0)
        return Tables.accepts(state)
      }
      state = Tables.next(state, word & 15)
      word &>>= 4
      left &-= 1
    }
    observer.examined(allButLast: left)
    return left < 32 && (Tables.lengths(state) &>> UInt32(truncatingIfNeeded: left)) & 1 == 1
  }

  @inline(never)
  private static func accepts(_ start: UInt, _ digits: Digits) -> Bool {
    var state = start
    for index in 0..<digits.count { state = Tables.next(state, digits[index]) }
    return Tables.accepts(state)
  }

  /// The number of digits that Java's `lookingAt` matches for the pattern of a prefix automaton; nil if it fails. No prefix
  /// has more than 16 digits.
  @inline(__always)
  static func prefixLength(_ start: AutomatonState, _ digits: Digits, _ observer: inout some DigitObserver)
    -> Int?
  {
    var state = UInt(start)
    var length: Int? = Tables.accepts(state) ? 0 : nil
    var word = digits.firstSixteen
    let end = min(digits.count, 16)
    var index = 0
    while index < end {
      state = Tables.next(state, word & 15)
      word &>>= 4
      observer.examined(allButLast: digits.count &- index &- 1)
      if state == Tables.dead { break }
      index &+= 1
      if Tables.accepts(state) { length = index }
    }
    return length
  }

  /// The result of an automaton of territories and types for all of `digits`.
  static func numberClass(_ start: AutomatonState, _ digits: Digits) -> UInt16? {
    var state = UInt(start)
    var index = 0
    while index < digits.count {
      state = Tables.nextClass(state, digits[index])
      if state == Tables.dead { return nil }
      index &+= 1
    }
    return Tables.numberClass(state)
  }
}
