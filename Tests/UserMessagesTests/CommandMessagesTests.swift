// What may have been meant by a misspelt command, stage, option or value.

@testable import InputStages
@testable import cdpipe
import Testing

@testable import Records

@Suite("CommandMessages")
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
    let message = CommandMessages.unknown(typed, of: "cdpipe", known: Self.commands)
    #expect(message == UserMessage("unknown command '\(typed)'", hint: "did you mean 'cdpipe \(meant)'?"))
  }

  @Test("what is similar to nothing")
  func unknown() {
    let message = CommandMessages.unknown("xyz", of: "cdpipe", known: Self.commands)
    #expect(message.hint == "see 'cdpipe --help'")
    #expect(CommandMessages.unknownStage("xyz", stages: ["sort"]).hint == "cdpipe --help lists the stages")
    let value = "The value 'xyz' is invalid for '--keep <which>'. Please provide one of 'first' or 'last'."
    #expect(
      CommandMessages.invalidArguments(value, of: "cdpipe dedupe")
        == UserMessage(value, hint: "see 'cdpipe dedupe --help'"))
  }

  @Test("a process that can't read its arguments")
  func unreadableArguments() {
    let message = "cannot read the arguments of this process"
    #expect(
      CommandMessages.unreadableArguments(isProcMounted: false)
        == UserMessage(message, hint: "mount /proc: mount -t proc proc /proc"))
    #expect(
      CommandMessages.unreadableArguments(isProcMounted: true)
        == UserMessage(message, hint: "allow more open files with 'ulimit -n NUMBER'"))
  }

  @Test("stages of a typed pipe")
  func stages() {
    #expect(
      CommandMessages.unknownStage("nromalize", stages: ["parse", "normalize"])
        == UserMessage("--pipe: 'nromalize' is not a stage", hint: "did you mean 'normalize'?"))
    #expect(CommandMessages.unknownStage("uniq", stages: ["dedupe"]).hint == "did you mean 'dedupe'?")
  }

  @Test(
    "values, as the parser lists them",
    arguments: [
      (
        "The value 'frist' is invalid for '--keep <which>'. Please provide one of 'first', 'last' or 'priority'.",
        "first"
      ),
      (
        "The value 'CSV' is invalid for '--format <format>'. Please provide one of the following:\n  - auto\n  - csv",
        "csv"
      ),
      ("unknown encoding: 'GB1803'", "GB18030"),
    ])
  func values(message: String, meant: String) {
    // A list of values is in one line.
    let line = message.replacing(
      "Please provide one of the following:\n  - auto\n  - csv", with: "Use one of: auto, csv")
    #expect(
      CommandMessages.invalidArguments(message, of: "cdpipe parse")
        == UserMessage(line, hint: "did you mean '\(meant)'?"))
  }

  @Test("an option that other programs have")
  func options() {
    let message = CommandMessages.invalidArguments(
      "Unknown option '--stat'. Did you mean '--top'?", of: "cdpipe diff")
    #expect(message == UserMessage("Unknown option '--stat'", hint: "did you mean '--summary'?"))
  }

  @Test("the list of formats fits into a window")
  func formats() {
    let narrow = FormatMessages.table(width: 50)
    #expect(narrow.split(separator: "\n").allSatisfy { $0.count <= 50 })
    #expect(narrow.contains("vcard\n  what it is: vCards\n  recognised by: BEGIN:VCARD\n"))
    #expect(FormatMessages.table(width: 400) == FormatMessages.table())
  }
}
