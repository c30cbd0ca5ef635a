// The manual pages: one for each command, with the sections that a reader looks for, and without errors of mandoc.

import TestSupport
import Testing

@Suite("Manual pages")
struct ManualTests {
  /// A folder `man` with the pages.
  private static func pages() async throws -> Workshop {
    let workshop = try Workshop()
    let outcome = try await Program.shell(
      "CDPIPE=$(command -v cdpipe) python3 \(Program.root)/scripts/man_pages.py man", in: workshop)
    try #require(outcome.status == 0, "\(outcome.errors)")
    return workshop
  }

  @Test("every command has a page with all sections")
  func sections() async throws {
    // Its folder exists as long as it does.
    let workshop = try await Self.pages()
    let folder = workshop.work + "/man"
    let commands = HelpTests.commands + HelpTests.subcommands
    let names = (["cdpipe"] + commands.map { "cdpipe " + $0 }).map {
      $0.split(separator: " ").joined(separator: "-") + ".1"
    }
    #expect(FileTree.names(folder).sorted() == names.sorted())
    for name in names {
      let text = String(decoding: try FileTree.read(folder + "/" + name), as: UTF8.self)
      let sections = Lines.split(text).filter { $0.hasPrefix(".Sh ") }.map { $0.dropFirst(4) }
      #expect(
        sections == [
          "NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "EXAMPLES", "SEE ALSO",
        ], "\(name)")
      #expect(text.contains("\n.Bd -literal"), "\(name) has no example")
      #expect(text.contains("\n.It \"\\&64\"\nusage\n"), "\(name) has no exit statuses")
    }
    withExtendedLifetime(workshop) {}
  }

  @Test("mandoc finds no errors", .enabled(if: Program.isInstalled("mandoc"), "mandoc is not installed"))
  func lint() async throws {
    let outcome = try await Program.shell("mandoc -Tlint -W warning man/*.1", in: try await Self.pages())
    #expect(outcome.status == 0)
    #expect(outcome.outputText.isEmpty, "\(outcome.outputText)")
  }
}
