// The fields after a number: written, checked, parsed, and every way in which bytes are not valid record fields.

import Records
import TestSupport
import Testing

@Suite("RecordFields", .seeded)
struct RecordFieldsTests {
  static func check(_ bytes: [UInt8]) -> Result<Int, RecordFieldsError> {
    do throws(RecordFieldsError) {
      return .success(try RecordFields.check(bytes.span))
    } catch {
      return .failure(error)
    }
  }

  // `#expect` copies the parts of its expression, which spans don't allow. So these two have arrays as parameters.
  static func fields(_ bytes: [UInt8]) -> RecordFields.Fields { RecordFields.fields(bytes.span) }
  static func labelLength(_ bytes: [UInt8]) -> Int { RecordFields.labelLength(bytes.span) }

  static func check(_ text: String) -> Result<Int, RecordFieldsError> { check(Array(text.utf8)) }

  @Test("fields are parsed from their bytes")
  func roundTrip() throws {
    var generator = SplitMix64(test: "recordFields")
    for _ in 0..<3000 {
      let fields = RecordFields.Fields(
        label: RandomText.any(&generator), source: RandomText.any(&generator),
        score: [nil, 0, -1, .min, .max, Int64(truncatingIfNeeded: generator.next())].randomElement(
          using: &generator) ?? nil)
      let bytes = RecordFields.bytes(fields)
      #expect(Self.check(bytes) == .success(bytes.count))
      #expect(Self.fields(bytes) == fields)
      let label = RecordFields.bytes(RecordFields.Fields(label: fields.label))
      #expect(Self.labelLength(bytes) == label.count)
      #expect(Array(bytes.prefix(label.count)) == label)
      #expect(!bytes.contains(UInt8(ascii: "\n")) && !bytes.contains(UInt8(ascii: "\r")))
    }
  }

  enum RandomText {
    static func any(_ generator: inout SplitMix64) -> String { RecordShape.text(&generator, most: 6) }
  }

  @Test("the bytes are those of the text form")
  func bytes() {
    func text(_ label: String, _ source: String = "", _ score: Int64? = nil) -> String {
      String(
        decoding: RecordFields.bytes(RecordFields.Fields(label: label, source: source, score: score)),
        as: UTF8.self)
    }
    #expect(text("") == "")
    #expect(text("骚扰电话") == "骚扰电话")
    #expect(text("démarchage", "arcep", 12) == "démarchage\tarcep\t12")
    #expect(text("", "arcep") == "\tarcep")
    #expect(text("", "", -3) == "\t\t-3")
    #expect(text("a\\b\tc\nd\re") == "a\\\\b\\tc\\nd\\re")
  }

  @Test(
    "every byte at every place of texts of all lengths", arguments: ["a", " ", "\u{7F}", "é", "骚", "😀"])
  func everyByte(filler: String) {
    for length in 0...18 {
      let text = Array(String(repeating: filler, count: length).utf8.prefix(length))
      #expect(Self.check(text) == Self.checkedByByte(text))
      for place in 0..<length {
        for byte in UInt8.min ... .max {
          var bytes = text
          bytes[place] = byte
          if Self.check(bytes) != Self.checkedByByte(bytes) { Issue.record("\(bytes)") }
        }
      }
    }
  }

  /// What `check` returns for bytes with at most one tab that is not at the end.
  private static func checkedByByte(_ bytes: [UInt8]) -> Result<Int, RecordFieldsError> {
    var rest = bytes[...]
    while rest.last == 0x09 { rest.removeLast() }
    let fields = rest
    while let byte = rest.popFirst() {
      if byte == 0x0D { return .failure(.strayCarriageReturn) }
      if byte == 0x5C {
        guard let next = rest.popFirst(), "\\tnr".utf8.contains(next) else { return .failure(.badEscape) }
      }
    }
    if String(validating: fields, as: UTF8.self) != nil { return .success(fields.count) }
    let label = fields.prefix { $0 != 0x09 }
    return .failure(String(validating: label, as: UTF8.self) == nil ? .notUTF8 : .sourceNotUTF8)
  }

  @Test("trailing empty fields are omitted")
  func canonicalLength() {
    #expect(Self.check("") == .success(0))
    #expect(Self.check("\t\t") == .success(0))
    #expect(Self.check("label\t\t") == .success(5))
    #expect(Self.check("label\tsource\t") == .success(12))
    #expect(Self.check("\t\t5") == .success(3))
    // More tabs than fields, but no text after them.
    #expect(Self.check("label\t\t\t\t\t") == .success(5))
  }

  @Test("every error is named")
  func defects() {
    #expect(
      Self.check([UInt8](repeating: 0x61, count: RecordFields.bytesMax)) == .success(RecordFields.bytesMax))
    #expect(
      Self.check([UInt8](repeating: 0x61, count: RecordFields.bytesMax + 1))
        == .failure(.tooLong(bytes: RecordFields.bytesMax + 1)))
    #expect(Self.check([0x61, 0xFF]) == .failure(.notUTF8))
    #expect(Self.check([0xE9, 0xAA]) == .failure(.notUTF8))
    #expect(Self.check([0x61, 0x09, 0xFF]) == .failure(.sourceNotUTF8))
    #expect(Self.check([0xFF, 0x09, 0xFF]) == .failure(.notUTF8))
    #expect(Self.check("a\\") == .failure(.badEscape))
    #expect(Self.check("a\\x") == .failure(.badEscape))
    #expect(Self.check("a\\\t") == .failure(.badEscape))
    #expect(Self.check("\\\\\\") == .failure(.badEscape))
    #expect(Self.check("a\tb\t1\tc") == .failure(.tooManyFields(4)))
    #expect(Self.check("\t\t\t\tx") == .failure(.tooManyFields(5)))
    #expect(Self.check("a\r") == .failure(.strayCarriageReturn))
    for score in [
      "x", "1.5", "1 ", " 1", "1e3", "９", "é", "--1", "-", "9223372036854775808", "\\t", "007", "+5", "-0",
    ] {
      #expect(Self.check("a\tb\t\(score)") == .failure(.badScore), "score '\(score)'")
    }
    for score in ["0", "-1", "9223372036854775807", "-9223372036854775808"] {
      #expect(Self.check("a\tb\t\(score)") == .success(4 + score.utf8.count), "score '\(score)'")
    }
  }

  @Test("no bytes cause a trap, and valid fields can be split and joined again")
  func hostile() {
    var generator = SplitMix64(test: "hostile recordFields")
    let alphabet: [UInt8] = [0x09, 0x5C, 0x74, 0x6E, 0x0D, 0x31, 0x2D, 0x61, 0xC3, 0xA9, 0xFF, 0x00]
    var passed = 0
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      // Bytes that were not checked must not cause a trap either.
      let fields = Self.fields(bytes)
      guard case .success(let count) = Self.check(bytes) else { continue }
      passed += 1
      let again = RecordFields.bytes(fields)
      #expect(Self.check(again) == .success(again.count), "\(bytes)")
      #expect(Self.fields(Array(bytes.prefix(count))) == fields, "\(bytes)")
      #expect(Self.fields(again) == fields, "\(bytes)")
    }
    #expect(passed > 1000)
  }
}
