// Messages about the names of commands.

/// Messages about the names of commands.
public enum CommandMessages {
  /// The message for a word in the place of a command's name that is not one. `parent` is `cdpipe` or the full name of
  /// a group; `known` are the full names of the commands below it.
  public static func unknown(_ word: String, of parent: String, known: [String]) -> UserMessage {
    let isTop = parent == "cdpipe"
    // Of a subcommand, only the last name is compared: 'cdpipe check' may stand for 'cdpipe rules check'.
    let names = known.map { String($0.split(separator: " ").last ?? "") }
    let index = KeySuggestion.nearest(word, names).flatMap { names.firstIndex(of: $0) }
    return UserMessage(
      "unknown \(isTop ? "command" : "subcommand") '\(word)'",
      hint: index.map { "did you mean '\(known[$0])'?" } ?? "see '\(parent) --help'")
  }

  /// The message for a group of commands without a subcommand.
  public static func missingSubcommand(known: [String]) -> UserMessage {
    UserMessage("a subcommand is missing", hint: "use one of: \(known.joined(separator: ", "))")
  }
}
