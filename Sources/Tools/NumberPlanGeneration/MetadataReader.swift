// Reads PhoneNumberMetadata.xml into territories, in the file's order.
// Not for interpreting the data; formats, examples and comments are ignored.

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
    case typeName:
      typeName = nil
    default:
      break
    }
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
