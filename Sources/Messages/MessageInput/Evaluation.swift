// The evaluation of message rules: counts of expected and actual actions, from which precision, recall and the
// confusion matrix are computed.

public import MessageRules

/// Counts messages by expected action and by the action that the rules chose ("given").
public struct Evaluation {
  private var counts = [UInt64](repeating: 0, count: 25)

  /// Creates an evaluation without messages.
  public init() {}

  /// Counts a message.
  public mutating func add(expected: MessageAction, given: MessageAction) {
    counts[5 * Int(expected.rawValue) + Int(given.rawValue)] += 1
  }

  /// The number of messages with this expected and this given action.
  public func count(_ expected: MessageAction, _ given: MessageAction) -> UInt64 {
    counts[5 * Int(expected.rawValue) + Int(given.rawValue)]
  }

  /// The number of messages whose expected action this is.
  public func expected(_ action: MessageAction) -> UInt64 {
    MessageAction.allCases.reduce(0) { $0 + count(action, $1) }
  }

  /// The number of messages for which the rules chose this action.
  public func given(_ action: MessageAction) -> UInt64 {
    MessageAction.allCases.reduce(0) { $0 + count($1, action) }
  }

  /// The total number of messages.
  public var total: UInt64 { counts.reduce(0, +) }

  /// The number of messages whose given action is the expected one.
  public var correct: UInt64 { MessageAction.allCases.reduce(0) { $0 + count($1, $1) } }
}
