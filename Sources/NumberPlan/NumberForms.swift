// Writes numbers as people read them: libphonenumber's national and international forms.

/// How a number is written.
public enum NumberForm: String, Sendable, CaseIterable {
  /// Calling code and national number: `442079460958`.
  case e164
  /// The same after a plus sign: `+442079460958`.
  case plus
  /// As it is written in its own country: `020 7946 0958`.
  case national
  /// As it is written for callers abroad: `+44 20 7946 0958`.
  case international
}

extension NumberPlan {
  /// Appends a number of E.164 digits to UTF-8 text.
  ///
  /// The national and the international form are those of libphonenumber's `format`. A number without a format, which is
  /// seldom a valid one, is written without spaces; if its calling code is not assigned, so is the calling code.
  ///
  ///     var text: [UInt8] = []
  ///     NumberPlan.append(442_079_460_958, as: .national, to: &text)  // 020 7946 0958
  ///
  /// - Complexity: O(*n*) in the digits.
  public static func append(_ number: UInt64, as form: NumberForm, to text: inout [UInt8]) {
    if form == .plus || form == .international { text.append(UInt8(ascii: "+")) }
    guard form == .national || form == .international, let code = callingCode(ofDigits: number),
      let members = Tables.members(Int(code)),
      let digits = nationalDigits(of: number, callingCode: code), digits.count > 0
    else {
      text += String(number).utf8
      return
    }
    if form == .international { text += "\(code) ".utf8 }
    guard let format = NumberFormat(of: digits, members.formats, form) else {
      for index in 0..<digits.count { text.append(UInt8(ascii: "0") + UInt8(digits[index])) }
      return
    }
    format.append(digits, as: form, to: &text)
  }
}

/// The groups into which the digits of national numbers are divided, and the starts of the templates for these groups.
struct NumberFormat {
  /// Eight bits for each group: the minimum of digits in the lower four bits, and the maximum.
  let groups: UInt64
  let national: Int
  /// Nil if the format is for national forms only.
  let international: Int?
}

extension NumberFormat {
  /// The first format for the number among those of a calling code; nil if there is none.
  init?(of digits: Digits, _ start: AutomatonState, _ form: NumberForm) {
    var state = UInt(start)
    // Beyond the leading digits, all digits lead to a dead state.
    for index in 0..<digits.count {
      let next = Tables.nextClass(state, digits[index])
      if next == Tables.dead { break }
      state = next
    }
    guard var place = Tables.numberClass(state).map(Int.init) else { return nil }
    while true {
      let (format, isLast) = Tables.format(place)
      if format.lengths.contains(digits.count), form == .national || format.international != nil {
        self = format
        return
      }
      if isLast { return nil }
      place += 1
    }
  }

  /// The numbers of digits that the groups have together.
  private var lengths: ClosedRange<Int> {
    var minimum: UInt64 = 0
    var maximum: UInt64 = 0
    var rest = groups
    while rest != 0 {
      minimum += rest & 15
      maximum += rest >> 4 & 15
      rest >>= 8
    }
    return Int(minimum)...Int(maximum)
  }

  /// Appends the digits in their groups, as the template of the form has them.
  func append(_ digits: Digits, as form: NumberForm, to text: inout [UInt8]) {
    let ends = groupEnds(digits.count)
    var place = form == .national ? national : international ?? national
    while true {
      let byte = Tables.templateByte(place)
      switch byte {
      case 0: return
      case 1...8:
        // The first group starts at 0, the others where the group before ends.
        let shift = 8 * UInt64(byte - 1)
        let start = ((ends << 8) >> shift) & 0xFF
        for index in Int(start)..<Int((ends >> shift) & 0xFF) {
          text.append(UInt8(ascii: "0") + UInt8(digits[index]))
        }
      default: text.append(byte)
      }
      place += 1
    }
  }

  /// The ends of the groups of `count` digits, eight bits each. As in a regular expression, a group has as many digits as
  /// the following ones can spare.
  private func groupEnds(_ count: Int) -> UInt64 {
    var spare = UInt64(count - lengths.lowerBound)
    var end: UInt64 = 0
    var ends: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      let group = groups >> shift
      let extra = min(spare, group >> 4 & 15 - group & 15)
      spare -= extra
      end += group & 15 + extra
      ends |= end << shift
    }
    return ends
  }
}
