// Help of every command: it shows how the command is used, fits a terminal, and its examples run.
//
// Not for: the errors of names and options (Sessions/help.md, Sessions/usage.md).

import Testing

/// An example in the help of a command.
private struct HelpExample: Equatable {
  var task: String
  var command: String

  /// The examples in a help text: tasks are indented by two spaces, command lines by at least four.
  static func all(in help: String) -> [HelpExample] {
    guard let start = help.firstRange(of: "\nEXAMPLES:\n") else { return [] }
    var examples: [HelpExample] = []
    for line in Lines.split(String(help[start.upperBound...])) where !line.isEmpty {
      if line.hasPrefix("    "), !examples.isEmpty {
        examples[examples.count - 1].command += line.dropFirst(4) + "\n"
      } else if let last = examples.last, !last.task.hasSuffix(":") {
        // A task that is wrapped.
        examples[examples.count - 1].task += line.dropFirst(1)
      } else {
        examples.append(HelpExample(task: line, command: ""))
      }
    }
    return examples
  }
}

@Suite("Help")
struct HelpTests {
  static let commands = [
    "download", "unzip", "parse", "normalize", "sort", "dedupe", "select", "emit", "generate", "union",
    "subtract", "intersect", "diff", "sample", "split", "convert", "init", "preview", "run", "rollback",
    "history",
    "keys",
    "bench", "annotate", "number", "info", "stats", "cat", "lookup", "verify", "apply", "simulate",
    "scaffold",
    "classify",
    "rules", "help", "completions", "version",
  ]
  static let subcommands =
    ["check", "compile", "explain", "import", "export"].map { "rules " + $0 }
    + ["keys generate", "keys show"]
  /// Commands whose status is 1 when they find something.
  private static let comparing: Set<String> = ["diff"]

  private static func help(_ command: String, columns: Int? = nil) async throws -> Outcome {
    let width = columns.map { "COLUMNS=\($0) " } ?? ""
    return try await Program.shell("\(width)cdpipe \(command) --help", in: try Workshop())
  }

  @Test("--help prints how a command is used", arguments: commands + subcommands + [""])
  func help(command: String) async throws {
    let outcome = try await Self.help(command)
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.outputText.contains(command.isEmpty ? "USAGE: cdpipe" : "USAGE: cdpipe \(command)"))
    #expect(outcome.outputText.contains("OVERVIEW: "))
    for line in Lines.split(outcome.outputText) { #expect(line.count <= 80, "\(line)") }
  }

  @Test("the options that most users need come first, and sections of special purposes last")
  func order() async throws {
    let first = [
      "parse": "-o --format", "normalize": "-o --region", "emit": "-o --format",
      "annotate": "-o --format --region --columns",
      "convert": "-o --format --region", "preview": "--format --region", "stats": "--format --region",
      "union": "-o",
    ]
    for (command, names) in first {
      let help = try await Self.help(command).outputText
      let section = try #require(help.firstRange(of: "\n\nOPTIONS:\n"), "\(command)")
      let options = Lines.split(String(help[section.upperBound...])).filter { $0.hasPrefix("  -") }
      let found = options.prefix(names.split(separator: " ").count).map {
        $0.prefix { $0 != "," && $0 != "<" }
      }
      #expect(found.map { $0.filter { $0 != " " } }.joined(separator: " ") == names, "\(command)")
      // Each option is listed once.
      for name in ["  --format <", "  --region <", "  -o, "] {
        #expect(help.split(separator: "\n").count { $0.hasPrefix(name) } <= 1, "\(command)")
      }
    }
    let titles = Lines.split(try await Self.help("emit").outputText).filter {
      $0.hasSuffix(":") && !$0.hasPrefix(" ")
    }
    #expect(
      titles == [
        "ARGUMENTS:", "OPTIONS:", "OPTIONS FOR LIVE CALLER ID LOOKUP (--FORMAT PIR):",
        "OPTIONS FOR A DIRECTORY OF SHARDS:",
        "EXAMPLES:",
      ])
  }

  @Test(
    "on a narrow terminal only the command lines of examples are wider", arguments: commands + subcommands)
  func narrow(command: String) async throws {
    let wide = try await Self.help(command).outputText
    let narrow = try await Self.help(command, columns: 60).outputText
    let text = narrow.prefix(upTo: narrow.firstRange(of: "\nEXAMPLES:\n")?.lowerBound ?? narrow.endIndex)
    for line in Lines.split(String(text)) { #expect(line.count <= 60, "\(line)") }
    #expect(HelpExample.all(in: narrow) == HelpExample.all(in: wide))
    let narrowest = try await Self.help(command, columns: 40).outputText
    let start = narrowest.firstRange(of: "\nEXAMPLES:\n")?.upperBound ?? narrowest.endIndex
    for line in Lines.split(String(narrowest[start...])) where !line.hasPrefix("    ") {
      #expect(line.count <= 40, "\(line)")
    }
    #expect(HelpExample.all(in: narrowest) == HelpExample.all(in: wide))
  }

  @Test(
    "every command has three to five examples, and they run", .timeLimit(.minutes(20)),
    arguments: commands + subcommands + [""])
  func examples(command: String) async throws {
    let examples = HelpExample.all(in: try await Self.help(command).outputText)
    #expect((3...5).contains(examples.count))
    let folder = Program.root + "/Tests/CommandTests/Programs"
    let workshop = try Workshop()
    let prepared = try await Program.run("/bin/bash", [folder + "/example_files.sh"], in: workshop)
    try #require(prepared.status == 0, "\(prepared.errors)")
    for example in examples {
      #expect(example.task.hasSuffix(":"))
      #expect(example.command.contains("cdpipe \(command)"), "not an example of \(command)")
      let outcome =
        example.command.contains("https://")
        ? try await Program.run(
          "/usr/bin/env", ["python3", folder + "/serve_files.py", example.command], in: workshop)
        : try await Program.shell(example.command, in: workshop)
      let isExpected = outcome.status == 0 || (outcome.status == 1 && Self.comparing.contains(command))
      #expect(isExpected, "\(example.command)status \(outcome.status)\n\(outcome.errors)")
    }
  }

  @Test("the list of commands has exactly the commands")
  func overview() async throws {
    let help = try await Self.help("").outputText
    let list = help.prefix(upTo: help.firstRange(of: "\nEXAMPLES:\n")?.lowerBound ?? help.endIndex)
    let listed = Lines.split(String(list)).filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    for command in Self.commands { #expect(listed.contains(command)) }
    let unknown = Set(listed).subtracting(Self.commands).subtracting(["--version", "-V", "-h,", "See"])
    #expect(unknown.isEmpty, "a command without a test of its help: \(unknown)")
  }

  @Test("help --all has the usage of all commands")
  func allOptions() async throws {
    let outcome = try await Program.shell("cdpipe help --all", in: try Workshop())
    #expect(outcome.status == 0)
    for command in Self.commands + Self.subcommands where !["keys", "rules"].contains(command) {
      #expect(outcome.outputText.contains("\nUSAGE: cdpipe \(command) "), "\(command)")
    }
    #expect(outcome.outputText.contains("--max-ratio <n>"))
  }

  @Test("version --json conforms to its schema")
  func version() async throws {
    let outcome = try await Program.shell(
      """
      cdpipe version --json > version.json && python3 '\(Program.root)/Tests/CommandTests/Programs/validate_json.py' \
        '\(Program.root)/docs/formats/version.schema.json' version.json
      """, in: try Workshop())
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
  }
}
