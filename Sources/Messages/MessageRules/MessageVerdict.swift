// The actions for a message, with Apple's names and numbers; the decision of the rules about a message, and its reasons.

/// The action of the Messages app for a message.
///
/// Source: IdentityLookup's `ILMessageFilterAction`; the raw values are its own.
public enum MessageAction: UInt8, Sendable, CaseIterable {
  /// Undecided: the message is shown, or the app's server is asked.
  case none = 0
  /// The message is shown normally.
  case allow = 1
  /// The message is filtered out as junk.
  case junk = 2
  /// An advertisement that the user requested (iOS 14).
  case promotion = 3
  /// A message about a transaction: a code, a parcel, a booking (iOS 14).
  case transaction = 4

  /// Apple's name, as in rule files. Written out, because asking the runtime for it costs a newly started process two
  /// million instructions.
  public var name: String {
    switch self {
    case .none: "none"
    case .allow: "allow"
    case .junk: "junk"
    case .promotion: "promotion"
    case .transaction: "transaction"
    }
  }

  /// Creates the action with this name; nil for an unknown name.
  public init?(name: String) {
    guard let action = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = action
  }
}

/// A more specific kind of message (iOS 16).
///
/// Source: IdentityLookup's `ILMessageFilterSubAction`; the raw values are its own.
public enum MessageSubAction: UInt16, Sendable, CaseIterable {
  /// No sub-action.
  case none = 0
  /// Another transaction.
  case transactionalOthers = 10000
  /// Banks and payments.
  case transactionalFinance = 10001
  /// Orders and parcels.
  case transactionalOrders = 10002
  /// Appointments.
  case transactionalReminders = 10003
  /// Health.
  case transactionalHealth = 10004
  /// Weather.
  case transactionalWeather = 10005
  /// From the phone company.
  case transactionalCarrier = 10006
  /// Points and miles.
  case transactionalRewards = 10007
  /// Authorities.
  case transactionalPublicServices = 10008
  /// Another promotion.
  case promotionalOthers = 20000
  /// Offers.
  case promotionalOffers = 20001
  /// Coupons.
  case promotionalCoupons = 20002

  /// Apple's name, as in rule files.
  public var name: String {
    switch self {
    case .none: "none"
    case .transactionalOthers: "transactionalOthers"
    case .transactionalFinance: "transactionalFinance"
    case .transactionalOrders: "transactionalOrders"
    case .transactionalReminders: "transactionalReminders"
    case .transactionalHealth: "transactionalHealth"
    case .transactionalWeather: "transactionalWeather"
    case .transactionalCarrier: "transactionalCarrier"
    case .transactionalRewards: "transactionalRewards"
    case .transactionalPublicServices: "transactionalPublicServices"
    case .promotionalOthers: "promotionalOthers"
    case .promotionalOffers: "promotionalOffers"
    case .promotionalCoupons: "promotionalCoupons"
    }
  }

  /// Creates the sub-action with this name; nil for an unknown name.
  public init?(name: String) {
    guard let subAction = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = subAction
  }

  /// The only action that it can be combined with; nil for `none`, which can be combined with all.
  public var action: MessageAction? {
    switch rawValue {
    case 10000..<20000: .transaction
    case 20000...: .promotion
    default: nil
    }
  }
}

/// The script of most letters in a text.
public enum TextScript: UInt8, Sendable, CaseIterable {
  /// The text contains no letters.
  case common = 0
  /// Latin.
  case latin
  /// Greek.
  case greek
  /// Cyrillic.
  case cyrillic
  /// Armenian.
  case armenian
  /// Hebrew.
  case hebrew
  /// Arabic.
  case arabic
  /// Devanagari.
  case devanagari
  /// Bengali.
  case bengali
  /// Gurmukhi.
  case gurmukhi
  /// Gujarati.
  case gujarati
  /// Tamil.
  case tamil
  /// Telugu.
  case telugu
  /// Kannada.
  case kannada
  /// Malayalam.
  case malayalam
  /// Sinhala.
  case sinhala
  /// Thai.
  case thai
  /// Lao.
  case lao
  /// Tibetan.
  case tibetan
  /// Burmese.
  case myanmar
  /// Georgian.
  case georgian
  /// Ethiopic.
  case ethiopic
  /// Khmer.
  case khmer
  /// Mongolian.
  case mongolian
  /// Chinese characters, wherever they are used.
  case han
  /// Hiragana.
  case hiragana
  /// Katakana.
  case katakana
  /// Bopomofo.
  case bopomofo
  /// Korean.
  case hangul
  /// Any other script.
  case other

  /// The name, as in rule files.
  public var name: String { "\(self)" }
}

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
