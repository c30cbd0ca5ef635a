// `cdpipe rules`: checking, compiling, explaining, importing and exporting rule files.

import ArgumentParser
import MessageRules
import MessageRulesCompiler
import Records
import SystemIO

struct RulesCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules", abstract: "Check, compile, explain, import and export message rules.",
    subcommands: [
      RulesCheckCommand.self, RulesCompileCommand.self, RulesExplainCommand.self, RulesImportCommand.self,
      RulesExportCommand.self,
    ])

  static let examples = [
    Example("Check a rule file", "cdpipe rules check rules.yaml"),
    Example("Compile it for a phone", "cdpipe rules compile rules.yaml -o rules.cdrules"),
    Example(
      "Explain which rule matches a message",
      "cdpipe rules explain rules.yaml --sender 10690000 --text 'casino tonight'"),
  ]
}

struct RulesCheckCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a rule file for errors.",
    discussion: "The exit status is 65 if there are errors. Warnings are printed; the exit status stays 0.")

  static let examples = [
    Example("Check a rule file", "cdpipe rules check rules.yaml"),
    Example(
      "Compile a rule file if it is valid",
      """
      cdpipe rules check --quiet rules.yaml \\
        && cdpipe rules compile rules.yaml -o rules.cdrules
      """),
    Example("Check several rule files", "for file in rules/*.yaml; do cdpipe rules check \"$file\"; done"),
  ]

  @Argument(help: ArgumentHelp("The rule file (YAML or JSON).", valueName: "file"), completion: .ruleFile)
  var file: String

  @Flag(name: [.customShort("q"), .long], help: "Print errors and warnings only.")
  var quiet = false

  @Flag(help: "Print a JSON object.")
  var json = false

  @OptionGroup var colours: ColourOptions

  func run() throws {
    let diagnostics = Diagnostics(command: "rules check")
    let rules = try RulesOpening.ruleFile(file, diagnostics)
    let bytes = try RulesOpening.compile(rules, diagnostics)
    let (keywords, warnings) = RulesOpening.check(rules, bytes)
    for warning in warnings { diagnostics.log("cdpipe rules check: \(warning)") }
    if json {
      StandardOutput.print(RulesMessages.json(rules, file: file, keywords: keywords, warnings: warnings))
    } else if !quiet {
      let counts =
        Figures.counted(UInt64(rules.rules.count), "rule") + ", "
        + Figures.counted(UInt64(keywords), "keyword")
      StandardOutput.print("\(file): \(counts): valid")
    }
  }
}

struct RulesCompileCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "compile", abstract: "Compile a rule file into the binary form that a phone maps.",
    discussion: "The same rule file always results in the same bytes.")

  static let examples = [
    Example("Compile a rule file", "cdpipe rules compile rules.yaml -o rules.cdrules"),
    Example(
      "Compile a rule file and use the result",
      """
      cdpipe rules compile rules.yaml -o rules.cdrules \\
        && cdpipe classify --rules rules.cdrules messages.jsonl
      """),
    Example(
      "Check whether compiled rules are up to date",
      "cdpipe rules compile rules.yaml -o - | cmp - rules.cdrules"),
  ]

  @Argument(help: ArgumentHelp("The rule file (YAML or JSON).", valueName: "file"), completion: .ruleFile)
  var file: String

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Write to FILE, which is replaced when everything is written.", valueName: "file"),
    completion: .file())
  var output: String

  @OptionGroup var colours: ColourOptions

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "rules compile")
    if OutputNames.isRead(output, by: [file]) {
      throw diagnostics.end(
        UserMessage("'\(output)' is the rule file and would be overwritten"), ExitStatus.usage)
    }
    let rules = try RulesOpening.ruleFile(file, diagnostics)
    let bytes = try RulesOpening.compile(rules, diagnostics)
    for path in RulesOpening.missingStores(bytes, relativeTo: file) {
      diagnostics.log("cdpipe rules compile: the store '\(path)' is missing; applying these rules needs it")
    }
    try write(bytes, to: output, diagnostics)
  }
}

/// Writes bytes to a file, or to standard output for `-`.
private func write(_ bytes: ContiguousArray<UInt8>, to path: String, _ diagnostics: Diagnostics) throws {
  try OutputNames.check([path], diagnostics)
  do throws(Failure) {
    let sink = try FileSink(path, calls: KernelCalls())
    var chunk = ByteChunk(capacity: max(bytes.count, 1))
    chunk.append(bytes.span)
    try sink.receive(&chunk)
    try sink.finish()
  } catch {
    throw diagnostics.end(error)
  }
}

struct RulesExplainCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Show which rule matches a message, and why.",
    discussion: "Lists the tests that were made, rule by rule. The exit status is 1 if no rule matches.")

  static let examples = [
    Example(
      "Explain which rule matches a message",
      "cdpipe rules explain rules.yaml --sender 10690000 --text 'casino tonight'"),
    Example(
      "Set the receiver's country",
      """
      cdpipe rules explain rules.yaml --country CN \\
        --sender 1069000012345 --text 'A coupon for you'
      """),
    Example(
      "Explain compiled rules", "cdpipe rules explain rules.cdrules --text 'verification code: 482910'"),
  ]

  @Argument(
    help: ArgumentHelp("The rule file (YAML or JSON), or compiled rules.", valueName: "file"),
    completion: .ruleFile)
  var file: String

  @Option(help: ArgumentHelp("The sender of the message.", valueName: "sender"))
  var sender = ""

  @Option(help: ArgumentHelp("The text of the message.", valueName: "text"))
  var text: String

  @Option(help: ArgumentHelp("The receiver's country.", valueName: "cc"), completion: .region)
  var country: String?

  @Flag(help: "Print a JSON object.")
  var json = false

  @OptionGroup var colours: ColourOptions

  func run() throws {
    let diagnostics = Diagnostics(command: "rules explain")
    if let country, !CountryName.isOne(country) {
      throw diagnostics.end(
        UserMessage("--country: unknown country code '\(country)'", hint: CountryName.hint), ExitStatus.usage)
    }
    let rules = try RulesOpening.rules(file, diagnostics)
    let stores = try RuleStores(rules.storePaths, relativeTo: file, diagnostics)
    var classifier = MessageClassifier(rules, isInStore: stores.contains)
    let sender = ContiguousArray(sender.utf8)
    let text = ContiguousArray(text.utf8)
    let explanation = classifier.explain(sender: sender.span, body: text.span, receiver: country)
    try stores.check(diagnostics)
    if json {
      StandardOutput.print(explanation.json { classifier.rules.name(ofRule: $0) })
    } else {
      for line in explanation.lines(nameOfRule: { classifier.rules.name(ofRule: $0) }) {
        StandardOutput.print(line)
      }
    }
    if explanation.verdict.rule == nil { throw ExitStatus.no }
  }
}

/// The applications whose filters can be imported and exported.
enum RulesFormat: String, ExpressibleByArgument, CaseIterable {
  case bouncer, simplyfiltersms

  var exchange: RuleExchange.Application {
    switch self {
    case .bouncer: .bouncer
    case .simplyfiltersms: .simplyFilterSMS
    }
  }
}

struct RulesImportCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Convert another application's filters to a rule file.",
    discussion: """
      Reads Bouncer's list of filters, or a file exported by Simply Filter SMS. Filters without a counterpart are \
      skipped and listed.
      """)

  static let examples = [
    Example(
      "Convert the filters of Bouncer", "cdpipe rules import --format bouncer filters.json -o rules.yaml"),
    Example(
      "Convert the filters of Simply Filter SMS",
      "cdpipe rules import --format simplyfiltersms simply.json -o rules.yaml"),
    Example("Check the result", "cdpipe rules import --format bouncer filters.json | cdpipe rules check -"),
  ]

  @Argument(help: ArgumentHelp("The application's file.", valueName: "file"), completion: .ruleFile)
  var file: String

  @Option(help: ArgumentHelp("The application.", valueName: "format"))
  var format: RulesFormat

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Write to FILE, which is replaced when everything is written.", valueName: "file"),
    completion: .file())
  var output = "-"

  @OptionGroup var colours: ColourOptions

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "rules import")
    let text = try RulesOpening.text(file, diagnostics)
    let result: RuleExchange.Result
    do throws(Failure) {
      result = try RuleExchange.importing(text, path: file, from: format.exchange)
    } catch {
      throw diagnostics.end(error)
    }
    for note in result.notes { diagnostics.log("cdpipe rules import: \(note)") }
    try write(ContiguousArray(result.text.utf8), to: output, diagnostics)
  }
}

struct RulesExportCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Convert rules to another application's filters.",
    discussion:
      "These applications have only keywords and expressions. Rules that need more are skipped and listed.")

  static let examples = [
    Example("Convert rules for Bouncer", "cdpipe rules export --format bouncer rules.yaml -o filters.json"),
    Example(
      "Convert rules for Simply Filter SMS",
      "cdpipe rules export --format simplyfiltersms rules.yaml -o simply.json"),
    Example(
      "List the rules that these applications do not support",
      "cdpipe rules export --format bouncer rules.yaml -o /dev/null"),
  ]

  @Argument(help: ArgumentHelp("The rule file (YAML or JSON).", valueName: "file"), completion: .ruleFile)
  var file: String

  @Option(help: ArgumentHelp("The application.", valueName: "format"))
  var format: RulesFormat

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Write to FILE, which is replaced when everything is written.", valueName: "file"),
    completion: .file())
  var output = "-"

  @OptionGroup var colours: ColourOptions

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "rules export")
    let rules = try RulesOpening.ruleFile(file, diagnostics)
    let result = RuleExchange.exporting(rules, to: format.exchange)
    for note in result.notes { diagnostics.log("cdpipe rules export: \(note)") }
    try write(ContiguousArray(result.text.utf8), to: output, diagnostics)
  }
}
