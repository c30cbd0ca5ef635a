// Reads PhoneNumberMetadata.xml into territories, in the file's order.

import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Collects territories from parser events.
final class MetadataReader: NSObject, XMLParserDelegate {
  private var territories: [Territory] = []
  private var territory: Territory?
  private var typeName: String?
  private var text: String?
  private var failure: GenerationError?

  /// Reads the whole file. Throws if it is not XML or contains something unexpected.
  static func read(_ xml: Data) throws -> [Territory] {
    let reader = MetadataReader()
    let parser = XMLParser(data: withoutDocumentType(xml))
    parser.delegate = reader
    let finished = parser.parse()
    if let failure = reader.failure { throw failure }
    guard finished, !reader.territories.isEmpty else {
      let reason = parser.parserError.map { "\($0)" } ?? "no territory"
      throw GenerationError("no numbering-plan metadata: \(reason)")
    }
    return reader.territories
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    switch name {
    case "territory":
      begin(attributes, parser)
    case "generalDesc":
      typeName = name
    case _ where Territory.typeNames.contains(name):
      typeName = name
      territory?.types[name] = NumberDescription()
    case "possibleLengths":
      guard let typeName else { return }
      do {
        let lengths = try parseLengths(attributes["national"] ?? "")
        let localOnly = try parseLengths(attributes["localOnly"] ?? "")
        territory?.types[typeName]?.lengths = lengths
        territory?.types[typeName]?.localOnlyLengths = localOnly
      } catch {
        stop(error, parser)
      }
    case "nationalNumberPattern":
      text = typeName == nil ? nil : ""
    case "numberFormat":
      let prefixRule = attributes["nationalPrefixFormattingRule"] ?? territory?.prefixRule
      let pattern = withoutWhitespace(attributes["pattern"] ?? "")
      territory?.formats.append(MetadataFormat(pattern: pattern, prefixRule: prefixRule))
    case "leadingDigits", "format", "intlFormat":
      text = ""
    default:
      break
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text?.append(string) }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?)
  {
    switch name {
    case "territory":
      if let territory { territories.append(territory) }
      territory = nil
    case "nationalNumberPattern":
      guard let typeName, let text else { return }
      if typeName == "generalDesc" {
        territory?.general = withoutWhitespace(text)
      } else {
        territory?.types[typeName]?.pattern = withoutWhitespace(text)
      }
      self.text = nil
    case "leadingDigits", "format", "intlFormat":
      endFormatPart(name, parser)
    case typeName:
      typeName = nil
    default:
      break
    }
  }

  private func endFormatPart(_ name: String, _ parser: XMLParser) {
    guard let text, let format = territory?.formats.indices.last else { return }
    let form = text.trimmingCharacters(in: .whitespacesAndNewlines)
    switch name {
    case "leadingDigits":
      territory?.formats[format].leadingDigits = withoutWhitespace(text)
    case "format":
      territory?.formats[format].national = form
    default:
      if territory?.formats[format].international != nil {
        stop(GenerationError("a format of \(territory?.code ?? "") has two international forms"), parser)
      }
      territory?.formats[format].international = form
    }
    self.text = nil
  }

  private func begin(_ attributes: [String: String], _ parser: XMLParser) {
    var new = Territory()
    new.code = attributes["id"] ?? ""
    new.callingCode = Int(attributes["countryCode"] ?? "") ?? 0
    new.isMainForCode = attributes["mainCountryForCode"] == "true"
    new.leadingDigits = attributes["leadingDigits"].map(withoutWhitespace)
    new.internationalPrefix = attributes["internationalPrefix"].map(withoutWhitespace)
    new.nationalPrefixForParsing =
      (attributes["nationalPrefixForParsing"] ?? attributes["nationalPrefix"]).map(withoutWhitespace)
    new.nationalPrefix = attributes["nationalPrefix"] ?? ""
    new.prefixRule = attributes["nationalPrefixFormattingRule"]
    new.transformRule = attributes["nationalPrefixTransformRule"].map(withoutWhitespace)
    if new.code.utf8.count > 3 || !(1...999).contains(new.callingCode) {
      stop(GenerationError("territory '\(new.code)' has calling code \(new.callingCode)"), parser)
    }
    territory = new
  }

  private func stop(_ error: any Error, _ parser: XMLParser) {
    failure = failure ?? (error as? GenerationError) ?? GenerationError("\(error)")
    parser.abortParsing()
  }

  // swift-corelibs-foundation's parser crashes on an attribute declaration without a default value, and the
  // document type is full of them. Nothing in it is needed: the file uses no entities of its own.
  private static func withoutDocumentType(_ xml: Data) -> Data {
    guard let start = xml.range(of: Data("<!DOCTYPE".utf8)),
      let end = xml.range(of: Data("]>".utf8), in: start.upperBound..<xml.endIndex)
    else { return xml }
    return xml[..<start.lowerBound] + xml[end.upperBound...]
  }

  // Patterns span several lines in the XML; white space in them has no meaning.
  private func withoutWhitespace(_ text: String) -> String { text.filter { !$0.isWhitespace } }
}

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
  var nationalPrefix = ""
  /// `nationalPrefixFormattingRule`, for formats without one of their own.
  var prefixRule: String?
  var formats: [MetadataFormat] = []
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

/// The part of Java's regular expressions that the metadata uses. Anything else is an error, never a guess. `*` and
/// `+` are bounded.
indirect enum MetadataPattern: Hashable, Sendable {
  /// A digit out of a set; bit `d` is digit `d`.
  case digit(UInt16)
  case sequence([MetadataPattern])
  /// Tried in this order.
  case alternatives([MetadataPattern])
  /// `min` to `max` times, as many as possible.
  case repeated(MetadataPattern, min: Int, max: Int)
  /// A capturing group, counted from 1.
  case group(Int, MetadataPattern)
  /// `$`.
  case end

  /// `*` and `+` are expanded up to this many times: NumberPlan matches at most this many digits.
  static let lengthMax = 20

  static let anyDigit = MetadataPattern.digit(0x3FF)

  /// Parses `text`; throws a message that quotes it.
  init(_ text: String) throws {
    var parser = MetadataPatternParser(text: text, characters: Array(text.utf8))
    self = try parser.alternatives()
    guard parser.isAtEnd else { throw parser.error() }
  }
}

private struct MetadataPatternParser {
  let text: String
  let characters: [UInt8]
  var position = 0
  var groups = 0

  var isAtEnd: Bool { position == characters.count }

  func error() -> GenerationError {
    GenerationError("pattern '\(text)' is not understood at character \(position + 1)")
  }

  mutating func consume(_ character: Character) -> Bool {
    guard position < characters.count, characters[position] == character.asciiValue else { return false }
    position += 1
    return true
  }

  mutating func alternatives() throws -> MetadataPattern {
    var branches = [try sequence()]
    while consume("|") { branches.append(try sequence()) }
    return branches.count == 1 ? branches[0] : .alternatives(branches)
  }

  mutating func sequence() throws -> MetadataPattern {
    var parts: [MetadataPattern] = []
    while position < characters.count, characters[position] != UInt8(ascii: "|"),
      characters[position] != UInt8(ascii: ")")
    {
      parts.append(try quantified())
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  mutating func quantified() throws -> MetadataPattern {
    let part = try atom()
    let repeated: MetadataPattern
    if consume("?") {
      repeated = .repeated(part, min: 0, max: 1)
    } else if consume("*") {
      repeated = .repeated(part, min: 0, max: MetadataPattern.lengthMax)
    } else if consume("+") {
      repeated = .repeated(part, min: 1, max: MetadataPattern.lengthMax)
    } else if consume("{") {
      let minimum = try number()
      let maximum = consume(",") ? try number() : minimum
      guard consume("}"), minimum <= maximum else { throw error() }
      repeated = .repeated(part, min: minimum, max: maximum)
    } else {
      return part
    }
    // A second quantifier would make the first one lazy or possessive, which the metadata does not use.
    if position < characters.count, "?*+{".utf8.contains(characters[position]) { throw error() }
    return repeated
  }

  mutating func atom() throws -> MetadataPattern {
    if consume("(") {
      var group: Int?
      if consume("?") {
        guard consume(":") else { throw error() }
      } else {
        groups += 1
        group = groups
      }
      let inner = try alternatives()
      guard consume(")") else { throw error() }
      return group.map { .group($0, inner) } ?? inner
    }
    if consume("[") { return try characterClass() }
    if consume("$") { return .end }
    if consume("\\") {
      guard consume("d") else { throw error() }
      return .anyDigit
    }
    return .digit(1 << UInt16(try digit()))
  }

  mutating func characterClass() throws -> MetadataPattern {
    var set: UInt16 = 0
    while !consume("]") {
      let first = try digit()
      let last = consume("-") ? try digit() : first
      guard first <= last else { throw error() }
      for digit in first...last { set |= 1 << UInt16(digit) }
    }
    return .digit(set)
  }

  mutating func digit() throws -> Int {
    guard position < characters.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(characters[position])
    else {
      throw error()
    }
    position += 1
    return Int(characters[position - 1] - UInt8(ascii: "0"))
  }

  mutating func number() throws -> Int {
    var value = try digit()
    while position < characters.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(characters[position])
    {
      value = value * 10 + (try digit())
    }
    guard value <= MetadataPattern.lengthMax else { throw error() }
    return value
  }
}
