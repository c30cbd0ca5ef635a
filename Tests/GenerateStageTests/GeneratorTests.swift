// Patterns: the numbers that they match, also against brute force, and the errors of invalid ones.

import NumberPlan
import RecordStages
import Records
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
    #expect(throws: Failure.self) { _ = try NumberSet(GenerateOptions(patterns: ["999X*"])) }
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
    #expect(throws: Failure.self) {
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

  static let invalidPatterns: [(String, Int, String)] = [
    ("", 0, "has no digits"), ("+82 7O XXXX", 6, "'O' is not a digit or a wildcard"),
    ("070-XXXX-XXXX", 1, "no international number starts with 0"),
    ("8270*1", 5, "a star is allowed only at the end"),
    ("82+70", 3, "a plus sign is allowed only at the start"),
    ("8270XXXXXXXXXXXXX", 16, "more than 15 digits"),
    ("8270..82", 5, "the two ends of the range have different numbers of digits"),
    ("8271..8270", 5, "the range ends before it starts"), ("8270..", 5, malformedRange),
    ("82XX..8270", 3, malformedRange), ("8270..8271..8272", 11, malformedRange),
    ("+999 1234*", 0, "unknown country calling code"), ("9991234567", 0, "unknown country calling code"),
    ("+1 212 XXX XXX", 0, "numbers of +1 never have 10 digits in total"),
    ("nanp:123", 6, "123 is not an area code: area codes start with 2 to 9"),
    ("nanp:911", 6, "911 is a service code, not an area code"),
    ("nanp:292", 6, "292 is reserved and not an area code yet"),
    ("nanp:372", 6, "372 is reserved and not an area code yet"),
    ("nanp:21", 6, "an area code has three digits"), ("nanp:2X2", 6, "an area code has three digits"),
    ("nanp:", 0, "has no digits"), ("nanp:212 555 01234", 18, "more than 10 digits"),
    ("电话", 1, "'电' is not a digit or a wildcard"),
  ]
  static let malformedRange = "a range is two complete numbers with two dots between them"

  @Test("errors and their places", arguments: invalidPatterns)
  func lastError(text: String, position: Int, reason: String) throws {
    do throws(Failure) {
      _ = try NumberSet(GenerateOptions(patterns: [text]))
      Issue.record("'\(text)' was taken")
    } catch {
      let place = position > 0 ? ", character \(position)" : ""
      let sentence =
        reason == "has no digits" ? "the pattern '\(text)' has no digits" : "'\(text)'\(place): \(reason)"
      #expect(error.code == "bad-pattern" && error.errorClass == .usage)
      #expect(error.message.message == sentence)
    }
  }

  @Test("a file of patterns: comments, blank lines, and errors with their line")
  func file() throws {
    let directory = try TemporaryDirectory()
    try directory.write("good", Array("# Korea\n\n+82 70 XXXX XXXX\r\n  # more\nnanp:212".utf8))
    let ranges = try Self.texts(GenerateOptions(patterns: [], patternFile: directory / "good"))
    #expect(ranges == ["12120000000..12129999999", "827000000000..827099999999"])
    try directory.write("bad", Array("nanp:212\nnanp:123\n".utf8))
    do throws(Failure) {
      _ = try NumberSet(GenerateOptions(patterns: [], patternFile: directory / "bad"))
      Issue.record("a bad file was taken")
    } catch {
      #expect(error.code == "bad-pattern" && error.errorClass == .badData)
      #expect(
        error.message.message
          == "\(directory / "bad"):2: 'nanp:123', character 6: 123 is not an area code: area codes start with 2 to 9"
      )
    }
  }

  @Test("limits: patterns, states, bytes of a file")
  func limits() throws {
    func failure(_ options: GenerateOptions) -> Failure? {
      do throws(Failure) {
        var set = try NumberSet(options)
        _ = try set.count()
        return nil
      } catch {
        return error
      }
    }
    let many = (0...GenerateOptions.patternsMax).map { "8270\(10_000_000 + $0)" }
    let tooMany = failure(GenerateOptions(patterns: many))
    #expect(tooMany?.code == "too-many-patterns" && tooMany?.errorClass == .usage)
    #expect(failure(GenerateOptions(patterns: Array(many.dropLast())))?.code == nil)
    let none = failure(GenerateOptions(patterns: []))
    #expect(none?.code == "no-patterns" && none?.message.message == "no pattern given")
    let directory = try TemporaryDirectory()
    try directory.write("large", [UInt8](repeating: 0x0A, count: StageFile.lineFileBytesMax + 1))
    let large = failure(GenerateOptions(patterns: [], patternFile: directory / "large"))
    #expect(large?.code == "file-too-large")
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
      do throws(Failure) { _ = try NumberSet(options) } catch { found = error.errorClass }
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

/// Generates records, and checks that they are ascending, disjoint and as few as possible.
func generated(_ options: GenerateOptions) throws -> [ClosedRange<UInt64>] {
  let fixture = try StageFixture(.generate)
  let sink = CollectingRecords()
  try Generator(options: options, context: fixture.context, downstream: sink).finish()
  #expect(sink.rules.isFinished && fixture.meter.isFinished)
  #expect(fixture.meter.rowsOut.value == UInt64(sink.records.count))
  #expect(fixture.meter.rowsIn.value == UInt64(sink.records.count))
  var before: UInt64 = 0
  let isInOrder = sink.records.allSatisfy { record in
    defer { before = record.last }
    let touches = before > 0 && record.first == before + 1
    return record.first > before && record.last >= record.first && !touches
  }
  #expect(isInOrder, "at \(before)")
  return sink.records.map { $0.first...$0.last }
}

/// The same by matching digit strings.
private enum BruteForce {
  static func matches(_ digits: [UInt8], _ pattern: [Character], isPrefix: Bool) -> Bool {
    matches(digits[...], pattern[...], isPrefix)
  }

  private static func matches(
    _ digits: ArraySlice<UInt8>, _ pattern: ArraySlice<Character>, _ isPrefix: Bool
  ) -> Bool {
    guard let first = pattern.first else { return isPrefix || digits.isEmpty }
    if first == "*" {
      return (0...digits.count).contains { matches(digits.dropFirst($0), pattern.dropFirst(), isPrefix) }
    }
    guard let digit = digits.first else { return false }
    guard first == "X" || first.asciiValue == digit else { return false }
    return matches(digits.dropFirst(), pattern.dropFirst(), isPrefix)
  }
}

@Suite("Generate against brute force", .seeded)
struct GenerateOracleTests {
  /// The digits of the tested numbers; 9,000 of them, so that many patterns can be tried.
  private static let digits = 4

  private static func pattern(_ generator: inout SplitMix64, digits: Int, stars: Bool) -> String {
    var text = ""
    while text.isEmpty || text == "*" {
      text = ""
      for position in 0..<digits {
        if stars, generator.chance(oneIn: 4) { text += text.hasSuffix("*") ? "" : "*" }
        let digit = String(Int.random(in: (position == 0 && text.isEmpty ? 1 : 0)...3, using: &generator))
        text += generator.chance(oneIn: 3) ? "X" : digit
      }
      if stars, generator.chance(oneIn: 3), !text.hasSuffix("*") { text += "*" }
    }
    return text
  }

  @Test("random patterns and exclusions, all numbers of four digits", arguments: 0..<10)
  func random(round: Int) throws {
    var generator = SplitMix64(test: "generate \(round)")
    for _ in 0..<20 {
      let included = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        Self.pattern(&generator, digits: Self.digits, stars: false)
      }
      let excluded = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
        Self.pattern(&generator, digits: Int.random(in: 1...4, using: &generator), stars: true)
      }
      // The lengths are explicit, since the numbering plan has no such numbers.
      let options = GenerateOptions(
        patterns: included.map { $0 + "*" }, excludes: excluded, lengths: 1 << UInt64(Self.digits))
      var numbers: Set<UInt64> = []
      for number in UInt64(1000)...9999 {
        let digits = Array(String(number).utf8)
        let isIncluded = included.contains { BruteForce.matches(digits, Array($0), isPrefix: false) }
        guard isIncluded else { continue }
        let isExcluded = excluded.contains { text in
          BruteForce.matches(digits, Array(text), isPrefix: text.allSatisfy(\.isNumber))
        }
        if !isExcluded { numbers.insert(number) }
      }
      var got: Set<UInt64> = []
      for range in try generated(options) { got.formUnion(range) }
      let isSame = got == numbers
      #expect(isSame, "\(included) without \(excluded): \(got.count) numbers, and not \(numbers.count)")
      var set = try NumberSet(options)
      #expect(try set.count() == UInt64(numbers.count))
    }
  }

  @Test("ranges, included and excluded")
  func ranges() throws {
    var generator = SplitMix64(test: "generate ranges")
    for _ in 0..<60 {
      func range(_ generator: inout SplitMix64) -> ClosedRange<UInt64> {
        let low = UInt64.random(in: 10_000...99_999, using: &generator)
        return low...min(99_999, low + UInt64.random(in: 0...3000, using: &generator))
      }
      let included = (0..<3).map { _ in range(&generator) }
      let excluded = (0..<2).map { _ in range(&generator) }
      func text(_ range: ClosedRange<UInt64>) -> String { "\(range.lowerBound)..\(range.upperBound)" }
      var numbers: Set<UInt64> = []
      for range in included { numbers.formUnion(range) }
      for range in excluded { numbers.subtract(range) }
      var got: Set<UInt64> = []
      for range in try generated(
        GenerateOptions(patterns: included.map(text), excludes: excluded.map(text)))
      { got.formUnion(range) }
      let isSame = got == numbers
      #expect(isSame, "\(included) without \(excluded)")
    }
  }

  @Test("Korea's 070 numbers without three zeros in a row, counted by a recurrence")
  func korea() throws {
    let options = GenerateOptions(patterns: ["+82 70 XXXX XXXX"], excludes: ["*000*"])
    // Sequences of eight digits after the zero of 70, by the number of zeros at their end.
    var endings: [UInt64] = [0, 1, 0]
    for _ in 0..<8 { endings = [9 * (endings[0] + endings[1] + endings[2]), endings[0], endings[1]] }
    let included = endings.reduce(0, +)
    var set = try NumberSet(options)
    #expect(try set.count() == included)
    let ranges = try generated(options)
    #expect(ranges.reduce(UInt64(0)) { $0 + ($1.upperBound - $1.lowerBound + 1) } == included)
    #expect(ranges.first == 827_001_001_001...827_001_001_999)
    #expect(ranges.count > 50_000)
  }
}
