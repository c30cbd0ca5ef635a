// Text as JSON strings, for lines that are written one record at a time.
//
// Not for: reading JSON (ParseStage), or whole documents (JSONEncoder).

/// Quotes text for JSON.
package enum JSONQuoting {
  /// The text as a JSON string with its quotes. Escapes only the characters that RFC 8259 requires; with `isYAML` also
  /// those that YAML doesn't allow in a quoted string or that are invisible.
  package static func quoted(_ text: String, isYAML: Bool = false) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case "\u{00}"..<"\u{20}": quoted += escape(scalar)
      case "\u{7F}"..."\u{A0}", "\u{2028}", "\u{2029}", "\u{FEFF}":
        if isYAML { quoted += escape(scalar) } else { quoted.unicodeScalars.append(scalar) }
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
