// Records how many of a number's digits a parse examined. Callers that parse many numbers can reuse results for texts
// with the same prefix, since digits that were not examined can't affect the result. Not for the results themselves.

/// Observes which digits are examined while a number is parsed.
protocol DigitObserver {
  /// Called when all digits except the last `count` may have been examined.
  mutating func examined(allButLast count: Int)
}

/// Does nothing.
struct NoDigitObserver: DigitObserver {
  @inline(__always)
  mutating func examined(allButLast count: Int) {}
}

/// The digits at a number's end that were never examined.
///
/// A text of ASCII digits only, optionally after a plus sign, that has the same length and differs in these digits
/// only is parsed in the same way: the same leading digits are stripped, the same calling code is prepended, and all
/// queries have the same results.
package struct UnseenDigits: DigitObserver, Sendable {
  /// The number of these digits; all of them before any query.
  package private(set) var count = Int.max

  package init() {}

  mutating func examined(allButLast count: Int) {
    self.count = min(self.count, count)
  }
}

extension NumberPlan {
  /// Like ``parse(_:region:)``, and records the digits that were examined.
  package static func parse(
    _ text: Span<UInt8>, region: Region?, _ unseen: inout UnseenDigits
  ) throws(NumberParseError) -> ParsedNumber {
    try interpret(try TextScanner.scan(text), region: region, &unseen)
  }

  /// Like ``parseInternational(_:)``, and records the digits that were examined.
  package static func parseInternational(
    _ text: Span<UInt8>, _ unseen: inout UnseenDigits
  ) throws(NumberParseError) -> ParsedNumber {
    var scanned = try TextScanner.scan(text)
    scanned.hasPlus = true
    return try interpret(scanned, region: nil, &unseen)
  }

  /// Like ``isValid(_:)``, and records the digits that were examined.
  package static func isValid(_ number: ParsedNumber, _ unseen: inout UnseenDigits) -> Bool {
    guard let code = Tables.callingCode(Int(number.callingCode)) else { return false }
    return Automaton.accepts(code.valid, number.digits, &unseen)
  }
}
