// Broken rows among valid ones: each is one reject with its place, and all valid rows are read.

import Records
import SystemIO
import Testing

@testable import InputStages

@Suite struct BrokenTests {
  /// Broken lines with the reason; each is between valid lines.
  static let lines: [(String, String)] = [
    (#"{"862: "x"},"#, "missing-colon"),
    (#"{862": "x"},"#, "unexpected-text"),
    (#"{"862": "x},"#, "unterminated-string"),
    (#"{"862": x"},"#, "unexpected-text"),
    (#"{"862" "x"},"#, "missing-colon"),
    (#"{"862": "x","#, "missing-brace"),
    (#"{"862": "x""#, "missing-brace"),
    (#""862": "x"},"#, "missing-brace"),
    (#"<"862": "x"},"#, "missing-brace"),
    (#"{"862": "x">,"#, "missing-brace"),
    (#"{"862": },"#, "unexpected-text"),
    (#"{"86200":"#, "missing-value"),
    (#"{"862"},"#, "missing-colon"),
    (#"{"862","#, "missing-colon"),
    (#"{"862": "say "hi" now"},"#, "unexpected-text"),
    (#"{"862": "a""b"},"#, "unexpected-text"),
    (#"{"862": "a" "b"},"#, "unexpected-text"),
    ("hello, world", "unexpected-text"),
    ("// {\"862\": \"x\"},", "unexpected-text"),
    ("/* {\"862\": \"x\"}, */", "unexpected-text"),
    ("# 862", "unexpected-text"),
    ("# {\"862\": \"x\"},", "unexpected-text"),
    ("/", "unexpected-text"),
    ("#", "unexpected-text"),
    ("862", "unexpected-text"),
    ("\"862\",", "missing-colon"),
    ("{\"862\": tru},", "unexpected-text"),
    ("{\"862\": nul\0},", "unexpected-text"),
    ("{\"862\": 'x'},", "unexpected-text"),
    (#"{"862": "\q"},"#, "bad-escape"),
    (#"{"862": "\u12G4"},"#, "bad-escape"),
    (#"{"862": "\ud800"},"#, "lone-surrogate"),
    (#"{"862": "\ud800\u0041"},"#, "lone-surrogate"),
    (#"{"\udc00862": "x"},"#, "lone-surrogate"),
    (#"{"862": "x\"},"#, "unterminated-string"),
    ("{\"" + String(repeating: "8", count: 1025) + "\": \"x\"},", "number-too-long"),
    ("{\"862\": \"" + String(repeating: "x", count: 32 * 1024 + 1) + "\"},", "label-too-long"),
    ("{\"862\": \"" + String(repeating: "\\t", count: 16 * 1024 + 1) + "\"},", "label-too-long"),
  ]

  @Test(arguments: lines) func onlyTheBrokenLineIsLost(_ line: String, _ code: String) throws {
    let good = [RawRow("861", "a"), RawRow("863", "c"), RawRow("864", "d")]
    for (before, after) in [
      ("[\n{\"861\": \"a\"},\n", "\n{\"863\": \"c\"},\n{\"864\":\"d\"}\n]\n"),
      ("{\"861\": \"a\"}\n", "\n{\"863\": \"c\"}\n\n{\"864\":\"d\"}"),
    ] {
      let whole = try parse(before + line + after)
      #expect(whole.rows == good)
      #expect(whole.codes == [code])
      let lineNumber: UInt64 = before.hasPrefix("[") ? 3 : 2
      #expect(whole.rejects.first?.place == .line(lineNumber, byte: UInt64(before.utf8.count), input: "in0"))
      #expect(whole.rejects.first?.text.isEmpty == false)
      #expect(line.utf8.starts(with: (whole.rejects.first?.text ?? "?").utf8))
      #expect(whole.rowsIn == 4 && whole.rowsOut == 3 && whole.rejectCount == 1)
      for cuts in line.utf8.count > 2000 ? [[1000]] : staccato {
        #expect(try parse(before + line + after, cuts: cuts) == whole, "cut \(cuts)")
      }
    }
  }

  /// The same in one line, where only brackets and commas separate rows.
  @Test(arguments: [
    (#"{"862: "x"}"#, 1), (#"{862": "x"}"#, 1), (#"{"862": "x}"#, 1), (#"{"862": x"}"#, 1),
    (#"{"862" "x"}"#, 1),
    (#"{"862": "x""#, 1), (#""862": "x"}"#, 1), (#"{"862": }"#, 1), ("garbage", 1), ("{\"862\": \"\\q\"}", 1),
    (#"{"862" "x"},{"862" "x"}"#, 2), ("{\"862\": \"x\"}}", 1),
  ])
  func brokenRowInOneLine(_ piece: String, _ rejects: Int) throws {
    let text = "[{\"861\":\"a\"},\(piece),{\"863\":\"c\"},{\"864\":\"d\"}]"
    let whole = try parse(text)
    #expect(
      whole.rows.filter { $0.text != Array("862".utf8) } == [
        RawRow("861", "a"), RawRow("863", "c"), RawRow("864", "d"),
      ])
    #expect(whole.rejects.count == rejects)
    for cuts in staccato { #expect(try parse(text, cuts: cuts) == whole, "cut \(cuts)") }
  }

  @Test func brokenPairInOneObject() throws {
    let outcome = try parse(#"{"861":"a","862":"x,"863":"c","864":"d"}"#)
    #expect(outcome.rows == [RawRow("861", "a"), RawRow("863", "c"), RawRow("864", "d")])
    #expect(outcome.codes == ["unexpected-text"])
    // What follows the broken pair is read as a pair, even if a person would read it differently.
    let guessed = try parse("{\"862\": \"x, \"y\": \"z\"},\n{\"863\": \"c\"}")
    #expect(guessed.rows == [RawRow("y", "z"), RawRow("863", "c")] && guessed.codes == ["unexpected-text"])
    let pretty = try parse("{\n  \"861\": \"a\",\n  \"862\": \"x,\n  \"863\": \"c\"\n}\n{\"864\": \"d\"}")
    #expect(pretty.rows == [RawRow("861", "a"), RawRow("863", "c"), RawRow("864", "d")])
    #expect(pretty.codes == ["unterminated-string"] && pretty.lines == [3])
    let opened = try parse("{\"862\": \"x,\n  \"863\": \"c\"\n}\n{\"864\": \"d\"}")
    #expect(opened.rows == [RawRow("863", "c"), RawRow("864", "d")])
    #expect(opened.codes == ["unterminated-string"])
  }

  @Test(arguments: [
    "{\"862", "{\"862\"", "{\"862\":", "{\"862\": \"x", "{\"862\": \"x\"", "{\"862\": \"x\",",
    "{\"862\": \"x\\", "{", "{\"862\": tr",
    "\"862\": ", "<\"862\": \"x\"",
  ])
  func truncatedLastRow(_ last: String) throws {
    for cuts in staccato {
      let outcome = try parse("[\n{\"861\": \"a\"},\n\(last)", cuts: cuts)
      #expect(outcome.rows == [RawRow("861", "a")])
      #expect(outcome.rejects.count == 1)
      #expect(outcome.codes == [last.hasSuffix("tr") ? "unexpected-text" : "truncated"], "cut \(cuts)")
      #expect(outcome.lines == [3])
    }
  }

  @Test func invalidUTF8RejectsOnlyItsRow() throws {
    for broken in [
      [0xFF], [0xC0, 0xAF], [0xE9, 0xAA], [0xED, 0xA0, 0x80], [0x80], [0xF4, 0x90, 0x80, 0x80],
    ] as [[UInt8]] {
      for many in [1, 60] {
        var bytes = Array("[\n".utf8)
        for _ in 0..<many { bytes += Array("{\"861\": \"骚\"},\n".utf8) }
        bytes += Array("{\"862\": \"电".utf8) + broken + Array("话\"},\n".utf8)
        for _ in 0..<many { bytes += Array("{\"863\": \"骚\"},\n".utf8) }
        bytes += Array("{\"86".utf8) + broken + Array("\": \"骚\"},\n{\"864\": \"d\"}\n".utf8)
        for cuts in staccato {
          let outcome = try parse([bytes], cuts: cuts)
          #expect(outcome.rows.count == 2 * many + 1)
          #expect(outcome.rows.last == RawRow("864", "d"))
          #expect(outcome.codes == ["invalid-utf8", "invalid-utf8"])
          #expect(outcome.lines == [UInt64(many) + 2, UInt64(2 * many) + 3])
        }
      }
    }
  }

  @Test func tooLongARecordIsSkipped() throws {
    var options = jsonOptions()
    options.recordBytesMax = 300
    for length in [200, 280, 300, 400, 450, 1000, 5000] {
      let text = "[{\"861\":\"a\"},{\"862\":\"\(String(repeating: "x", count: length))\"},{\"863\":\"c\"}]"
      let whole = try parse(text, options)
      let fits = length + 11 <= 300
      #expect(whole.codes == (fits ? [] : ["record-too-long"]), "\(length)")
      #expect(whole.rows.count == (fits ? 3 : 2) && whole.rows.last == RawRow("863", "c"), "\(length)")
      for cuts in staccato { #expect(try parse(text, options, cuts: cuts) == whole, "cut \(cuts)") }
    }
  }

  @Test func memoryStaysBoundedForAnEndlessString() throws {
    var options = jsonOptions()
    options.recordBytesMax = 10_000
    let meter = StageMeter(.parse)
    let sink = RowCollector()
    let parser = RowParser(
      options: options, input: "-",
      context: StageContext(meter: meter, rejects: try RejectLog()),
      downstream: sink)
    var chunk = ByteChunk(capacity: 5000)
    let start = Array("{\"861\": \"".utf8)
    chunk.append(start.span)
    try parser.receive(&chunk)
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 5000)
    for _ in 0..<1000 {
      chunk.removeAll()
      chunk.append(piece.span)
      try parser.receive(&chunk)
      #expect(parser.heldCapacity <= 10_000 + 5000 + 1024)
    }
    chunk.removeAll()
    let end = Array("\"},\n{\"862\": \"b\"}".utf8)
    chunk.append(end.span)
    try parser.receive(&chunk)
    try parser.finish()
    #expect(sink.rows == [RawRow("862", "b")])
    #expect(meter.rejects.value == 1 && meter.rowsIn.value == 2)
  }

  @Test func deepNestingIsRead() throws {
    let depth = 512
    let open = String(repeating: "[", count: depth - 1)
    let good = try parse(open + "{\"861\":\"a\"}" + String(repeating: "]", count: depth - 1))
    #expect(good.rows == [RawRow("861", "a")] && good.rejects == [])
    let deep = try parse("[" + open + "{\"861\":\"a\"}]\n{\"862\":\"b\"}\n")
    #expect(deep.codes == ["too-deep"])
    #expect(deep.rows == [RawRow("862", "b")])
    let endless = try parse(String(repeating: "[{\"a\":", count: 100_000) + "\n{\"862\":\"b\"}", cuts: [4096])
    #expect(endless.rows == [RawRow("862", "b")])
    #expect(endless.rejects.count >= 1 && endless.rejects.count <= 1000)
  }
}
