// A caller of the simulated phone: the number as typed and in international form.

package import SimulatedPhone

/// A caller. iOS looks up a call by the digits that the network presents, and by the international ones.
package struct SimulatedCaller {
  /// The number as typed.
  package let text: String
  /// The number with its country calling code.
  package let number: Int64
  /// The digits as typed, if they lack the country calling code.
  private let presented: Int64?

  /// Creates a caller. A national number is presented as typed, unless it contains characters other than digits and
  /// separators; then, as its international digits.
  package init(_ text: String, _ number: Int64, isNational: Bool) {
    self.text = text
    self.number = number
    let isPlain = text.utf8.allSatisfy { (0x20...0x39).contains($0) }
    let digits = text.utf8.filter { (0x30...0x39).contains($0) }
    let typed = isNational && isPlain ? Int64(String(decoding: digits, as: UTF8.self)) : nil
    presented = typed.flatMap { $0 > 0 && $0 != number ? $0 : nil }
  }

  /// All numbers by which the call is looked up.
  package var numbers: [Int64] { [number] + (presented.map { [$0] } ?? []) }

  /// The call as the phone receives it.
  package var call: IncomingCall {
    IncomingCall(from: presented.map { "\($0)" } ?? "+\(number)", international: "+\(number)")
  }
}
