// Input that is typed on a terminal: a message states once that the command waits for it, and how to end it.

import Runner
import Records
import SystemIO

/// Announces that a command reads from the terminal.
enum TerminalInput {
  /// Whether one of the inputs is standard input and that is a terminal.
  static func isRead(_ inputs: [String]) -> Bool {
    inputs.contains(InputFile.standardInput) && RunningProcess.isInputTerminal
  }

  /// Prints that a command reads from the terminal, if it does and the user can see it.
  static func announce(_ inputs: [String], isQuiet: Bool, _ diagnostics: Diagnostics) {
    guard !isQuiet, isRead(inputs), RunningProcess.isErrorTerminal else { return }
    diagnostics.log("\(diagnostics.name): \(InputMessages.readsTerminal)")
  }
}

extension Pipeline {
  /// The inputs of the sources and of the stages, as they were typed.
  var inputs: [String] { sources.flatMap(\.input.paths) + files(.input) }

  /// Whether input is typed on the terminal, or records are shown there.
  var sharesTerminal: Bool {
    TerminalInput.isRead(inputs + sources.compactMap(\.input.displayName))
      || (outputs.contains(OutputFile.standardOutput) && RunningProcess.isOutputTerminal)
  }
}
