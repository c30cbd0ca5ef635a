// Text from outside made safe to print on a terminal.

import SystemIO

/// Replaces characters that move a terminal's cursor or change the direction of writing.
package enum PrintableText {
  /// The maximum length of a quotation in characters.
  private static let quotationMax = 60

  /// Makes a text safe to print, as one line.
  package static func line(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069:
        shown += "\u{FFFD}"
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// Makes a text of several lines safe to print; line feeds stay.
  package static func lines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line(String($0)) }
      .joined(separator: "\n")
  }

  /// Makes the name of a file safe to print within a line: control characters, also line feeds, are escaped.
  package static func name(_ name: String) -> String {
    var shown = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\n": shown += "\\n"
      case "\r": shown += "\\r"
      case "\t": shown += "\\t"
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return TerminalText.escaped(shown)
  }

  /// Quotes the start of a text, in one line. Tabs and line terminators are escaped as in the text form.
  package static func quoted(_ text: [UInt8]) -> String {
    let scalars = String(decoding: text, as: UTF8.self).unicodeScalars
    var start = ""
    for scalar in scalars.prefix(quotationMax) {
      switch scalar {
      case "\t": start += "\\t"
      case "\n": start += "\\n"
      case "\r": start += "\\r"
      default: start.unicodeScalars.append(scalar)
      }
    }
    return "'\(line(start))\(scalars.count > quotationMax ? "…" : "")'"
  }
}
