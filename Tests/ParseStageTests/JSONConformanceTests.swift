// The tables of valid and invalid documents of RFC 8259, each read whole, byte by byte, and in two pieces at every
// position.
//
// Where the RFC leaves a choice, `--strict` does this:
// - one name several times in an object (section 4): each pair is a row;
// - numbers out of a double's range (section 6): accepted, a number is never computed;
// - half of a surrogate pair as an escape (section 8.2): the document is accepted; a row that would need the character
//   is rejected, because UTF-8 can't represent it;
// - a UTF-8 byte order mark (section 8.1 lets a parser ignore it): skipped; other encodings are refused, unless one is
//   named, which is then converted;
// - nesting (section 9): up to 512 brackets.

import Records
import Testing

@testable import InputStages

@Suite struct JSONConformanceTests {
  /// Documents up to this length are cut at every position; the cost is quadratic.
  private static let everyCutMax = 300

  private static func strict(_ bytes: [UInt8], cuts: [Int] = []) throws -> Outcome {
    var options = jsonOptions()
    options.format = .json
    options.isStrict = true
    return try parse([bytes], options, cuts: cuts)
  }

  /// The result, which must not depend on the cuts.
  private static func outcome(_ bytes: [UInt8], _ name: String) throws -> Outcome {
    let whole = try strict(bytes)
    var ways: [[Int]] = [[1]]
    let step = bytes.count <= everyCutMax ? 1 : bytes.count / 40
    for place in stride(from: 1, to: max(bytes.count, 1), by: step) { ways.append([place, bytes.count]) }
    for cuts in ways {
      let cut = try strict(bytes, cuts: cuts)
      #expect(cut.failure == whole.failure, "\(name), cut \(cuts)")
      // Rows before a failure may be output or not: the run has failed.
      if whole.failure == nil { #expect(cut == whole, "\(name), cut \(cuts)") }
    }
    return whole
  }

  @Test func theTablesAreLargeAndNamesAreUnique() {
    let names = acceptedJSON.map(\.name) + refusedJSON.map(\.name) + refusedBytes.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(acceptedJSON.count >= 100 && refusedJSON.count + refusedBytes.count >= 150)
  }

  @Test(arguments: acceptedJSON.indices) func acceptedDocument(_ index: Int) throws {
    let (name, text, rows) = acceptedJSON[index]
    let outcome = try Self.outcome(Array(text.utf8), name)
    #expect(outcome.failure == nil, "\(name)")
    #expect(outcome.rejects == [], "\(name)")
    #expect(outcome.rows.count == rows, "\(name)")
    #expect(outcome.rowsIn == rows && outcome.isFinished, "\(name)")
  }

  @Test(arguments: refusedJSON.indices) func refusedDocument(_ index: Int) throws {
    let (name, text) = refusedJSON[index]
    try refused(Array(text.utf8), name)
  }

  @Test(arguments: refusedBytes.indices) func refusedEncoding(_ index: Int) throws {
    try refused(refusedBytes[index].bytes, refusedBytes[index].name)
  }

  private func refused(_ bytes: [UInt8], _ name: String) throws {
    let outcome = try Self.outcome(bytes, name)
    guard outcome.failure?.code == "not-json", let (line, byte, _) = outcome.failure?.located else {
      Issue.record("\(name): \(String(describing: outcome.failure))")
      return
    }
    #expect(byte <= bytes.count, "\(name)")
    #expect(line == UInt64(bytes.prefix(Int(byte)).count { $0 == 0x0A }) + 1, "\(name)")
    #expect(outcome.rejects == [], "\(name): the failure is reported first")
    #expect(!outcome.isFinished, "\(name)")
  }

  /// A row in the document that the text form can't represent is a reject, as without `--strict`.
  @Test(arguments: [
    ("{\"861\":\"\\ud800\"}", "lone-surrogate"), ("{\"861\":\"\\udc00\\ud800\"}", "lone-surrogate"),
    ("{\"\\ud800\":1}", "lone-surrogate"),
    ("{\"" + String(repeating: "8", count: 1025) + "\":\"a\"}", "number-too-long"),
    ("{\"861\":\"" + String(repeating: "x", count: 32 * 1024 + 1) + "\"}", "label-too-long"),
  ])
  func validButUnusableRow(_ text: String, _ code: String) throws {
    let outcome = try Self.outcome(Array(("[" + text + ",{\"862\":\"b\"}]").utf8), code)
    #expect(outcome.failure == nil && outcome.codes == [code] && outcome.rows == [RawRow("862", "b")])
  }

  @Test func objectsAsRowsAreStrictToo() throws {
    var options = objectOptions()
    options.isStrict = true
    let text = "{\"n\":[1,\"x\",{\"phone\":\"861\",\"name\":\"a\"}],\"m\":[[],null],\"l\":\"\\ud800\"}"
    let outcome = try parse(text, options, cuts: [1])
    #expect(outcome.failure == nil && outcome.rejects == [] && outcome.rows == [RawRow("861", "a")])
    for text in ["5", "\"x\"", "null", "[]", "[1,\"x\"]"] {
      let outcome = try parse(text, options, cuts: [1])
      #expect(outcome.failure == nil && outcome.rejects == [] && outcome.rows == [], "\(text)")
    }
    #expect(try parse("{\"name\":\"a\"}", options).codes == ["missing-field"])
    let broken = try parse("[{\"phone\":\"861\"},]", options).failure
    #expect(broken == .notJSON(line: 1, byte: 17, input: "in0", "a trailing comma"))
  }
}
