// Generate against brute force: every number of a few digits is tested.

import RecordStages
import Records
import TestSupport
import Testing

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
