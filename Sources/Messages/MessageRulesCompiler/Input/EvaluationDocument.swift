// The evaluation of message rules as JSON (docs/formats/classify-evaluate.schema.json).

import Records
import MessageRules

extension EvaluationMessages {
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
    struct Average: Encodable {
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
    struct Matches: Encodable {
      var messages: UInt64
      var correct: UInt64
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
    var macroAverage: Average
    var weightedAverage: Average
    var confusion: [Cell]
    var rules: [Rule]
    var noRule: Matches
    var wrong: [Wrong]
  }

  /// Formats an evaluation as a JSON object, without a line feed. Shares are between 0 and 1.
  package static func json(_ evaluation: Evaluation, _ rules: [EvaluatedRule]) -> String {
    let actions = MessageAction.allCases
    let cells = actions.flatMap { expected in
      actions.map { given in
        Document.Cell(
          expected: expected.name, given: given.name, messages: evaluation.count(expected, given))
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
        noRule: Document.Matches(
          messages: evaluation.undecided.messages, correct: evaluation.undecided.correct),
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

  private static func average(_ scores: Evaluation.Scores) -> Document.Average {
    Document.Average(
      precision: rounded(scores.precision), recall: rounded(scores.recall), f1: rounded(scores.f1))
  }

  /// A share, rounded to 6 digits.
  private static func rounded(_ share: Double?) -> Double? {
    share.map { (1e6 * $0).rounded() / 1e6 }
  }
}
