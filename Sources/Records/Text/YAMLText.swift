// Texts as scalars of a pipeline file.

/// Writes YAML.
package enum YAMLText {
  /// Words that YAML 1.1 reads as something other than text.
  private static let reserved: Set<String> = [
    "", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n",
  ]

  /// A text as a plain scalar if it is read as that text, otherwise quoted. A variable of a pipeline file (`${NAME}`) is
  /// escaped.
  package static func scalar(_ text: String) -> String {
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
