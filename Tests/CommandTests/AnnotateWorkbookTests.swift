// Workbooks with added cells, read by Python's own readers for zip archives and XML.

import TestSupport
import Testing

@Suite("Annotated workbooks")
struct AnnotateWorkbookTests {
  @Test(
    "without the added cells, every workbook has the bytes that it had", .seeded, .timeLimit(.minutes(20)))
  func workbooks() async throws {
    let workshop = try Workshop()
    let program = "\(Program.root)/Tests/CommandTests/Programs/annotate_workbooks.py"
    let count = TestEffort.cases(short: 100, long: 5000)
    let outcome = try await Program.shell(
      "python3 '\(program)' '\(try Program.path())' \(TestSeed.value) \(count)", in: workshop)
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
    #expect(outcome.outputText.contains("\(count) workbooks, 0 differences"))
  }
}
