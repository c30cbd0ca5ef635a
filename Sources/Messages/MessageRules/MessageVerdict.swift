// The decision of the rules about a message, and its reasons. Not for: messages to the user.

/// The decision of the rules about a message.
public struct MessageVerdict: Equatable, Sendable {
  /// The action to perform.
  public var action: MessageAction
  /// The sub-action.
  public var subAction: MessageSubAction
  /// The rule that decided, counted from 0 in the order of the file; nil when none did, and the action is `none`.
  public var rule: Int?

  /// Makes a verdict.
  public init(action: MessageAction, subAction: MessageSubAction, rule: Int?) {
    self.action = action
    self.subAction = subAction
    self.rule = rule
  }

  /// No rule decided.
  public static var undecided: MessageVerdict { MessageVerdict(action: .none, subAction: .none, rule: nil) }
}

/// One text of a message.
public enum MessageField: UInt8, Sendable {
  /// The message's text.
  case body = 0
  /// The sender.
  case sender = 1
}

/// One test that was made on the way to a verdict, and its result.
public struct MessageTest: Equatable, Sendable {
  /// Where a keyword must occur.
  public enum Keywords: UInt8, Sendable {
    /// Anywhere in the body.
    case bodyContains = 0
    /// Anywhere in the sender.
    case senderContains = 1
    /// At the start of the sender.
    case senderPrefix = 2
    /// As the whole sender.
    case senderIs = 3
  }

  /// The condition that was tested.
  public enum Question: Equatable, Sendable {
    /// Nothing: the rule matches every message.
    case always
    /// Whether one of a set of keywords occurs; with the keyword that was found.
    case keywords(Keywords, found: String?)
    /// Whether a regular expression matches.
    case pattern(MessageField, source: String)
    /// Whether the sender's number is in one of some ranges; with the number, if the sender is one.
    case number(UInt64?)
    /// Whether the sender's number belongs to one of some countries; with its country.
    case senderCountry(String?)
    /// Whether the sender's number is in a store.
    case store(path: String)
    /// Whether the receiver is in one of some countries; with the country.
    case receiverCountry(String?)
    /// Whether the text contains a link.
    case link
    /// Whether the text contains a link to one of some domains; with the host.
    case domain(host: String?)
    /// Whether the text is in one of some scripts; with its script.
    case script(TextScript)
    /// Whether the text is in one of some languages; with its language, if that is certain.
    case language(MessageLanguage?)
  }

  /// The rule it belongs to, counted from 0.
  public var rule: Int
  /// The condition that was tested.
  public var question: Question
  /// The result.
  public var answer: Bool

  /// Makes a test.
  public init(rule: Int, question: Question, answer: Bool) {
    self.rule = rule
    self.question = question
    self.answer = answer
  }
}

/// A verdict and the tests that led to it, in the order in which they were made.
public struct MessageExplanation: Equatable, Sendable {
  /// The verdict.
  public var verdict: MessageVerdict
  /// The tests. A test that could no longer change a rule's answer was not made.
  public var tests: [MessageTest]

  /// Makes an explanation.
  public init(verdict: MessageVerdict, tests: [MessageTest]) {
    self.verdict = verdict
    self.tests = tests
  }
}
