// `cdpipe classify`

import ArgumentParser
import CallRecord
import MessageRules
import PipeStage
import SystemIO

extension MessageFormat: ExpressibleByArgument {
  // What the parser would find out by itself, at a million instructions a start.
  static var allValueStrings: [String] { allCases.map(\.rawValue) }
  static var allValueDescriptions: [String: String] { [:] }
}

struct ClassifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "classify", abstract: "Ask message rules about messages.",
    discussion: """
      Reads messages, one a line: {"sender":"…","text":"…","country":"CN"}, or CSV with these names in its header. \
      Country is the receiver's. Writes, for each message, its row, what to do with it, and the rule that says so; \
      the action is 'none' where no rule does. --rules takes a rule file or a compiled one.

      With --evaluate it writes precision and recall for each action, and who is taken for whom.
      """)

  @Option(help: ArgumentHelp("The rule file, YAML or JSON, or the compiled rules.", valueName: "file"))
  var rules: String

  @Option(help: ArgumentHelp("How messages are written, and answers.", valueName: "format"))
  var format: MessageFormat = .json

  @Option(help: ArgumentHelp("Compare with the action that this field expects.", valueName: "field"))
  var evaluate: String?

  @OptionGroup var io: InputOutputOptions
  @OptionGroup var common: CommonOptions

  func run() throws {
    Interruption.cleanUp()
    let voice = Diagnostics(command: "classify")
    try checkNames(voice)
    let rules = try RulesOpening.rules(rules, voice)
    let stores = try RuleStores(rules.storePaths, beside: self.rules, voice)
    var classifier = MessageClassifier(rules, isInStore: stores.contains)
    let isQuiet = common.quiet
    let log: RejectLog
    do throws(StageError) {
      log = try RejectLog(policy: common.policy) { reject, ordinal in
        if !isQuiet, ordinal <= PipelineCommand.rejectsShown { voice.say(RejectMessages.line(reject)) }
      }
    } catch {
      throw voice.end(error)
    }
    let context = StageContext(meter: StageMeter(.classify), rejects: log)
    do throws(StageError) {
      try classify(&classifier, context)
      try log.check(stage: .classify, inputs: context.meter.rowsIn.value)
      try log.publish()
    } catch {
      try? log.publish()
      throw voice.end(error)
    }
    try stores.check(voice)
    if !isQuiet, log.count > 0 {
      voice.say(
        "cdpipe classify: rejected \(Figures.grouped(log.count)) of "
          + "\(Figures.grouped(context.meter.rowsIn.value)) rows")
    }
  }

  private func checkNames(_ voice: Diagnostics) throws {
    if let rejects = common.rejects, let place = FileIdentity(output: rejects),
      place == FileIdentity(output: io.output)
    {
      throw voice.end(UserMessage("'\(rejects)' is named for two outputs"), Status.usage)
    }
    for path in [common.rejects].compactMap({ $0 }) + (io.output == "-" ? [] : [io.output])
    where OutputNames.isRead(path, by: io.files + [rules]) {
      throw voice.end(UserMessage("'\(path)' is an input, and would be replaced"), Status.usage)
    }
  }

  /// Reads all the messages and writes what the rules say of them.
  private func classify(
    _ classifier: inout MessageClassifier, _ context: StageContext
  ) throws(StageError) {
    var answers = AnswerWriter(try FileSink(io.output, stage: .classify, calls: context.calls), format)
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
    if evaluate != nil {
      for line in evaluation.lines { try answers.write(line: line) }
    }
    try answers.finish()
  }
}

/// Writes answers, a line each.
struct AnswerWriter {
  private let sink: FileSink
  private let format: MessageFormat
  /// What stands behind the row's number, for each rule that took a message so far.
  private var answers: [Int: String] = [:]
  /// The same for no rule.
  private let undecided: String
  private var chunk: [UInt8] = []

  init(_ sink: FileSink, _ format: MessageFormat) {
    self.sink = sink
    self.format = format
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
    let answer = Self.text(verdict, rules.name(ofRule: rule), format)
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
