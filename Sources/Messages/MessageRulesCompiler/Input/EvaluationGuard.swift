// Minimum values for an evaluation, which tests of a rule file require.

package import MessageRules

/// A minimum that an evaluation must reach.
package struct EvaluationGuard: Sendable {
  /// The value that must reach it.
  package enum Measure: Equatable, Sendable {
    /// The share of all messages that are right.
    case accuracy
    /// The precision of an action.
    case precision(MessageAction)
    /// The recall of an action.
    case recall(MessageAction)
  }

  /// The value.
  package let measure: Measure
  /// The minimum in per cent.
  package let minPercent: Double

  /// Makes a guard.
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
