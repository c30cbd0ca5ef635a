// The data of PhoneNumberMetadata.xml that the tables need, as plain values, and the syntax of its length lists.
// Not for reading XML (MetadataReader) or compiling patterns (MetadataPattern).

/// Bit `n` is set if `n` digits are possible.
typealias LengthSet = UInt32

/// One number type of a territory: its pattern and its lengths.
struct NumberDescription {
  var pattern = ""
  var lengths: LengthSet = 0
  var localOnlyLengths: LengthSet = 0
}

/// One `<territory>`.
struct Territory {
  var code = ""
  var callingCode = 0
  var isMainForCode = false
  var leadingDigits: String?
  var internationalPrefix: String?
  /// `nationalPrefixForParsing`, or `nationalPrefix` if that is missing.
  var nationalPrefixForParsing: String?
  var transformRule: String?
  var general = ""
  /// By element name: fixedLine, mobile, …
  var types: [String: NumberDescription] = [:]

  /// The metadata's id of networks without a country.
  static let nonGeographicCode = "001"

  /// The types that make a number valid. `noInternationalDialling` is not one of them.
  static let typeNames = NumberClass.firstAsked.map(\.name) + ["fixedLine", "mobile"]

  /// The union over all types, as libphonenumber's BuildMetadataFromXml computes it for the general description.
  var lengths: LengthSet { types.values.reduce(0) { $0 | $1.lengths } }

  /// The same for local-only lengths, without those that are possible for some type.
  var localOnlyLengths: LengthSet { types.values.reduce(0) { $0 | $1.localOnlyLengths } & ~lengths }
}

/// Why the tables can't be generated.
public struct GenerationError: Error, CustomStringConvertible {
  /// What is not supported, and where.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Reads a length list such as `7`, `[7-12]` or `5,[7-9]`.
func parseLengths(_ text: String) throws -> LengthSet {
  var lengths: LengthSet = 0
  for item in text.filter({ !$0.isWhitespace }).split(separator: ",") {
    let bounds = item.drop { $0 == "[" }.prefix { $0 != "]" }.split(separator: "-").map { Int($0) }
    guard let first = bounds.first ?? nil, let last = bounds.last ?? nil, (1...17).contains(first),
      first <= last,
      last <= 17
    else { throw GenerationError("length list '\(text)' is not understood") }
    for length in first...last { lengths |= 1 << LengthSet(length) }
  }
  return lengths
}
