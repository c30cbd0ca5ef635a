// A session run in one way, and where its results differ from the expected ones.

import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How the pipes of a session are run.
enum Way: CustomStringConvertible {
  /// In a shell, each stage in its own process.
  case piped
  /// In one process, with one thread per processor.
  case fused
  /// In one process and one thread.
  case oneThread
  /// In one process and two threads.
  case twoThreads

  /// The ways in one process that differ: with two processors, ``fused`` has two threads.
  static let inOneProcess: [Way] =
    sysconf(Int32(_SC_NPROCESSORS_ONLN)) == 2 ? [.fused, .oneThread] : [.fused, .oneThread, .twoThreads]

  var description: String {
    switch self {
    case .piped: "piped"
    case .fused: "fused"
    case .oneThread: "fused, one thread"
    case .twoThreads: "fused, two threads"
    }
  }

  /// The arguments of `cdpipe run` besides the pipe.
  var threadArguments: [String] {
    switch self {
    case .piped, .fused: []
    case .oneThread: ["--threads", "1"]
    case .twoThreads: ["--threads", "2"]
    }
  }
}

/// The results of one command of a session, and the files after it.
struct Step {
  var outcome: Outcome
  var files: [String: [UInt8]]
}

/// A session that was run.
struct SessionRun {
  var session: Session
  let way: Way
  private(set) var steps: [Step] = []

  init(_ session: Session, _ way: Way) async throws {
    self.session = session
    self.way = way
    let workshop = try Workshop()
    for command in session.commands {
      let outcome: Outcome
      if command.isPipe, way != .piped {
        outcome = try await Program.run(
          try Program.path(), ["run", "--pipe", command.text] + way.threadArguments, in: workshop,
          input: command.input)
      } else {
        outcome = try await Program.shell(command.text, in: workshop, input: command.input)
      }
      steps.append(Step(outcome: outcome, files: workshop.files()))
      expect(workshop.leftovers().isEmpty, command, "left behind: \(workshop.leftovers())")
    }
  }

  /// Compares the results with what the session expects.
  func checkExpectations() {
    for (command, step) in zip(session.commands, steps) {
      let mismatches = Self.mismatches(command, step.outcome)
      expect(
        mismatches.isEmpty, command,
        mismatches.joined(separator: "\n") + "\nstandard error:\n\(step.outcome.errors)")
    }
  }

  /// The differences between an outcome and the expectations of a command.
  static func mismatches(_ command: SessionCommand, _ outcome: Outcome) -> [String] {
    var mismatches: [String] = []
    if outcome.status != command.status {
      mismatches.append("status \(outcome.status), not \(command.status)")
    }
    if outcome.output != Array(command.output.utf8) {
      mismatches.append("wrote\n\(outcome.outputText)--- and not\n\(command.output)---")
    }
    if !arePrinted(command.errors, outcome.errorLines, inOrder: command.isOneStage) {
      mismatches.append("expected errors:\n" + command.errors.map { $0 + "\n" }.joined() + "---")
    }
    return mismatches
  }

  /// Compares the results with those of another way: bytes, files, status and messages must be the same.
  func checkAgreement(with other: SessionRun) {
    for ((command, step), otherStep) in zip(zip(session.commands, steps), other.steps) {
      let names = Set(step.files.keys).union(otherStep.files.keys).sorted()
      let differing = names.filter { step.files[$0] != otherStep.files[$0] }
      expect(differing.isEmpty, command, "files differ from \(other.way): \(differing)")
      guard command.isPipe else { continue }
      let (one, two) = (step.outcome, otherStep.outcome)
      expect(one.status == two.status, command, "status \(one.status), and \(two.status) \(other.way)")
      expect(one.output == two.output, command, "wrote other bytes than \(other.way)")
      expect(
        Set(one.errorLines) == Set(two.errorLines), command,
        "printed\n\(one.errors)--- and \(other.way)\n\(two.errors)")
    }
  }

  /// Whether exactly the expected lines were printed. Several processes print their own lines in order, but the order
  /// of the processes is random.
  private static func arePrinted(_ expected: [String], _ printed: [String], inOrder: Bool) -> Bool {
    if inOrder {
      return expected.count == printed.count && zip(expected, printed).allSatisfy { fits($0, $1) }
    }
    return expected.allSatisfy { line in printed.contains { fits(line, $0) } }
      && printed.allSatisfy { line in expected.contains { fits($0, line) } }
  }

  /// Whether a line is the expected one; an expected line that ends in … matches any line with the same beginning.
  static func fits(_ expected: String, _ printed: String) -> Bool {
    expected.hasSuffix("…")
      ? printed == expected || printed.hasPrefix(expected.dropLast()) : printed == expected
  }

  private func expect(_ condition: Bool, _ command: SessionCommand, _ message: @autoclosure () -> String) {
    if condition { return }
    let location = SourceLocation(
      fileID: "CommandTests/\(session.name)", filePath: Session.folder + "/" + session.name,
      line: command.line,
      column: 1)
    Issue.record("\(way): % \(command.text)\n\(message())", sourceLocation: location)
  }
}
