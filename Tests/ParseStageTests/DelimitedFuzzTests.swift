// Random tables: the output of a simple writer is read back, and random bytes are never lost or duplicated.

import Records
import TestSupport
import Testing

@testable import InputStages

@Suite struct DelimitedFuzzTests {
  private static let pieces: [String] = [
    "a", "861", "x y", "\"", "\"\"", ",", ";", "\t", "\n", "\r\n", "骚扰", "é", "\\", "'", "#",
    "0123456789abcdef", "|",
  ]

  private static func field(_ random: inout SplitMix64, isNumber: Bool) -> String {
    if isNumber { return "86\(random.below(1_000_000_000))" }
    var text = ""
    for _ in 0..<random.below(6) { text += pieces[random.below(pieces.count)] }
    return text
  }

  /// A field as RFC 4180 defines it: quoted where required, and sometimes where not. A `#` at a table's start begins
  /// a comment unless it is quoted.
  private static func written(_ field: String, _ separator: String, _ random: inout SplitMix64) -> String {
    let bytes = field.utf8
    let must =
      bytes.contains { $0 == 0x22 || $0 == 0x0A || $0 == 0x0D || $0 == separator.utf8.first }
      || bytes.first == 0x23 || bytes.first == 0x20 || bytes.last == 0x20 || bytes.first == 0x09
      || bytes.last == 0x09
    guard must || random.below(4) == 0 else { return field }
    var quoted = "\""
    for scalar in field.unicodeScalars {
      if scalar == "\"" { quoted += "\"" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }

  @Test func writtenTablesAreReadBack() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for turn in 0..<100 {
      let separator = [",", ";", "\t", "|"][random.below(4)]
      let columns = 2 + random.below(4)
      let number = random.below(columns)
      let label = (number + 1 + random.below(columns - 1)) % columns
      let lineEnd = random.below(2) == 0 ? "\n" : "\r\n"
      let hasHeader = random.below(2) == 0
      var text = ""
      if hasHeader {
        text += (0..<columns).map { "c \($0)" }.joined(separator: separator) + lineEnd
      }
      var expected: [RawRow] = []
      for _ in 0..<random.below(60) {
        let fields = (0..<columns).map { Self.field(&random, isNumber: $0 == number) }
        text += fields.map { Self.written($0, separator, &random) }.joined(separator: separator) + lineEnd
        let recordFields = RecordFields.bytes(RecordFields.Fields(label: fields[label]))
        expected.append(RawRow(text: Array(fields[number].utf8), recordFields: recordFields))
      }
      var options = tableOptions(number: String(number + 1), label: String(label + 1))
      options.separator = separator.utf8.first
      options.header = hasHeader ? .yes : .no
      if hasHeader, random.below(2) == 0 {
        options.numberField = .name("c \(number)")
        options.labelField = .name("c \(label)")
      }
      let cuts = (0..<5).map { _ in 1 + random.below(60) }
      let place = Comment(rawValue: "seed \(seed), turn \(turn): \(text)")
      for (cuts, step) in [([], 1), (cuts, 1 + random.below(30)), ([1], 1)] as [([Int], Int)] {
        let outcome = try parse([Array(text.utf8)], options, cuts: cuts, heldStep: step, startBytes: 100)
        try #require(outcome.rows == expected, place)
        try #require(outcome.rejects == [] && outcome.failure == nil, place)
      }
    }
  }

  @Test(arguments: [ParseOptions.Format.csv, .tsv, .lines, .auto])
  func anyBytesInAnyCuts(_ format: ParseOptions.Format) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let alphabet: [[UInt8]] = [
      [0x22], [0x22], [0x2C], [0x2C], [0x0A], [0x0A], [0x0D], [0x0D, 0x0A], [0x20], [0x09], [0x3B], [0x23],
      [0x23],
      [0x61], [0xFF], [0xC3, 0xA9], [0x5C], [0x2B], Array("861".utf8), Array("86100000".utf8),
      Array("spam".utf8),
      Array("\"a\nb\"".utf8), Array(",\"x\"\"y\",".utf8), [0xE2, 0x80], [0], Array("#862 ##".utf8),
    ]
    #if DEBUG
      let turns = 500
    #else
      let turns = 20_000
    #endif
    for turn in 0..<turns {
      var bytes: [UInt8] = []
      // The fast path reads only where a block of 64 bytes follows, so that it reads nothing of the pieces below.
      for _ in 0..<random.below(random.below(2) == 0 ? 400 : 40) {
        bytes += alphabet[random.below(alphabet.count)]
      }
      var options = ParseOptions()
      options.format = format
      if random.below(2) == 0 { (options.numberField, options.labelField) = (.name("1"), .name("2")) }
      if random.below(4) == 0 { options.sourceField = FieldSelector(random.below(2) == 0 ? "2" : "=s") }
      if random.below(4) == 0 { options.recordBytesMax = 1 + random.below(60) }
      if random.below(3) == 0 { options.separator = UInt8(ascii: ",") }
      options.header = ParseOptions.Header.allCases[random.below(3)]
      let startBytes = random.below(80)
      let whole = try parse([bytes], options, startBytes: startBytes)
      let cuts = (0..<5).map { _ in 1 + random.below(random.below(2) == 0 ? 4 : 100) }
      let cut = try parse(
        [bytes], options, cuts: cuts, heldStep: 1 + random.below(40), startBytes: startBytes)
      let place = Comment(
        rawValue: "seed \(seed), turn \(turn): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
      try #require(whole.failure == cut.failure, place)
      if whole.failure != nil { continue }
      try #require(whole == cut, place)
      try #require(whole.rowsIn == whole.rowsOut + whole.rejectCount, place)
      try #require(whole.rowsOut == whole.rows.count && whole.rejectCount == whole.rejects.count, place)
      try #require(whole.isFinished && whole.ordinalsAreRight, place)
      for row in whole.rows {
        let textIsValid = UTF8Check.isValid(row.text.span)
        try #require(textIsValid, place)
        let checked = try RecordFields.check(row.recordFields.span)
        try #require(checked == row.recordFields.count, place)
      }
    }
  }

  /// More than the examined start of the input, in one piece and in pieces.
  @Test func manyRows() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    var text = "number,label,extra\n"
    var expected: [RawRow] = []
    for _ in 0..<4000 {
      let fields = [
        Self.field(&random, isNumber: true),
        ["spam", "骚扰电话", "a, b", "say \"hi\"", "two\nlines"][random.below(5)],
        "x",
      ]
      text += fields.map { Self.written($0, ",", &random) }.joined(separator: ",") + "\n"
      expected.append(
        RawRow(
          text: Array(fields[0].utf8), recordFields: RecordFields.bytes(RecordFields.Fields(label: fields[1]))
        ))
    }
    for format in [ParseOptions.Format.csv, .auto] {
      for cuts in [[], [65536], [1000, 7, 300_000], [4096]] {
        let outcome = try parse(
          [Array(text.utf8)], tableOptions(format), cuts: cuts, heldStep: 1024, swaps: true)
        #expect(outcome.rows == expected, "seed \(seed), cuts \(cuts)")
        #expect(outcome.rejects == [] && outcome.ordinalsAreRight)
      }
    }
  }
}
