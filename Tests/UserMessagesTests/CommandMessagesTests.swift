// What may have been meant by a misspelt command, stage, option or value.

import Testing

@testable import InputStages
@testable import Records
@testable import cdpipe

@Suite("CommandText")
struct CommandMessagesTests {
  private static let commands = [
    "cdpipe parse", "cdpipe normalize", "cdpipe diff", "cdpipe stats", "cdpipe lookup", "cdpipe rules check",
  ]

  @Test(
    "commands",
    arguments: [
      ("STATS", "stats"), ("search", "lookup"), ("grep", "lookup"), ("find", "lookup"), ("compare", "diff"),
      ("nromalize", "normalize"), ("check", "rules check"),
    ])
  func commands(typed: String, meant: String) {
    let message = CommandText.unknown(typed, of: "cdpipe", known: Self.commands)
    #expect(message == UserMessage("unknown command '\(typed)'", hint: "did you mean 'cdpipe \(meant)'?"))
  }

  @Test("what is similar to nothing")
  func unknown() {
    let message = CommandText.unknown("xyz", of: "cdpipe", known: Self.commands)
    #expect(message.hint == "see 'cdpipe --help'")
    #expect(CommandText.unknownStage("xyz", stages: ["sort"]).hint == "cdpipe --help lists the stages")
    let value = "The value 'xyz' is invalid for '--by <what>'. Please provide one of 'score'."
    #expect(parserMessage("dedupe", "--by", "xyz") == UserMessage(value, hint: "see 'cdpipe dedupe --help'"))
  }

  @Test(
    "the name of a file, there or not, or a URL",
    arguments: [
      ("new.csv", "cdpipe preview new.csv, or cdpipe convert new.csv -o OUT"),
      (
        "https://example.com/list",
        "cdpipe preview https://example.com/list, or cdpipe convert https://example.com/list -o OUT"
      ),
      ("nightly.yaml", "cdpipe run nightly.yaml"), ("out/list.cdstore", "cdpipe info out/list.cdstore"),
    ])
  func file(word: String, commands: String) {
    for (isFile, text) in [(true, "the name of a file"), (false, "which looks like the name of a file")] {
      #expect(
        CommandText.unknown(word, of: "cdpipe", known: Self.commands, isFile: isFile)
          == UserMessage("unknown command '\(word)', \(text)", hint: "put a command before it: \(commands)"))
    }
    let subcommand = CommandText.unknown("rules.yaml", of: "cdpipe rules", known: ["cdpipe rules check"])
    #expect(subcommand.hint == "see 'cdpipe rules --help'")
  }

  /// The message for a command line that the parser does not accept.
  private func parserMessage(_ words: String...) -> UserMessage? {
    let path = CommandPath(words[...])
    do {
      _ = try path.parse()
      return nil
    } catch {
      return path.message(for: error)
    }
  }

  @Test("a process that can't read its arguments")
  func unreadableArguments() {
    let message = "cannot read the arguments of this process"
    #expect(
      CommandText.unreadableArguments(isProcMounted: false)
        == UserMessage(message, hint: "mount /proc: mount -t proc proc /proc"))
    #expect(
      CommandText.unreadableArguments(isProcMounted: true)
        == UserMessage(message, hint: "allow more open files with 'ulimit -n NUMBER'"))
  }

  @Test("stages of a typed pipe")
  func stages() {
    #expect(
      CommandText.unknownStage("nromalize", stages: ["parse", "normalize"])
        == UserMessage("'nromalize' is not a stage", hint: "did you mean 'normalize'?"))
    #expect(CommandText.unknownStage("uniq", stages: ["dedupe"]).hint == "did you mean 'dedupe'?")
  }

  @Test("values, and those that may be meant")
  func values() {
    let start = "The value 'frist' is invalid for '--keep <which>'. "
    #expect(
      parserMessage("dedupe", "--keep", "frist")
        == UserMessage(
          start + "Use one of: first, last, highest-score, newest, most-frequent, priority",
          hint: "did you mean 'first'?"))
    // A long list of values is in one line.
    let format = parserMessage("parse", "--format", "CSV")
    #expect(
      format?.message.hasPrefix("The value 'CSV' is invalid for '--format <format>'. Use one of: auto, ")
        ?? false)
    #expect(format?.hint == "did you mean 'csv'?")
    #expect(parserMessage("emit", "--format", "excel")?.hint == "write CSV: --format csv --csv-safe")
    #expect(parserMessage("convert", "--format", "xlsx")?.hint == "write CSV: --format csv --csv-safe")
    #expect(parserMessage("emit", "--format", "json")?.hint == "did you mean 'jsonl'?")
    #expect(parserMessage("emit", "--format", "fritzbox") == nil)
    #expect(
      parserMessage("parse", "--encoding", "GB1803")
        == UserMessage("unknown encoding: 'GB1803'", hint: "did you mean 'GB18030'?"))
    #expect(
      parserMessage("completions", "tcsh")?.message
        == "The value 'tcsh' is invalid for '<shell>'. Please provide one of 'bash', 'zsh' or 'fish'.")
  }

  @Test("an option that other programs have, and one that no program has")
  func options() {
    #expect(
      parserMessage("diff", "--stat", "a", "b")
        == UserMessage("Unknown option '--stat'", hint: "did you mean '--summary'?"))
    // It is reported before missing arguments.
    #expect(parserMessage("lookup", "--unheard")?.message == "Unknown option '--unheard'")
    #expect(
      parserMessage("rules", "explain", "--txt", "hello")?.message
        == "Unknown option '--txt'. Did you mean '--text'?")
    #expect(parserMessage("rules", "check")?.message == "Missing expected argument '<file>'")
    #expect(parserMessage("sort", "--memory")?.message == "Missing value for '--memory <size>'")
  }

  @Test("the options of a stage, as the parser declares them")
  func table() {
    let table = OptionTable.of(DedupeArguments.self)
    #expect(table.names.contains("keep") && !table.names.contains("help"))
    #expect(table.option("keep")?.allValues?.first == "first")
    #expect(OptionTable.of(EmitArguments.self).option("o")?.name == "output")
    #expect(StageTable.row(named: "emit")?.key("o") == "path")
    #expect(StageTable.row(named: "normalize")?.key("expect-country") == "countries")
    #expect(StageTable.row(named: "parse")?.key("help") == nil)
    #expect(
      SourceCheckArguments.keys == [
        "min-rows", "max-rows", "max-numbers", "max-overlaps", "max-rejects", "pipe-timeout", "max-change",
      ])
    let typed = ["--min-score", "-5", "-ofile", "--keep=last", "--", "--nope"]
    #expect(OptionTable.of(DedupeCommand.self).unknownOption(typed) == nil)
    #expect(OptionTable.of(DedupeCommand.self).unknownOption(["--kep=last"]) == "--kep")
  }

  @Test("the list of formats fits into a window")
  func formats() {
    let narrow = FormatText.table(width: 50)
    #expect(narrow.split(separator: "\n").allSatisfy { $0.count <= 50 })
    #expect(narrow.contains("vcard\n  what it is: vCards\n  recognised by: BEGIN:VCARD\n"))
    #expect(FormatText.table(width: 400) == FormatText.table())
  }
}
