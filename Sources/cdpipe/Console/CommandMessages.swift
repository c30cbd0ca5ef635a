// Messages about what was typed: the names of commands, options and their values.

import InputStages
package import Records

/// Messages about the names of commands, options and their values.
package enum CommandMessages {
  /// What other programs call a command.
  private static let otherNames = [
    "search": "lookup", "grep": "lookup", "find": "lookup", "get": "lookup", "compare": "diff", "cmp": "diff",
    "summary": "stats", "summarize": "stats", "count": "stats", "head": "preview", "show": "preview",
    "uniq": "dedupe", "merge": "union", "unpack": "unzip", "fetch": "download",
  ]

  /// What other programs call an option of a command.
  private static let otherOptions = ["diff": ["--stat": "--summary"]]

  /// The message for a word in the place of a command's name that is not one. `parent` is `cdpipe` or the full name of
  /// a group; `known` are the full names of the commands below it.
  package static func unknown(_ word: String, of parent: String, known: [String]) -> UserMessage {
    let isTop = parent == "cdpipe"
    // Of a subcommand, only the last name is compared: 'cdpipe check' may stand for 'cdpipe rules check'.
    let names = known.map { String($0.split(separator: " ").last ?? "") }
    let meant = otherNames[word.lowercased()].flatMap { names.contains($0) ? $0 : nil }
    let index = (meant ?? KeySuggestion.nearest(word, names)).flatMap { names.firstIndex(of: $0) }
    return UserMessage(
      "unknown \(isTop ? "command" : "subcommand") '\(word)'",
      hint: index.map { "did you mean '\(known[$0])'?" } ?? "see '\(parent) --help'")
  }

  /// The message for a word in the place of a stage's name in a typed pipe; `stages` are the names of the stages.
  package static func unknownStage(_ word: String, stages: [String]) -> UserMessage {
    let meant = otherNames[word].flatMap { stages.contains($0) ? $0 : nil }
    return UserMessage(
      "--pipe: '\(word)' is not a stage",
      hint: (meant ?? KeySuggestion.nearest(word, stages)).map { "did you mean '\($0)'?" }
        ?? "cdpipe --help lists the stages")
  }

  /// The message for arguments that the parser of `command` (`cdpipe` or its full name) does not accept, with the value
  /// or option that may have been meant.
  package static func invalidArguments(_ message: String, of command: String) -> UserMessage {
    let help = "see '\(command) --help'"
    let name = String(command.split(separator: " ").last ?? "")
    let typed = quotedWords(message).first ?? ""
    if message.hasPrefix("Unknown option '"), let meant = otherOptions[name]?[typed] {
      return UserMessage("Unknown option '\(typed)'", hint: "did you mean '\(meant)'?")
    }
    if message.hasPrefix("The value '") {
      let meant = KeySuggestion.nearest(typed, acceptedValues(message))
      return UserMessage(onOneLine(message), hint: meant.map { "did you mean '\($0)'?" } ?? help)
    }
    if message.hasPrefix("unknown encoding: '") {
      return UserMessage(message, hint: EncodingNames.hint(typed))
    }
    return UserMessage(message, hint: help)
  }

  /// The values that an option accepts, from the parser's message: `Please provide one of 'first' or 'last'.`
  /// or, if there are more, in a list of lines that begin with a dash.
  private static func acceptedValues(_ message: String) -> [String] {
    let parts = message.split(separator: "Please provide one of ", maxSplits: 1)
    guard parts.count == 2 else { return [] }
    let listed = parts[1].split(separator: "\n").filter { $0.hasPrefix("  - ") }
    return listed.isEmpty ? quotedWords(String(parts[1])) : listed.map { String($0.dropFirst(4)) }
  }

  /// The parser's message about a value, with its list of values in one line.
  package static func onOneLine(_ message: String) -> String {
    let lines = message.split(separator: "\n")
    guard let first = lines.first, lines.count > 1, lines.dropFirst().allSatisfy({ $0.hasPrefix("  - ") })
    else {
      return message
    }
    let values = lines.dropFirst().map { $0.dropFirst(4) }.joined(separator: ", ")
    return String(first).replacing("Please provide one of the following:", with: "Use one of: ") + values
  }

  private static func quotedWords(_ text: String) -> [String] {
    let parts = text.split(separator: "'", omittingEmptySubsequences: false)
    return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
  }

  /// The message for a process that can't read its own arguments, which on Linux are in a file in /proc.
  package static func unreadableArguments(isProcMounted: Bool) -> UserMessage {
    UserMessage(
      "cannot read the arguments of this process",
      hint: isProcMounted
        ? "allow more open files with 'ulimit -n NUMBER'" : "mount /proc: mount -t proc proc /proc")
  }

  /// The message for a group of commands without a subcommand.
  package static func missingSubcommand(known: [String]) -> UserMessage {
    UserMessage("a subcommand is missing", hint: "use one of: \(known.joined(separator: ", "))")
  }
}
