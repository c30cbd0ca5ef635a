// Random lists that several processes make in parts: the same stores, deltas, lists, conflicts and rejects as in one process.
//
// Not for: the same with Apache Spark (make test-spark).

import TestSupport
import Testing

@Suite("Lists in parts")
struct ListPartsTests {
  @Test("a list in parts is the list of one process", .timeLimit(.minutes(10)))
  func cases() async throws {
    let workshop = try Workshop()
    let outcome = try await Program.shell(
      "python3 '\(Program.root)/Tests/CommandTests/Programs/parts_cases.py' '\(try Program.path())' . --lists 2",
      in: workshop)
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
    #expect(outcome.outputText.hasSuffix("20 lists in parts are equal\n"))
  }
}
