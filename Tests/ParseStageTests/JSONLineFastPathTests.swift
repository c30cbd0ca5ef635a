// The line fast path reads many rows at once, and finds labels by their first words. The rows must be the same as with
// any other path.

import Records
import TestSupport
import Testing

@testable import InputStages

@Suite("The line fast path of JSON")
struct JSONLineFastPathTests {
  /// Labels of every length, up to longer ones than are cached, many with the same beginning; numbers of every length
  /// as well.
  private static func rows(_ count: Int, _ random: inout SplitMix64) -> [(number: String, label: String)] {
    let stems = ["", "x", "spam", "骚扰", "é", "\u{1F4DE}", "the same eight bytes and more"]
    return (0..<count).map { _ in
      let stem = stems[random.below(stems.count)]
      let label = stem + String("abcdefghijklmnopqrstuvwxyz0123456789AB".prefix(random.below(38)))
      let digits = (0..<random.below(18)).map { _ in Character(String(random.below(10))) }
      let isPlain = random.below(20) > 0
      return (isPlain ? String(digits) : "+86 138-" + String(digits), label)
    }
  }

  @Test("every length of number and label, however lines end and wherever the input is cut")
  func allLengths() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for (colon, end) in [(": ", "},\n"), (":", "}\n"), (": ", "},"), (":", "},\r\n"), (": ", "} ,\n")] {
      let rows = Self.rows(6000, &random)
      let text = rows.map { "{\"\($0.number)\"\(colon)\"\($0.label)\"\(end)" }.joined()
      for swaps in [false, true] {
        let found = try parse([Array(text.utf8)], swaps: swaps)
        let given = found.rows.map { String(decoding: $0.text, as: UTF8.self) }
        let labels = found.rows.map { String(decoding: $0.recordFields, as: UTF8.self) }
        let areSame = given == rows.map(\.number) && labels == rows.map(\.label)
        #expect(areSame && found.rejects.isEmpty && found.ordinalsAreRight, "\(colon) \(end) seed \(seed)")
      }
      // Pieces too small for the fast path.
      let cut = try parse(text, cuts: [100])
      let whole = try parse(text)
      let isSame = cut == whole
      #expect(isSame, "cut, \(colon) \(end) seed \(seed)")
    }
  }

  @Test("a broken row among rows on the line fast path is rejected with its line, whatever surrounds it")
  func broken() throws {
    var random = SplitMix64(seed: 7)
    let rows = Self.rows(300, &random)
    var lines = rows.map { "{\"\($0.number)\": \"\($0.label)\"}," }
    lines[20] = "{\"13800138000\": \"no end},"
    lines[90] = "{\"13800138000\" \"no colon\"},"
    lines[150] = "{\"13800138000\": \"\\q\"},"
    let found = try parse(lines.joined(separator: "\n") + "\n")
    #expect(found.lines == [21, 91, 151])
    #expect(found.rows.count == rows.count - 3)
  }

  @Test("a constant source follows every label, cached or new")
  func suffix() throws {
    var options = jsonOptions()
    options.sourceField = .constant("list")
    let rows = (0..<500).map { "{\"86138000000\($0 % 90 + 10)\": \"l\($0 % 3)\"},\n" }
    let found = try parse(rows.joined(), options)
    let labels = found.rows.map { String(decoding: $0.recordFields, as: UTF8.self) }
    let areSame = labels == (0..<500).map { "l\($0 % 3)\tlist" }
    #expect(areSame)
  }

  /// Parses rows and checks that they are unchanged.
  private func areRead(_ rows: [(number: String, label: String)], end: String = "},\n") throws -> Bool {
    let found = try parse(rows.map { "{\"\($0.number)\": \"\($0.label)\"\(end)" }.joined())
    return found.rejects.isEmpty && found.ordinalsAreRight
      && found.rows.elementsEqual(rows) { one, other in
        one.text.elementsEqual(other.number.utf8) && one.recordFields.elementsEqual(other.label.utf8)
      }
  }

  @Test("numbers of one length with some others among them, few labels with some new ones among them")
  func alike() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for other in [3, 40, 1000] {
      let rows = (0..<12_000).map { row -> (number: String, label: String) in
        let length = random.below(other) == 0 ? 7 + random.below(9) : 13
        let digits = (0..<length).map { _ in Character(String(random.below(10))) }
        let label =
          random.below(other) == 0 ? "new \(row)" : ["spam", "骚扰电话", "", "ten bytes."][random.below(4)]
        return (String(digits), label)
      }
      for end in ["},\n", "}\n", "}, "] {
        let isRead = try areRead(rows, end: end)
        #expect(isRead, "one of \(other), \(end) seed \(seed)")
      }
    }
  }

  @Test("labels that are all new for many batches, then few, then all new again")
  func newAndKnown() throws {
    // More batches than the cache is paused for.
    let batch = RawRowBatch.rowsMax
    let rows = (0..<24 * batch).map { row -> (number: String, label: String) in
      let isNew = row < 3 * batch || row > 22 * batch
      return ("86138\(10_000_000 + row)", isNew ? "标记\(row)" : "标记\(row % 5)")
    }
    let isRead = try areRead(rows)
    #expect(isRead)
  }
}
