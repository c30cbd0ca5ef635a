// The figures of an evaluation against sums over a list of messages, and the minimum values.

import MessageRules
import TestSupport
import Testing

@testable import MessageRulesCompiler

@Suite("Evaluation")
struct EvaluationTests {
  private static func row(_ expected: [MessageAction], line: UInt64 = 1, text: String = "") -> MessageRow {
    var row = MessageRow()
    row.expected = expected
    row.line = line
    row.text = text
    return row
  }

  @Test("precision, recall, F1 and averages are those of the definition")
  func scores() {
    var random = SplitMix64(seed: TestSeed.value)
    let actions = MessageAction.allCases
    for _ in 0..<200 {
      // Some actions occur in no message.
      let used = 1 + random.below(actions.count)
      let pairs = (0..<random.below(40)).map { _ in (actions[random.below(used)], actions[random.below(used)])
      }
      var evaluation = Evaluation()
      for (expected, given) in pairs { evaluation.add(expected: expected, given: given) }
      var sums = [0.0, 0.0, 0.0, 0.0]
      var occurring = 0.0
      for action in actions {
        let right = Double(pairs.count { $0.0 == action && $0.1 == action })
        let expected = Double(pairs.count { $0.0 == action })
        let given = Double(pairs.count { $0.1 == action })
        let precision = given == 0 ? nil : right / given
        let recall = expected == 0 ? nil : right / expected
        let scores = evaluation.scores(action)
        #expect(scores.precision == precision && scores.recall == recall)
        let (p, r) = (precision ?? 0, recall ?? 0)
        let f1 = p + r == 0 ? 0 : 2 * p * r / (p + r)
        if expected + given == 0 {
          #expect(scores.f1 == nil)
        } else {
          #expect(abs((scores.f1 ?? -1) - f1) < 1e-12)
          occurring += 1
        }
        sums[0] += p
        sums[1] += r
        sums[2] += f1
        sums[3] += f1 * expected
      }
      let macro = evaluation.macroAverage
      guard !pairs.isEmpty else {
        #expect(macro == Evaluation.Scores() && evaluation.weightedAverage == Evaluation.Scores())
        continue
      }
      #expect(abs((macro.precision ?? -1) - sums[0] / occurring) < 1e-12)
      #expect(abs((macro.recall ?? -1) - sums[1] / occurring) < 1e-12)
      #expect(abs((macro.f1 ?? -1) - sums[2] / occurring) < 1e-12)
      #expect(abs((evaluation.weightedAverage.f1 ?? -1) - sums[3] / Double(pairs.count)) < 1e-12)
      // The recall of all messages is their accuracy.
      let accuracy = Double(evaluation.correct) / Double(evaluation.total)
      #expect(abs((evaluation.weightedAverage.recall ?? -1) - accuracy) < 1e-12)
    }
  }

  @Test("any action of a label is right; the first one is expected otherwise")
  func labels() {
    var evaluation = Evaluation(ruleCount: 2, wrongMax: 1)
    let junk = MessageVerdict(action: .junk, subAction: .none, rule: 1)
    evaluation.add(
      Self.row([.none, .allow]), MessageVerdict(action: .allow, subAction: .none, rule: 0), input: "a")
    evaluation.add(Self.row([.none, .allow]), .undecided, input: "a")
    evaluation.add(Self.row([.none, .allow], line: 7, text: "x"), junk, input: "b")
    evaluation.add(Self.row([.promotion], line: 8), junk, input: "b")
    evaluation.add(Self.row([]), junk, input: "b")
    #expect(evaluation.total == 4 && evaluation.correct == 2)
    #expect(evaluation.count(.allow, .allow) == 1 && evaluation.count(.none, .junk) == 1)
    #expect(evaluation.rules.map(\.messages) == [1, 2] && evaluation.rules.map(\.correct) == [1, 0])
    #expect(evaluation.undecided == Evaluation.Matches(messages: 1, correct: 1))
    // Only the first wrong messages are kept.
    #expect(
      evaluation.wrong == [
        WrongMessage(input: "b", line: 7, expected: .none, verdict: junk, text: "x")
      ])
  }

  @Test("a minimum is reached at exactly that share, and never by nothing")
  func guards() {
    var evaluation = Evaluation()
    for _ in 0..<99 { evaluation.add(expected: .junk, given: .junk) }
    evaluation.add(expected: .none, given: .junk)
    func isReached(_ measure: EvaluationGuard.Measure, _ percent: Double) -> Bool {
      EvaluationGuard(measure, minPercent: percent).isReached(by: evaluation)
    }
    #expect(isReached(.precision(.junk), 99) && !isReached(.precision(.junk), 99.001))
    #expect(isReached(.accuracy, 99) && !isReached(.accuracy, 99.001))
    #expect(isReached(.recall(.junk), 100) && !isReached(.recall(.none), 0.1) && isReached(.recall(.none), 0))
    #expect(!isReached(.precision(.promotion), 0) && !isReached(.recall(.promotion), 0))
  }
}
