// The names of a command as typed, such as `rules check`, and the words after them.

import ArgumentParser

/// A command by its names, and the words that were typed after them.
struct CommandPath {
  /// The names of the command and its parents, such as `rules` and `check`; empty for `cdpipe` itself.
  private(set) var names: [String] = []
  /// The command.
  private(set) var command: any ParsableCommand.Type = CDPipe.self
  /// The words after the names.
  private(set) var rest: ArraySlice<String>

  /// Finds the longest path of commands that the words begin with.
  init(_ words: ArraySlice<String>) {
    rest = words
    while let word = rest.first,
      let next = command.configuration.subcommands.first(where: { $0.name == word })
    {
      names.append(word)
      command = next
      rest.removeFirst()
    }
  }

  /// The path to a command below another one.
  private init(_ parent: CommandPath, _ command: any ParsableCommand.Type) {
    names = parent.names + [command.name]
    self.command = command
    rest = []
  }

  /// The name without `cdpipe`; empty for `cdpipe` itself.
  var name: String { names.joined(separator: " ") }

  /// The name with `cdpipe`.
  var fullName: String { (["cdpipe"] + names).joined(separator: " ") }

  /// Whether the command only groups others.
  var isGroup: Bool { !command.configuration.subcommands.isEmpty }

  /// The word that was typed in the place of a subcommand's name and is not one.
  var unknownWord: String? {
    guard isGroup, let word = rest.first, !word.hasPrefix("-") else { return nil }
    return word
  }

  /// The subcommands, in the order of the help.
  var subcommands: [CommandPath] { command.configuration.subcommands.map { CommandPath(self, $0) } }

  /// All commands below this one: those of each level, then theirs.
  var descendants: [CommandPath] { subcommands + subcommands.flatMap(\.descendants) }

  /// Parses the typed options. Returns nil if the command's help is requested.
  func parse() throws -> (any ParsableCommand)? {
    let runs = OperandRuns(rest, of: command)
    // Parsing only the subcommand saves the root command's part, a fifth of the instructions of a start.
    if !names.isEmpty, !isGroup, let parsed = try? command.parseAsRoot(runs.words),
      type(of: parsed) == command
    {
      return runs.completed(parsed)
    }
    // The root command reports errors with the full command name. Help is a command of the parser.
    let parsed = try CDPipe.parseAsRoot(names + runs.words)
    return type(of: parsed) == command ? runs.completed(parsed) : nil
  }

  /// The message for an unknown option that the parser does not report, because an argument is missing as well: missing
  /// arguments are added until it does. Nil if no option is unknown.
  func unknownOption(_ error: any Error) -> String? {
    if isGroup { return nil }
    let missing = "Missing expected argument '"
    var message = CDPipe.message(for: error)
    var words = OperandRuns(rest, of: command).words
    // No command needs more arguments.
    for _ in 0..<3 {
      if message.hasPrefix("Unknown option") { return message }
      let name = message.hasPrefix(missing) ? message.dropFirst(missing.count).prefix { $0 != " " } : ""
      words.append(name.hasPrefix("-") ? "\(name)=x" : "x")
      do {
        _ = try command.parseAsRoot(words)
        return nil
      } catch {
        message = command.message(for: error)
      }
    }
    return message.hasPrefix("Unknown option") ? message : nil
  }
}

extension ParsableCommand {
  /// The command's name, such as `check`.
  fileprivate static var name: String { configuration.commandName ?? "" }
}
