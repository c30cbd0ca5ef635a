// Random pipelines that run in parts, as files between processes: the same stores, lists, conflicts and rejects as in one
// process.
//
// Not for: the same with Apache Spark (make test-spark).

import TestSupport
import Testing

@Suite("Runs in parts")
struct RunPartsTests {
  @Test("a run in parts writes what one process writes", .timeLimit(.minutes(10)))
  func cases() async throws {
    let workshop = try Workshop()
    let outcome = try await Program.shell(
      "python3 '\(Program.root)/Tests/CommandTests/Programs/parts_cases.py' '\(try Program.path())' . --lists 2",
      in: workshop)
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
    #expect(outcome.outputText.hasSuffix("20 runs in parts are equal\n"))
  }
}
