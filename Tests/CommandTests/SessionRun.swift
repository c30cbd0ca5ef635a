// A session that was run, its pipes in several ways, and where the results differ from the expected ones.
//
// A plain command is run once. A pipe is run in every way from the same files, so that commands after it find what it
// left, whichever way it ran.

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

/// The results of a command that was run in one way.
struct Step {
  var way: Way
  var outcome: Outcome
  /// The files after it; empty for a plain command, which is not compared.
  var files: [String: [UInt8]] = [:]
  /// Temporary files that it left.
  var leftovers: [String]
}

/// A session that was run.
struct SessionRun {
  var session: Session
  /// The steps of each command. The first is the one in a shell; only a pipe has more.
  private(set) var steps: [[Step]] = []

  init(_ session: Session) async throws {
    self.session = session
    let workshop = try Workshop()
    for command in session.commands {
      guard command.isPipe else {
        let outcome = try await Program.shell(command.text, in: workshop, input: command.input)
        steps.append([Step(way: .piped, outcome: outcome, leftovers: workshop.leftovers())])
        continue
      }
      try await workshop.save()
      var pipe: [Step] = []
      for way in [.piped] + Way.inOneProcess {
        if way != .piped { try await workshop.restore() }
        let outcome = try await Self.run(command, way, in: workshop)
        pipe.append(
          Step(way: way, outcome: outcome, files: workshop.files(), leftovers: workshop.leftovers()))
      }
      steps.append(pipe)
    }
  }

  private static func run(
    _ command: SessionCommand, _ way: Way, in workshop: Workshop
  ) async throws -> Outcome {
    if way == .piped { return try await Program.shell(command.text, in: workshop, input: command.input) }
    return try await Program.run(
      try Program.path(), ["run", "--pipe", command.text] + way.threadArguments, in: workshop,
      input: command.input)
  }

  /// Compares the results with what the session expects.
  func checkExpectations() {
    for (command, steps) in zip(session.commands, steps) {
      for step in steps {
        let mismatches = Self.mismatches(command, step.outcome)
        expect(
          mismatches.isEmpty, command, step,
          mismatches.joined(separator: "\n") + "\nstandard error:\n\(step.outcome.errors)")
        expect(step.leftovers.isEmpty, command, step, "left behind: \(step.leftovers)")
      }
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

  /// Compares the ways in which each pipe was run: bytes, files, status and messages must be the same.
  func checkAgreement() {
    for (command, steps) in zip(session.commands, steps) {
      for step in steps.dropFirst() {
        let names = Set(step.files.keys).union(steps[0].files.keys).sorted()
        let differing = names.filter { step.files[$0] != steps[0].files[$0] }
        expect(differing.isEmpty, command, step, "files differ from piped: \(differing)")
        let (one, piped) = (step.outcome, steps[0].outcome)
        expect(one.status == piped.status, command, step, "status \(one.status), and \(piped.status) piped")
        expect(one.output == piped.output, command, step, "wrote other bytes than piped")
        expect(
          Set(one.errorLines) == Set(piped.errorLines), command, step,
          "printed\n\(one.errors)--- and piped\n\(piped.errors)")
      }
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

  private func expect(
    _ condition: Bool, _ command: SessionCommand, _ step: Step, _ message: @autoclosure () -> String
  ) {
    if condition { return }
    let location = SourceLocation(
      fileID: "CommandTests/\(session.name)", filePath: Session.folder + "/" + session.name,
      line: command.line,
      column: 1)
    Issue.record("\(step.way): % \(command.text)\n\(message())", sourceLocation: location)
  }
}
