// The namespace of all functions about numbers. Not for parsing (NumberPlan+Parsing) or queries (NumberPlan+Queries).

/// The world's numbering plans, according to libphonenumber.
///
///     let text = ContiguousArray("0755-12345678".utf8)
///     let number = try NumberPlan.parse(text.span, region: Region("CN"))
///     number.e164                          // 8675512345678
///     NumberPlan.isValid(number)           // true
///     NumberPlan.region(of: number)?.code  // "CN"
///     NumberPlan.type(of: number)          // .fixedLine
///
///     try NumberPlan.parse(text.span, region: nil)  // throws .invalidCountryCode: unknown country
///
/// All results are those of the libphonenumber release in ``metadataVersion``. All functions are thread-safe: they only
/// read constants.
public enum NumberPlan {
  /// libphonenumber's `MIN_LENGTH_FOR_NSN` and `MAX_LENGTH_FOR_NSN`.
  static let nationalLengthMin = 2
  static let nationalLengthMax = 17

  /// The libphonenumber release whose metadata the tables hold.
  public static var metadataVersion: String { Tables.metadataVersion }
}
