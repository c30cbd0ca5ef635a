// The program under test, and a process run to its end: its output and its exit status.
//
// Not for: the expectations of a session (Session, SessionRun).

import Subprocess
import SystemPackage
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The output and the status of a process.
struct Outcome {
  var status: Int32
  var output: [UInt8]
  var errors: String
  /// The signal that ended a process that was interrupted; nil if it exited.
  var signal: Int32?

  /// The lines on standard error.
  var errorLines: [String] { Lines.split(errors) }
  /// Standard output as text.
  var outputText: String { String(decoding: output, as: UTF8.self) }
}

/// The reason why a process could not be run.
struct NoProgram: Error, CustomStringConvertible {
  let path: String
  var description: String {
    "there is no program '\(path)': `make build` makes it, or \(Program.variable)=FILE names another"
  }
}

/// The program `cdpipe`: by default the release build. `make test` names the one that was built with the tests.
enum Program {
  /// The environment variable that names the program.
  static let variable = "CDPIPE_BINARY"
  /// The maximum number of bytes that a test's process may write: far more than any does.
  private static let outputBytesMax = 64 << 20

  /// The folder of the package.
  static let root: String = {
    // Tests/CommandTests/Program.swift
    var path = FilePath(#filePath)
    for _ in 0..<3 { path.removeLastComponent() }
    return path.string
  }()

  /// The program's path.
  static func path() throws -> String {
    let named = unsafe getenv(variable).map { unsafe String(cString: $0) }
    let path = named.flatMap { $0.isEmpty ? nil : $0 } ?? root + "/.build/release/cdpipe"
    guard unsafe access(path, X_OK) == 0 else { throw NoProgram(path: path) }
    return path
  }

  /// Whether a program of the system is installed.
  static func isInstalled(_ name: String) -> Bool {
    ["/bin", "/usr/bin", "/usr/local/bin"].contains { unsafe access("\($0)/\(name)", X_OK) == 0 }
  }

  /// Runs a program in a workshop to its end.
  static func run(
    _ executable: String, _ arguments: [String], in workshop: Workshop, input: [UInt8]? = nil
  ) async throws -> Outcome {
    // A file, not a pipe: then a command may leave part of it unread.
    let stdin = try workshop.open(input ?? [])
    let result = try await Subprocess.run(
      .path(FilePath(executable)), arguments: Arguments(arguments), environment: workshop.environment,
      workingDirectory: FilePath(workshop.work),
      input: .fileDescriptor(stdin, closeAfterSpawningProcess: true),
      output: .bytes(limit: outputBytesMax), error: .bytes(limit: outputBytesMax))
    return Outcome(
      status: status(result.terminationStatus), output: result.standardOutput,
      errors: String(decoding: result.standardError, as: UTF8.self))
  }

  /// Runs the program with input that comes in pieces of 1 to 7 bytes.
  static func staccato(
    _ arguments: [String], in workshop: Workshop, input: [UInt8], _ generator: inout SplitMix64
  ) async throws -> Outcome {
    let sizes = Cut.random(seed: generator.next(), most: 7).sizes(of: input.count)
    let result = try await Subprocess.run(
      .path(FilePath(try path())), arguments: Arguments(arguments), environment: workshop.environment,
      workingDirectory: FilePath(workshop.work), input: .inputWriter, output: .bytes(limit: outputBytesMax),
      error: .bytes(limit: outputBytesMax)
    ) { execution in
      var start = 0
      for (index, size) in sizes.enumerated() {
        _ = try await execution.standardInputWriter.write(Array(input[start..<start + size]))
        start += size
        // Pauses at random, so that a read returns one piece and not everything written so far.
        if index % 8 == 0 { try await Task.sleep(for: .microseconds(200)) }
      }
      try await execution.standardInputWriter.finish()
    }
    return Outcome(
      status: status(result.terminationStatus), output: result.standardOutput,
      errors: String(decoding: result.standardError, as: UTF8.self))
  }

  /// Runs the program, leaves its input open, and sends it a signal once it has begun to write.
  static func interrupted(
    _ arguments: [String], by signal: Signal, in workshop: Workshop, input: [UInt8]
  ) async throws -> Outcome {
    let result = try await Subprocess.run(
      .path(FilePath(try path())), arguments: Arguments(arguments), environment: workshop.environment,
      workingDirectory: FilePath(workshop.work), input: .inputWriter, output: .sequence,
      error: .bytes(limit: outputBytesMax)
    ) { execution in
      _ = try await execution.standardInputWriter.write(input)
      for _ in 0..<24_000 where workshop.leftovers().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      #expect(
        !workshop.leftovers().isEmpty, "nothing was half-written when the signal came: the test tests nothing"
      )
      try execution.send(signal: signal)
      // Its output ends with the process. Until then its input stays open, since the end of the input would end the
      // process, too.
      var output: [UInt8] = []
      for try await bytes in execution.standardOutput {
        unsafe bytes.withUnsafeBytes { unsafe output.append(contentsOf: $0) }
      }
      return output
    }
    var outcome = Outcome(
      status: status(result.terminationStatus), output: result.closureResult,
      errors: String(decoding: result.standardError, as: UTF8.self))
    if case .signaled(let number) = result.terminationStatus { outcome.signal = Int32(number) }
    return outcome
  }

  /// Runs the program and kills it after some time if it has not ended. Returns its status.
  static func killed(
    _ arguments: [String], after moment: Duration, in workshop: Workshop
  ) async throws -> Int32 {
    let result = try await Subprocess.run(
      .path(FilePath(try path())), arguments: Arguments(arguments), environment: workshop.environment,
      workingDirectory: FilePath(workshop.work), input: .none, output: .discarded, error: .discarded
    ) { execution in
      try await Task.sleep(for: moment)
      try? execution.send(signal: .kill)
    }
    return status(result.terminationStatus)
  }

  /// Runs a line in a shell with `pipefail`.
  static func shell(_ line: String, in workshop: Workshop, input: [UInt8]? = nil) async throws -> Outcome {
    try await run("/bin/bash", ["-o", "pipefail", "-c", line], in: workshop, input: input)
  }

  /// The status as a shell reports it: 128 plus the signal for a process that was ended by a signal.
  static func status(_ status: TerminationStatus) -> Int32 {
    switch status {
    case .exited(let code): Int32(code)
    case .signaled(let signal): 128 + Int32(signal)
    }
  }
}

/// Lines of a text.
enum Lines {
  /// The lines, without an empty one after the last line feed. A carriage return is part of its line, which would not
  /// be the case for characters.
  static func split(_ text: String) -> [String] {
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      String($0) ?? ""
    }
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}
