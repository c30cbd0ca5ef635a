// The actions for a message, with Apple's names and numbers. Not for: choosing one.

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
