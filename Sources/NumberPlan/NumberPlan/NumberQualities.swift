// What a number can be found to be: its possibility, its type. Plain values, no rules.

/// What a number's length says; libphonenumber's `ValidationResult`, of whose Python port the raw values are.
public enum Possibility: Int, Sendable, Hashable, CaseIterable {
  /// Numbers of the calling code can be that long.
  case isPossible = 0
  /// Nobody has the calling code.
  case invalidCountryCode = 1
  /// Shorter than all numbers of the calling code.
  case tooShort = 2
  /// Longer than all numbers of the calling code.
  case tooLong = 3
  /// Long enough for dialling inside its area only.
  case isPossibleLocalOnly = 4
  /// Between the shortest and the longest, but no number is that long.
  case invalidLength = 5
}

/// What kind of line a number is for; libphonenumber's `PhoneNumberType`, of whose Python port the raw values are.
public enum NumberType: Int, Sendable, Hashable, CaseIterable {
  /// A line that leads to one place.
  case fixedLine = 0
  /// A mobile phone.
  case mobile = 1
  /// One of the two, where the digits do not tell which, as in the United States.
  case fixedLineOrMobile = 2
  /// The one who is called pays.
  case tollFree = 3
  /// The one who calls pays more than for other calls.
  case premiumRate = 4
  /// Both pay.
  case sharedCost = 5
  /// Telephony over the Internet.
  case voip = 6
  /// A person's number, which leads to whatever phone the person has.
  case personalNumber = 7
  /// A pager.
  case pager = 8
  /// A company's number, which leads to one of its offices.
  case uan = 9
  /// The way to a mailbox.
  case voicemail = 10
  /// None of them: the number is not valid.
  case unknown = 99
}
