// How many of a number's digits a reading looked at. Whoever reads many numbers need not read again what begins alike:
// the digits that were not looked at can't have changed the answer. Not for the answers.

/// Told, while a number is read, which digits at its end nobody has looked at so far.
protocol DigitObserver {
  /// Digits were looked at, up to `count` before the end.
  mutating func leaves(_ count: Int)
}

/// Nobody wants to know.
struct NoDigitObserver: DigitObserver {
  @inline(__always)
  mutating func leaves(_ count: Int) {}
}

/// The digits at a number's end that no question about it looked at.
///
/// A text of nothing but ASCII digits, perhaps behind a plus sign, that agrees with the one that was read in their count
/// and in all digits but those is read in the same way: the same digits are taken off in front, the same calling code
/// is put there, and the same questions get the same answers.
package struct UnseenDigits: DigitObserver, Sendable {
  /// How many there are; all of them while nothing was asked.
  package private(set) var count = Int.max

  package init() {}

  mutating func leaves(_ count: Int) {
    self.count = min(self.count, count)
  }
}

extension NumberPlan {
  /// As ``parse(_:region:)``, and keeps account of the digits that were looked at.
  package static func parse(
    _ text: Span<UInt8>, region: Region?, _ unseen: inout UnseenDigits
  ) throws(NumberParseError) -> ParsedNumber {
    try interpret(try TextScanner.scan(text), region: region, &unseen)
  }

  /// As ``parseInternational(_:)``, and keeps account of the digits that were looked at.
  package static func parseInternational(
    _ text: Span<UInt8>, _ unseen: inout UnseenDigits
  ) throws(NumberParseError) -> ParsedNumber {
    var scanned = try TextScanner.scan(text)
    scanned.hasPlus = true
    return try interpret(scanned, region: nil, &unseen)
  }

  /// As ``isValid(_:)``, and keeps account of the digits that were looked at.
  package static func isValid(_ number: ParsedNumber, _ unseen: inout UnseenDigits) -> Bool {
    guard let code = Tables.callingCode(Int(number.callingCode)) else { return false }
    return Automaton.accepts(code.valid, number.digits, &unseen)
  }
}
