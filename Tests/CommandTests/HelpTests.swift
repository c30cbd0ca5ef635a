// Help of every command: it exists, shows how the command is used, and is not an error.

import Testing

@Suite("Help")
struct HelpTests {
  static let commands = [
    "download", "unzip", "parse", "normalize", "sort", "dedupe", "emit", "generate", "union", "subtract",
    "intersect",
    "diff", "run", "rollback", "bench", "number", "info", "cat",
    "lookup",
    "verify", "apply", "simulate", "scaffold", "classify", "rules",
  ]

  @Test("--help prints how a command is used", arguments: commands)
  func help(command: String) async throws {
    let outcome = try await Program.run(try Program.path(), [command, "--help"], in: try Workshop())
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.outputText.contains("USAGE: cdpipe \(command)"))
    #expect(outcome.outputText.contains("OVERVIEW: "))
  }

  @Test("the list of commands has exactly the commands")
  func overview() async throws {
    let outcome = try await Program.run(try Program.path(), ["--help"], in: try Workshop())
    #expect(outcome.status == 0)
    let listed = outcome.outputText.split(separator: "\n").filter {
      $0.hasPrefix("  ") && !$0.hasPrefix("   ")
    }
    .compactMap { $0.split(separator: " ").first.map(String.init) }
    for command in Self.commands { #expect(listed.contains(command)) }
    let unknown = Set(listed).subtracting(Self.commands).subtracting(["--version", "-h,", "cdpipe", "See"])
    #expect(unknown.isEmpty, "a command without a test of its help: \(unknown)")
  }

  @Test("no command prints the help")
  func nothing() async throws {
    let outcome = try await Program.run(try Program.path(), [], in: try Workshop())
    #expect(outcome.outputText.contains("USAGE: cdpipe") || outcome.errors.contains("USAGE: cdpipe"))
  }
}
