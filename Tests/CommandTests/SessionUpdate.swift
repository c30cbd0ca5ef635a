// Rewrites the expectations of a golden session with the results of a run in a shell:
//
//     CDPIPE_UPDATE_SESSIONS=1 swift test --traits Tool --filter SessionTests
//
// Review the result with `git diff`. Lines that still match are not changed, so a line that ends in … keeps its ….

import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Rewrites the expected output of a session.
enum SessionUpdate {
  /// The environment variable that requests updates.
  static let variable = "CDPIPE_UPDATE_SESSIONS"

  /// Whether sessions are rewritten.
  static var isRequested: Bool { unsafe getenv(variable).map { unsafe String(cString: $0) } == "1" }

  /// Rewrites a session's file with the results of a run in a shell. Returns the session of the new file.
  static func rewrite(_ run: SessionRun) throws -> Session {
    let path = Session.folder + "/" + run.session.name
    var lines = Lines.split(String(decoding: try FileTree.read(path), as: UTF8.self))
    for (command, steps) in zip(run.session.commands, run.steps).reversed() {
      let piped = steps[0].outcome
      if SessionRun.mismatches(command, piped).isEmpty { continue }
      lines.replaceSubrange(command.expectedLines, with: expectation(command, piped))
    }
    try FileTree.write(path, Array(lines.map { $0 + "\n" }.joined().utf8))
    return try Session(run.session.name)
  }

  /// The lines that describe an outcome.
  static func expectation(_ command: SessionCommand, _ outcome: Outcome) -> [String] {
    let errors =
      command.isOneStage
      ? inOrder(command.errors, outcome.errorLines) : anyOrder(command.errors, outcome.errorLines)
    let status = outcome.status == 0 ? [] : ["=> \(outcome.status)"]
    return Lines.split(outcome.outputText) + errors.map { "2> " + $0 } + status
  }

  /// The lines of one process in their order; where an old line matches, the old line is kept.
  private static func inOrder(_ old: [String], _ new: [String]) -> [String] {
    new.map { line in old.first { SessionRun.fits($0, line) } ?? line }
  }

  /// The lines of several processes, whose order is random: old lines that still match are kept in place, and a new
  /// line replaces the most similar old one.
  private static func anyOrder(_ old: [String], _ new: [String]) -> [String] {
    var remaining = new
    let isKept = old.map { line in
      guard let index = remaining.firstIndex(where: { SessionRun.fits(line, $0) }) else { return false }
      remaining.remove(at: index)
      return true
    }
    var lines: [String] = []
    for (line, isKept) in zip(old, isKept) {
      if isKept {
        lines.append(line)
      } else if let index = indexOfMostAlike(line, remaining) {
        lines.append(remaining.remove(at: index))
      }
    }
    return lines + remaining
  }

  /// The index of the first of the lines that have the longest common prefix with a line.
  private static func indexOfMostAlike(_ line: String, _ lines: [String]) -> Int? {
    let lengths = lines.map { zip($0, line).prefix { $0 == $1 }.count }
    return lengths.max().flatMap { lengths.firstIndex(of: $0) }
  }
}

@Suite("Updating golden sessions")
struct SessionUpdateTests {
  private static let text = """
    # A session

    ```
    % cdpipe sort | cdpipe dedupe
    2> cdpipe sort: this …
    2> cdpipe dedupe: old
    => 65
    % cdpipe sort
    a
    ^D
    a
    ```

    """

  @Test("lines that still match are kept, others are replaced in place")
  func expectation() {
    let commands = Session(name: "a", text: Self.text).commands
    #expect(commands.map(\.expectedLines) == [4..<7, 10..<11])
    let piped = Outcome(
      status: 64, output: Array("b\n".utf8), errors: "cdpipe dedupe: new\ncdpipe sort: this and that\n")
    #expect(
      SessionUpdate.expectation(commands[0], piped) == [
        "b", "2> cdpipe sort: this …", "2> cdpipe dedupe: new", "=> 64",
      ])
    let sorted = Outcome(status: 0, output: Array("c\nd\n".utf8), errors: "")
    #expect(SessionUpdate.expectation(commands[1], sorted) == ["c", "d"])
  }
}
