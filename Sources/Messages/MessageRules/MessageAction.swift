// What can be done with a message, in Apple's words and numbers. Not for: deciding it.

/// What the Messages app does with a message.
///
/// Source: IdentityLookup's `ILMessageFilterAction`; the raw values are its own.
public enum MessageAction: UInt8, Sendable, CaseIterable {
  /// Nothing is known: the message is shown, or the app's server is asked.
  case none = 0
  /// Shown as usual.
  case allow = 1
  /// Put away as unwanted.
  case junk = 2
  /// An advertisement that was asked for (iOS 14).
  case promotion = 3
  /// A code, a parcel, a booking (iOS 14).
  case transaction = 4

  /// Apple's name, as in rule files. Written out: asking the runtime for it costs a process that has just begun two
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

  /// The action of a name.
  public init?(name: String) {
    guard let action = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = action
  }
}

/// A finer kind of message (iOS 16).
///
/// Source: IdentityLookup's `ILMessageFilterSubAction`; the raw values are its own.
public enum MessageSubAction: UInt16, Sendable, CaseIterable {
  /// No finer kind.
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

  /// The sub-action of a name.
  public init?(name: String) {
    guard let subAction = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = subAction
  }

  /// The one action that it may stand with; nil for `none`, which stands with all.
  public var action: MessageAction? {
    switch rawValue {
    case 10000..<20000: .transaction
    case 20000...: .promotion
    default: nil
    }
  }
}

/// The script that most letters of a text are of.
public enum TextScript: UInt8, Sendable, CaseIterable {
  /// No letters at all.
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
