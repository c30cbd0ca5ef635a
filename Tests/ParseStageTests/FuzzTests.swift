// Valid documents, mutated: no crash, the row counts add up, and the cuts do not change the result.

import Records
import TestSupport
import Testing

@testable import InputStages

@Suite struct FuzzTests {
  private static let pieces: [String] = [
    "{", "}", "[", "]", "<", ">", "\"", ":", ",", "\n", " ", "\\", "\\u", "\\ud83d", "\\ude00", "\0", "\t",
    "\r\n", "//", "/*", "*/",
    "\"861\"", "{\"861\":", "{\"861\": \"x\"}", "null", "1e5", "-", "true", "é", "骚", "😀",
    "\"phone\":\"862\"", ",\"", "{\"", "{\n\"", "#", "\"c\":{", "\"c.phone\":", "},{\"c\":", "],[\"862\"",
    "1.5",
  ]

  /// Pairs as rows most of the time; objects, nested ones, and arrays.
  private static let options: [ParseOptions] = [
    jsonOptions(), jsonOptions(), objectOptions(), objectOptions(number: "c.phone", label: "c.name"),
    objectOptions(number: "1", label: "2", source: "4.phone", score: "3.1"),
    objectOptions(number: "c.phone", label: "=x", source: "c.name", score: "v.2"),
  ]

  private static func document(_ random: inout SplitMix64) -> [UInt8] {
    var bytes: [UInt8] = []
    let layout = random.below(10)
    if layout < 2 { bytes += Array("[\n".utf8) }
    for _ in 0..<(1 + random.below(random.below(4) == 0 ? 40 : 12)) {
      let number = "86\(random.below(1_000_000))"
      let label = [
        "骚扰电话", "a", "", "x\\ty", "\\u9a9a", "a label that is longer than the cache keeps them",
        "\\ud83d\\ude00",
      ][random.below(7)]
      let row =
        switch layout {
        case 0: "{\"\(number)\": \"\(label)\"},\n"
        case 1: "{\"\(number)\":\"\(label)\"},"
        case 2: "{\n  \"\(number)\": \"\(label)\"\n},\n"
        case 3: "{\"phone\":\"\(number)\",\"x\":[{\"y\":1}],\"name\":\"\(label)\"}\n"
        case 4: "\"\(number)\":\"\(label)\"\n"
        case 5: "<\"\(number)\":\"\(label)\">\n"
        case 6: "{\"a\":{\"\(number)\":\"\(label)\",\"8\":7}}"
        case 7: "{\"c\":{\"x\":[],\"phone\":\"\(number)\",\"name\":\"\(label)\"},\"v\":[1,2]},"
        case 8: "[\(number).0,\"\(label)\",[3],{\"phone\":1}],\n"
        default: "{\"c.phone\":\(number),\"c\":{\"phone\":0},\"c\":{\"name\":\"\(label)\"}}\n"
        }
      bytes += Array(row.utf8)
    }
    return bytes
  }

  private static func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    for _ in 0..<random.below(5) {
      if bytes.isEmpty { return }
      let at = random.below(bytes.count)
      switch random.below(6) {
      case 0: bytes.remove(at: at)
      case 1: bytes[at] = UInt8(truncatingIfNeeded: random.next())
      case 2: bytes.insert(contentsOf: Array(pieces[random.below(pieces.count)].utf8), at: at)
      case 3: bytes.removeSubrange(at..<min(bytes.count, at + random.below(20)))
      case 4:
        let length = random.below(min(40, bytes.count - at))
        bytes.insert(contentsOf: Array(bytes[at..<at + length]), at: random.below(bytes.count))
      default: bytes.removeLast(random.below(min(20, bytes.count)))
      }
    }
  }

  @Test func mutatedDocuments() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for turn in 0..<Self.documents {
      var bytes = Self.document(&random)
      Self.mutate(&bytes, &random)
      var options = Self.options[random.below(Self.options.count)]
      if random.below(4) == 0 { options.recordBytesMax = 1 + random.below(300) }
      options.isStrict = random.below(10) == 0
      let whole = try parse([bytes], options)
      let cuts = (0..<5).map { _ in 1 + random.below(random.below(2) == 0 ? 4 : 100) }
      let cut = try parse([bytes], options, cuts: cuts, heldStep: 1 + random.below(40))
      let place = Comment(rawValue: "seed \(seed), turn \(turn): \(String(decoding: bytes, as: UTF8.self))")
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

  #if DEBUG
    private static let documents = 5_000
  #else
    private static let documents = 40_000
  #endif

  @Test func randomCutsOfManyRows() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    var bytes: [UInt8] = Array("[\n".utf8)
    for _ in 0..<2000 {
      bytes += Array(
        "{\"86\(random.below(100_000_000))\": \"\(["骚扰电话", "诈骗", "é\\n", "\u{1}", "x}, {"][random.below(5)])\"},\n"
          .utf8)
      if random.below(50) == 0 { Self.mutate(&bytes, &random) }
    }
    let whole = try parse([bytes])
    #expect(whole.rowsIn == whole.rowsOut + whole.rejectCount)
    for _ in 0..<8 {
      let cuts = (0..<20).map { _ in 1 + random.below(2000) }
      #expect(try parse([bytes], cuts: cuts, heldStep: 1024) == whole, "seed \(seed)")
    }
  }
}
