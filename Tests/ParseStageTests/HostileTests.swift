// Hostile input: garbage of any shape is bounded in rejects, memory and time, and the valid row after it is found.

import Records
import Testing

@testable import InputStages

@Suite struct HostileTests {
  @Test func aPageWithoutDataIsAllRejects() throws {
    let page = """
      not at once seen to be a page
      <html lang="en"><head><title>404, "not found"</title>
      <script>var a = {"b": [1, 2, "c"], d: "e"};</script></head>
      <body class="x" onload='f("}")'>
      <p>Not "here": {gone}</p></body></html>
      """
    let outcome = try parse(page)
    #expect(outcome.rejects.count >= 4 && outcome.rejects.count <= 8)
    #expect(outcome.rowsIn == outcome.rowsOut + outcome.rejectCount)
    for cuts in staccato { #expect(try parse(page, cuts: cuts) == outcome) }
  }

  /// Each piece repeated in one line is one reject, or a few if brackets close in between.
  @Test(arguments: [
    "}]>:x", "{\"", ",\"", "\"", "x", "[", "{\"a\":", "/*", "<\"a", "\\", "{", ":", "{{", "\"a\" ", "\0",
    "\u{FFFD}", "[{\"a\":", "tru", "-",
  ])
  func oneLineOfGarbageIsOneReject(_ piece: String) throws {
    let line = String(repeating: piece, count: 40_000 / piece.utf8.count)
    for options in [jsonOptions(), objectOptions()] {
      let outcome = try parse(line + "\n\n{\"phone\":\"861\"}\n", options, cuts: [3000])
      #expect(outcome.rejects.count >= 1 && outcome.rejects.count <= 2, "\(outcome.rejects.count)")
      // If objects are rows, a row inside hundreds of open objects need not be found.
      let isDeep = options.rowsAreObjects && piece.hasSuffix("{\"a\":")
      #expect(outcome.rows.count == 1 || (isDeep && outcome.rows.isEmpty))
      #expect(outcome.rowsIn == outcome.rowsOut + outcome.rejectCount)
    }
  }

  @Test(arguments: ["{\"a\":\n", "/*\n", "x\n", "\"\n", "{\"86100\":\n", "]\n", "<\n", "{\"a\":[\n", ",\"\n"])
  func linesOfGarbageAreOneRejectEachAtMost(_ line: String) throws {
    for options in [jsonOptions(), objectOptions()] {
      let outcome = try parse(
        String(repeating: line, count: 2000) + "\n{\"phone\":\"861\"}\n", options, cuts: [1000])
      #expect(outcome.rejects.count <= 2000)
      #expect(outcome.rows.count <= 1)
      #expect(outcome.rowsIn == outcome.rowsOut + outcome.rejectCount)
    }
  }

  @Test func numbersMayHaveAnyQuotesBeforeThem() {
    let many = String(repeating: "\u{2019}<", count: 60_000)
    for quotes in ["", "'", "`", "\"", "<", "\u{2019}", "\u{2019}<", "'\u{2019}'", "<\"'`", many] {
      let start = quotes.utf8.count
      let cases = [
        ("+4930123456", start, 11), ("tel:+4930123456", start + 4, 11), ("", start, 0),
        ("sip:+4930123456@example.com", start + 4, 11), ("<sip:+4930123456@example.com>", start + 5, 11),
      ]
      for (text, first, count) in cases {
        let bytes = Array((quotes + text).utf8)
        let body = NumberText.body(bytes.span, from: 0, to: bytes.count)
        #expect(text.isEmpty ? body.isEmpty : body == first..<first + count, "\(quotes.prefix(8))\(text)")
      }
    }
  }

  @Test func strayBracketsAreOneRejectUntilSomethingElseBreaks() throws {
    let outcome = try parse("{\"861\":\"a\"}}\n{\"862\":\"b\"}}\n{\"863\":\"c\"}\n]\n")
    #expect(outcome.rows == [RawRow("861", "a"), RawRow("862", "b"), RawRow("863", "c")])
    #expect(outcome.codes == ["unexpected-text"] && outcome.lines == [1])
    #expect(outcome.rejects.first?.text == "}")
  }

  @Test func anyByteAnywhereIsHarmless() throws {
    for byte in UInt8.min...UInt8.max {
      for at in 0..<13 {
        var bytes = Array("{\"861\": \"a\"},".utf8)
        bytes[at] = byte
        let outcome = try parse([bytes + Array("\n{\"862\":\"b\"}\n{\"863\":\"c\"}".utf8)], cuts: [4])
        #expect(outcome.rowsIn == outcome.rowsOut + outcome.rejectCount)
        #expect(outcome.rows.suffix(2) == [RawRow("862", "b"), RawRow("863", "c")], "byte \(byte) at \(at)")
        #expect(outcome.rejects.count <= 2)
      }
    }
  }
}
