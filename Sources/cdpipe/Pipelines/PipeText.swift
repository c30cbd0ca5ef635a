// `cdpipe run --pipe 'parse list.json | normalize --region CN'`: splits a typed pipe into words like a shell.

/// Why a typed pipe can't be parsed.
enum PipeTextError: Error, Equatable {
  case openQuote(Character)
  case emptyCommand
  /// An unquoted redirection, or an operator that joins commands other than a bar.
  case shellSign(Character)
}

/// Parses a typed pipe. Quotes, backslashes and bars have the same meaning as in a shell. Other shell syntax is
/// rejected, not treated as text.
enum PipeText {
  private static let shellSigns: Set<Character> = ["<", ">", "&", ";"]

  /// Returns the words of each command.
  static func commands(_ text: String) throws(PipeTextError) -> [[String]] {
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
    if let quote { throw .openQuote(quote) }
    if let done = word { commands[commands.count - 1].append(done) }
    guard commands.allSatisfy({ !$0.isEmpty }) else { throw .emptyCommand }
    return commands
  }
}
