// The evaluation of message rules as text: accuracy, precision and recall per action, and a confusion matrix.

public import MessageInput
import MessageRules

/// Formats evaluations.
public enum EvaluationMessages {
  /// Formats an evaluation as two tables.
  public static func lines(_ evaluation: Evaluation) -> [String] {
    let (correct, total) = (evaluation.correct, evaluation.total)
    var lines = [
      "messages     \(Figures.grouped(total))",
      "accuracy     \(percent(correct, of: total)) (\(Figures.grouped(correct)) of \(Figures.grouped(total)))",
      "",
      "action       precision     recall   expected      given",
    ]
    for action in MessageAction.allCases {
      let both = evaluation.count(action, action)
      let (expected, given) = (evaluation.expected(action), evaluation.given(action))
      lines.append(
        action.name.padding(to: 13) + percent(both, of: given).paddingStart(to: 9)
          + percent(both, of: expected).paddingStart(to: 11) + Figures.grouped(expected).paddingStart(to: 11)
          + Figures.grouped(given).paddingStart(to: 11))
    }
    let actions = MessageAction.allCases
    lines += ["", "expected \\ given" + actions.map { $0.name.paddingStart(to: 13) }.joined()]
    for action in actions {
      let counts = actions.map { Figures.grouped(evaluation.count(action, $0)).paddingStart(to: 13) }
      lines.append(action.name.padding(to: 16) + counts.joined())
    }
    return lines
  }

  /// Formats a percentage: `98.7 %`; `-` if the total is 0.
  private static func percent(_ part: UInt64, of total: UInt64) -> String {
    total == 0 ? "-" : "\(Figures.tenths(100 * Double(part) / Double(total))) %"
  }
}
