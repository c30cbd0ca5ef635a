// Data slices of YetAnotherCallBlocker and Should I Answer: rows, removed numbers, and damaged bytes.

import Records
import TestSupport
import Testing

@testable import InputStages

@Suite struct DataSliceTests {
  private static func integer(_ value: Int64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
  }

  private static func votes(
    _ items: [(number: Int64, rating: [UInt8])], removed: [Int64] = [], magic: String = "YABF",
    end: String = "YABEND"
  ) -> [UInt8] {
    var bytes = Array(magic.utf8)
    bytes.append(1)
    bytes += integer(7, 4)
    bytes += Array("ww".utf8)
    bytes += integer(0, 4)
    bytes += integer(Int64(items.count), 4)
    for item in items {
      bytes += integer(item.number, 8)
      bytes += item.rating
    }
    bytes += Array("CP".utf8)
    bytes += integer(Int64(removed.count), 4)
    for number in removed { bytes += integer(number, 8) }
    return bytes + Array(end.utf8)
  }

  private static func names(_ items: [(number: Int64, name: String)]) -> [UInt8] {
    var bytes = Array("MTZX".utf8)
    bytes += integer(7, 4)
    bytes += integer(Int64(items.count), 4)
    for item in items {
      bytes += integer(item.number, 8)
      bytes += integer(Int64(item.name.utf8.count), 4)
      bytes += Array(item.name.utf8)
    }
    bytes += Array("CP".utf8)
    bytes += integer(0, 4)
    return bytes + Array("mtzend".utf8)
  }

  private static let sample = votes(
    [(441_632_960_001, [0, 5, 1, 0, 10]), (441_632_960_002, [3, 0, 0, 0, 16])], removed: [441_632_960_009])

  /// Parses bytes in one piece and cut in many ways; the results must be equal.
  private static func parseCut(_ bytes: [UInt8], _ options: ParseOptions) throws -> Outcome {
    let whole = try parse([bytes], options)
    for cuts in staccato {
      let cut = try parse([bytes], options, cuts: cuts)
      #expect(isSame(cut, whole), "cut in \(cuts)")
    }
    for at in 1..<max(2, bytes.count) {
      let cut = try parse([bytes], options, cuts: [at, bytes.count])
      if !isSame(cut, whole) { Issue.record("cut at \(at)") }
    }
    if whole.failure == nil { #expect(whole.rowsIn == whole.rowsOut + whole.rejectCount) }
    return whole
  }

  @Test(arguments: [ParseOptions.Format.yacb, .auto])
  func itemsAreRows(_ format: ParseOptions.Format) throws {
    let outcome = try Self.parseCut(Self.sample, options(format))
    #expect(
      outcome.rows == [RawRow("+441632960001", "scam\t\t5"), RawRow("+441632960002", "company\t\t-3")])
    #expect(outcome.rejects.map(\.reason) == [.removed] && outcome.rejects.map(\.text) == ["+441632960009"])
    #expect(outcome.failure == nil)
  }

  @Test func categoriesAndOtherFields() throws {
    let items: [(number: Int64, rating: [UInt8])] = [
      (10, [1, 2, 3, 4, 0]), (11, [0, 0, 0, 0, 0]), (12, [0, 1, 0, 0, 57]), (-5, [0, 1, 0, 0, 1]),
    ]
    let outcome = try Self.parseCut(Self.votes(items, magic: "mtzd"), options(.yacb))
    #expect(outcome.rows == [RawRow("+10", "\t\t1"), RawRow("+12", "category 57\t\t1")])
    #expect(
      outcome.rejects.map(\.reason) == [.removed, .notWhole] && outcome.rejects.map(\.text) == ["+11", "-5"])
    let chosen = options(.yacb) {
      $0.labelField = .name("neutral")
      $0.sourceField = .constant("sia")
      $0.scoreField = .name("negative")
    }
    #expect(try Self.parseCut(Self.votes(items), chosen).rows.first == RawRow("+10", "3\tsia\t2"))
    let other = options(.yacb) { $0.numberField = .name("phone") }
    #expect(
      try Self.parseCut(Self.sample, other).failure
        == .noSuchField(
          "phone", names: ["number", "category", "positive", "negative", "neutral", "score"], input: "in0"))
  }

  @Test(arguments: [ParseOptions.Format.yacb, .auto])
  func namesAreLabels(_ format: ParseOptions.Format) throws {
    let bytes = Self.names([(441_632_960_001, "ACME"), (441_632_960_002, ""), (441_632_960_003, "Zoë\tGmbH")])
    #expect(
      try Self.parseCut(bytes, options(format)).rows == [
        RawRow("+441632960001", "ACME"), RawRow("+441632960002", ""), RawRow("+441632960003", "Zoë\\tGmbH"),
      ])
    let short = options(format) { $0.recordBytesMax = 4 }
    let outcome = try Self.parseCut(bytes, short)
    #expect(outcome.rows.count == 2 && outcome.rejects.map(\.reason) == [.recordTooLong(limit: 4)])
  }

  @Test func slicesFollowOneAnother() throws {
    let names = Self.names([(441_632_960_003, "ACME")])
    for bytes in [Self.sample + names, Self.sample + [0x0A] + names, Self.sample + names + [0x0A]] {
      let outcome = try Self.parseCut(bytes, options(.auto))
      #expect(
        outcome.rows == [
          RawRow("+441632960001", "scam\t\t5"), RawRow("+441632960002", "company\t\t-3"),
          RawRow("+441632960003", "ACME"),
        ])
      #expect(outcome.failure == nil && outcome.codes == ["removed"])
    }
  }

  @Test(arguments: ["rest of something", "YA", "\n\n", "\nMTZF", "YABFoo"])
  func otherDataAfterTheEndIsAnError(_ rest: String) throws {
    let outcome = try Self.parseCut(Self.sample + Array(rest.utf8), options(.yacb))
    let reason: String = rest.contains("F") ? "it ends too early" : "other data follows its end mark"
    #expect(outcome.rows.count == 2 && outcome.failure == .invalidSlice(reason, input: "in0"))
  }

  @Test func emptyAndOtherInputs() throws {
    #expect(try parse([[]], options(.yacb)).failure == nil)
    let start = Array(Self.sample[..<15])
    let tooMany: [UInt8] = start + [0xFF, 0xFF, 0xFF, 0x7F] as [UInt8] + Array(Self.sample[19...])
    let cases: [(bytes: [UInt8], reason: String)] = [
      (Array("ABCD".utf8), "it does not begin like one"), (Array("YAB".utf8), "it ends too early"),
      (Array(Self.sample.dropLast(3)), "it ends too early"),
      (Self.votes([], end: "YABENE"), "its end mark is missing"),
      (Self.votes([(1, [0, 1, 0, 0, 0, 9])]), "'CP' is missing after its numbers"),
      (start + [0xFF, 0xFF, 0xFF, 0xFF], "a count is negative"),
      (tooMany, "it ends too early"),
    ]
    for (bytes, reason) in cases {
      #expect(try parse([bytes], options(.yacb)).failure == .invalidSlice(reason, input: "in0"))
    }
    func found(_ bytes: [UInt8]) -> ParseOptions.Format? {
      FormatTable.all.description(for: ParseOptions(), start: bytes.span)?.format
    }
    #expect(found(Self.sample) == .yacb && found(Self.names([])) == .yacb)
    #expect(found(Array("YABF 15550100001\n".utf8)) != .yacb)
  }

  @Test("a slice that is cut off or damaged at any byte has an error or rejects, or other rows")
  func damage() throws {
    for sample in [Self.sample, Self.names([(441_632_960_001, "ACME"), (441_632_960_002, "Other")])] {
      for length in 1..<sample.count {
        let outcome = try parse([Array(sample[..<length])], options(.yacb))
        #expect(outcome.failure == .invalidSlice("it ends too early", input: "in0"), "\(length) bytes")
      }
      for at in sample.indices {
        for byte: UInt8 in [0, 0xFF, sample[at] ^ 1] {
          var bytes = sample
          bytes[at] = byte
          let whole = try parse([bytes], options(.yacb))
          if byte != 0xFF { continue }
          let cut = try parse([bytes], options(.yacb), cuts: [5, 1])
          #expect(isSame(cut, whole), "\(byte) at \(at)")
        }
      }
    }
  }

  @Test func mutatedSlices() throws {
    try fuzz(Self.sample, [options(.yacb), options(.auto)], turns: fuzzTurns / 4)
  }
}
