// The evaluation of message rules: counts of expected and given actions, from which precision, recall, F1, their
// averages and the confusion matrix are computed; counts per rule; the first messages that were classified wrongly.

package import MessageRules
import Records

/// A message that the rules classify differently than expected.
package struct WrongMessage: Equatable, Sendable {
  /// The maximum length of the start of its text, in characters.
  static let textMax = 60

  /// The name of the input; `-` for standard input.
  package var input: String
  /// The line on which it starts, from 1.
  package var line: UInt64
  package var expected: MessageAction
  package var verdict: MessageVerdict
  package var text: String
}

/// Counts messages by expected action and by the action that the rules chose ("given"), and by rule.
package struct Evaluation {
  /// A count of messages, and how many of them are right.
  package struct Matches: Encodable, Equatable, Sendable {
    package var messages: UInt64 = 0
    /// The number of messages whose given action is the expected one.
    var correct: UInt64 = 0
  }

  /// The quality of one action, or an average. Nil: a share of nothing.
  package struct Scores: Encodable, Equatable, Sendable {
    package var precision: Double?
    /// The share of the messages with this expected action that are right.
    package var recall: Double?
    var f1: Double?
  }

  private var counts = [UInt64](repeating: 0, count: 25)
  /// The maximum number of wrong messages to keep.
  private let wrongMax: Int
  package private(set) var wrong: [WrongMessage] = []
  /// The messages of each rule, in the order of the rules.
  package private(set) var rules: [Matches]
  package private(set) var undecided = Matches()

  package init(ruleCount: Int = 0, wrongMax: Int = 0) {
    rules = Array(repeating: Matches(), count: ruleCount)
    self.wrongMax = wrongMax
  }

  package mutating func add(_ row: MessageRow, _ verdict: MessageVerdict, input: String) {
    guard let first = row.expected.first else { return }
    // Any of a label's actions is right.
    let expected = row.expected.contains(verdict.action) ? verdict.action : first
    let isCorrect = add(expected: expected, given: verdict.action)
    var matches = verdict.rule.map { rules[$0] } ?? undecided
    matches.messages += 1
    if isCorrect { matches.correct += 1 }
    if let rule = verdict.rule { rules[rule] = matches } else { undecided = matches }
    if !isCorrect, wrong.count < wrongMax {
      wrong.append(
        WrongMessage(
          input: input, line: row.line, expected: expected, verdict: verdict,
          text: String(row.text.unicodeScalars.prefix(WrongMessage.textMax + 1))))
    }
  }

  @discardableResult
  mutating func add(expected: MessageAction, given: MessageAction) -> Bool {
    counts[5 * Int(expected.rawValue) + Int(given.rawValue)] += 1
    return expected == given
  }

  package func count(_ expected: MessageAction, _ given: MessageAction) -> UInt64 {
    counts[5 * Int(expected.rawValue) + Int(given.rawValue)]
  }

  package func expected(_ action: MessageAction) -> UInt64 {
    MessageAction.allCases.reduce(0) { $0 + count(action, $1) }
  }

  /// The number of messages for which the rules chose this action.
  func given(_ action: MessageAction) -> UInt64 {
    MessageAction.allCases.reduce(0) { $0 + count($1, action) }
  }

  var total: UInt64 { counts.reduce(0, +) }

  /// The number of messages whose given action is the expected one.
  var correct: UInt64 { MessageAction.allCases.reduce(0) { $0 + count($1, $1) } }

  // MARK: Scores

  func scores(_ action: MessageAction) -> Scores {
    let (both, expected, given) = (count(action, action), expected(action), given(action))
    return Scores(
      precision: Self.share(both, of: given), recall: Self.share(both, of: expected),
      f1: Self.share(2 * both, of: expected + given))
  }

  private static func share(_ part: UInt64, of total: UInt64) -> Double? {
    total == 0 ? nil : Double(part) / Double(total)
  }

  /// The mean of the scores of all actions that occur, each with the same weight.
  var macroAverage: Scores { average { _ in 1 } }

  var weightedAverage: Scores { average { Double(expected($0)) } }

  /// The mean of the scores of the actions that are expected or given. A share of nothing counts as 0, as in
  /// scikit-learn (`zero_division=0`).
  private func average(_ weight: (MessageAction) -> Double) -> Scores {
    let actions = MessageAction.allCases.filter { expected($0) + given($0) > 0 }
    let weights = actions.map(weight)
    let sum = weights.reduce(0, +)
    guard sum > 0 else { return Scores() }
    func mean(_ score: KeyPath<Scores, Double?>) -> Double {
      zip(actions, weights).reduce(0) { $0 + (scores($1.0)[keyPath: score] ?? 0) * $1.1 } / sum
    }
    return Scores(precision: mean(\.precision), recall: mean(\.recall), f1: mean(\.f1))
  }
}

/// A minimum that an evaluation must reach.
package struct EvaluationGuard: Sendable {
  /// The value that must reach it.
  package enum Measure: Equatable, Sendable {
    /// The share of all messages that are right.
    case accuracy
    case precision(MessageAction)
    case recall(MessageAction)
  }

  package let measure: Measure
  package let minPercent: Double

  package init(_ measure: Measure, minPercent: Double) {
    self.measure = measure
    self.minPercent = minPercent
  }

  /// The messages that the value is a share of, and those that are right.
  package func matches(_ evaluation: Evaluation) -> Evaluation.Matches {
    switch measure {
    case .accuracy: Evaluation.Matches(messages: evaluation.total, correct: evaluation.correct)
    case .precision(let action):
      Evaluation.Matches(messages: evaluation.given(action), correct: evaluation.count(action, action))
    case .recall(let action):
      Evaluation.Matches(messages: evaluation.expected(action), correct: evaluation.count(action, action))
    }
  }

  /// Whether the minimum is reached. A share of nothing reaches none: a test without such messages tests nothing.
  package func isReached(by evaluation: Evaluation) -> Bool {
    let matches = matches(evaluation)
    return matches.messages > 0 && Double(matches.correct) * 100 >= minPercent * Double(matches.messages)
  }
}

package struct ExpectedActions: Sendable {
  package let field: String
  /// The actions that each label stands for; the first one is expected, the others are right, too.
  package let labels: [String: [MessageAction]]

  /// Creates the description of a field. Names of actions stand for themselves, unless they are among the labels.
  package init(field: String, labels: [String: [MessageAction]] = [:]) {
    self.field = field
    self.labels = labels
  }

  /// The actions that a label stands for, not empty; nil for an unknown label.
  func actions(of label: String) -> [MessageAction]? {
    labels[label] ?? MessageAction(name: label).map { [$0] }
  }
}
