// Texts as JSON strings, for lines that are written a record at a time.
//
// Not for: JSON that is read (ParseStage), or documents (the command layer encodes values).

/// Texts in JSON.
public enum JSONQuoting {
  /// The text as a JSON string, in quotes; only what RFC 8259 forbids in one is escaped.
  public static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case "\u{00}"..<"\u{20}":
        let hex = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
