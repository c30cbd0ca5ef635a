// Progress and colours under a pseudo-terminal, as a user sees them (terminal_checks.py).

import Testing

@Suite("On a terminal")
struct TerminalTests {
  /// The checks, and the widths of the window in columns that each runs with.
  static let checks: [(name: String, columns: [Int])] = [
    ("fused", [40, 80, 200]), ("pipe", [40, 80, 200]), ("resize", [80]), ("messages", [80]),
    ("interrupt", [80]),
    ("suspend", [80]), ("typed", [80]), ("quiet", [80]),
  ]

  @Test(
    "progress fits the window, has one owner, and leaves nothing on the screen", .timeLimit(.minutes(10)),
    arguments: checks.flatMap { check in check.columns.map { "\(check.name) \($0)" } })
  func progress(check: String) async throws {
    let script = Program.root + "/Tests/CommandTests/Programs/terminal_checks.py"
    let outcome = try await Program.shell("python3 '\(script)' \(check)", in: try Workshop())
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
    #expect(outcome.outputText.isEmpty && outcome.errors.isEmpty, "\(outcome.outputText)\(outcome.errors)")
  }
}
