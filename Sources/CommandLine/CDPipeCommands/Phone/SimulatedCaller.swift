// Who calls the simulated phone: the number as it was typed, and in its international form.

import SimulatedPhone

/// A caller. iOS looks a call up by the digits that the network presents, and by the international ones.
struct SimulatedCaller {
  /// The number as it was typed.
  let text: String
  /// The number with its country code.
  let number: Int64
  /// The digits as they were typed, if they are others: without a country code.
  private let presented: Int64?

  /// Makes a caller. A national number is presented as it was typed; one with letters, or with more than digits and what
  /// stands between them, as its international digits.
  init(_ text: String, _ number: Int64, isNational: Bool) {
    self.text = text
    self.number = number
    let isPlain = text.utf8.allSatisfy { (0x20...0x39).contains($0) }
    let digits = text.utf8.filter { (0x30...0x39).contains($0) }
    let typed = isNational && isPlain ? Int64(String(decoding: digits, as: UTF8.self)) : nil
    presented = typed.flatMap { $0 > 0 && $0 != number ? $0 : nil }
  }

  /// All numbers that the call is looked up by.
  var numbers: [Int64] { [number] + (presented.map { [$0] } ?? []) }

  /// The call as the phone gets it.
  var call: IncomingCall {
    IncomingCall(from: presented.map { "\($0)" } ?? "+\(number)", international: "+\(number)")
  }
}
