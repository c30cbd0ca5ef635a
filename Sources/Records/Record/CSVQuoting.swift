// Text as a field of CSV.
//
// Not for: reading CSV (ParseStage), or which texts a spreadsheet would run (CSVFormula).

/// Quotes text for CSV.
package enum CSVQuoting {
  /// The text as a field: in quotes, with its quotes doubled, if it contains a quote, the separator or a line end
  /// (RFC 4180).
  package static func quoted(_ text: String, separator: UInt8 = UInt8(ascii: ",")) -> String {
    guard text.utf8.contains(where: { $0 == 0x22 || $0 == separator || $0 == 0x0A || $0 == 0x0D }) else {
      return text
    }
    var quoted = "\""
    for character in text.unicodeScalars {
      if character == "\"" { quoted += "\"" }
      quoted.unicodeScalars.append(character)
    }
    return quoted + "\""
  }
}
