// The evaluation of message rules as text: accuracy, precision and recall per action, and a confusion matrix.

public import MessageInput
import MessageRules

/// Formats evaluations.
public enum EvaluationMessages {
  /// Formats an evaluation as two tables.
  public static func lines(_ evaluation: Evaluation) -> [StyledText] {
    let (correct, total) = (evaluation.correct, evaluation.total)
    var lines: [StyledText] = [
      "messages     \(Figures.grouped(total))",
      "accuracy     \(Figures.share(correct, of: total)) (\(Figures.grouped(correct)) of \(Figures.grouped(total)))",
      "",
      StyledText("action       precision     recall   expected      given", .heading),
    ]
    for action in MessageAction.allCases {
      let both = evaluation.count(action, action)
      let (expected, given) = (evaluation.expected(action), evaluation.given(action))
      let figures =
        Figures.share(both, of: given).paddingStart(to: 9)
        + Figures.share(both, of: expected).paddingStart(to: 11)
        + Figures.grouped(expected).paddingStart(to: 11) + Figures.grouped(given).paddingStart(to: 11)
      lines.append("\(action.name.padding(to: 13), action.style)\(figures)")
    }
    let actions = MessageAction.allCases
    lines.append("")
    lines.append(
      StyledText("expected \\ given" + actions.map { $0.name.paddingStart(to: 13) }.joined(), .heading))
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

  // MARK: JSON

  /// The JSON form of an evaluation. Shares of nothing are left out.
  private struct Document: Encodable {
    struct Action: Encodable {
      var action: String
      var expected: UInt64
      var given: UInt64
      var correct: UInt64
      var precision: Double?
      var recall: Double?
    }
    struct Cell: Encodable {
      var expected: String
      var given: String
      var messages: UInt64
    }

    var messages: UInt64
    var correct: UInt64
    var accuracy: Double?
    var actions: [Action]
    var confusion: [Cell]
  }

  /// Formats an evaluation as a JSON object, without a line feed. Shares are between 0 and 1.
  public static func json(_ evaluation: Evaluation) -> String {
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
        accuracy: share(evaluation.correct, of: evaluation.total),
        actions: actions.map { action in
          let (expected, given) = (evaluation.expected(action), evaluation.given(action))
          let correct = evaluation.count(action, action)
          return Document.Action(
            action: action.name, expected: expected, given: given, correct: correct,
            precision: share(correct, of: given), recall: share(correct, of: expected))
        }, confusion: cells.filter { $0.messages > 0 }))
  }

  /// A share, rounded to 6 digits; nil if the total is 0.
  private static func share(_ part: UInt64, of total: UInt64) -> Double? {
    total == 0 ? nil : (1e6 * Double(part) / Double(total)).rounded() / 1e6
  }
}
