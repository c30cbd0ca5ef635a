// --strict accepts exactly RFC 8259.

import Records
import Testing

@testable import InputStages

@Suite struct StrictTests {
  private func strict(_ bytes: [UInt8], cuts: [Int] = []) throws -> Outcome {
    var options = jsonOptions()
    options.isStrict = true
    return try parse([bytes], options, cuts: cuts)
  }

  @Test func withoutAFormatAlmostJSONIsNoList() throws {
    var options = ParseOptions()
    options.isStrict = true
    for text in ["[++1234]", " [+49301234, +49301235]\n"] {
      #expect(try parse([Array(text.utf8)], options).failure != nil, "\(text)")
    }
    let list = try parse([Array("[+49] 301234567\n0301234568\n".utf8)], options)
    #expect(list.failure == nil && list.rows.count == 2)
  }

  @Test(arguments: [
    "{}", "[]", " [ ] ", "0", "-0", "1", "-12.50e+10", "1E5", "0.1", "\"x\"", "true", "false", "null",
    "\n null \t\r",
    "[{\"861\": \"骚扰电话\"},\n{\"862\": \"a\"}]", "{\"861\":\"\\u12aF\\n\\/\\\\\\\"\"}",
    "[1,[2,{\"a\":[]}],{}]",
    "\"\\ud800\"", "\"\u{7F}é€😀\"", "{\"a\":1,\"a\":2}",
  ])
  func validDocumentsPass(_ text: String) throws {
    for cuts in staccato {
      #expect(try strict(Array(text.utf8), cuts: cuts).failure == nil, "cut \(cuts)")
    }
  }

  @Test(
    arguments: [
      ("", "the document ends too early", 0), (" ", "the document ends too early", 1),
      ("[", "the document ends too early", 1),
      ("{\"a\"", "the document ends too early", 4),
      ("-", "the document ends too early", 1), ("1.", "the document ends too early", 2),
      ("1e", "the document ends too early", 2),
      ("1e+", "the document ends too early", 3),
      ("tru", "the document ends too early", 3), ("\"x", "the document ends too early", 2),
      ("[1,]", "a trailing comma", 3),
      ("{\"a\":1,}", "a trailing comma", 7),
      ("[\n{\"861\": \"a\"},\n]", "a trailing comma", 16),
      ("\"a\":\"b\"", "text after the end of the document", 3),
      ("{}{}", "text after the end of the document", 2),
      ("{}\n{}", "text after the end of the document", 3), ("1 2", "text after the end of the document", 2),
      ("01", "a number with a leading zero", 1),
      ("-012", "a number with a leading zero", 2),
      ("+1", "unexpected '+'", 0), (".5", "unexpected '.'", 0), ("1.e1", "unexpected 'e'", 2),
      ("\"a\tb\"", "control character 9 in a string", 2), ("\"a\nb\"", "control character 10 in a string", 2),
      ("\"\\x\"", "invalid escape", 2),
      ("\"\\u12g4\"", "invalid escape", 5), ("\"\\u12\"", "invalid escape", 5),
      ("[truE]", "unexpected 'E'", 4),
      ("nul ", "unexpected byte 32", 3), ("hello", "unexpected 'h'", 0),
      ("[1 2]", "unexpected '2'", 3),
      ("{1:2}", "unexpected '1'", 1), ("{\"a\" 1}", "unexpected '1'", 5),
      ("{\"a\":}", "unexpected '}'", 5),
      ("[,1]", "unexpected ','", 1), ("[}", "unexpected '}'", 1), ("[1}", "unexpected '}'", 2),
      ("]", "unexpected ']'", 0),
      ("{\"a\":1]", "unexpected ']'", 6), ("'a'", "unexpected '''", 0),
      ("// x\n1", "unexpected '/'", 0),
      ("[1/* */]", "unexpected '/'", 2), ("NaN", "unexpected 'N'", 0),
      ("1x", "text after the end of the document", 1),
      ("[1]\0", "text after the end of the document", 3),
      ("[]\u{FEFF}", "text after the end of the document", 2),
      ("<\"a\":\"b\">", "unexpected '<'", 0),
      ("[\u{A0}1]", "unexpected byte 194", 1), ("\u{C}1", "unexpected byte 12", 0),
      ("{\"a\":1,,\"b\":2}", "unexpected ','", 7),
      (String(repeating: "[", count: 513), "nested deeper than 512 brackets", 512),
    ] as [(String, String, Int)])
  func firstDeviationEndsTheRun(_ text: String, _ problem: String, _ byte: Int) throws {
    let line = UInt64(text.utf8.prefix(byte).count { $0 == 0x0A }) + 1
    for cuts in staccato {
      let outcome = try strict(Array(text.utf8), cuts: cuts)
      #expect(
        outcome.failure == .notJSON(line: line, byte: UInt64(byte), input: "in0", problem), "cut \(cuts)")
    }
    #expect(Failure.notJSON(line: 1, byte: 0, input: "", problem).errorClass == .badData)
  }

  @Test func placesCountAByteOrderMark() throws {
    for cuts in staccato {
      let outcome = try strict(Array("\u{FEFF}[1,]".utf8), cuts: cuts)
      #expect(outcome.failure == .notJSON(line: 1, byte: 6, input: "in0", "a trailing comma"), "cut \(cuts)")
      let twice = try strict(Array("\u{FEFF}\u{FEFF}[]".utf8), cuts: cuts)
      #expect(twice.failure == .notJSON(line: 1, byte: 3, input: "in0", "unexpected byte 239"), "cut \(cuts)")
    }
  }

  @Test func badUTF8InALongStringIsFoundAtItsByte() throws {
    let good = String(repeating: "骚扰 abc ", count: 400)
    for bad in [[0xFF], [0xE9, 0xAA], [0x80]] as [[UInt8]] {
      let bytes = Array("[\"\(good)".utf8) + bad + Array(" 骚扰电话 and more\"]".utf8)
      // The lead byte is valid; the byte after it is not.
      let place = UInt64(2 + good.utf8.count + bad.count - (bad[0] == 0xE9 ? 0 : 1))
      for cuts in staccato {
        let outcome = try strict(bytes, cuts: cuts)
        #expect(outcome.failure == .notJSON(line: 1, byte: place, input: "in0", "not UTF-8"), "cut \(cuts)")
      }
    }
  }

  @Test func otherEncodingsAreRefusedUnlessNamed() throws {
    let text = "[{\"861\":\"骚\"}]"
    let wide: [UInt8] = [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    var options = jsonOptions()
    options.isStrict = true
    for cuts in staccato {
      options.encoding = nil
      #expect(
        try parse([wide], options, cuts: cuts).failure
          == .notUTF8JSON(input: "in0", .utf16BE), "cut \(cuts)")
      options.encoding = "utf-16"
      let outcome = try parse([wide], options, cuts: cuts)
      #expect(outcome.rows == [RawRow("861", "骚")] && outcome.failure == nil, "cut \(cuts)")
    }
    options.encoding = nil
    #expect(
      try parse([[0xFF, 0xFE, 0, 0, 0x5B, 0, 0, 0]], options).failure
        == .notUTF8JSON(input: "in0", .utf32LE))
    // Only JSON has this escape.
    options.format = .lines
    #expect(try parse([[0xFE, 0xFF, 0, 0x38, 0, 0x36, 0, 0x31]], options).rows == [RawRow("861", "")])
  }

  @Test func invalidUTF8EndsTheRun() throws {
    for bad in [
      [0xFF], [0xC0, 0xAF], [0xE9, 0xAA], [0xED, 0xA0, 0x80], [0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xF0, 0x80, 0x80, 0x80],
    ]
      as [[UInt8]]
    {
      for cuts in staccato {
        let outcome = try strict([0x22] + bad + [0x22], cuts: cuts)
        let place = outcome.failure?.located
        #expect(place?.line == 1 && place?.reason == "not RFC 8259 JSON: not UTF-8", "\(bad)")
      }
    }
  }

  @Test func rowsAndRejectsAreReported() throws {
    let outcome = try strict(Array("[{\"861\": \"a\"}, {\"862\": \"\\ud800\"}, 5]".utf8))
    #expect(outcome.rows == [RawRow("861", "a")])
    // The last value is not a row, and is valid.
    #expect(outcome.codes == ["lone-surrogate"])
  }

  @Test func eachInputIsOneDocument() throws {
    var options = jsonOptions()
    options.isStrict = true
    let outcome = try parse([Array("[]".utf8), Array("{\"861\":\"a\"}".utf8)], options)
    #expect(outcome.failure == nil && outcome.rows == [RawRow("861", "a")])
    #expect(
      try parse([Array("[".utf8), Array("]".utf8)], options).failure
        == .notJSON(line: 1, byte: 1, input: "in0", "the document ends too early"))
  }
}
