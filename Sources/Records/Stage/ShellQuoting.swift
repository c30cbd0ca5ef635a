// Words quoted for a shell, in the commands that messages and `--explain` print.

/// Quotes words for a shell.
package enum ShellQuoting {
  /// Returns a word in the form in which a shell reads it as one word; a plain word stays as it is.
  package static func quoted(_ word: String) -> String {
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
