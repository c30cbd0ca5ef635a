// A number is a whole number in every format: `49301234567.0` is 49301234567. A fraction, a number below zero and one
// with lost digits are rejected, since their digits would be another number.

import Records
import Testing

@testable import InputStages

@Suite struct WholeNumberTests {
  /// A number's text, and the result; nil: `not-whole`.
  static let texts: [(String, String?)] = [
    ("49301234567.0", "49301234567"), ("49301234567.00", "49301234567"), ("+49301234567.0", "+49301234567"),
    ("49301234567.000", "49301234567"), ("4.9301234567e+10", "49301234567"),
    ("4.9301234567E10", "49301234567"),
    ("112.0", "112"), ("00493012345.0", "00493012345"),
    // Fractions, lost digits, below zero.
    ("49301234567.5", nil), ("49301234567.25", nil), ("4930123456.1234567", nil), ("112.5", nil),
    ("493012345E2", nil), ("493012345e2", nil), ("493012345e+2", nil), ("4.93012E+10", nil),
    ("-49301234567", nil), ("-49301234567.0", nil), ("-49301234567.5", nil), ("-4.9301234567e+10", nil),
    // Numbers that people write with points and hyphens.
    ("030.12345678", "030.12345678"), ("1.2025550123", "1.2025550123"), ("+1.2025550123", "+1.2025550123"),
    ("202.555.0123", "202.555.0123"), ("555.0123", "555.0123"), ("555.0000", "555.0000"),
    ("06.12.34.56.78", "06.12.34.56.78"), ("1.234.567", "1.234.567"), ("1.234.567.0", "1.234.567.0"),
    ("0755-12345678", "0755-12345678"), ("-555-1234567", "-555-1234567"), ("555-1234567.", "555-1234567."),
    ("1-800-FLOWERS", "1-800-FLOWERS"), ("33162040000..33162049999", "33162040000..33162049999"),
    ("-0301234567", "-0301234567"), ("1800E5", "1800E5"),
    ("33162######", "33162######"),
  ]

  private func expect(
    _ document: String, _ text: String, _ whole: String?, _ options: ParseOptions,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let outcome = try parse([Array(document.utf8)], options)
    if let whole {
      #expect(
        outcome.rows.map(\.text) == [Array(whole.utf8), Array("861".utf8)], "\(text): \(outcome)",
        sourceLocation: sourceLocation)
      #expect(outcome.rejects == [], "\(text)", sourceLocation: sourceLocation)
    } else {
      #expect(outcome.codes == ["not-whole"], "\(text): \(outcome)", sourceLocation: sourceLocation)
      #expect(outcome.rows.map(\.text) == [Array("861".utf8)], "\(text)", sourceLocation: sourceLocation)
    }
    for cuts in staccato {
      #expect(
        try parse([Array(document.utf8)], options, cuts: cuts) == outcome, "\(text), cut \(cuts)",
        sourceLocation: sourceLocation)
    }
  }

  /// Rows long enough for every fast path.
  private static let label = String(repeating: "label ", count: 60) + "end"

  @Test(arguments: texts) func inJSONStrings(_ text: String, _ whole: String?) throws {
    for label in ["x", Self.label] {
      try expect("{\"\(text)\": \"\(label)\"},\n{\"861\": \"y\"}\n", text, whole, jsonOptions())
      try expect("{\"\(text)\": \"\(label)\", \"861\": \"y\"}\n", text, whole, jsonOptions())
      try expect(
        "[{\"n\":\"\(text)\",\"l\":\"\(label)\"},{\"n\":861}]", text, whole, objectOptions(number: "n"))
    }
    try expect(
      "{\" \(text) \": \"x\"}\n{\"861\":1}", text, whole == text ? " \(text) " : whole, jsonOptions())
  }

  @Test func inJSONStringsWithEscapes() throws {
    try expect("{\"4930123456\\u0037.0\": \"x\"}{\"861\":1}", "escaped", "49301234567", jsonOptions())
    try expect("{\"\\u002d49301234567\": \"x\"}{\"861\":1}", "escaped", nil, jsonOptions())
  }

  @Test(arguments: texts) func inTablesAndLists(_ text: String, _ whole: String?) throws {
    for label in ["x", Self.label] {
      try expect("number,label\n\(text),\(label)\n861,y\n", text, whole, tableOptions())
      try expect("number,label\n\"\(text)\",\(label)\n861,y\n", text, whole, tableOptions())
      try expect("label\tnumber\n\(label)\t\(text)\ny\t861\n", text, whole, tableOptions(.tsv))
      try expect("\(text)\t\(label)\n861\ty\n", text, whole, tableOptions(.lines))
    }
    if text.utf8.first != UInt8(ascii: "-") {
      try expect("- \(text)\n- 861\n", text, whole, tableOptions(.lines))
    }
  }

  @Test(arguments: texts) func inPropertyLists(_ text: String, _ whole: String?) throws {
    for element in ["string", "real", "integer"] {
      let number = "<key>number</key><\(element)>\(text)</\(element)>"
      try expect(
        "<plist><array><dict>\(number)</dict><dict><key>number</key><string>861</string></dict></array></plist>",
        text, whole, tableOptions(.plist))
    }
  }

  @Test func inPhoneBooksAndCards() throws {
    try expect(
      "BEGIN:VCARD\r\nFN:x\r\nTEL:49301234567.0\r\nEND:VCARD\r\nBEGIN:VCARD\r\nFN:y\r\nTEL:861\r\nEND:VCARD\r\n",
      "card", "49301234567", tableOptions(.vcard))
  }

  @Test func inDatabases() throws {
    let values = Self.texts.map { "('\($0.0)', 'x')" }.joined(separator: ", ")
    let bytes = try SQLiteTests.database(
      """
      CREATE TABLE t(number, label);
      INSERT INTO t VALUES \(values), (-49301234567, 'x'), (-49301234567.0, 'x'), (49301234567, 'x'), (49301234567.0, 'x');
      """)
    let outcome = try parse([bytes], tableOptions(.sqlite))
    let whole = Self.texts.compactMap { $0.1 } + ["49301234567", "49301234567"]
    #expect(outcome.rows.map { String(decoding: $0.text, as: UTF8.self) } == whole)
    #expect(outcome.codes == Array(repeating: "not-whole", count: Self.texts.count { $0.1 == nil } + 2))
  }
}
