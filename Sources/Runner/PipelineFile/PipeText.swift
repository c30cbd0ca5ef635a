// The commands of a typed pipe: `cdpipe run --pipe 'parse … | sort …'`.

package import Records

/// Parses a typed pipe. Quotes, backslashes and bars have the same meaning as in a shell. Other shell syntax is
/// rejected, not treated as text.
package enum PipeText {
  private static let shellSigns: Set<Character> = ["<", ">", "&", ";"]

  package static func commands(_ text: String) throws(Failure) -> [[String]] {
    var commands: [[String]] = [[]]
    var word: String?
    var quote: Character?
    var isEscaped = false
    for character in text {
      if isEscaped {
        if quote == "\"", character != "\"", character != "\\", character != "$", character != "`" {
          word! += "\\"
        }
        if character != "\n" { word! += String(character) }
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil } else { word! += String(character) }
      } else if character == "'" || character == "\"" {
        word = word ?? ""
        quote = character
      } else if character == "|" || character.isWhitespace {
        if let done = word { commands[commands.count - 1].append(done) }
        word = nil
        if character == "|" { commands.append([]) }
      } else if shellSigns.contains(character) {
        throw .shellSign(character)
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let quote { throw .pipe(UserMessage("unclosed quote (\(quote))")) }
    if let done = word { commands[commands.count - 1].append(done) }
    guard commands.allSatisfy({ !$0.isEmpty }) else {
      throw .pipe(UserMessage("a command is missing before or after '|'"))
    }
    return commands
  }
}

extension Failure {
  package static func pipe(_ message: UserMessage) -> Failure {
    Failure(nil, .usage, "pipe", message.prefixed("--pipe: "))
  }

  /// An unquoted redirection, or an operator that joins commands other than a bar.
  fileprivate static func shellSign(_ sign: Character) -> Failure {
    .pipe(
      UserMessage(
        "'\(sign)' is shell syntax; a pipe has only commands, bars and quotes",
        hint:
          "write to a file with \(option: "o", "FILE") of the last command, read files with the first command, "
          + "or quote '\(sign)'"))
  }
}
