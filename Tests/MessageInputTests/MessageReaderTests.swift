// Messages are read from JSON lines and from tables, whose formats are recognised, and each unreadable record is rejected
// at its line and byte, no matter how the input is cut into reads.

import MessageRules
import Records
import SystemIO
import TestSupport
import Testing

@testable import MessageRulesCompiler

@Suite("Messages from files")
struct MessageReaderTests {
  /// What a reader finds in an input.
  private struct Outcome: Equatable {
    /// Each message as its row, sender and text, separated by bars.
    var messages: [String] = []
    /// Each reject as its line, byte and code.
    var rejects: [String] = []
    /// The texts of the rejects.
    var rejectedTexts: [String] = []
    /// The reason why the header is invalid.
    var headerReject: String?
    /// The format.
    var format: MessageFormat?
    /// Whether the first line is of another format than the chosen one.
    var isOtherFormat = false
  }

  private static let limit = MessageReader.recordBytesMax

  /// Reads a text; with `inBytes` each read returns a single byte.
  private static func read(
    _ text: String, _ format: MessageFormat? = .csv, expected: ExpectedActions? = nil,
    name: String = "messages",
    inBytes: Bool = false
  ) throws -> Outcome {
    try read(Array(text.utf8), format, expected: expected, name: name, inBytes: inBytes)
  }

  private static func read(
    _ bytes: [UInt8], _ format: MessageFormat? = .csv, expected: ExpectedActions? = nil,
    name: String = "messages", inBytes: Bool = false
  ) throws -> Outcome {
    let directory = try TemporaryDirectory()
    try directory.write(name, bytes)
    let calls: any SystemCalls = inBytes ? FailingCalls.short() : KernelCalls()
    let fixture = try StageFixture(.classify, calls: calls)
    let reader = MessageReader(
      format: format, expected: expected, input: directory / name, context: fixture.context)
    var outcome = Outcome()
    let error = stageError { () throws(Failure) in
      try reader.read {
        outcome.format = $0
      } _: { (row, number) throws(Failure) in
        let expected = row.expected.map { "|\($0.name)" }.joined()
        outcome.messages.append("\(number)|\(row.sender)|\(row.text)\(expected)")
      }
    }
    if error?.code == "other-format" {
      outcome.isOtherFormat = true
    } else {
      outcome.headerReject = error?.code
    }
    for reject in fixture.rejects {
      guard case .line(let line, let byte, _) = reject.place else { continue }
      outcome.rejects.append("\(line) \(byte) \(reject.reason.code)")
      outcome.rejectedTexts.append(String(decoding: reject.text, as: UTF8.self))
    }
    #expect(error != nil || fixture.meter.bytesIn.value == UInt64(bytes.count))
    #expect(fixture.meter.rowsIn.value == UInt64(outcome.messages.count + outcome.rejects.count))
    return outcome
  }

  @Test("CSV: quotes, line ends in quotes, and white space, which is kept", arguments: [false, true])
  func quotes(inBytes: Bool) throws {
    let text =
      "sender,text\r\n\r\n a\t,  b \r\n\"c\",\"d \"\"e\"\",\r\nf\"\r\n\"\",\"\"\ng\rh,\r\n\"i\",j\r\nk,\"l\"\r"
    let outcome = try Self.read(text, inBytes: inBytes)
    #expect(
      outcome.messages == [
        "1| a\t|  b ", "2|c|d \"e\",\r\nf", "3||", "4|g\rh|", "5|i|j", "6|k|l",
      ])
    #expect(outcome.rejects == [])
  }

  @Test("a quote inside an unquoted field is text", arguments: [false, true])
  func quoteInField(inBytes: Bool) throws {
    let outcome = try Self.read("sender,text\na,5\" pipe\nb, \"c\"\nd,e\n", inBytes: inBytes)
    #expect(outcome.messages == ["1|a|5\" pipe", "2|b| \"c\"", "3|d|e"])
    #expect(outcome.rejects == [])
  }

  @Test("text after a closing quote breaks one line only", arguments: [false, true])
  func textAfterQuote(inBytes: Bool) throws {
    let outcome = try Self.read("text\n\"a\"b\r\n\"c\" \n\"d\"\r,\ne\n", inBytes: inBytes)
    #expect(outcome.messages == ["4||e"])
    #expect(outcome.rejects == ["2 5 malformed", "3 11 malformed", "4 16 malformed"])
    #expect(outcome.rejectedTexts == ["\"a\"b", "\"c\" ", "\"d\"\r,"])
  }

  @Test("an unclosed quote breaks one line only", arguments: [false, true])
  func unclosedQuote(inBytes: Bool) throws {
    let outcome = try Self.read("sender,text\na,\"b\r\nc,d\ne,f", inBytes: inBytes)
    #expect(outcome.messages == ["2|c|d", "3|e|f"])
    #expect(outcome.rejects == ["2 12 malformed"])
    #expect(outcome.rejectedTexts == ["a,\"b"])
    #expect(try Self.read("text\na\n\"", inBytes: inBytes).rejects == ["3 7 malformed"])
  }

  @Test("the last record may lack a line end, and have only empty fields", arguments: [false, true])
  func lastRecord(inBytes: Bool) throws {
    #expect(try Self.read("text,sender\na,b\n,", inBytes: inBytes).messages == ["1|b|a", "2||"])
  }

  @Test("an unclosed quote before more text than a record may have breaks one line only")
  func longUnclosedQuote() throws {
    let lines = Self.limit / 32
    let text = "text\n\"a\n" + String(repeating: String(repeating: "b", count: 99) + "\n", count: lines)
    let outcome = try Self.read(text + "\"c\nd\"\n")
    #expect(outcome.rejects == ["2 5 too-long"])
    #expect(outcome.rejectedTexts == ["\"a"])
    #expect(outcome.messages.count == lines + 1)
    #expect(outcome.messages.last == "\(lines + 2)||c\nd")
  }

  @Test("a record that is too long is rejected; reading resumes at the next line")
  func tooLong() throws {
    let most = String(repeating: "x", count: Self.limit)
    for (lineEnd, excess) in [("\n", "x"), ("\r\n", "x"), ("\n", most)] {
      let outcome = try Self.read("text\(lineEnd)\(most)\(lineEnd)\(most)\(excess)\(lineEnd)a\n\(most)x")
      let start = 4 + 2 * lineEnd.utf8.count + Self.limit
      let last = start + Self.limit + excess.utf8.count + lineEnd.utf8.count + 2
      #expect(outcome.messages == ["1||\(most)", "3||a"])
      #expect(outcome.rejects == ["3 \(start) too-long", "5 \(last) too-long"])
      #expect(outcome.rejectedTexts.allSatisfy { $0.utf8.count == Reject.textBytesMax })
    }
    let quoted = try Self.read("text\n\"\(most.dropLast(2))\"\n\"\(most.dropLast(1))\"\na")
    #expect(quoted.messages == ["1||\(most.dropLast(2))", "3||a"])
    #expect(quoted.rejects == ["3 \(6 + Self.limit) too-long"])
  }

  @Test("JSON: one message per line; a line that is too long is rejected")
  func json() throws {
    let text = "{\"text\":\"a\\\"\"}\r\n\n\"\n{\"sender\":\"b\",\"text\":\"c\"}"
    for inBytes in [false, true] {
      let outcome = try Self.read(text, .json, inBytes: inBytes)
      #expect(outcome.messages == ["1||a\"", "3|b|c"])
      #expect(outcome.rejects == ["3 17 malformed"])
    }
    func line(_ length: Int) -> String {
      "{\"text\":\"" + String(repeating: "x", count: length - 11) + "\"}\r\n"
    }
    let lines = [Self.limit, Self.limit + 1, 12, 3 * Self.limit].map(line)
    let outcome = try Self.read(lines.joined(), .json)
    #expect(outcome.messages.map { $0.utf8.count } == [Self.limit - 11 + 3, 4])
    let second = Self.limit + 2
    let last = second + Self.limit + 3 + 14
    #expect(outcome.rejects == ["2 \(second) too-long", "4 \(last) too-long"])
  }

  @Test("the header may have a byte order mark and quotes, and must name the text", arguments: [false, true])
  func header(inBytes: Bool) throws {
    let outcome = try Self.read("\u{FEFF}\"Text\",sender\na,b\n", inBytes: inBytes)
    #expect(outcome.messages == ["1|b|a"])
    #expect(try Self.read("sender\na\n", inBytes: inBytes).headerReject == "missing-field")
    #expect(try Self.read("\u{FEFF}", inBytes: inBytes).messages == [])
  }

  @Test("the result does not depend on the sizes of reads")
  func anyReads() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let pieces = ["\"", "\"", "\"\"", ",", ",", "\n", "\n", "\r", "\r\n", "a", " ", "é", "xyz", "\u{FEFF}"]
    for _ in 0..<100 {
      var text = random.below(8) == 0 ? "" : "sender,text\n"
      for _ in 0..<random.below(60) { text += pieces[random.below(pieces.count)] }
      // More than the bytes after which records may not span lines.
      if random.below(4) == 0 { text += "\"" + String(repeating: "ab\n", count: 150) + "\"c\n\"d\ne\"\n" }
      for format in [MessageFormat.csv, .tsv, nil] {
        let whole = try Self.read(text, format)
        #expect(try Self.read(text, format, inBytes: true) == whole, "seed \(seed): \(text.debugDescription)")
      }
    }
  }
  // MARK: Formats

  @Test(
    "the format is recognised by the first line", arguments: [false, true],
    [
      ("\n {\"text\":\"a\"}\n", MessageFormat.json, ["1||a"]), ("sender,text\na,b\n", .csv, ["1|a|b"]),
      ("\u{FEFF}\"Text\",sender\na,b\n", .csv, ["1|b|a"]), ("sender\ttext\na\tb,\"c\n", .tsv, ["1|a|b,\"c"]),
      ("ham\thello, you\nspam\tx\ty\r\n", .tsv, ["1||hello, you", "2||x\ty"]), ("spam\ta", .tsv, ["1||a"]),
      ("nonsense\n", .json, []), ("", .json, []), ("two words\tx\n", .json, []), ("a,b\n", .json, []),
    ])
  func recognised(inBytes: Bool, input: (text: String, format: MessageFormat, messages: [String])) throws {
    let outcome = try Self.read(input.text, nil, inBytes: inBytes)
    #expect(outcome.format == input.format && outcome.messages == input.messages)
  }

  @Test(
    "the name of a file decides before the first line, and --format before both; a contradiction is an error")
  func named() throws {
    #expect(try Self.read("a,b\n", nil, name: "m.CSV").headerReject == "missing-field")
    #expect(try Self.read("two words\tx\n", nil, name: "m.tsv").messages == ["1||x"])
    #expect(try Self.read("{\"text\":\"a\"}\n", nil, name: "m.csv").isOtherFormat)
    #expect(try Self.read("sender,text\n", nil, name: "m.jsonl").isOtherFormat)
    #expect(try Self.read("sender,text\na,b\n", .csv, name: "m.jsonl").messages == ["1|a|b"])
    #expect(try Self.read("ham\tx\n", .json).isOtherFormat && Self.read("sender,text\n", .tsv).isOtherFormat)
  }

  @Test("labels stand for actions; unknown ones are rejected; a table without a header has only a label")
  func labels() throws {
    let expected = ExpectedActions(field: "label", labels: ["ham": [.none, .allow], "spam": [.junk]])
    let text = "ham\ta\nspam\tb\nallow\tc\nHam\td\n"
    let outcome = try Self.read(text, nil, expected: expected)
    #expect(outcome.messages == ["1||a|none|allow", "2||b|junk", "3||c|allow"])
    #expect(outcome.rejects == ["4 21 unknown-action"])
    #expect(try Self.read(text, nil, expected: ExpectedActions(field: "kind")).headerReject == "no-header")
    let table = "Label,text\nspam,a\n"
    #expect(try Self.read(table, nil, expected: expected).messages == ["1||a|junk"])
  }

  @Test("a field of a table that is not UTF-8 is Windows-1252")
  func encodings() throws {
    let bytes = Array("ham\t".utf8) + [0xA3, 0x31, 0x80, 0xE9] + Array("\nham\té\n".utf8)
    #expect(try Self.read(bytes, nil).messages == ["1||£1€é", "2||é"])
  }
}
