// `cdpipe run --pipe 'parse list.json | normalize --region CN'`: a typed pipe taken apart as a shell would.

/// Why a typed pipe can't be read.
enum PipeTextError: Error, Equatable {
  case openQuote(Character)
  case emptyCommand
  /// A redirection or what joins commands otherwise than by a bar, outside of quotes.
  case shellSign(Character)
}

/// Parses a pipe that was typed. Quotes, backslashes and bars mean what they mean to a shell; nothing else does. What a
/// shell would not treat as text, and people type out of habit, is refused.
enum PipeText {
  private static let shellSigns: Set<Character> = ["<", ">", "&", ";"]

  /// The words of each command.
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
