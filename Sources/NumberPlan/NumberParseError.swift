// Why a text is not a number.

/// Why a text is not a number; libphonenumber's `NumberParseException.ErrorType`.
public enum NumberParseError: Error, Sendable, Hashable, CaseIterable {
  /// The text does not look like a phone number.
  case notANumber
  /// The calling code is not assigned, or there is neither a calling code nor a region.
  case invalidCountryCode
  /// Too few digits after an international prefix.
  case tooShortAfterIDD
  /// Fewer than two digits of national number.
  case tooShortNSN
  /// More than 250 characters, or more than 17 digits of national number.
  case tooLong
}
