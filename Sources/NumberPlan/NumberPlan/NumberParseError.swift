// Why a text is not a number. Plain values, no rules.

/// Why a text is not a number; libphonenumber's `NumberParseException.ErrorType`.
public enum NumberParseError: Error, Sendable, Hashable, CaseIterable {
  /// The text does not look like a phone number.
  case notANumber
  /// There is a calling code that nobody has, or none and no region either.
  case invalidCountryCode
  /// An international prefix, and too little behind it.
  case tooShortAfterIDD
  /// Less than two digits for a national number.
  case tooShortNSN
  /// More than 250 characters, or more than 17 digits of national number.
  case tooLong
}
