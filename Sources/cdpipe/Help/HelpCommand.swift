// `cdpipe help`, and the text of `--help`: the parser's, with a usage line that fits the terminal, and examples.

import ArgumentParser
import PhoneTools
import Records
import SystemIO

struct HelpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "help", abstract: "Show the help of a command, or the options of all commands.",
    discussion: "'cdpipe help COMMAND' prints the same text as 'cdpipe COMMAND --help'.")

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
      throw Failure.usage(
        CommandText.unknown(word, of: path.fullName, known: path.descendants.map(\.fullName)))
    }
    StandardOutput.print(HelpText(path).text)
  }
}

struct HelpText {
  /// The widths that text is wrapped to: narrower columns are hard to read, and so are longer lines.
  private static let columnsRange = 40...100
  /// The width if standard output is not a terminal.
  private static let defaultColumns = 80
  private static let usageStart = "USAGE: "
  private static let blankLine = "\n\n"

  private let path: CommandPath
  /// The width that text is wrapped to.
  private let columns: Int
  private let overview: String
  /// The usage line, wrapped.
  private let usage: String
  /// The arguments, options and subcommands.
  private let sections: String

  init(_ path: CommandPath, includeHidden: Bool = false) {
    let wanted = RunningProcess.outputColumns ?? Self.defaultColumns
    columns = min(max(wanted, Self.columnsRange.lowerBound), Self.columnsRange.upperBound)
    let text = CDPipe.helpMessage(for: path.command, includeHidden: includeHidden, columns: columns)
    self.path = path
    guard let start = text.firstRange(of: Self.blankLine + Self.usageStart),
      let end = text[start.upperBound...].firstRange(of: Self.blankLine)
    else {
      overview = text
      usage = ""
      sections = ""
      return
    }
    overview = String(text[..<start.lowerBound])
    usage = Self.wrappedUsage(String(text[start.upperBound..<end.lowerBound]), columns: columns)
    sections = HelpSection.ordered(Self.trimmed(text[end.upperBound...]), separator: Self.blankLine)
  }

  /// The whole help.
  var text: String {
    [overview, usage, sections, examples].filter { !$0.isEmpty }.joined(separator: Self.blankLine)
  }

  /// The usage, arguments and options of all commands that are not groups.
  static var allOptions: String {
    let root = CommandPath([])
    return root.subcommands.flatMap { $0.isGroup ? $0.descendants : [$0] }
      .map { HelpText($0).summary }.joined(separator: blankLine + "\n")
  }

  /// The help without the description and the examples.
  private var summary: String {
    let title = "\(path.fullName): \(path.command.configuration.abstract)"
    return [title, usage, sections].joined(separator: Self.blankLine)
  }

  /// The examples as a section: lines of two spaces and the task, then more spaces and the command line, which is not
  /// wrapped, so that it can be copied.
  private var examples: String {
    let file = EmbeddedFile.at("docs/commands/examples.txt").text
    let start = "\n# \(path.fullName)\n"
    guard let own = file.firstRange(of: start) else { return "" }
    let section = file[own.upperBound...]
    let examples = section[..<(section.firstRange(of: "\n# ")?.lowerBound ?? section.endIndex)]
    let lines = examples.split(separator: "\n\n").map { example in
      let lines = example.split(separator: "\n")
      return
        ((lines[0] + ":").wrapped(to: columns - 2).map { "  \($0)" } + lines.dropFirst().map(String.init))
        .joined(separator: "\n")
    }
    return "EXAMPLES:\n" + lines.joined(separator: Self.blankLine)
  }

  /// Breaks a usage line between its arguments.
  private static func wrappedUsage(_ line: String, columns: Int) -> String {
    let indentation = String(repeating: " ", count: usageStart.count + 2)
    var lines = [usageStart]
    for part in usageParts(line) {
      let separator = lines[lines.count - 1].hasSuffix(" ") ? "" : " "
      if lines[lines.count - 1].count + separator.count + part.count <= columns {
        lines[lines.count - 1] += separator + part
      } else {
        lines.append(indentation + part)
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The parts of a usage line that stay on one line: `[--keep <which>]`, `--rules <file>`, `<file> ...`.
  private static func usageParts(_ line: String) -> [String] {
    var parts: [String] = []
    var depth = 0
    for word in line.split(separator: " ") {
      let isValue =
        word.hasPrefix("<") && parts.last?.hasPrefix("-") == true && parts.last?.contains(" ") == false
      if depth > 0 || word == "..." || isValue {
        parts[parts.count - 1] += " " + word
      } else {
        parts.append(String(word))
      }
      depth += word.count(where: "[<".contains) - word.count(where: "]>".contains)
    }
    return parts
  }

  /// The text without white space at its end.
  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

/// A section of a help text: a title, and the options or commands below it.
private struct HelpSection {
  /// The options that most users need, in the order in which they are shown.
  private static let firstOptions = ["--output", "--format", "--region", "--columns"]

  private var title: String
  /// The entries, each with its further lines.
  private var entries: [String] = []

  private init(_ text: Substring) {
    let lines = text.split(separator: "\n").map(String.init)
    title = lines.first ?? ""
    for line in lines.dropFirst() {
      if line.hasPrefix("   "), !entries.isEmpty {
        entries[entries.count - 1] += "\n" + line
      } else {
        entries.append(line)
      }
    }
  }

  /// The sections with the options without a title first, which the parser puts last, and at their start those that most
  /// users need, whatever their section.
  static func ordered(_ text: String, separator: String) -> String {
    var sections = text.split(separator: separator).map { HelpSection($0) }
    guard let plain = sections.firstIndex(where: { $0.title == "OPTIONS:" }) else { return text }
    let place = sections[0].title == "ARGUMENTS:" ? 1 : 0
    let options = sections.remove(at: plain)
    sections.insert(options, at: place)
    var first: [String] = []
    for name in firstOptions {
      for index in sections.indices { first += sections[index].take(name) }
    }
    sections[place].entries.insert(contentsOf: first, at: 0)
    return sections.map { ([$0.title] + $0.entries).joined(separator: "\n") }.joined(separator: separator)
  }

  /// Removes the entry of an option, and returns it.
  private mutating func take(_ name: String) -> [String] {
    let found = entries.filter { Self.names($0).contains(name) }
    entries.removeAll { Self.names($0).contains(name) }
    return found
  }

  /// The names of an entry's option: `-o, --output <file>  …`.
  private static func names(_ entry: String) -> [String] {
    entry.split(separator: " ").prefix { $0.hasPrefix("-") }.map {
      $0.hasSuffix(",") ? String($0.dropLast()) : String($0)
    }
  }
}
