// Inputs that are read in slices, against the same inputs read as a whole.

import Synchronization
import TestSupport
import Testing

@testable import InputStages

@Suite struct SliceTests {
  private final class Boundaries: Sendable {
    let all = Mutex<[InputBoundary]>([])
  }

  /// The number of bytes by which the format is recognised.
  private static let startBytes = 40

  private static let fragments: [(format: ParseOptions.Format, header: String, texts: [String])] = [
    (
      .json, "",
      [
        "{\"86138\":\"x\"}\n", "{\"86139\": \"two words\"}\r\n", "{\"86137\":\"a\",\"86136\":\"b\"}\n",
        "{\n\"861\":\"y\"\n}\n",
        "{\"862\": broken\n", "]\n", "}\n", "\n", "{\"863\":\"x\"} {\"864\":\"y\"}\n", "# a comment\n",
        "{\"865\":\"open\n", "\"bare\"\n", "86138\n", "{\"866\":\n", "[\n", "{\"867\":\"x\"\n",
      ]
    ),
    (
      .json, "",
      [
        "{\"number\":\"86138\",\"label\":\"x\"}\n", "{\"number\":\"86139\"},\r\n",
        "{\n\"number\":\"861\"\n}\n",
        "{\"number\": broken\n", "{\"number\":\"862\",\"label\":\"open}\n", "]\n", "}\n", "{\n", "\"bare\"\n",
        "# a comment\n",
        "{\"number\":\"863\"} x\n", "{\"label\":\"x\"}\n",
        "{\"number\":[\"864\"],\"x\":{\"number\":\"865\"}}\n", "{\"number\"\n",
        "{\"number\":\"866\" \"label\":\"x\"}\n",
      ]
    ),
    (
      .csv, "number,label\n",
      [
        "86138,x\n", "86139,\"two, words\"\r\n", "86137,\"two\nlines\"\n", "86136,\"broken\"x\n", "\n",
        "86135,5\" disk\n",
        "86134,\"open\n", "86133\n", ",\n",
      ]
    ),
    (
      .lines, "",
      ["86138 x\n", "+86 139 two words\r\n", "# a comment\n", "\n", "words\n", "86137\n", "86136\tx # y\n"]
    ),
  ]

  private func document(_ fragments: [String], _ header: String, _ generator: inout SplitMix64) -> [UInt8] {
    // Mostly whole rows.
    var text = header
    for _ in 0..<Int.random(in: 20...120, using: &generator) {
      let isAny = Int.random(in: 0..<6, using: &generator) == 0
      text += isAny ? fragments.randomElement(using: &generator)! : fragments[0]
    }
    return Array(text.utf8)
  }

  private func boundaries(
    _ bytes: [UInt8], _ chosen: ParseOptions, cuts: [Int]
  ) throws -> [InputBoundary] {
    let found = Boundaries()
    let outcome = try parse([bytes], chosen, cuts: cuts, startBytes: Self.startBytes) { boundary in
      found.all.withLock { $0.append(boundary) }
    }
    #expect(outcome.rows == [] && outcome.rejects == [] && outcome.rowsIn == 0)
    return found.all.withLock { $0 }
  }

  /// Rows, rejects and their places are those of the whole input, wherever it is divided.
  @Test(arguments: 0..<4) func slicesAreTheWhole(_ kind: Int) throws {
    let (format, header, texts) = Self.fragments[kind]
    var generator = SplitMix64(seed: TestSeed.value &+ UInt64(kind))
    var slices = 0
    for _ in 0..<60 {
      let bytes = document(texts, header, &generator)
      let chosen = options(format)
      let whole = try parse([bytes], chosen, startBytes: Self.startBytes)
      let cuts = (0..<5).map { _ in Int.random(in: 1...90, using: &generator) }
      let all = try boundaries(bytes, chosen, cuts: cuts)
      let end = try #require(all.last)
      #expect(end.byte == UInt64(bytes.count) && end.row == whole.rowsOut + 1)
      guard let head = all.first(where: { $0.byte >= Self.startBytes + ByteOrderMark.bytesMax }),
        head.byte < end.byte
      else {
        continue
      }
      var starts = [InputBoundary(byte: 0, line: 1, row: 1)]
      for boundary in all
      where boundary.byte >= head.byte && boundary.byte > starts.last!.byte && boundary != end {
        if Bool.random(using: &generator) { starts.append(boundary) }
      }
      var merged = Outcome()
      for (start, end) in zip(starts, starts.dropFirst() + [end]) {
        let headBytes = start.byte == 0 ? 0 : head.byte
        let part = bytes[..<Int(headBytes)] + bytes[Int(start.byte)..<Int(end.byte)]
        let slice = try parse(
          [Array(part)], chosen, cuts: [Int.random(in: 1...200, using: &generator)],
          startBytes: Self.startBytes,
          slice: InputSlice(headBytes: headBytes, start: start, end: end))
        // An input whose last bracket is open ends with an error.
        #expect(slice.failure == (end.byte == UInt64(bytes.count) ? whole.failure : nil))
        #expect(slice.ordinalsAreRight)
        merged.rows += slice.rows
        merged.rejects += slice.rejects
        merged.rowsIn += slice.rowsIn
        slices += 1
      }
      #expect(merged.rows == whole.rows && merged.rejects == whole.rejects && merged.rowsIn == whole.rowsIn)
    }
    #expect(slices > 300)
  }

  /// A slice that does not end where it was planned to end is an error: the file has changed.
  @Test func changedSlices() throws {
    let bytes = Array(String(repeating: "{\"86138\":\"x\"}\n", count: 50).utf8)
    let all = try boundaries(bytes, options(.json), cuts: [60])
    let head = try #require(all.first { $0.byte >= Self.startBytes + ByteOrderMark.bytesMax })
    let (start, end) = (all[all.count / 2], all[all.count - 1])
    func failure(_ text: [UInt8], headBytes: UInt64 = head.byte) throws -> ParseError? {
      try parse(
        [text], options(.json), startBytes: Self.startBytes,
        slice: InputSlice(headBytes: headBytes, start: start, end: end)
      ).failure
    }
    let slice = Array(bytes[..<Int(head.byte)] + bytes[Int(start.byte)...])
    #expect(try failure(slice) == nil)
    let changed = ParseError.changedSinceDivided(input: "in0")
    #expect(try failure(slice.dropLast()) == changed)
    #expect(try failure(slice + Array("\n".utf8)) == changed)
    #expect(try failure(Array(bytes[..<10])) == changed)
    // The head does not end between two records.
    #expect(try failure(slice, headBytes: head.byte + 5) == changed)
    // As long, with as many lines and rows.
    var edited = slice
    edited[slice.count - 9] = UInt8(ascii: "9")
    #expect(try failure(edited) == changed)
    var joined = slice
    joined[Int(head.byte) + 14] = 0x20
    #expect(try failure(joined) == changed)
  }

  /// An array has no place between two records, since they depend on its bracket.
  @Test func arraysCannotBeDivided() throws {
    let text = "[\n" + String(repeating: "{\"86138\":\"x\"},\n", count: 50) + "]\n"
    let all = try boundaries(Array(text.utf8), options(.json), cuts: [60])
    #expect(all.allSatisfy { $0.byte == UInt64(text.utf8.count) })
  }
}
