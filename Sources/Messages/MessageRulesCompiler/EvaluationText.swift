// The evaluation of message rules as text: scores per action, a confusion matrix, counts per rule, wrong messages, and
// the minimum values that it misses; and as JSON.

package import MessageRules
package import Records

package struct EvaluatedRule {
  package var name: String
  package var action: MessageAction
  /// Why it can never match, if that is certain.
  package var unreachable: UnreachableReason?

  package init(name: String, action: MessageAction, unreachable: UnreachableReason?) {
    self.name = name
    self.action = action
    self.unreachable = unreachable
  }
}

package enum EvaluationText {
  /// The maximum number of rules in the table and in each list; the JSON form has all.
  private static let rulesMax = 50
  /// The maximum width of a rule's name in columns; longer ones are shortened.
  private static let nameWidthMax = 40

  package static func lines(_ evaluation: Evaluation, _ rules: [EvaluatedRule]) -> [StyledText] {
    let (correct, total) = (evaluation.correct, evaluation.total)
    let totals: [StyledText] = [
      "messages     \(Figures.grouped(total))",
      "accuracy     \(Figures.share(correct, of: total)) (\(Figures.grouped(correct)) of \(Figures.grouped(total)))",
    ]
    let parts = [
      totals, scores(evaluation), confusion(evaluation), ruleTable(evaluation, rules),
      silent(evaluation, rules), wrong(evaluation, rules),
    ]
    return Array(parts.filter { !$0.isEmpty }.joined(separator: [""]))
  }

  // MARK: Scores

  private static func scores(_ evaluation: Evaluation) -> [StyledText] {
    var lines = [
      StyledText("action            precision     recall         F1   expected      given", .heading)
    ]
    func figures(_ scores: Evaluation.Scores, _ expected: UInt64, _ given: UInt64) -> String {
      percent(scores.precision).paddingStart(to: 9) + percent(scores.recall).paddingStart(to: 11)
        + percent(scores.f1).paddingStart(to: 11) + Figures.grouped(expected).paddingStart(to: 11)
        + Figures.grouped(given).paddingStart(to: 11)
    }
    for action in MessageAction.allCases {
      let text = figures(evaluation.scores(action), evaluation.expected(action), evaluation.given(action))
      lines.append("\(action.name.padding(to: 18), action.style)\(text)")
    }
    for (name, scores) in [
      ("macro average", evaluation.macroAverage), ("weighted average", evaluation.weightedAverage),
    ] {
      let text = figures(scores, evaluation.total, evaluation.total)
      lines.append("\(name.padding(to: 18), .faint)\(text)")
    }
    return lines
  }

  /// A share as `Figures` formats it: only nothing is 0.0 %, and only everything is 100.0 %.
  private static func percent(_ share: Double?) -> String {
    guard let share else { return "-" }
    // Averages are not shares of a count; with this number of parts, no digit that is printed differs.
    let parts: UInt64 = 1_000_000_000
    return Figures.share(UInt64((share * Double(parts)).rounded()), of: parts)
  }

  private static func confusion(_ evaluation: Evaluation) -> [StyledText] {
    let actions = MessageAction.allCases
    var lines = [
      StyledText("expected \\ given" + actions.map { $0.name.paddingStart(to: 13) }.joined(), .heading)
    ]
    for action in actions {
      var line: StyledText = "\(action.name.padding(to: 16), action.style)"
      for given in actions {
        let count = evaluation.count(action, given)
        line.append(
          StyledText(
            Figures.grouped(count).paddingStart(to: 13),
            count == 0 ? .faint : given == action ? .added : .removed))
      }
      lines.append(line)
    }
    return lines
  }

  // MARK: Rules

  private static func name(_ name: String) -> String {
    PrintableText.line(name).cut(toWidth: nameWidthMax)
  }

  /// The rules that matched, the most frequent ones first.
  private static func ruleTable(_ evaluation: Evaluation, _ rules: [EvaluatedRule]) -> [StyledText] {
    let matched = rules.indices.filter { evaluation.rules[$0].messages > 0 }.sorted {
      (evaluation.rules[$1].messages, $0) < (evaluation.rules[$0].messages, $1)
    }
    var rows: [(name: String, action: MessageAction, matches: Evaluation.Matches)] = matched.prefix(rulesMax)
      .map { (name(rules[$0].name), rules[$0].action, evaluation.rules[$0]) }
    let more = matched.count - rulesMax
    if evaluation.undecided.messages > 0 { rows.append(("(no rule)", .none, evaluation.undecided)) }
    if rows.isEmpty { return [] }
    let width = (rows.map(\.name.displayWidth) + [4]).max().map { $0 + 2 } ?? 0
    var lines = [StyledText("rule".padding(to: width) + "action         messages      right", .heading)]
    for row in rows {
      let (messages, correct) = (row.matches.messages, row.matches.correct)
      let figures =
        Figures.grouped(messages).paddingStart(to: 10) + Figures.grouped(correct).paddingStart(to: 11)
        + Figures.share(correct, of: messages).paddingStart(to: 10)
      lines.append(
        "\(row.name.padding(to: width))\(row.action.name.padding(to: 13), row.action.style)\(figures)")
    }
    if more > 0 { lines.append("\(Figures.counted(UInt64(more), "more rule")) matched; --json lists all") }
    return lines
  }

  /// The rules that matched no message, and those that can match none.
  private static func silent(_ evaluation: Evaluation, _ rules: [EvaluatedRule]) -> [StyledText] {
    let indices = rules.indices
    let unreachable = indices.filter { rules[$0].unreachable != nil }
    let silent = indices.filter {
      evaluation.rules[$0].messages == 0 && rules[$0].unreachable == nil
    }
    var lines: [StyledText] = []
    func add(_ title: String, _ found: [Int], _ text: (Int) -> String) {
      if found.isEmpty { return }
      lines.append(StyledText("\(title) (\(Figures.grouped(UInt64(found.count))))", .heading))
      lines += found.prefix(rulesMax).map { StyledText("  " + text($0)) }
      if found.count > rulesMax { lines.append("  \(found.count - rulesMax) more; --json lists all") }
    }
    add("rules that matched none of these messages", silent) { name(rules[$0].name) }
    add("rules that can never match", unreachable) { index in
      let rule = rules[index]
      let reason =
        switch rule.unreachable {
        case .shadowed(let other): "'\(name(rules[other].name))' before it matches whatever it matches"
        case .contradiction, nil: "its conditions exclude each other"
        }
      return "\(name(rule.name)): \(reason)"
    }
    return lines
  }

  // MARK: Wrong messages

  private static func wrong(_ evaluation: Evaluation, _ rules: [EvaluatedRule]) -> [StyledText] {
    let count = evaluation.total - evaluation.correct
    if evaluation.wrong.isEmpty { return [] }
    var lines = [StyledText("wrong messages (\(Figures.grouped(count)))", .heading)]
    for message in evaluation.wrong {
      let rule = message.verdict.rule.map { "by '\(name(rules[$0].name))'" } ?? "no rule"
      lines.append(
        """
          \(InputName.plain(message.input)):\(message.line): expected \
        \(message.expected.name, message.expected.style), got \
        \(message.verdict.action.name, message.verdict.action.style), \(rule): \
        \(PrintableText.quoted(Array(message.text.utf8)))
        """)
    }
    let more = count - UInt64(evaluation.wrong.count)
    if more > 0 { lines.append("  \(Figures.grouped(more)) more; --wrong N lists more") }
    return lines
  }
}

extension EvaluationGuard {
  /// Describes that an evaluation does not reach the minimum.
  package func userMessage(_ evaluation: Evaluation) -> UserMessage {
    let matches = matches(evaluation)
    let (subject, option, none) =
      switch measure {
      case .accuracy: ("the accuracy", "--min-accuracy P%", "there are no messages")
      case .precision(let action):
        (
          "the precision of '\(action.name)'", "--min-precision \(action.name)=P%",
          "no message was classified as '\(action.name)'"
        )
      case .recall(let action):
        (
          "the recall of '\(action.name)'", "--min-recall \(action.name)=P%",
          "no message has the expected action '\(action.name)'"
        )
      }
    let required = "the required \(Self.percent(minPercent, .toNearestOrEven))%"
    guard matches.messages > 0 else { return UserMessage("\(subject) does not reach \(required): \(none)") }
    // Rounded down: a value below the minimum is not printed as the minimum.
    let percent = Self.percent(Double(matches.correct) * 100 / Double(matches.messages), .down)
    return UserMessage(
      "\(subject) is \(percent)% (\(Figures.grouped(matches.correct)) of \(Figures.grouped(matches.messages)))"
        + ", less than \(required)",
      hint: "see the wrong messages in the output; \(option) lowers the limit")
  }

  /// A percentage with at most three decimal places.
  private static func percent(_ value: Double, _ rounding: FloatingPointRoundingRule) -> String {
    let thousandths = Int((value * 1_000).rounded(rounding))
    var text = String(thousandths / 1_000)
    if thousandths % 1_000 != 0 {
      var digits = String(1_000 + thousandths % 1_000).dropFirst()
      while digits.hasSuffix("0") { digits.removeLast() }
      text += "." + digits
    }
    return text
  }
}

extension EvaluationText {
  /// The JSON form of an evaluation. Shares of nothing are left out.
  private struct Document: Encodable {
    struct Action: Encodable {
      var action: String
      var expected: UInt64
      var given: UInt64
      var correct: UInt64
      var precision: Double?
      var recall: Double?
      var f1: Double?
    }
    struct Cell: Encodable {
      var expected: String
      var given: String
      var messages: UInt64
    }
    struct Rule: Encodable {
      var rule: String
      var action: String
      var messages: UInt64
      var correct: UInt64
      var unreachable: Unreachable?
    }
    struct Unreachable: Encodable {
      var reason: String
      var rule: String?
    }
    struct Wrong: Encodable {
      var input: String
      var line: UInt64
      var expected: String
      var given: String
      var rule: String?
      var text: String
    }

    var messages: UInt64
    var correct: UInt64
    var accuracy: Double?
    var actions: [Action]
    var macroAverage: Evaluation.Scores
    var weightedAverage: Evaluation.Scores
    var confusion: [Cell]
    var rules: [Rule]
    var noRule: Evaluation.Matches
    var wrong: [Wrong]
  }

  /// Formats an evaluation as a JSON object, without a line feed. Shares are between 0 and 1.
  package static func json(_ evaluation: Evaluation, _ rules: [EvaluatedRule]) -> String {
    let actions = MessageAction.allCases
    let cells = actions.flatMap { expected in
      actions.map { given in
        Document.Cell(expected: expected.name, given: given.name, messages: evaluation.count(expected, given))
      }
    }
    return JSONLine.text(
      Document(
        messages: evaluation.total, correct: evaluation.correct,
        accuracy: rounded(
          evaluation.total == 0 ? nil : Double(evaluation.correct) / Double(evaluation.total)),
        actions: actions.map { action in
          let scores = evaluation.scores(action)
          return Document.Action(
            action: action.name, expected: evaluation.expected(action), given: evaluation.given(action),
            correct: evaluation.count(action, action), precision: rounded(scores.precision),
            recall: rounded(scores.recall), f1: rounded(scores.f1))
        }, macroAverage: average(evaluation.macroAverage),
        weightedAverage: average(evaluation.weightedAverage), confusion: cells.filter { $0.messages > 0 },
        rules: zip(rules, evaluation.rules).map { rule, matches in
          Document.Rule(
            rule: rule.name, action: rule.action.name, messages: matches.messages, correct: matches.correct,
            unreachable: rule.unreachable.map { unreachable($0, rules) })
        },
        noRule: evaluation.undecided,
        wrong: evaluation.wrong.map { message in
          Document.Wrong(
            input: message.input, line: message.line, expected: message.expected.name,
            given: message.verdict.action.name, rule: message.verdict.rule.map { rules[$0].name },
            text: String(message.text.unicodeScalars.prefix(WrongMessage.textMax)))
        }))
  }

  private static func unreachable(
    _ reason: UnreachableReason, _ rules: [EvaluatedRule]
  ) -> Document.Unreachable {
    switch reason {
    case .shadowed(let other): Document.Unreachable(reason: "shadowed", rule: rules[other].name)
    case .contradiction: Document.Unreachable(reason: "contradiction")
    }
  }

  private static func average(_ scores: Evaluation.Scores) -> Evaluation.Scores {
    Evaluation.Scores(
      precision: rounded(scores.precision), recall: rounded(scores.recall), f1: rounded(scores.f1))
  }

  /// A share, rounded to 6 digits.
  private static func rounded(_ share: Double?) -> Double? {
    share.map { (1e6 * $0).rounded() / 1e6 }
  }
}
