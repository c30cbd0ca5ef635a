// Messages for errors of `generate`, with the pattern and the position in it.

package import Records

extension GenerateError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .badPattern(let text, let place, let error, let origin):
      let at = place > 0 ? ", character \(place)" : ""
      let quoted = "'\(PrintableText.line(text))'"
      let isEmpty = error == .empty
      let shown = isEmpty ? "the pattern \(quoted) \(error.text)" : "\(quoted)\(at): \(error.text)"
      return switch origin {
      case .argument: UserMessage(shown, hint: error.hint)
      case .excluded: UserMessage("--exclude\(isEmpty ? ":" : "") \(shown)", hint: error.hint)
      case .file(let path, let line): UserMessage("\(path):\(line): \(shown)", hint: error.hint)
      }
    case .badFields: return UserMessage("label and source together are too long")
    case .noPatterns(let file?):
      return UserMessage(
        "'\(file)' has no patterns",
        hint: "write one pattern per line, such as +82 70 XXXX XXXX; lines that start with # are comments")
    case .noPatterns(nil):
      return UserMessage(
        "no pattern given",
        hint: "use a pattern such as '+82 70 XXXX XXXX', '+1 212', 'nanp:212', '33162*' or A..B")
    case .tooManyPatterns(let limit, let file):
      return UserMessage(
        Self.place(file) + "more than \(Figures.grouped(UInt64(limit))) patterns",
        hint: "for single numbers, use a list with 'cdpipe normalize', 'sort' and 'dedupe'")
    case .tooManyStates(let statesMax, let file):
      return UserMessage(
        Self.place(file)
          + "the patterns together have more than \(Figures.grouped(UInt64(statesMax))) states",
        hint: "use fewer patterns that start with a star, or remove lists with 'cdpipe subtract'")
    case .fileTooLarge(let path, let bytesMax):
      return UserMessage("'\(path)' is larger than \(Figures.bytes(bytesMax)): is it a file of patterns?")
    case .unreadable(let error): return error.userMessage
    }
  }

  private static func place(_ file: String?) -> String { file.map { "'\($0)': " } ?? "" }
}

extension NumberPatternErrorReason {
  /// What is wrong with a pattern.
  var text: String {
    switch self {
    case .empty: "has no digits"
    case .unexpected(let scalar): "'\(PrintableText.line(String(scalar)))' is not a digit or a wildcard"
    case .leadingZero: "no international number starts with 0"
    case .tooManyDigits(let limit): "more than \(limit) digits"
    case .starNotLast: "a star is allowed only at the end"
    case .plusNotFirst: "a plus sign is allowed only at the start"
    case .malformedRange: "a range is two complete numbers with two dots between them"
    case .unequalLengths: "the two ends of the range have different numbers of digits"
    case .descending: "the range ends before it starts"
    case .noCallingCode: "unknown country calling code"
    case .impossibleLength(let digits, let code): "numbers of +\(code) never have \(digits) digits in total"
    case .noNumbers: "the numbering plan has no such numbers"
    case .noLength: "it has more digits than --lengths allows"
    case .areaNotThreeDigits: "an area code has three digits"
    case .areaBelow200(let code): "\(code) is not an area code: area codes start with 2 to 9"
    case .areaIsService(let code): "\(code) is a service code, not an area code"
    case .areaIsReserved(let code): "\(code) is reserved and not an area code yet"
    case .areaNotAssigned(let code): "\(code) is not assigned"
    }
  }

  /// What to write instead.
  var hint: String? {
    switch self {
    case .unexpected: "use X, # or ? for one digit, * for any number of digits"
    case .leadingZero: "write the country calling code without the trunk zero: +82 70 …, not 070 …"
    case .starNotLast: "use X, # or ? for one digit"
    case .impossibleLength:
      "use a star instead of the wildcards: it stands for the lengths in the numbering plan"
    case .noNumbers: "set the total number of digits with --lengths N"
    case .areaNotAssigned(let code): "to include its numbers anyway, use '+1\(code)XXXXXXX'"
    default: nil
    }
  }
}
