// `cdpipe classify`

import ArgumentParser
import MessageRules
package import MessageRulesCompiler
import Records
import Runner
import SystemIO

extension MessageFormat: ExpressibleByArgument {
  // Explicit, because the parser's default costs a million instructions per start.
  /// The values as users type them.
  package static var allValueStrings: [String] { allCases.map(\.rawValue) }
  /// Descriptions of the values: none.
  package static var allValueDescriptions: [String: String] { [:] }
}

struct ClassifyCommand: InputFilesCommand {
  static let configuration = CommandConfiguration(
    commandName: "classify", abstract: "Classify messages by message rules.",
    discussion: """
      Reads messages, one per line: {"sender":"…","text":"…","country":"CN"}, or a table with these names in its \
      header: CSV, or with tabs. A table with tabs and without a header has a label and the text. The country is the \
      receiver's. Writes for each message its row, the action, and the rule that matched; if no rule matches, the \
      action is 'none'.

      With --evaluate, writes accuracy, precision, recall and F1, a confusion matrix, the messages of each rule, and \
      the wrong messages. The exit status is 65 if a minimum (--min-…) is not reached.
      """)

  @Option("The rule file (YAML or JSON), or compiled rules.", value: "file", completion: .ruleFile)
  var rules: String

  @Option(
    "The format of messages (default: by the name and the first line). Answers to tables are CSV.",
    value: "format")
  var format: MessageFormat?

  @OptionGroup var evaluation: EvaluationArguments

  @Flag(help: "In CSV, put ' before names of rules that a spreadsheet would run as formulas.")
  var csvSafe = false

  @OptionGroup var input: InputFiles

  @Option(output: .complete)
  var output = "-"

  @OptionGroup var common: CommonOptions

  func run() throws {
    Interruption.cleanUp()
    try checkNames()
    TerminalInput.announce(input.files.isEmpty ? ["-"] : input.files, isQuiet: common.quiet)
    let rules = try RulesOpening.rules(rules)
    let stores = try RuleStores(rules.storePaths, relativeTo: self.rules)
    let evaluated = evaluation.evaluate == nil ? [] : Self.evaluatedRules(rules)
    var classifier = MessageClassifier(rules, isInStore: stores.contains)
    var figures = Evaluation(ruleCount: evaluated.count, wrongMax: evaluation.wrongCount)
    let counts = try PipelineCommand.withRejects(.classify, common) { (context) throws(Failure) in
      try classify(&classifier, &figures, evaluated, context)
      return context.meter.rowsIn.value
    }
    try stores.check()
    if !common.quiet, counts.rejects > 0 {
      Diagnostics.typed.log(
        "rejected \(Figures.grouped(counts.rejects)) of \(Figures.grouped(counts.rows)) rows")
    }
    let missed = try evaluation.guards.filter { !$0.isReached(by: figures) }
    for guarded in missed { _ = Diagnostics.typed.end(guarded.userMessage(figures), ExitStatus.badData) }
    if !missed.isEmpty { throw ExitStatus.badData }
  }

  private static func evaluatedRules(_ rules: borrowing CompiledRules) -> [EvaluatedRule] {
    let unreachable = UnreachableRules.find(rules)
    return (0..<rules.ruleCount).map {
      EvaluatedRule(
        name: rules.name(ofRule: $0), action: rules.verdict(ofRule: $0).action, unreachable: unreachable[$0])
    }
  }

  private func checkNames() throws(Failure) {
    if let rejects = common.rejects, let place = FileIdentity(output: rejects),
      place == FileIdentity(output: output)
    {
      throw .usage("'\(rejects)' is used for two outputs")
    }
    let outputs = [common.rejects].compactMap { $0 } + (output == "-" ? [] : [output])
    try OutputNames.check(outputs)
    for path in outputs where OutputNames.isRead(path, by: input.files + [rules]) {
      throw .usage("'\(path)' is an input and would be overwritten")
    }
  }

  private func classify(
    _ classifier: inout MessageClassifier, _ figures: inout Evaluation, _ rules: [EvaluatedRule],
    _ context: StageContext
  ) throws(Failure) {
    let expected = evaluation.expected
    let isColoured = expected != nil && StandardOutput.isColoured(output)
    var answers = AnswerWriter(
      try FileSink(output, stage: .classify, escapesControls: !isColoured, calls: context.calls),
      isCSVSafe: csvSafe)
    for path in input.files.isEmpty ? ["-"] : input.files {
      if common.verbose { Diagnostics.typed.log(InputText.reading(path)) }
      let reader = MessageReader(format: format, expected: expected, input: path, context: context)
      try reader.read { (format) throws(Failure) in
        if expected == nil { try answers.begin(format) }
      } _: { (row, number) throws(Failure) in
        let verdict = classifier.classify(sender: row.sender, body: row.text, receiver: row.country)
        if expected == nil {
          try answers.write(verdict, of: classifier.rules, row: number)
        } else {
          figures.add(row, verdict, input: path)
        }
      }
    }
    if evaluation.json {
      try answers.write(line: EvaluationText.json(figures, rules))
    } else if expected != nil {
      for line in EvaluationText.lines(figures, rules) {
        try answers.write(line: isColoured ? StandardOutput.text(line) : line.plain)
      }
    }
    try answers.finish()
  }
}

/// A minimum for one action: `junk=99%`.
struct ActionMinimum {
  let action: String
  let percent: Double

  @Sendable static func typed(_ text: String) throws -> ActionMinimum {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    try require(parts.count == 2, "expected an action and a percentage, such as junk=99%")
    return ActionMinimum(
      action: String(parts[0]), percent: try Percentage.typed(String(parts[1])).percent)
  }
}

struct EvaluationArguments: ParsableArguments {
  /// The default number of wrong messages that are listed.
  private static let defaultWrong = 20
  /// The maximum number of wrong messages that are listed: some megabytes of memory.
  private static let wrongMax = 10_000

  @Option(
    "Compare with the expected action in this field; 'label' in a table without a header.", value: "field")
  var evaluate: String?

  @Option(
    """
    The actions that the labels in this field stand for: spam=junk,ham=none/allow. The first action is expected, \
    others after a slash are right, too. May be repeated.
    """, value: "label=action")
  var expectedLabels: [String] = []

  @Option("List at most N wrongly classified messages (default: 20).", value: "n")
  var wrong: Int?

  @Option(
    "Fail unless the action's precision is at least P%. May be repeated.", value: "action=p%",
    transform: ActionMinimum.typed)
  var minPrecision: [ActionMinimum] = []

  @Option(
    "Fail unless the action's recall is at least P%. May be repeated.", value: "action=p%",
    transform: ActionMinimum.typed)
  var minRecall: [ActionMinimum] = []

  @Option("Fail unless at least P% of the messages are right.", value: "p%", transform: Percentage.typed)
  var minAccuracy: Percentage?

  @Flag(help: "With --evaluate: print a JSON object.")
  var json = false

  func validate() throws {
    let used = [
      ("--json", json), ("--expected-labels", !expectedLabels.isEmpty), ("--wrong", wrong != nil),
      ("--min-precision", !minPrecision.isEmpty), ("--min-recall", !minRecall.isEmpty),
      ("--min-accuracy", minAccuracy != nil),
    ]
    if evaluate == nil, let option = used.first(where: { $0.1 }) {
      throw ValidationError("\(option.0) needs --evaluate")
    }
    if let wrong, !(0...Self.wrongMax).contains(wrong) {
      throw ValidationError("--wrong must be 0 to \(Self.wrongMax)")
    }
    _ = try labels
    for guarded in try guards where guarded.minPercent > 100 {
      throw ValidationError("a minimum must be at most 100%")
    }
  }

  /// The maximum number of wrong messages to list.
  var wrongCount: Int { wrong ?? Self.defaultWrong }

  /// The field with the expected action; nil without --evaluate.
  var expected: ExpectedActions? {
    evaluate.map { ExpectedActions(field: $0, labels: (try? labels) ?? [:]) }
  }

  private var labels: [String: [MessageAction]] {
    get throws {
      var labels: [String: [MessageAction]] = [:]
      for pair in expectedLabels.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        try require(
          parts.count == 2 && !parts[0].isEmpty,
          "--expected-labels: expected a label and an action, such as spam=junk")
        let actions = try parts[1].split(separator: "/", omittingEmptySubsequences: false).map {
          try Self.action(String($0), of: "--expected-labels <label=action>")
        }
        try refuse(
          labels.updateValue(actions, forKey: String(parts[0])) != nil,
          "--expected-labels: the label '\(parts[0])' has two meanings")
      }
      return labels
    }
  }

  /// The minimum values that the evaluation must reach.
  var guards: [EvaluationGuard] {
    get throws {
      try minPrecision.map {
        EvaluationGuard(
          .precision(try Self.action($0.action, of: "--min-precision <action=p%>")), minPercent: $0.percent)
      }
        + minRecall.map {
          EvaluationGuard(
            .recall(try Self.action($0.action, of: "--min-recall <action=p%>")), minPercent: $0.percent)
        } + (minAccuracy.map { [EvaluationGuard(.accuracy, minPercent: $0.percent)] } ?? [])
    }
  }

  /// The action with a name. The message is that of the parser about a choice.
  private static func action(_ name: String, of option: String) throws -> MessageAction {
    guard let action = MessageAction(name: name) else {
      throw UsageError(
        ArgumentProblem.message(of: name, for: option, MessageAction.allCases.map(\.name), isListed: true))
    }
    return action
  }
}
