// The facts of PhoneNumberMetadata.xml that the tables need, as plain values, and how lengths are written there.
// Not for reading XML (MetadataReader) and not for compiling patterns (MetadataPattern).

/// Bit `n` is set when `n` digits are possible.
typealias LengthSet = UInt32

/// One kind of number of a territory: what it looks like and how long it is.
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
  /// `nationalPrefixForParsing`, or `nationalPrefix` where that is not given.
  var nationalPrefixForParsing: String?
  var transformRule: String?
  var general = ""
  /// By element name: fixedLine, mobile, …
  var types: [String: NumberDescription] = [:]

  /// The id that the metadata gives to networks which belong to no country.
  static let nonGeographicCode = "001"

  /// The kinds that make a number valid. `noInternationalDialling` is not one of them.
  static let typeNames = NumberClass.firstAsked.map(\.name) + ["fixedLine", "mobile"]

  /// Union over all kinds, as libphonenumber's BuildMetadataFromXml computes it for the general description.
  var lengths: LengthSet { types.values.reduce(0) { $0 | $1.lengths } }

  /// Likewise; a length that is possible for some kind is not local-only for the territory.
  var localOnlyLengths: LengthSet { types.values.reduce(0) { $0 | $1.localOnlyLengths } & ~lengths }
}

/// Why the tables could not be generated.
public struct GenerationError: Error, CustomStringConvertible {
  /// What is not understood, and where.
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
