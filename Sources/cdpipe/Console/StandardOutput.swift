// Text on standard output, apart from the data of filters.

import SystemIO
import Records

/// Prints text, which may contain labels and names of strangers.
enum StandardOutput {
  private static let isTerminal = RunningProcess.isOutputTerminal

  /// Prints a text. On a terminal, control characters are escaped.
  static func print(_ text: String = "", terminator: String = "\n") {
    let shown = isTerminal ? TerminalText.escaped(text) : text
    // In pieces: the C library passes a long text on at once, and then forgets that it could not be written.
    var rest = shown.utf8[...]
    while let end = rest.dropFirst(pieceBytesMin).firstIndex(of: UInt8(ascii: "\n")) {
      Swift.print(Substring(rest[...end]), terminator: "")
      rest = rest[rest.index(after: end)...]
    }
    Swift.print(Substring(rest), terminator: terminator)
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

  private static let pieceBytesMin = 512

  /// Whether an output of text shows colours: only standard output may, never a file.
  static func isColoured(_ output: String) -> Bool {
    output == OutputFile.standardOutput && Colour.isOnOutput
  }
}
