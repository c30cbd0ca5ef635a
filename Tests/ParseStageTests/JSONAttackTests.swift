// One row of a valid file is changed in every way that one byte can be changed: only that row is lost or read
// differently, and at most a neighbour whose delimiter it was.
//
// Not for: broken rows one by one and their reject codes (BrokenTests), or random mutations (FuzzTests).

import Records
import Testing

@testable import InputStages

@Suite struct JSONAttackTests {
  /// A layout of rows: the text before them, between them, after them, and each row.
  struct Layout: Sendable, CustomTestStringConvertible {
    var name: String
    var head = "["
    var glue = ","
    var tail = "]"
    var options = jsonOptions()
    /// One for the row, and one for what it broke after it; if rows are nested, one for an object in it, too.
    var rejectsMax = 2
    var row: @Sendable (Int) -> String
    var testDescription: String { name }
  }

  static let layouts: [Layout] = [
    Layout(name: "objects on lines", head: "[\n", glue: ",\n", tail: "\n]\n") {
      "{\"\(text($0))\": \"\(label($0))\"}"
    },
    Layout(name: "JSON lines", head: "", glue: "\n", tail: "\n") { "{\"\(text($0))\":\"\(label($0))\"}" },
    Layout(name: "minified objects") { "{\"\(text($0))\":\"\(label($0))\"}" },
    Layout(name: "pretty objects", head: "[\n  ", glue: ",\n  ", tail: "\n]") {
      "{\n    \"\(text($0))\": \"\(label($0))\"\n  }"
    },
    Layout(name: "minified pairs", head: "{", tail: "}") { "\"\(text($0))\":\"\(label($0))\"" },
    Layout(name: "pretty pairs", head: "{\n  ", glue: ",\n  ", tail: "\n}\n") {
      "\"\(text($0))\": \"\(label($0))\""
    },
    Layout(name: "bare pairs", head: "", glue: "\n", tail: "\n") { "\"\(text($0))\":\"\(label($0))\"" },
    Layout(name: "angle brackets", head: "", glue: "\n", tail: "\n") { "<\"\(text($0))\":\"\(label($0))\">" },
    Layout(name: "fields on lines", head: "[\n", glue: ",\n", tail: "\n]\n", options: objectOptions()) {
      "{\"phone\": \"\(text($0))\", \"id\": 7, \"name\": \"\(label($0))\"}"
    },
    Layout(name: "minified fields", options: objectOptions()) {
      "{\"phone\":\"\(text($0))\",\"id\":7,\"name\":\"\(label($0))\"}"
    },
    Layout(
      name: "nested fields", glue: ",\n", options: objectOptions(number: "c.phone", label: "c.name"),
      rejectsMax: 3
    ) {
      "{\"id\":7,\"c\":{\"phone\":\"\(text($0))\",\"name\":\"\(label($0))\"},\"x\":[1]}"
    },
    Layout(name: "arrays on lines", head: "[\n", glue: ",\n", options: objectOptions(number: "1", label: "2"))
    {
      "[\"\(text($0))\", \"\(label($0))\", 7]"
    },
    Layout(name: "minified arrays", options: objectOptions(number: "1", label: "2")) {
      "[\"\(text($0))\",\"\(label($0))\",7]"
    },
  ]

  static func text(_ ordinal: Int) -> String { "86138001380\(10 + ordinal)" }
  static func label(_ ordinal: Int) -> String { ["骚扰", "a\(ordinal)", "é", "x y"][ordinal % 4] }

  static let count = 9
  static let broken = 4
  static let bytes: [UInt8] = Array("\"{}[]<>:,\\\n /#x8".utf8) + [0, 0xC3]

  @Test(arguments: layouts) func oneBrokenByte(_ layout: Layout) throws {
    let rows = (0..<Self.count).map { RawRow(Self.text($0), Self.label($0)) }
    let before = Array((layout.head + (0..<Self.broken).map { layout.row($0) + layout.glue }.joined()).utf8)
    let victim = Array((layout.row(Self.broken) + layout.glue).utf8)
    let after = Array(
      ((Self.broken + 1..<Self.count).map(layout.row).joined(separator: layout.glue) + layout.tail).utf8)
    let valid = try parse([before + victim + after], layout.options)
    #expect(valid.rows == rows && valid.rejects == [])

    var piece = victim
    for at in victim.indices {
      piece.remove(at: at)
      try attack(layout, before, piece, after, rows, "without byte \(at)")
      piece = victim
      for byte in Self.bytes where byte != victim[at] {
        piece[at] = byte
        try attack(layout, before, piece, after, rows, "byte \(at) is \(byte)")
        piece = victim
        piece.insert(byte, at: at)
        try attack(layout, before, piece, after, rows, "\(byte) before byte \(at)")
        piece = victim
      }
    }
    for at in victim.indices {
      try attack(layout, before, Array(victim[..<at]), after, rows, "cut after \(at) bytes")
      try attack(layout, before, Array(victim[at...]), after, rows, "first \(at) bytes missing")
    }
  }

  private func attack(
    _ layout: Layout, _ before: [UInt8], _ piece: [UInt8], _ after: [UInt8], _ good: [RawRow], _ what: String
  ) throws {
    let bytes = before + piece + after
    let outcome = try parse([bytes], layout.options)
    func place() -> Comment {
      let shown = String(decoding: piece, as: UTF8.self)
      return "\(layout.name), \("\(what): \(shown) gave \(outcome.rows) \(outcome.rejects)".debugDescription)"
    }
    #expect(outcome.rowsIn == outcome.rowsOut + outcome.rejectCount, place())
    // The rows before the broken one have been output, and those from the second after it on are not affected.
    #expect(outcome.rows.prefix(Self.broken) == good.prefix(Self.broken), place())
    let last = good.suffix(Self.count - Self.broken - 2)
    #expect(outcome.rows.suffix(last.count) == last, place())
    guard outcome.rows.count >= Self.broken + last.count else { return }
    let between = outcome.rows[Self.broken..<(outcome.rows.count - last.count)]
    // What remains: the broken row as it is now, and its neighbour.
    #expect(between.count <= 2, place())
    let isNeighbourOut = between.contains(good[Self.broken + 1])
    let isVictimOut = between.contains(good[Self.broken])
    let isVictimIn = String(decoding: piece, as: UTF8.self).contains("138014")
    if !isNeighbourOut || (isVictimIn && !isVictimOut) {
      #expect(!outcome.rejects.isEmpty || between.count == 2, place())
    }
    #expect(outcome.rejects.count <= layout.rejectsMax, place())
    // Every fifth one, because the cost of a run is in its buffers, not in its bytes.
    guard outcome.rows.count % 5 == 0 || bytes.count % 5 == 0 else { return }
    let cut = try parse([bytes], layout.options, cuts: [1])
    #expect(cut == outcome, place())
  }
}
