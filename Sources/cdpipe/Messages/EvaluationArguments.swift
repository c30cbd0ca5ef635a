// The options of `cdpipe classify` that compare the rules with expected actions.

import ArgumentParser
import MessageRulesCompiler
import MessageRules

/// A minimum for one action: `junk=99%`.
struct ActionMinimum {
  /// The name as it was typed.
  let action: String
  let percent: Double

  @Sendable static func typed(_ text: String) throws -> ActionMinimum {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw ValidationError("expected an action and a percentage, such as junk=99%")
    }
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
    help: ArgumentHelp(
      "Compare with the expected action in this field; 'label' in a table without a header.",
      valueName: "field"))
  var evaluate: String?

  @Option(
    help: ArgumentHelp(
      """
      The actions that the labels in this field stand for: spam=junk,ham=none/allow. The first action is expected, \
      others after a slash are right, too. May be repeated.
      """, valueName: "label=action"))
  var expectedLabels: [String] = []

  @Option(help: ArgumentHelp("List at most N wrongly classified messages (default: 20).", valueName: "n"))
  var wrong: Int?

  @Option(
    help: ArgumentHelp(
      "Fail unless the action's precision is at least P%. May be repeated.", valueName: "action=p%"),
    transform: ActionMinimum.typed)
  var minPrecision: [ActionMinimum] = []

  @Option(
    help: ArgumentHelp(
      "Fail unless the action's recall is at least P%. May be repeated.", valueName: "action=p%"),
    transform: ActionMinimum.typed)
  var minRecall: [ActionMinimum] = []

  @Option(
    help: ArgumentHelp("Fail unless at least P% of the messages are right.", valueName: "p%"),
    transform: Percentage.typed)
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
        guard parts.count == 2, !parts[0].isEmpty else {
          throw ValidationError("--expected-labels: expected a label and an action, such as spam=junk")
        }
        let actions = try parts[1].split(separator: "/", omittingEmptySubsequences: false).map {
          try Self.action(String($0), of: "--expected-labels <label=action>")
        }
        if labels.updateValue(actions, forKey: String(parts[0])) != nil {
          throw ValidationError("--expected-labels: the label '\(parts[0])' has two meanings")
        }
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

  /// The action with a name. The message has the form of the parser's, so that the nearest name is suggested.
  private static func action(_ name: String, of option: String) throws -> MessageAction {
    guard let action = MessageAction(name: name) else {
      let known = MessageAction.allCases.map { "\n  - \($0.name)" }.joined()
      throw ValidationError(
        "The value '\(name)' is invalid for '\(option)'. Please provide one of the following:\(known)")
    }
    return action
  }
}
