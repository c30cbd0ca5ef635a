// The evaluation of message rules: counts of expected and given actions, from which precision, recall and the confusion
// matrix follow.

public import MessageRules

/// Counts messages by their expected and their given action.
public struct Evaluation {
  private var counts = [UInt64](repeating: 0, count: 25)

  /// Starts with no messages.
  public init() {}

  /// Counts a message.
  public mutating func add(expected: MessageAction, given: MessageAction) {
    counts[5 * Int(expected.rawValue) + Int(given.rawValue)] += 1
  }

  /// The number of messages with an expected action and a given one.
  public func count(_ expected: MessageAction, _ given: MessageAction) -> UInt64 {
    counts[5 * Int(expected.rawValue) + Int(given.rawValue)]
  }

  /// The number of messages that expect an action.
  public func expected(_ action: MessageAction) -> UInt64 {
    MessageAction.allCases.reduce(0) { $0 + count(action, $1) }
  }

  /// The number of messages that an action was given to.
  public func given(_ action: MessageAction) -> UInt64 {
    MessageAction.allCases.reduce(0) { $0 + count($1, action) }
  }

  /// The number of messages.
  public var total: UInt64 { counts.reduce(0, +) }

  /// The number of messages whose action is the expected one.
  public var correct: UInt64 { MessageAction.allCases.reduce(0) { $0 + count($1, $1) } }
}
