// Completions in real shells, under a pseudo-terminal.
//
// Not for: the cases, which are in complete_in_shells.py.

import Testing

@Suite("Completions")
struct CompletionTests {
  @Test("TAB completes commands, options, values and files in bash", .timeLimit(.minutes(20)))
  func bash() async throws { try await complete("bash") }

  @Test(
    "TAB completes commands, options, values and files in zsh", .timeLimit(.minutes(20)),
    .enabled(if: Program.isInstalled("zsh"), "zsh is not installed"))
  func zsh() async throws { try await complete("zsh") }

  @Test(
    "TAB completes commands, options, values and files in fish", .timeLimit(.minutes(20)),
    .enabled(if: Program.isInstalled("fish"), "fish is not installed"))
  func fish() async throws { try await complete("fish") }

  private func complete(_ shell: String) async throws {
    let folder = Program.root + "/Tests/CommandTests/Programs"
    let workshop = try Workshop()
    let prepared = try await Program.run("/bin/bash", [folder + "/example_files.sh"], in: workshop)
    try #require(prepared.status == 0, "\(prepared.errors)")
    let outcome = try await Program.run(
      "/usr/bin/env", ["python3", folder + "/complete_in_shells.py", workshop.work, shell], in: workshop)
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
  }
}
