// A call that comes in, and what the phone shows. How the number is looked up is what was seen in iOS builds.

/// A call as the network presents it.
public struct IncomingCall: Sendable, Equatable {
  /// The number as the network sends it, in any spelling.
  public var presented: String
  /// The number in its international form, if the phone could make one.
  public var international: String?

  /// Creates a call.
  public init(from presented: String, international: String? = nil) {
    self.presented = presented
    self.international = international
  }
}

/// Who blocks a call.
public enum Blocker: Sendable, Equatable {
  /// The owner's own list.
  case owner
  /// An extension, by its identifier.
  case `extension`(String)
}

/// What a phone does with a call.
public enum CallAnswer: Sendable, Equatable {
  /// It rings, with the name from the contacts. Extensions are not asked.
  case contact(String)
  /// It does not ring.
  case blocked(by: Blocker)
  /// It rings with the label of an extension.
  case identified(label: String, by: String)
  /// It rings with the number.
  case unknown
}

/// The numbers under which a call is looked up.
struct NumberVariants: Equatable {
  /// The presented digits.
  var presented: Int64
  /// The international digits.
  var international: Int64

  /// The greatest number that is looked up, `CXCallDirectoryPhoneNumberMax`.
  static let numberMax = Int64.max - 1

  /// The variants of a call on a phone of a calling code; nil when there are no digits, or too many.
  init?(_ call: IncomingCall, callingCode: Int64) {
    let spelled = Self.number(in: call.presented)
    let international: Int64?
    if let given = call.international {
      international = Self.number(in: given)
    } else if call.presented.drop(while: { $0.isWhitespace }).hasPrefix("+") {
      international = spelled
    } else {
      // Leading zeros are gone with the reading of the digits, so the calling code stands right before the rest.
      international = spelled.flatMap { Self.number(in: "\(callingCode)\($0)") }
    }
    guard let first = spelled ?? international else { return nil }
    presented = first
    self.international = international ?? first
  }

  /// The digits of a text as a number; nil when there are none, or more than fit.
  private static func number(in text: String) -> Int64? {
    var result: Int64 = 0
    var hasDigits = false
    for byte in text.utf8 where (0x30...0x39).contains(byte) {
      hasDigits = true
      let (tens, isTooLong) = result.multipliedReportingOverflow(by: 10)
      let (sum, isTooLarge) = tens.addingReportingOverflow(Int64(byte - 0x30))
      if isTooLong || isTooLarge { return nil }
      result = sum
    }
    return hasDigits && result > 0 && result <= numberMax ? result : nil
  }
}
