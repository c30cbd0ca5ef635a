// Texts that spreadsheets take for formulas: a label such as `=HYPERLINK(…)` in a CSV file is run when it is opened.
//
// Not for: quoting (CSVQuoting).

/// Makes texts safe to open in a spreadsheet.
package enum CSVFormula {
  /// The text, with an apostrophe before it if it begins like a formula.
  ///
  /// Source: OWASP, CSV Injection: `=`, `+`, `-`, `@`, tab, carriage return, line feed, and full-width forms.
  package static func disarmed(_ text: String) -> String {
    switch text.unicodeScalars.first {
    case "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": "'" + text
    default: text
    }
  }
}
