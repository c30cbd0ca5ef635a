// How often the rules say what somebody expects: precision and recall for each action, and who is taken for whom.

import MessageRules

/// Counts of what was expected and what was given.
struct Evaluation {
  private var counts = [UInt64](repeating: 0, count: 25)

  mutating func add(expected: MessageAction, given: MessageAction) {
    counts[5 * Int(expected.rawValue) + Int(given.rawValue)] += 1
  }

  private func count(_ expected: MessageAction, _ given: MessageAction) -> UInt64 {
    counts[5 * Int(expected.rawValue) + Int(given.rawValue)]
  }

  private func expected(_ action: MessageAction) -> UInt64 {
    MessageAction.allCases.reduce(0) { $0 + count(action, $1) }
  }

  private func given(_ action: MessageAction) -> UInt64 {
    MessageAction.allCases.reduce(0) { $0 + count($1, action) }
  }

  /// The figures as text, in two tables.
  var lines: [String] {
    let all = counts.reduce(0, +)
    let right = MessageAction.allCases.reduce(UInt64(0)) { $0 + count($1, $1) }
    var lines = [
      "messages     \(Figures.grouped(all))",
      "as expected  \(Figures.grouped(right)) (\(Self.percent(right, of: all)))", "",
      "action       precision     recall   expected      given",
    ]
    for action in MessageAction.allCases {
      let both = count(action, action)
      lines.append(
        action.name.padding(to: 13) + Self.right(Self.percent(both, of: given(action)), 9)
          + Self.right(Self.percent(both, of: expected(action)), 11)
          + Self.right(Figures.grouped(expected(action)), 11) + Self.right(Figures.grouped(given(action)), 11)
      )
    }
    lines += ["", "expected \\ given" + MessageAction.allCases.map { Self.right($0.name, 13) }.joined()]
    for action in MessageAction.allCases {
      lines.append(
        action.name.padding(to: 16)
          + MessageAction.allCases.map { Self.right(Figures.grouped(count(action, $0)), 13) }.joined())
    }
    return lines
  }

  /// `98.7 %`, or `-` of nothing.
  private static func percent(_ part: UInt64, of all: UInt64) -> String {
    all == 0 ? "-" : "\(ByteSize.tenths(100 * Double(part) / Double(all))) %"
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }
}
