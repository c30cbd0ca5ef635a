// Reading one shard: rows over the bounds of buffers, and damaged ones.

import Records
import StoreWriting
import SystemIO
import TestSupport
import Testing

@Suite("Rows of a shard")
struct RowTests {
  private struct ReadRow: Equatable {
    var number: UInt64
    var isBlocked: Bool
    var label: String
  }

  private static func read(_ use: CallerIDUse, _ path: String) throws(Failure) -> [ReadRow] {
    var rows = KeywordRows(use, .shard(path: path), calls: KernelCalls())
    var found: [ReadRow] = []
    while true {
      try rows.advance()
      if rows.number == .max { return found }
      found.append(
        ReadRow(
          number: rows.number, isBlocked: rows.isBlocked,
          label: RecordFields.fields(rows.label.span).label))
    }
  }

  private static func identity(_ number: UInt64, _ name: String) -> [UInt8] {
    row("+\(number)", CallIdentity(name: name).value)
  }

  @Test("rows are read over the bounds of buffers, the longest ones, too")
  func long() throws {
    let place = try TemporaryDirectory()
    var bytes: [UInt8] = []
    var expected: [ReadRow] = []
    for number in UInt64(1)...400 {
      let name = String(repeating: "n", count: [0, 1, 100, 5000, RecordFields.bytesMax][Int(number % 5)])
      bytes += Self.identity(number, name)
      expected.append(ReadRow(number: number, isBlocked: false, label: name))
    }
    try place.write("shard", bytes)
    #expect(try Self.read(.identity, place / "shard") == expected)
    try place.write("empty", [])
    #expect(try Self.read(.block, place / "empty").isEmpty)
    try place.write("block", row("+1", [1]) + row("+2", [0]) + row("+999999999999999", [1]))
    #expect(
      try Self.read(.block, place / "block") == [
        ReadRow(number: 1, isBlocked: true, label: ""), ReadRow(number: 2, isBlocked: false, label: ""),
        ReadRow(number: 999_999_999_999_999, isBlocked: true, label: ""),
      ])
  }

  @Test("a row that is wrong is an error with its place")
  func wrongRows() throws {
    let place = try TemporaryDirectory()
    let first = Self.identity(5, "a")
    let long = String(repeating: "n", count: RecordFields.bytesMax + 1)
    let path = place / "shard"
    let notARow = "not a row of a keyword database"
    let cutShort = "the file ends within a row"
    let notANumber = "a keyword is not '+' and an E.164 number"
    let invalidValue = "the value of a row is neither 0 or 1 nor a caller's identity"
    func check(_ bytes: [UInt8], _ reason: String) throws {
      // A row that is cut short must be the last one.
      let rest = reason == cutShort ? [] : Self.identity(9, "z")
      try place.write("shard", first + bytes + rest)
      let error = #expect(throws: Failure.self, "\(bytes.prefix(40))") { try Self.read(.identity, path) }
      #expect(
        error.map(finding) == "row: '\(path)', byte \(first.count): \(reason)", "\(bytes.prefix(40))")
    }
    try check([0], notARow)
    try check([0x0A, 0x80, 0x80, 0x80, 0x80, 0x80, 1], notARow)
    try check([0x0A, 0xFF, 0xFF, 0xFF, 0x7F], notARow)
    try check([0x0A, 0], notARow)
    try check([0x0A], cutShort)
    try check(Array(Self.identity(6, "b").dropLast()), cutShort)
    try check(row("7", []), notANumber)
    try check(row("+07", []), notANumber)
    try check(row("+1234567890123456", []), notANumber)
    try check(row("+7", [0x0A, 1, 0xFF]), invalidValue)
    try check(row("+7", Array(repeating: 0, count: KeywordRow.valueBytesMax)), invalidValue)
    try check(
      Self.identity(7, long),
      "a name of \(Figures.grouped(UInt64(long.utf8.count))) bytes is longer than the label of a record")
    try check(Self.identity(5, "b"), "5 comes after 5: the rows of a shard must ascend")
    try check(Self.identity(4, "b"), "4 comes after 5: the rows of a shard must ascend")
    for value in [[], [2], [1, 1]] as [[UInt8]] {
      try place.write("block", row("+7", value))
      let error = #expect(throws: Failure.self) { try Self.read(.block, place / "block") }
      #expect(error.map(finding) == "row: '\(place / "block")', byte 0: \(invalidValue)")
    }
    #expect(throws: Failure.self) { try Self.read(.block, place / "missing") }
    #expect(throws: Failure.self) { try Self.read(.block, place.path) }
  }

  @Test(
    "a file that is cut or changed at any byte is an error, or has other rows, and never ends the program")
  func damage() throws {
    let place = try TemporaryDirectory()
    let whole = [
      Self.identity(1, "a"), Self.identity(300, "房产"),
      Self.identity(86_755, String(repeating: "x", count: 130)),
    ]
    let bytes = whole.flatMap { $0 }
    let ends = [0, whole[0].count, whole[0].count + whole[1].count]
    for end in 0..<bytes.count {
      try place.write("shard", Array(bytes[..<end]))
      do throws(Failure) {
        let found = try Self.read(.identity, place / "shard").count
        #expect(ends.firstIndex(of: end) == found, "cut at \(end)")
      } catch {
        #expect(!ends.contains(end), "cut at \(end)")
      }
    }
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        try place.write("shard", damaged)
        do throws(Failure) {
          let found = try Self.read(.identity, place / "shard").count
          #expect(found <= whole.count)
        } catch {
          let text = error.message.message
          let place = text.firstRange(of: "', byte ").map { text[$0.upperBound...].prefix(while: \.isNumber) }
          #expect(
            error.code == "row" && place.flatMap { Int($0) }.map { $0 < bytes.count } == true, "\(text)")
        }
      }
    }
  }
}
