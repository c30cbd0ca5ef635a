// Completions in real shells, under a pseudo-terminal.

import Testing

@Suite("Completions")
struct CompletionTests {
  @Test(
    "TAB completes commands, options, values and files", .timeLimit(.minutes(5)),
    arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) async throws {
    let folder = Program.root + "/Tests/CommandTests"
    let workshop = try Workshop()
    let prepared = try await Program.run("/bin/bash", [folder + "/example_files.sh"], in: workshop)
    try #require(prepared.status == 0, "\(prepared.errors)")
    let outcome = try await Program.run(
      "/usr/bin/env", ["python3", folder + "/complete_in_shells.py", workshop.work, shell], in: workshop)
    if outcome.status == 77 { try Test.cancel("\(shell) is not installed") }
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
  }
}
