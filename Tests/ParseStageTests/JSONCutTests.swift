// The loss after a broken piece must not depend on where a window of the input ends: one test for each cause that
// libFuzzer found, and its inputs.
//
// Not for: random mutations (FuzzTests), or the reject codes of broken rows (BrokenTests).

import Records
import Testing

@testable import InputStages

@Suite struct JSONCutTests {
  /// Parses in one piece, and cut in two at every position; the results must be equal.
  private func parseCutInTwo(_ text: String, _ options: ParseOptions) throws -> Outcome {
    let bytes = Array(text.utf8)
    let whole = try parse([bytes], options, heldStep: 1024)
    for at in 1..<bytes.count {
      for step in [1, 1024] {
        let cut = try parse([bytes], options, cuts: [at, bytes.count], heldStep: step)
        if cut != whole {
          Issue.record("cut at \(at), step \(step): \(cut.rejects), whole: \(whole.rejects)")
        }
      }
    }
    return whole
  }

  /// A window may end in the look-ahead of a bracket, in the part of a broken piece that is shown.
  @Test func rejectTextsReachOverALookAhead() throws {
    let broken = "!" + String(repeating: "x", count: 240) + "{" + String(repeating: " ", count: 40) + "z"
    let outcome = try parseCutInTwo(broken + "\n{\"861\": \"a\"}\n", jsonOptions())
    #expect(outcome.rows == [RawRow("861", "a")])
    #expect(outcome.rejects.map(\.text) == [String(broken.prefix(Reject.textBytesMax))])
  }

  /// The window may have to grow before a broken object is recognised; its colon must still be remembered then.
  @Test func aSecondLookRemembersTheColon() throws {
    let text = String(repeating: "{\"a\":", count: 40) + "]" + String(repeating: "x", count: 300)
    let outcome = try parseCutInTwo(text, objectOptions())
    #expect(outcome.codes == ["missing-brace"])
  }

  /// A piece that reaches the limit for a record is too long, whether or not the input ends there.
  @Test func aUnitThatReachesTheLimitIsTooLong() throws {
    var options = jsonOptions()
    // More than a reject's text, for which the window would have to grow in any case.
    options.recordBytesMax = Reject.textBytesMax
    let limit = options.recordBytesMax + ParseLimits.lookaheadCapacity
    for (count, code) in [
      (limit - 1, "truncated"), (limit, "record-too-long"), (limit + 1, "record-too-long"),
    ] {
      let text = "{\"861\":" + String(repeating: "1", count: count - 7)
      #expect(try parseCutInTwo(text, options).codes == [code], "\(count) bytes")
    }
  }

  /// The search for a row's neighbour inside a row that is too long ends at the record's limit.
  @Test func neighboursAreSearchedOnlyWithinTheLimit() throws {
    var options = objectOptions()
    options.recordBytesMax = Reject.textBytesMax
    let limit = options.recordBytesMax + ParseLimits.lookaheadCapacity
    for place in limit - 20...limit + 2 {
      // An unused array, followed by a neighbour whose bracket is at that position.
      let head = "{\"phone\":\"1\",\"x\":[{"
      let fill = String(repeating: " ", count: place - head.utf8.count - 2)
      let text = head + fill + "},{\"phone\":\"2\",\"y\":\"z\"}\n]}\n{\"phone\":\"3\"}\n"
      let outcome = try parseCutInTwo(text, options)
      #expect(outcome.rows.last == RawRow("3", ""))
    }
  }

  /// After an object, a bare pair is the first of a run, whether the object was read by the fast path or not.
  @Test func aRunOfBarePairsEndsBeforeFastRows() throws {
    let rows = String(repeating: "{\"862\":\"y\"}\n", count: 40)
    let text = "\"861\":\"x\"\n{\"862\":\"y\"}\n\"863\":\"z\"}\n" + rows
    let outcome = try parseCutInTwo(text, jsonOptions())
    #expect(outcome.codes == ["missing-brace"] && outcome.rows.count == 42)
  }

  /// An input that libFuzzer found, with its options.
  struct Found: Sendable {
    var isNamed: Bool
    var isShort: Bool
    var windows: [Int]
    var hex: String

    var bytes: [UInt8] {
      let digits = hex.utf8.map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x61 + 10 }
      return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
  }

  @Test func foundInputs() throws {
    let inputs = [
      Found(
        isNamed: true, isShort: true, windows: [1, 97],
        hex: "38617d0a23582a5858585858585858585858585858585858585858585858ff9aabea5858585058585858585858"
          + "7f000000000000005858585858585858585858585858585858585858585858585858585858585858583d3d3d3d"
          + "3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d585858585858585858585858585858585858585858ff9aabea"
          + "58585850585858585858587f000000000000005858585858585858585858585858585858585858585858585858"
          + "585858585858583d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d7d3d3d3d58585858585858583d3d3d585858585858"
          + "585858585858585858585858585858585858585858585858585858585858585858587b"),
      Found(
        isNamed: true, isShort: true, windows: [4, 92],
        hex: "7b2279f278223a5b7b2279223a5b32085b7b22fffff278223a5b7b22f278223a5b7b2279223a5b496e747b2278"
          + "223a7b2279223a5b3a03085b7b2278223a5b7b2279223a5b3208537b22223a7b22223a5b7b2278223a7b227922"
          + "3a5b3a03085b7b2278223a5b7b2279223a5b787b2279223a5b3a03085b7b2278223a5b7b0000000a08537b2278"
          + "223a7b22223a5b32085b7b220a5d"),
      Found(
        isNamed: true, isShort: false, windows: [31, 4],
        hex: "31f278223a5b7b2279f278223a5b00175aed819100000000000000005b31085b7b2278223a7b2279223a5b3a03"
          + "085b7b2279f278223a5b7b2279223a5b32085b7b2278223a7b2279223a5b007b2279223a5b32085b7b2278223a"
          + "7b2279223a653a03085b7b2278223a5b7b2279223a5b3208537b2278223a7b2222c33a1c7b225a005b32085b7b"
          + "2278223a7b2279223a5b3a03085b7b2279f278223a5b7b2279223a5b32085b402278223a7b2279223a5b3a0308"
          + "5b7b2278223a5b7b2279223a5b3208537b2278223a7b22223a5bd6d63939227d02000000000000226e7b225c22"
          + "0030223a2222fc842202ff407b225c6230223a221a2900000000000000226e7b225c220030223a2222fc842202"
          + "ff1522407bd68a007d5d5d7d5d5d5d5dd6d6d6d6d6ffff6a5d"),
      Found(
        isNamed: true, isShort: false, windows: [1, 21],
        hex: "7b22439e729e5b7b227b22223a5b7b2279223a5b32085a7b22786e22223a7b2278223a5b7b227b2278223a5b7b"
          + "229e729e5b7b227b223a5b5d083222223a5b7b797b2278223a7b2279223a5b225579223a5b32085b7b2278223a"
          + "7b2278223a5b7b227b2278223a5b7b2287ddc5a432085b7b22782a223a7b2279223a5b223a5b32085b79222279"
          + "223a5b32085b7b2278223a7b2278223a5b7b227b2278223a5b7b2279223a5b32085b7b22782a223a7b2279223a"
          + "5b223a5b32085b7b2278223a7b2279223a5b5d08325b799e729e5b7b227b22223a5b32085b7b2278223a7b2278"
          + "223a5b7b0a5b3a226e7b22756c5d223a5b223a5d3a5b5d083208"),
    ]
    for (index, input) in inputs.enumerated() {
      var options =
        input.isNamed ? objectOptions(number: "n", label: "l", source: "s", score: "c") : jsonOptions()
      if input.isShort { options.recordBytesMax = 64 }
      let documents = [input.bytes, input.bytes]
      let whole = try parse(documents, options, heldStep: 1024)
      #expect(whole.rejectCount > 0)
      for step in [1, 5, 40, 1024] {
        let cut = try parse(documents, options, cuts: input.windows, heldStep: step)
        #expect(cut == whole, "input \(index), step \(step)")
      }
    }
  }
}
