// Incoming calls and what the phone shows. Numbers are looked up as observed in iOS builds.

/// An incoming call, as the network presents it.
public struct IncomingCall: Sendable, Equatable {
  /// The number as the network sends it, in any notation.
  public var presented: String
  /// The number in international form, if the phone could determine it.
  public var international: String?

  /// Creates a call.
  public init(from presented: String, international: String? = nil) {
    self.presented = presented
    self.international = international
  }
}

/// The blocker of a call.
public enum Blocker: Sendable, Equatable {
  /// The owner's block list.
  case owner
  /// An extension, by its identifier.
  case `extension`(String)
}

/// The phone's reaction to a call.
public enum CallAnswer: Sendable, Equatable {
  /// The phone rings and shows the contact's name. Extensions are not asked.
  case contact(String)
  /// The phone does not ring.
  case blocked(by: Blocker)
  /// The phone rings and shows the label of an extension.
  case identified(label: String, by: String)
  /// The phone rings and shows the number.
  case unknown
}

/// The numbers under which a call is looked up.
struct NumberVariants: Equatable {
  /// The presented digits.
  var presented: Int64
  /// The international digits.
  var international: Int64

  /// The maximum number that is looked up, `CXCallDirectoryPhoneNumberMax`.
  static let numberMax = Int64.max - 1

  /// Determines the variants of a call on a phone with a calling code; nil if there are no digits or too many.
  init?(_ call: IncomingCall, callingCode: Int64) {
    let spelled = Self.number(in: call.presented)
    let international: Int64?
    if let given = call.international {
      international = Self.number(in: given)
    } else if call.presented.drop(while: { $0.isWhitespace }).hasPrefix("+") {
      international = spelled
    } else {
      // Parsing drops leading zeros, so the calling code directly precedes the rest.
      international = spelled.flatMap { Self.number(in: "\(callingCode)\($0)") }
    }
    guard let first = spelled ?? international else { return nil }
    presented = first
    self.international = international ?? first
  }

  /// Parses the digits of a text as a number; nil if there are none or too many.
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
