// `cdpipe classify`

public import ArgumentParser
import CallRecord
public import MessageInput
import MessageRules
import PipeStage
import SystemIO
import UserMessages

extension MessageFormat: ExpressibleByArgument {
  // Explicit, because the parser's default costs a million instructions per start.
  /// The values as users type them.
  public static var allValueStrings: [String] { allCases.map(\.rawValue) }
  /// Descriptions of the values: none.
  public static var allValueDescriptions: [String: String] { [:] }
}

struct ClassifyCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "classify", abstract: "Classify messages by message rules.",
    discussion: """
      Reads messages, one per line: {"sender":"…","text":"…","country":"CN"}, or CSV with these names in its header. \
      The country is the receiver's. Writes for each message its row, the action, and the rule that matched; if no \
      rule matches, the action is 'none'.

      With --evaluate, writes precision and recall for each action, and a confusion matrix.
      """)

  static let examples = [
    Example(
      "Classify messages, one JSON object per line", "cdpipe classify --rules rules.yaml messages.jsonl"),
    Example("Classify a table", "cdpipe classify --rules rules.yaml --format csv messages.csv"),
    Example(
      "Compare with the expected actions",
      "cdpipe classify --rules rules.yaml --evaluate expected messages.jsonl"),
  ]

  @Option(
    help: ArgumentHelp("The rule file (YAML or JSON), or compiled rules.", valueName: "file"),
    completion: .ruleFile)
  var rules: String

  @Option(help: ArgumentHelp("The format of messages and answers.", valueName: "format"))
  var format: MessageFormat = .json

  @Option(help: ArgumentHelp("Compare with the expected action in this field.", valueName: "field"))
  var evaluate: String?

  @Flag(help: "With --evaluate: print a JSON object.")
  var json = false

  @Flag(help: "In CSV, put ' before names of rules that a spreadsheet would run as formulas.")
  var csvSafe = false

  @OptionGroup var io: InputOutputOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if json, evaluate == nil { throw ValidationError("--json needs --evaluate") }
  }

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "classify")
    try checkNames(diagnostics)
    TerminalInput.announce(io.files.isEmpty ? ["-"] : io.files, isQuiet: common.quiet, diagnostics)
    let rules = try RulesOpening.rules(rules, diagnostics)
    let stores = try RuleStores(rules.storePaths, relativeTo: self.rules, diagnostics)
    var classifier = MessageClassifier(rules, isInStore: stores.contains)
    let isQuiet = common.quiet
    let log: RejectLog
    do throws(StageError) {
      log = try RejectLog(policy: common.policy) { reject, ordinal in
        if !isQuiet, ordinal <= PipelineCommand.rejectsShown { diagnostics.log(RejectMessages.line(reject)) }
      }
    } catch {
      throw diagnostics.end(error)
    }
    let context = StageContext(meter: StageMeter(.classify), rejects: log)
    do throws(StageError) {
      try classify(&classifier, context)
      try log.check(stage: .classify, inputs: context.meter.rowsIn.value)
      try log.publish()
    } catch {
      try? log.publish()
      throw diagnostics.end(error)
    }
    try stores.check(diagnostics)
    if !isQuiet, log.count > 0 {
      diagnostics.log(
        "cdpipe classify: rejected \(Figures.grouped(log.count)) of "
          + "\(Figures.grouped(context.meter.rowsIn.value)) rows")
    }
  }

  private func checkNames(_ diagnostics: Diagnostics) throws {
    if let rejects = common.rejects, let place = FileIdentity(output: rejects),
      place == FileIdentity(output: io.output)
    {
      throw diagnostics.end(UserMessage("'\(rejects)' is used for two outputs"), ExitStatus.usage)
    }
    let outputs = [common.rejects].compactMap { $0 } + (io.output == "-" ? [] : [io.output])
    try OutputNames.check(outputs, diagnostics)
    for path in outputs where OutputNames.isRead(path, by: io.files + [rules]) {
      throw diagnostics.end(UserMessage("'\(path)' is an input and would be overwritten"), ExitStatus.usage)
    }
  }

  /// Reads all messages and writes their verdicts.
  private func classify(
    _ classifier: inout MessageClassifier, _ context: StageContext
  ) throws(StageError) {
    let isColoured = evaluate != nil && StandardOutput.isColoured(io.output)
    var answers = AnswerWriter(
      try FileSink(io.output, stage: .classify, escapesControls: !isColoured, calls: context.calls), format,
      isCSVSafe: csvSafe)
    var evaluation = Evaluation()
    if evaluate == nil { try answers.begin() }
    for path in io.files.isEmpty ? ["-"] : io.files {
      let reader = MessageReader(format: format, expected: evaluate, input: path, context: context)
      try reader.read { (row, number) throws(StageError) in
        let verdict = classifier.classify(sender: row.sender, body: row.text, receiver: row.country)
        if let expected = row.expected.flatMap({ MessageAction(name: $0) }) {
          evaluation.add(expected: expected, given: verdict.action)
        } else {
          try answers.write(verdict, of: classifier.rules, row: number)
        }
      }
    }
    if json {
      try answers.write(line: EvaluationMessages.json(evaluation))
    } else if evaluate != nil {
      for line in EvaluationMessages.lines(evaluation) {
        try answers.write(line: isColoured ? StandardOutput.text(line) : line.plain)
      }
    }
    try answers.finish()
  }
}

/// Writes answers, one line per message.
struct AnswerWriter {
  private let sink: FileSink
  private let format: MessageFormat
  private let isCSVSafe: Bool
  /// The text after the row's number, cached by rule.
  private var answers: [Int: String] = [:]
  /// The text after the row's number for messages that no rule matches.
  private let undecided: String
  private var chunk: [UInt8] = []

  init(_ sink: FileSink, _ format: MessageFormat, isCSVSafe: Bool) {
    self.sink = sink
    self.format = format
    self.isCSVSafe = isCSVSafe
    undecided = Self.text(.undecided, nil, format)
  }

  private static func text(_ verdict: MessageVerdict, _ name: String?, _ format: MessageFormat) -> String {
    switch format {
    case .json:
      let rule = name.map { "\"rule\":\(JSONQuoting.quoted($0))," } ?? ""
      return ",\"action\":\"\(verdict.action.name)\",\(rule)\"subAction\":\"\(verdict.subAction.name)\"}"
    case .csv:
      let isPlain = (name ?? "").utf8.allSatisfy { $0 > 0x22 && $0 != 0x2C }
      let quoted =
        "\""
        + (name ?? "").split(separator: "\"", omittingEmptySubsequences: false)
        .joined(separator: "\"\"") + "\""
      return ",\(verdict.action.name),\(verdict.subAction.name),\(isPlain ? name ?? "" : quoted)"
    }
  }

  mutating func begin() throws(StageError) {
    if format == .csv { try write(line: "row,action,subAction,rule") }
  }

  mutating func write(
    _ verdict: MessageVerdict, of rules: borrowing CompiledRules, row: UInt64
  ) throws(StageError) {
    let answer = answer(verdict, rules)
    try write(line: format == .json ? "{\"row\":\(row)\(answer)" : "\(row)\(answer)")
  }

  private mutating func answer(_ verdict: MessageVerdict, _ rules: borrowing CompiledRules) -> String {
    guard let rule = verdict.rule else { return undecided }
    if let known = answers[rule] { return known }
    let name = rules.name(ofRule: rule)
    let isDisarmed = isCSVSafe && format == .csv
    let answer = Self.text(verdict, isDisarmed ? CSVFormula.disarmed(name) : name, format)
    answers[rule] = answer
    return answer
  }

  mutating func write(line: String) throws(StageError) {
    chunk.append(contentsOf: line.utf8)
    chunk.append(0x0A)
    if chunk.count >= ByteChunk.defaultBytes / 2 { try flush() }
  }

  private mutating func flush() throws(StageError) {
    var bytes = ByteChunk(capacity: max(chunk.count, 1))
    let written = ContiguousArray(chunk)
    bytes.append(written.span)
    chunk.removeAll(keepingCapacity: true)
    if !bytes.isEmpty { try sink.receive(&bytes) }
  }

  mutating func finish() throws(StageError) {
    try flush()
    try sink.finish()
  }
}
