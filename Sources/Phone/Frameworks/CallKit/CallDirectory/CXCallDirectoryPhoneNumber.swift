// The numbers of a Call Directory.

@_exported public import AppExtensions

/// An E.164 number as an integer: the country calling code, then the digits.
public typealias CXCallDirectoryPhoneNumber = Int64

/// The maximum phone number.
public let CXCallDirectoryPhoneNumberMax: CXCallDirectoryPhoneNumber = .max - 1
