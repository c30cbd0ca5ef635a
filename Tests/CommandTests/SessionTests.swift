// Every golden session, in a shell and in one process: the same bytes, files, status and messages.

import Testing

@Suite("Golden sessions")
struct SessionTests {
  @Test(
    "the output is what the session expects, as a shell pipe and in one process", .timeLimit(.minutes(20)),
    arguments: Session.names)
  func session(name: String) async throws {
    var session = try Session(name)
    #expect(!session.commands.isEmpty, "\(name) has no commands")
    var piped = try await SessionRun(session, .piped)
    if SessionUpdate.isRequested {
      session = try SessionUpdate.rewrite(piped)
      piped.session = session
    }
    piped.checkExpectations()
    // Only pipes run in several ways.
    guard session.commands.contains(where: \.isPipe) else { return }
    for way in Way.inOneProcess {
      let fused = try await SessionRun(session, way)
      fused.checkExpectations()
      fused.checkAgreement(with: piped)
    }
  }

  @Test("there are sessions")
  func sessionsAreFound() {
    #expect(Session.names.count >= 10)
  }
}
