// The command that was typed: its names, the words after them, and what is wrong with them.

import ArgumentParser
import InputStages
package import Records
import Runner
import SystemIO

/// A command by its names, and the words that were typed after them.
struct CommandPath {
  /// The names of the command and its parents, such as `rules` and `check`; empty for `cdpipe` itself.
  private(set) var names: [String] = []
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

  private static func isOutput(_ word: String) -> Bool {
    word == "--output" || word.hasPrefix("--output=") || word.hasPrefix("-o") && !word.hasPrefix("--")
  }

  /// Parses the typed options. Returns nil if the command's help is requested.
  func parse() throws -> (any ParsableCommand)? {
    // The parser would use the last one.
    if rest.prefix(while: { $0 != "--" }).count(where: Self.isOutput) > 1 {
      throw Failure.usage("\(option: "o") is given twice: a command has one output")
    }
    let runs = OperandRuns(rest, of: command)
    // Parsing only the subcommand saves the root command's part, a fifth of the instructions of a start.
    if !names.isEmpty, !isGroup, let parsed = try? command.parseAsRoot(runs.words),
      type(of: parsed) == command
    {
      return try runs.completed(parsed)
    }
    // The root command reports errors with the full command name. Help is a command of the parser.
    let parsed = try CDPipe.parseAsRoot(names + runs.words)
    return type(of: parsed) == command ? try runs.completed(parsed) : nil
  }
}

extension ParsableCommand {
  /// The command's name, such as `check`.
  fileprivate static var name: String { configuration.commandName ?? "" }
}

// Keeps thousands of operands (files, numbers) on a command line from the parser of arguments, whose time grows with the
// square of their number: 20,000 cost it 8 seconds.

protocol ManyOperandsCommand: ParsableCommand {
  /// The operands, in the order in which they were typed.
  var operands: [String] { get set }
}

/// A command whose operands are files, which another file can name.
protocol FileOperandsCommand: ManyOperandsCommand {
  /// The file with the names of more operands, `-` for standard input; nil for none.
  var filesFrom: String? { get }
}

/// The words after a command's names, in which one word stands for each long run of operands.
struct OperandRuns {
  /// The minimum length of a run that is replaced.
  private static let lengthMin = 256
  /// The first byte of a word that stands for a run. No argument of a process has such a byte.
  private static let mark = "\0"

  private(set) var words: [String] = []
  private var runs: [ArraySlice<String>] = []

  /// Replaces the runs, if the command accepts any number of operands.
  init(_ typed: ArraySlice<String>, of command: any ParsableCommand.Type) {
    guard typed.count >= Self.lengthMin, command is any ManyOperandsCommand.Type else {
      words = Array(typed)
      return
    }
    var start = typed.startIndex
    var areOptionsOver = false
    for index in typed.indices {
      // The word after an option may be its value. Standard input may be named only once, which the command checks.
      let isFirst = index == typed.startIndex
      let isOperand =
        areOptionsOver
        ? typed[index] != "-" : !typed[index].hasPrefix("-") && (isFirst || !typed[index - 1].hasPrefix("-"))
      if isOperand { continue }
      if typed[index] == "--" { areOptionsOver = true }
      add(typed[start..<index])
      words.append(typed[index])
      start = index + 1
    }
    add(typed[start...])
  }

  private mutating func add(_ operands: ArraySlice<String>) {
    if operands.count < Self.lengthMin {
      words += operands
    } else {
      words.append("\(Self.mark)\(runs.count)")
      runs.append(operands)
    }
  }

  /// The command with the operands that were replaced, and with those that `--files-from` names.
  func completed(_ parsed: any ParsableCommand) throws(Failure) -> any ParsableCommand {
    // A cast at each start would cost a fortieth of it.
    guard !runs.isEmpty || words.contains(where: { $0.hasPrefix("--files-from") }),
      var command = parsed as? any ManyOperandsCommand
    else { return parsed }
    if !runs.isEmpty {
      command.operands = command.operands.flatMap { word in
        guard word.hasPrefix(Self.mark), let index = Int(word.dropFirst()) else { return [word][...] }
        return runs[index]
      }
    }
    if let list = (command as? any FileOperandsCommand)?.filesFrom {
      if list == InputFile.standardInput, command.operands.contains(list) {
        throw .usage("standard input can't be both an input and the list of \(option: "files-from")")
      }
      TerminalInput.announce([list])
      command.operands += try FileNames.read(list)
    }
    return command
  }
}

/// Messages about the names of commands, options and their values.
package enum CommandText {
  /// What other programs call a command.
  private static let otherNames = [
    "search": "lookup", "grep": "lookup", "find": "lookup", "get": "lookup", "compare": "diff", "cmp": "diff",
    "summary": "stats", "summarize": "stats", "count": "stats", "head": "preview", "show": "preview",
    "uniq": "dedupe", "merge": "union", "unpack": "unzip", "fetch": "download",
  ]

  /// The message for a word in the place of a command's name that is not one. `parent` is `cdpipe` or the full name of
  /// a group; `known` are the full names of the commands below it.
  /// `isFile`: it is the name of a file or a directory.
  package static func unknown(
    _ word: String, of parent: String, known: [String], isFile: Bool = false
  ) -> UserMessage {
    let isTop = parent == "cdpipe"
    if isTop, isFile || word.contains(where: { $0 == "." || $0 == "/" }) {
      return UserMessage(
        "unknown command '\(PrintableText.line(word))', "
          + (isFile ? "the name of a file" : "which looks like the name of a file"),
        hint: "put a command before it: \(commands(for: word, ShellQuoting.quoted(URLRedaction.url(word))))")
    }
    // Of a subcommand, only the last name is compared: 'cdpipe check' may stand for 'cdpipe rules check'.
    let names = known.map { String($0.split(separator: " ").last ?? "") }
    let meant = otherNames[word.lowercased()].flatMap { names.contains($0) ? $0 : nil }
    let index = (meant ?? KeySuggestion.nearest(word, names)).flatMap { names.firstIndex(of: $0) }
    return UserMessage(
      "unknown \(isTop ? "command" : "subcommand") '\(word)'",
      hint: index.map { "did you mean '\(known[$0])'?" } ?? "see '\(parent) --help'")
  }

  /// The commands for a file, by its name.
  private static func commands(for file: String, _ quoted: String) -> String {
    let name = file.lowercased()
    if name.hasSuffix(".yaml") || name.hasSuffix(".yml") { return "cdpipe run \(quoted)" }
    return name.hasSuffix(".cdstore") || name.hasSuffix("manifest.json")
      ? "cdpipe info \(quoted)" : "cdpipe preview \(quoted), or cdpipe convert \(quoted) -o OUT"
  }

  /// The message for a word in the place of a stage's name in a typed pipe; `stages` are the names of the stages.
  package static func unknownStage(_ word: String, stages: [String]) -> UserMessage {
    let meant = otherNames[word].flatMap { stages.contains($0) ? $0 : nil }
    return UserMessage(
      "'\(word)' is not a stage",
      hint: (meant ?? KeySuggestion.nearest(word, stages)).map { "did you mean '\($0)'?" }
        ?? "cdpipe --help lists the stages")
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
