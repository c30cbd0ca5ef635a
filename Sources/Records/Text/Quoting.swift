// Text as CSV, JSON, YAML and words of a shell.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import FoundationEssentials

public enum CSVQuoting {
  /// The text as a field: in quotes, with its quotes doubled, if it contains a quote, the separator or a line end
  /// (RFC 4180).
  public static func quoted(_ text: String, separator: UInt8 = UInt8(ascii: ",")) -> String {
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

/// Makes texts safe to open in a spreadsheet.
public enum CSVFormula {
  /// The text, with an apostrophe before it if it begins like a formula.
  ///
  /// Source: OWASP, CSV Injection: `=`, `+`, `-`, `@`, tab, carriage return, line feed, and full-width forms.
  public static func disarmed(_ text: String) -> String {
    switch text.unicodeScalars.first {
    case "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": "'" + text
    default: text
    }
  }
}

public enum JSONQuoting {
  /// The text as a JSON string with its quotes. Escapes only the characters that RFC 8259 requires; with `isYAML` also
  /// those that YAML doesn't allow in a quoted string or that are invisible.
  public static func quoted(_ text: String, isYAML: Bool = false) -> String {
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

public enum JSONLine {
  /// Formats a value with sorted keys, without a line feed.
  public static func text(_ value: some Encodable) -> String { JSONDocument.text(value, []) }
}

public enum JSONDocument {
  /// Formats a value with sorted keys, a line for each, without a line feed at the end.
  public static func text(_ value: some Encodable) -> String { text(value, .prettyPrinted) }

  fileprivate static func text(_ value: some Encodable, _ format: JSONEncoder.OutputFormatting) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [format, .sortedKeys, .withoutEscapingSlashes]
    // Numbers and text only: encoding can't fail.
    return String(decoding: (try? encoder.encode(value)) ?? Data(), as: UTF8.self)
  }
}

public enum YAMLText {
  /// Words that YAML 1.1 reads as something other than text.
  private static let reserved: Set<String> = [
    "", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n",
  ]

  /// A text as a plain scalar if it is read as that text, otherwise quoted. A variable of a pipeline file (`${NAME}`) is
  /// escaped.
  public static func scalar(_ text: String) -> String {
    let text = text.split(separator: "${", omittingEmptySubsequences: false).joined(separator: "$${")
    return isPlain(text) ? text : JSONQuoting.quoted(text, isYAML: true)
  }

  /// Whether a text needs no quotes: it starts with a letter, or like a path, has no signs of YAML, and is not a word or a
  /// number.
  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, !reserved.contains(text.lowercased()) else { return false }
    func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic }
    guard isLetter(first) || first == "_" || first == "/" || (first == "." && text.hasPrefix("../")) else {
      return false
    }
    return text.unicodeScalars.allSatisfy { scalar in
      isLetter(scalar) || ("0"..."9").contains(scalar) || "_-./".unicodeScalars.contains(scalar)
    }
  }
}

public enum ShellQuoting {
  /// Returns a word in the form in which a shell reads it as one word; a plain word stays as it is.
  public static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || (scalar.value >= 0x30 && scalar.value <= 0x39)
          || "-_./:=+,%@".unicodeScalars.contains(scalar)
      }
    return isPlain
      ? word
      : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
