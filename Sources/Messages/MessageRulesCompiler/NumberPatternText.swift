// The numbers, ranges and patterns of senders in rule files. Only international digits are allowed: a rule means the
// same for every receiver's country.
//
// Not for: number texts of lists, which the normalize stage parses by a region's rules.

enum NumberPatternText {
  private static let digitsMax = 15

  /// The ranges that a text stands for: `+8613800138000`, `33162000000..33162999999`, `+82 70 XXXX XXXX`, `+33162*`;
  /// nil when it stands for none.
  static func ranges(_ text: String) -> [NumberRange]? {
    let halves = text.split(separator: "..", omittingEmptySubsequences: false)
    if halves.count == 2 {
      guard let first = Form(halves[0]), let last = Form(halves[1]), first.isNumber, last.isNumber,
        first.value <= last.value
      else { return nil }
      return [NumberRange(first: first.value, last: last.value)]
    }
    guard halves.count == 1, let form = Form(halves[0]) else { return nil }
    return (form.digits + form.wildcards...(form.isOpen ? digitsMax : form.digits + form.wildcards))
      .map { length in
        let span = (0..<length - form.digits).reduce(UInt64(1)) { span, _ in span * 10 }
        return NumberRange(first: form.value * span, last: form.value * span + span - 1)
      }
  }

  /// Digits, wildcards for one digit each, and optionally a `*` for any number of digits.
  private struct Form {
    var value: UInt64 = 0
    var digits = 0
    var wildcards = 0
    var isOpen = false
    var isNumber: Bool { wildcards == 0 && !isOpen }

    init?(_ text: Substring) {
      for (index, character) in text.unicodeScalars.enumerated() {
        switch character {
        case "0"..."9":
          guard wildcards == 0, !isOpen, digits < digitsMax else { return nil }
          if digits == 0, character == "0" { return nil }
          value = value * 10 + UInt64(character.value - 0x30)
          digits += 1
        case "X", "x", "#", "?":
          guard !isOpen, digits > 0 else { return nil }
          wildcards += 1
        case "*":
          guard !isOpen, digits > 0 else { return nil }
          isOpen = true
        case "+":
          guard index == 0 else { return nil }
        case " ", "-", "(", ")", ".", "/": break
        default: return nil
        }
      }
      guard digits > 0, digits + wildcards <= digitsMax else { return nil }
    }
  }
}
