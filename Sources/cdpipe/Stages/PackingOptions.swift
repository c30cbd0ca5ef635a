// The form in which a filter writes rows: text, or the packed form for another filter.

import ArgumentParser
import Runner
import Records
import SystemIO

/// The option of filters that write records or raw rows.
struct PackingOptions: ParsableArguments {
  /// The environment variable that turns the packed form on for pipes.
  static let variable = "CDPIPE_PACKED"

  @Flag(
    help: """
      Write the packed form instead of text: faster, but only for another cdpipe command in the same pipe. \
      CDPIPE_PACKED=1 does this for all commands whose output is a pipe.
      """)
  var packed = false

  func validate() throws {
    if wantsPackedPipes == nil, let value = RunningProcess.environment(Self.variable) {
      throw ValidationError("\(Self.variable) must be 0 or 1, got '\(value)'")
    }
  }

  /// Whether the environment asks for packed pipes; nil for an invalid value.
  private var wantsPackedPipes: Bool? {
    switch RunningProcess.environment(Self.variable) {
    case nil, "", "0": false
    case "1": true
    default: nil
    }
  }

  /// The form of a filter's output.
  func form(output: String) throws -> StreamForm {
    let isStandardOutput = output == OutputFile.standardOutput
    if packed {
      if isStandardOutput ? RunningProcess.isOutputTerminal : RunningProcess.isTerminal(output) {
        throw ValidationError("--packed can't be written to a terminal: pipe it to another cdpipe command")
      }
      return .packed
    }
    return wantsPackedPipes == true && isStandardOutput && RunningProcess.isOutputPipe ? .packed : .text
  }
}
