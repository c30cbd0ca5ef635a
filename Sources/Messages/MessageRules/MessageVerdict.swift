// What the rules say of a message, and why they say it. Not for: sentences.

/// What the rules say of a message.
public struct MessageVerdict: Equatable, Sendable {
  /// What to do.
  public var action: MessageAction
  /// The finer kind.
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
  /// Who it comes from.
  case sender = 1
}

/// One test that was made on the way to a verdict, and what came of it.
public struct MessageTest: Equatable, Sendable {
  /// How a keyword has to stand in its field.
  public enum Keywords: UInt8, Sendable {
    /// Anywhere in the body.
    case bodyContains = 0
    /// Anywhere in the sender.
    case senderContains = 1
    /// At the sender's beginning.
    case senderPrefix = 2
    /// As the whole sender.
    case senderIs = 3
  }

  /// What was asked.
  public enum Question: Equatable, Sendable {
    /// Nothing: the rule matches every message.
    case always
    /// Is one of a set of keywords there? Names the one that was found.
    case keywords(Keywords, found: String?)
    /// Does a regular expression match?
    case pattern(MessageField, source: String)
    /// Is the sender's number in one of some ranges? Names the number, if the sender is one.
    case number(UInt64?)
    /// Is the sender's number of some countries? Names its country.
    case senderCountry(String?)
    /// Is the sender's number in a store?
    case store(path: String)
    /// Is the receiver in some countries? Names the country.
    case receiverCountry(String?)
    /// Is there a link?
    case link
    /// Is there a link to one of some domains? Names the host.
    case domain(host: String?)
    /// Is the text of one of some scripts? Names its script.
    case script(TextScript)
  }

  /// The rule it belongs to, counted from 0.
  public var rule: Int
  /// What was asked.
  public var question: Question
  /// The answer.
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
