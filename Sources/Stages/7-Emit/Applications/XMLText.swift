// Text as the content of XML elements and attributes.
//
// Not for: reading XML (ApplicationFormats).

/// Escapes text for XML.
enum XMLText {
  /// The text with `&`, `<`, `>`, quotes and carriage returns escaped. Characters that XML 1.0 doesn't allow are replaced
  /// by U+FFFD.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      // A parser converts it to a line feed otherwise.
      case "\r": escaped += "&#13;"
      default: escaped.unicodeScalars.append(isAllowed(scalar) ? scalar : "\u{FFFD}")
      }
    }
    return escaped
  }

  /// Whether all characters are allowed in XML.
  static func canRepresent(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isAllowed) }

  /// Source: XML 1.0, production 2 (Char). A scalar is never a surrogate.
  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }
}
