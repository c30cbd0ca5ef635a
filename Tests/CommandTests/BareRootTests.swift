// The program where the system is incomplete: no /proc, as in a root directory with little but the program.

import Testing

@Suite(
  "A bare root directory",
  .enabled("here no file system of a test's own may be mounted") { await MountNamespace.command() != nil })
struct BareRootTests {
  @Test(
    "without /proc there are no arguments, which is an error", arguments: ["version", "sort --check", ""])
  func noProc(arguments: String) async throws {
    let workshop = try Workshop()
    let namespace = try #require(await MountNamespace.command())
    let outcome = try await Program.shell(
      "\(namespace) bash -c 'mount -t tmpfs tmpfs /proc && exec cdpipe \(arguments)'", in: workshop, input: []
    )
    #expect(outcome.status == 74)
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.errorLines == [
        "cdpipe: cannot read the arguments of this process", "  hint: mount /proc: mount -t proc proc /proc",
      ])
  }
}
