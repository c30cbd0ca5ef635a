// The generator: the patterns that it supports, and whether the committed tables are its output.

import Foundation
import NumberPlan
import NumberPlanGeneration
import Testing

@Suite("Generating the tables")
struct GenerationTests {
  private static let metadataPath = ProcessInfo.processInfo.environment["CDPIPE_METADATA_XML"]
  private static let hasMetadata = metadataPath.map { FileManager.default.fileExists(atPath: $0) } ?? false
  private static let tablesFile = URL(filePath: #filePath)
    .appending(path: "../../../Sources/C/CNumberPlanTables/NumberPlanTables.c").standardizedFileURL

  private func tables(_ territories: String) throws -> String {
    let xml = "<phoneNumberMetadata><territories>\(territories)</territories></phoneNumberMetadata>"
    return try NumberPlanGenerator.tables(fromMetadata: Data(xml.utf8), version: "1")
  }

  private func territory(general: String, lengths: String = "7", attributes: String = "") -> String {
    """
    <territory id="AA" countryCode="99" \(attributes)>
      <generalDesc><nationalNumberPattern>\(general)</nationalNumberPattern></generalDesc>
      <mobile><possibleLengths national="\(lengths)"/><nationalNumberPattern>\(general)</nationalNumberPattern></mobile>
    </territory>
    """
  }

  @Test("checked-in tables are fresh", .enabled(if: hasMetadata, "CDPIPE_METADATA_XML names no file"))
  func fresh() throws {
    let metadata = try Data(contentsOf: URL(filePath: try #require(Self.metadataPath)))
    let fresh = try NumberPlanGenerator.tables(fromMetadata: metadata, version: NumberPlan.metadataVersion)
    let present = try String(contentsOf: Self.tablesFile, encoding: .utf8)
    #expect(fresh == present, "out of date, run `swift run --traits Tool generate-number-plan`")
  }

  @Test("the same metadata produces the same bytes")
  func deterministic() throws {
    let text = territory(
      general: #"(?:1[2-5]|[67]\d)\d{5}"#, attributes: #"nationalPrefix="0" internationalPrefix="00""#)
    #expect(try tables(text) == tables(text))
  }

  @Test("equal languages share their states")
  func minimal() throws {
    let states = { (pattern: String) in
      try #require(try tables(territory(general: pattern)).firstMatch(of: /state_count_value = (\d+)/)).1
    }
    #expect(try states(#"[12]\d{6}"#) == states(#"1\d{6}|2\d{3}\d{3}"#))
  }

  @Test(
    "unsupported metadata is an error",
    arguments: [#"[^1]\d"#, #"\w"#, "1**", "(1", "1)", "[3-1]", "a", "1{3,2}", "(?=1)", "1{99}"])
  func refused(pattern: String) {
    #expect(throws: GenerationError.self) { try tables(territory(general: pattern)) }
  }

  private func territory(format: String) -> String {
    territory(general: "1", attributes: #"nationalPrefix="0""#).replacing(
      "<generalDesc>", with: "<availableFormats>\(format)</availableFormats><generalDesc>")
  }

  @Test("a format has groups, and the national prefix in the first group of its text")
  func format() throws {
    let text = try tables(
      territory(
        format: #"""
          <numberFormat pattern="(\d{2,3})(\d)" nationalPrefixFormattingRule="($NP-$FG)">
            <leadingDigits>1</leadingDigits><leadingDigits>1[2-5]</leadingDigits>
            <format>$2/$1</format><intlFormat>NA</intlFormat>
          </numberFormat>
          """#))
    // The groups have 2 to 3 digits and one; the texts are "(0-2)/1", of which 1 and 2 are groups.
    #expect(text.contains("cnp_format cnp_format_values[] = {\n    {\(0x1132)u, 0, 65535},\n}"))
    #expect(text.contains("cnp_template_values[] = {\n40,48,45,2,41,47,1,0,\n}"))
  }

  @Test(
    "unsupported formats are errors",
    arguments: [
      (#"(\d{2})1"#, "1", "$1"), (#"(\d)(1)"#, "1", "$1"), (#"(\d{16})"#, "1", "$1"), (#"(\d)"#, "1$", "$1"),
      (#"(\d)"#, "(?=1)", "$1"), (#"(\d)"#, "", "$1"), (#"(\d)"#, "1", "$2"), (#"(\d)"#, "1", "é"),
      ("", "1", "$1"),
    ])
  func refusedFormat(pattern: String, leadingDigits: String, format: String) {
    let text = """
      <numberFormat pattern="\(pattern)">
        <leadingDigits>\(leadingDigits)</leadingDigits><format>\(format)</format>
      </numberFormat>
      """
    #expect(throws: GenerationError.self) { try tables(territory(format: text)) }
  }

  @Test("lengths are lists and ranges", arguments: [("[7-12]", 8064), ("5,[7-9]", 928), (" 4 , 6", 80)])
  func lengths(list: String, bits: Int) throws {
    #expect(try tables(territory(general: #"\d+"#, lengths: list)).contains(", \(bits), 0},"))
  }

  @Test(
    "prefixes that do not fit into a parsed number are errors",
    arguments: [
      (#"internationalPrefix="00\d{7}""#, false), (#"internationalPrefix="00\d{6}""#, true),
      (#"nationalPrefixForParsing="0(\d{7})?""#, false), (#"nationalPrefixForParsing="0(\d{6})?""#, true),
      (#"nationalPrefixForParsing="(\d{7})" nationalPrefixTransformRule="1$1""#, true),
      (#"nationalPrefixForParsing="0(1)?(2)?(3)?""#, false),
    ])
  func prefixCapacity(attributes: String, fits: Bool) {
    let text = territory(general: "1", attributes: attributes)
    if fits {
      #expect(throws: Never.self) { try tables(text) }
    } else {
      #expect(throws: GenerationError.self) { try tables(text) }
    }
  }

  @Test("territories that share a calling code have one main one, and their numbers one class each")
  func sharedCodes() throws {
    let main = territory(general: #"[12]\d{6}"#, attributes: #"mainCountryForCode="true""#)
    let other = territory(general: #"2\d{6}"#, attributes: #"leadingDigits="2""#)
      .replacing(#"id="AA""#, with: #"id="AB""#)
    // Class 1 is mobile, in the first and in the second territory; 15 is the leading digits alone, without a type.
    // The first territory claims what matches its patterns, which leaves the leading digits to the second.
    let shared = try tables(main + other)
    let classes = try #require(shared.firstMatch(of: /cnp_class_values\[\] = {\n([^\n]*)/)).1
    #expect(Set(classes.split(separator: ",")) == ["1", "31"])
    #expect(throws: GenerationError.self) { try tables(other + other) }
  }

  @Test("bad lengths and files are errors")
  func bad() {
    #expect(throws: GenerationError.self) { try tables(territory(general: "1", lengths: "[9-7]")) }
    #expect(throws: GenerationError.self) { try tables(territory(general: "1", lengths: "18")) }
    #expect(throws: GenerationError.self) { try tables("") }
    #expect(throws: GenerationError.self) {
      try NumberPlanGenerator.tables(fromMetadata: Data("no XML".utf8), version: "1")
    }
  }
}
