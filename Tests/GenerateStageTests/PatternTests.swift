// Patterns: the numbers that they match, and the errors of invalid ones.

import Records
import RecordStages
import NumberPlan
import SystemIO
import TestSupport
import Testing

@Suite("Patterns")
struct CommandLinePatternTests {
  private static func texts(_ options: GenerateOptions) throws -> [String] {
    try generated(options).map { range in
      range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)..\(range.upperBound)"
    }
  }

  @Test(
    "patterns and their ranges",
    arguments: [
      ("+82 70 XXXX XXXX", ["827000000000..827099999999"]), ("8270########", ["827000000000..827099999999"]),
      ("82-70-xxxx-????", ["827000000000..827099999999"]), ("82(70)********", ["827000000000..827099999999"]),
      ("+８２ ７０ ○○○○ ○○○○", ["827000000000..827099999999"]),
      ("+82 70", ["827000000000..827099999999"]), ("+82 70*", ["827000000000..827099999999"]),
      ("+1 212", ["12120000000..12129999999"]), ("nanp:212", ["12120000000..12129999999"]),
      ("NANP:212", ["12120000000..12129999999"]), ("nanp:212-555", ["12125550000..12125559999"]),
      ("nanp:(212) 555-01XX", ["12125550100..12125550199"]), ("33162*", ["33162000000..33162999999"]),
      ("+8613800138000", ["8613800138000"]),
      ("8270 0000 0000..8270 0000 0999", ["827000000000..827000000999"]),
      ("82X0 1234 5678", (0...9).map { "82\($0)012345678" }),
    ])
  func ranges(text: String, ranges: [String]) throws {
    #expect(try Self.texts(GenerateOptions(patterns: [text])) == ranges)
  }

  @Test("several patterns are united")
  func several() throws {
    let options = GenerateOptions(
      patterns: ["8270 2### ####", "8270 1### ####", "8270 15## ####", "1212", "8270 3000 0000"])
    #expect(
      try Self.texts(options) == ["12120000000..12129999999", "827010000000..827030000000"])
  }

  @Test("adjacent ranges become one, also with different lengths")
  func touching() throws {
    #expect(try Self.texts(GenerateOptions(patterns: ["X", "XX", "1..9", "100..102"])) == ["1..102"])
    #expect(
      try Self.texts(GenerateOptions(patterns: ["X", "XX"], excludes: ["9", "50..60"]))
        == ["1..8", "10..49", "61..89"])
  }

  @Test("wildcards in the calling code: each country that matches, with its own lengths")
  func hiddenCodes() throws {
    let cases: [(String, [String]?)] = [
      ("8X70*", ["8170*", "8270*", "8470*", "8670*"]), ("8XX1*", nil), ("3*", nil),
    ]
    for (hidden, withCallingCode) in cases {
      let known = withCallingCode ?? Self.beginnings(hidden)
      #expect(known.count > 3)
      #expect(
        try Self.texts(GenerateOptions(patterns: [hidden])) == Self.texts(GenerateOptions(patterns: known)))
    }
    #expect(throws: GenerateError.self) { _ = try NumberSet(GenerateOptions(patterns: ["999X*"])) }
  }

  /// The pattern once for each calling code that matches, written out.
  private static func beginnings(_ pattern: String) -> [String] {
    let included = Array(pattern.dropLast())
    return (1...999).compactMap { code in
      let digits = Array(String(code))
      guard NumberPlan.callingCode(ofDigits: UInt64(code)) == UInt16(code),
        zip(included, digits).allSatisfy({ $0 == "X" || $0 == $1 })
      else { return nil }
      let text = String(digits + included.dropFirst(digits.count)) + "*"
      return (try? NumberSet(GenerateOptions(patterns: [text]))) == nil ? nil : text
    }
  }

  @Test("explicit lengths")
  func lengths() throws {
    let options = GenerateOptions(patterns: ["+49 30*"], lengths: 1 << 6 | 1 << 7)
    #expect(try Self.texts(options) == ["493000..493099", "4930000..4930999"])
    #expect(throws: GenerateError.self) {
      _ = try NumberSet(GenerateOptions(patterns: ["493012345"], lengths: 1 << 6))
    }
  }

  @Test(
    "exclusions",
    arguments: [
      (["82701"], ["827000000000..827009999999", "827020000000..827099999999"]),
      (["*1*", "*2*", "*3*", "*4*", "*5*", "*6*", "*7*"], []),
      (["+82 7001..+82 7002"], ["827000000000..827099999999"]),
      (["827000000000..827099999998"], ["827099999999"]), (["*9", "8270########"], []),
      (["82709999999X", "8270X*"], []), (["*"], []),
    ])
  func exclusions(excludes: [String], ranges: [String]) throws {
    #expect(
      try Self.texts(GenerateOptions(patterns: ["+82 70 XXXX XXXX"], excludes: excludes)) == ranges)
  }

  static let invalidPatterns: [(String, Int, NumberPatternErrorReason)] = [
    ("", 0, .empty), ("+82 7O XXXX", 6, .unexpected("O")), ("070-XXXX-XXXX", 1, .leadingZero),
    ("8270*1", 5, .starNotLast), ("82+70", 3, .plusNotFirst),
    ("8270XXXXXXXXXXXXX", 16, .tooManyDigits(limit: 15)),
    ("8270..82", 5, .unequalLengths), ("8271..8270", 5, .descending), ("8270..", 5, .malformedRange),
    ("82XX..8270", 3, .malformedRange), ("8270..8271..8272", 11, .malformedRange),
    ("+999 1234*", 0, .noCallingCode), ("9991234567", 0, .noCallingCode),
    ("+1 212 XXX XXX", 0, .impossibleLength(digits: 10, callingCode: 1)),
    ("nanp:123", 6, .areaBelow200(code: 123)), ("nanp:911", 6, .areaIsService(code: 911)),
    ("nanp:292", 6, .areaIsReserved(code: 292)), ("nanp:372", 6, .areaIsReserved(code: 372)),
    ("nanp:21", 6, .areaNotThreeDigits), ("nanp:2X2", 6, .areaNotThreeDigits),
    ("nanp:", 0, .empty), ("nanp:212 555 01234", 18, .tooManyDigits(limit: 10)),
    ("电话", 1, .unexpected("电")),
  ]

  @Test("errors and their places", arguments: invalidPatterns)
  func lastError(text: String, position: Int, reason: NumberPatternErrorReason) throws {
    do throws(GenerateError) {
      _ = try NumberSet(GenerateOptions(patterns: [text]))
      Issue.record("'\(text)' was taken")
    } catch {
      guard case .badPattern(text, let at, let found, .argument) = error else {
        Issue.record("'\(text)': \(error)")
        return
      }
      #expect(at == position && found == reason, "'\(text)': \(found) at \(at)")
    }
  }

  @Test("a file of patterns: comments, blank lines, and errors with their line")
  func file() throws {
    let directory = try TemporaryDirectory()
    try directory.write("good", Array("# Korea\n\n+82 70 XXXX XXXX\r\n  # more\nnanp:212".utf8))
    let ranges = try Self.texts(GenerateOptions(patterns: [], patternFile: directory / "good"))
    #expect(ranges == ["12120000000..12129999999", "827000000000..827099999999"])
    try directory.write("bad", Array("nanp:212\nnanp:123\n".utf8))
    do throws(GenerateError) {
      _ = try NumberSet(GenerateOptions(patterns: [], patternFile: directory / "bad"))
      Issue.record("a bad file was taken")
    } catch {
      guard case .badPattern("nanp:123", 6, .areaBelow200(code: 123), .file(_, line: 2)) = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test("limits: patterns, states, bytes of a file")
  func limits() throws {
    func failure(_ options: GenerateOptions) -> GenerateError? {
      do throws(GenerateError) {
        var set = try NumberSet(options)
        _ = try set.count()
        return nil
      } catch {
        return error
      }
    }
    let many = (0...GenerateOptions.patternsMax).map { "8270\(10_000_000 + $0)" }
    guard case .tooManyPatterns(_, nil)? = failure(GenerateOptions(patterns: many)) else {
      Issue.record("4097 patterns were taken")
      return
    }
    #expect(failure(GenerateOptions(patterns: Array(many.dropLast()))) == nil)
    guard case .noPatterns(nil)? = failure(GenerateOptions(patterns: [])) else {
      Issue.record("no patterns were taken")
      return
    }
    let directory = try TemporaryDirectory()
    try directory.write("large", [UInt8](repeating: 0x0A, count: GenerateOptions.fileBytesMax + 1))
    guard case .fileTooLarge? = failure(GenerateOptions(patterns: [], patternFile: directory / "large"))
    else {
      Issue.record("a large file was taken")
      return
    }
  }

  @Test("what a pattern file contains is bad data, what the options contain is a usage error")
  func errorClasses() throws {
    let directory = try TemporaryDirectory()
    try directory.write("none", Array("# nothing\n\n".utf8))
    try directory.write("one", Array("nanp:212\n".utf8))
    let many = (0...GenerateOptions.patternsMax).map { "8270\(10_000_000 + $0)\n" }.joined()
    try directory.write("many", Array(many.utf8))
    let cases: [(GenerateOptions, ErrorClass?)] = [
      (GenerateOptions(patterns: []), .usage),
      (GenerateOptions(patterns: [], patternFile: directory / "none"), .badData),
      (GenerateOptions(patterns: ["nanp:212"], patternFile: directory / "none"), nil),
      (GenerateOptions(patterns: [], patternFile: directory / "one"), nil),
      (GenerateOptions(patterns: ["070"], patternFile: directory / "one"), .usage),
      (GenerateOptions(patterns: [], patternFile: directory / "many"), .badData),
    ]
    for (index, (options, expected)) in cases.enumerated() {
      var found: ErrorClass?
      do throws(GenerateError) { _ = try NumberSet(options) } catch { found = error.errorClass }
      #expect(found == expected, "\(index)")
    }
  }

  @Test("all records have the label, source and score; more than a batch of them")
  func fields() throws {
    let fixture = try StageFixture(.generate)
    let sink = CollectingRecords(CollectorOptions(swaps: true))
    let options = GenerateOptions(
      patterns: ["8270000XXXX1"], excludes: ["82700001*", "8270000X3*"],
      fields: RecordFields.Fields(label: "070\t", source: "kr", score: -3))
    try Generator(options: options, context: fixture.context, downstream: sink).finish()
    let isAll = sink.records.allSatisfy { $0.recordFields == Array("070\\t\tkr\t-3".utf8) }
    #expect(isAll)
    #expect(sink.records.count == 9 * 9 * 100)
    #expect(sink.rules.batches == 2)
  }
}
