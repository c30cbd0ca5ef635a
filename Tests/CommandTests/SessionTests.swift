// Every golden session, in a shell and in one process: the same bytes, files, status and messages.

import Testing

@Suite("Golden sessions")
struct SessionTests {
  @Test(
    "the output is what the session expects, as a shell pipe and in one process", .timeLimit(.minutes(20)),
    arguments: Session.names)
  func session(name: String) async throws {
    let session = try Session(name)
    #expect(!session.commands.isEmpty, "\(name) has no commands")
    var run = try await SessionRun(session)
    if SessionUpdate.isRequested { run.session = try SessionUpdate.rewrite(run) }
    run.checkExpectations()
    run.checkAgreement()
  }

  @Test("there are sessions")
  func sessionsAreFound() {
    #expect(Session.names.count >= 10)
    // For the summary of `make test`.
    print("passed: \(Session.names.count) golden sessions")
  }
}
