// The results of queries about a number: its possibility and its type.

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
}
