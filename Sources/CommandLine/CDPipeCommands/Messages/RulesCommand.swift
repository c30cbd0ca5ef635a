// `cdpipe rules`: what is done with rule files besides asking them.

import ArgumentParser
import MessageRules
import MessageRulesCompiler
import PipeStage
import SystemIO

struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules", abstract: "Check, compile, explain, import and export message rules.",
    subcommands: [
      RulesCheckCommand.self, RulesCompileCommand.self, RulesExplainCommand.self, RulesImportCommand.self,
      RulesExportCommand.self,
    ])
}

struct RulesCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Say what is wrong with a rule file, and where.",
    discussion: "Exit status 65 when something is. What is only strange is said, and the status stays 0.")

  @Argument(help: ArgumentHelp("The rule file, YAML or JSON.", valueName: "file"))
  var file: String

  @Flag(name: [.customShort("q"), .long], help: "Say nothing but what is wrong.")
  var quiet = false

  func run() throws {
    let voice = Diagnostics(command: "rules check")
    let rules = try RulesOpening.ruleFile(file, voice)
    let bytes = try RulesOpening.compile(rules, voice)
    for warning in rules.warnings { voice.say("cdpipe rules check: \(RulesMessages.sentence(warning))") }
    if !quiet {
      let keywords = RulesOpening.keywordCount(bytes)
      print("\(file): \(rules.rules.count) rules, \(Figures.grouped(UInt64(keywords))) keywords: sound")
    }
  }
}

struct RulesCompileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compile", abstract: "Write a rule file in the form that a phone maps.",
    discussion: "The same rule file gives the same bytes.")

  @Argument(help: ArgumentHelp("The rule file, YAML or JSON.", valueName: "file"))
  var file: String

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced once all is written.", valueName: "file"))
  var output: String

  func run() throws {
    Interruption.cleanUp()
    let voice = Diagnostics(command: "rules compile")
    if OutputNames.isRead(output, by: [file]) {
      throw voice.end(UserMessage("'\(output)' is the rule file, and would be replaced"), Status.usage)
    }
    let rules = try RulesOpening.ruleFile(file, voice)
    let bytes = try RulesOpening.compile(rules, voice)
    for path in RulesOpening.missingStores(bytes, beside: file) {
      voice.say("cdpipe rules compile: the store '\(path)' is not there: who asks these rules needs it")
    }
    try write(bytes, to: output, voice)
  }
}

/// Writes bytes to a file, or to standard output for `-`.
private func write(_ bytes: ContiguousArray<UInt8>, to path: String, _ voice: Diagnostics) throws {
  do throws(StageError) {
    let sink = try FileSink(path, calls: KernelCalls())
    var chunk = ByteChunk(capacity: max(bytes.count, 1))
    chunk.append(bytes.span)
    try sink.receive(&chunk)
    try sink.finish()
  } catch {
    throw voice.end(error)
  }
}

struct RulesExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Tell which rule takes a message, and why.",
    discussion: "Lists the tests that were made, rule by rule. Exit status 1 when no rule takes the message.")

  @Argument(help: ArgumentHelp("The rule file, YAML or JSON, or the compiled rules.", valueName: "file"))
  var file: String

  @Option(help: ArgumentHelp("Who the message comes from.", valueName: "sender"))
  var sender = ""

  @Option(help: ArgumentHelp("What it says.", valueName: "text"))
  var text: String

  @Option(help: ArgumentHelp("The receiver's country.", valueName: "cc"))
  var country: String?

  func run() throws {
    let voice = Diagnostics(command: "rules explain")
    if let country, !CountryName.isOne(country) {
      throw voice.end(
        UserMessage("--country: no country has the code '\(country)'", hint: CountryName.hint), Status.usage)
    }
    let rules = try RulesOpening.rules(file, voice)
    let stores = try RuleStores(rules.storePaths, beside: file, voice)
    var classifier = MessageClassifier(rules, isInStore: stores.contains)
    let sender = ContiguousArray(sender.utf8)
    let text = ContiguousArray(text.utf8)
    let explanation = classifier.explain(sender: sender.span, body: text.span, receiver: country)
    try stores.check(voice)
    for line in RulesMessages.lines(explanation, { classifier.rules.name(ofRule: $0) }) { print(line) }
    if explanation.verdict.rule == nil { throw Status.no }
  }
}

/// Other applications' forms of rules.
enum RulesFormat: String, ExpressibleByArgument, CaseIterable {
  case bouncer, simplyfiltersms

  var exchange: RuleExchange.Application {
    switch self {
    case .bouncer: .bouncer
    case .simplyfiltersms: .simplyFilterSMS
    }
  }
}

struct RulesImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Make a rule file of another application's filters.",
    discussion: """
      Reads the list of filters that Bouncer keeps, or the file that Simply Filter SMS exports. What has no \
      counterpart is left out and said.
      """)

  @Argument(help: ArgumentHelp("The application's file.", valueName: "file"))
  var file: String

  @Option(help: ArgumentHelp("The application.", valueName: "format"))
  var format: RulesFormat

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced once all is written.", valueName: "file"))
  var output = "-"

  func run() throws {
    Interruption.cleanUp()
    let voice = Diagnostics(command: "rules import")
    let text = try RulesOpening.text(file, voice)
    let result: RuleExchange.Result
    do throws(RuleExchangeError) {
      result = try RuleExchange.importing(text, from: format.exchange)
    } catch {
      throw voice.end(RulesMessages.sentence(error, file), Status.badData)
    }
    for note in result.notes { voice.say("cdpipe rules import: \(RulesMessages.sentence(note))") }
    try write(ContiguousArray(result.text.utf8), to: output, voice)
  }
}

struct RulesExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write rules as another application's filters.",
    discussion:
      "Those applications know keywords and expressions; rules that need more are left out and said.")

  @Argument(help: ArgumentHelp("The rule file, YAML or JSON.", valueName: "file"))
  var file: String

  @Option(help: ArgumentHelp("The application.", valueName: "format"))
  var format: RulesFormat

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced once all is written.", valueName: "file"))
  var output = "-"

  func run() throws {
    Interruption.cleanUp()
    let voice = Diagnostics(command: "rules export")
    let rules = try RulesOpening.ruleFile(file, voice)
    let result = RuleExchange.exporting(rules, to: format.exchange)
    for note in result.notes { voice.say("cdpipe rules export: \(RulesMessages.sentence(note))") }
    try write(ContiguousArray(result.text.utf8), to: output, voice)
  }
}
