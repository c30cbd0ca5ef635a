// Text on standard output, apart from the data of filters.

import SystemIO
import UserMessages

/// Prints text, which may contain labels and names of strangers.
enum StandardOutput {
  private static let isTerminal = RunningProcess.isOutputTerminal

  /// Prints a text. On a terminal, control characters are escaped.
  static func print(_ text: String = "", terminator: String = "\n") {
    Swift.print(isTerminal ? TerminalText.escaped(text) : text, terminator: terminator)
  }

  /// Prints a text with its colours if standard output shows them. On a terminal, control characters are escaped.
  static func print(_ text: StyledText) {
    Swift.print(Self.text(text))
  }

  /// The text as it is written to standard output: with its colours if it shows them, and on a terminal with escaped
  /// control characters.
  static func text(_ text: StyledText) -> String {
    text.text(isColoured: Colour.isOnOutput) { isTerminal ? TerminalText.escaped($0) : $0 }
  }

  /// Whether an output of text shows colours: only standard output may, never a file.
  static func isColoured(_ output: String) -> Bool {
    output == OutputFile.standardOutput && Colour.isOnOutput
  }
}
