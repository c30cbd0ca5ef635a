// Asterisk's blacklist as its command line prints it.

import Records
import Testing

@testable import InputStages

@Suite struct AsteriskDatabaseTests {
  static let listing = """
    /blacklist/15550100001                            : Spam                     
    /blacklist/+4930000000001                         : Survey: repeated         
    /blacklist/15550100002                            : 1                        
    /blacklist/blocked                                : 1                        
    /blacklist/dest                                   : app-blackhole,hangup,1   
    5 results found.

    """

  @Test(arguments: [ParseOptions.Format.asterisk, .auto])
  func entriesAreRows(_ format: ParseOptions.Format) throws {
    let outcome = try parseHoweverCut(Self.listing, options(format))
    #expect(
      outcome.rows == [
        RawRow("15550100001", "Spam"), RawRow("+4930000000001", "Survey: repeated"),
        RawRow("15550100002", ""),
      ])
    #expect(outcome.rejects == [] && outcome.failure == nil)
    let returns = try parseHoweverCut(Self.listing.replacing("\n", with: "\r\n"), options(format))
    #expect(returns.rows == outcome.rows && returns.rejects == [])
  }

  @Test func otherLines() throws {
    let text = "/DND/100 : YES\n/blacklist/1 : a\n/blacklist/2\n/blacklist/ : x\n\nx\n/blacklist/3 : b"
    let outcome = try parseHoweverCut(text, options(.auto))
    #expect(outcome.rows == [RawRow("1", "a"), RawRow("3", "b")])
    #expect(outcome.codes == ["unexpected-text", "missing-colon", "missing-number", "unexpected-text"])
    #expect(outcome.lines == [1, 3, 4, 6])
  }

  @Test func longLinesAndChosenFields() throws {
    let short = options(.asterisk) {
      $0.recordBytesMax = 40
      $0.sourceField = .name("value")
    }
    let text = "/blacklist/1 : \(String(repeating: "x", count: 3000))\n/blacklist/2 : b\n"
    let outcome = try parseHoweverCut(text, short)
    #expect(outcome.rows == [RawRow("2", "b\tb")] && outcome.codes == ["record-too-long"])
  }

  @Test func anUnknownFieldIsAnError() throws {
    let chosen = options(.asterisk) { $0.labelField = .name("description") }
    #expect(
      try parseHoweverCut("/blacklist/1 : a\n", chosen).failure
        == .noSuchField("description", names: ["key", "value"], input: "in0"))
  }

  @Test func mutatedListings() throws {
    try fuzz(Array(Self.listing.utf8), [options(.asterisk)], turns: fuzzTurns / 2)
  }
}
