// `cdpipe help`

import ArgumentParser
import Records

struct HelpCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "help", abstract: "Show the help of a command, or the options of all commands.",
    discussion: "'cdpipe help COMMAND' prints the same text as 'cdpipe COMMAND --help'.")

  static let examples = [
    Example("List the commands", "cdpipe help"),
    Example("Show the help of a command", "cdpipe help sort"),
    Example("Show the help of a subcommand", "cdpipe help rules check"),
    Example("Find the options that limit something", "cdpipe help --all | grep -e --max"),
  ]

  @Argument(
    help: ArgumentHelp("The names of the command, such as 'sort' or 'rules check'.", valueName: "command"),
    completion: .custom { words, index, _ in
      // The words before the completed one are `cdpipe help` and names.
      CommandPath(words.prefix(index).dropFirst(2)).subcommands.compactMap(\.names.last)
    })
  var names: [String] = []

  @Flag(name: .shortAndLong, help: "Show all commands with all of their options.")
  var all = false

  func validate() throws {
    if all, !names.isEmpty { throw ValidationError("--all can't be combined with a command") }
  }

  func run() throws {
    if all { return StandardOutput.print(HelpText.allOptions) }
    let path = CommandPath(names[...])
    if let word = path.rest.first {
      throw Diagnostics(command: "help").end(
        CommandMessages.unknown(word, of: path.fullName, known: path.descendants.map(\.fullName)),
        ExitStatus.usage)
    }
    StandardOutput.print(HelpText(path).text)
  }
}
