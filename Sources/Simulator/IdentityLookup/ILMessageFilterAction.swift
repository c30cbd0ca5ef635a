// The decision of a filter on a message, and the errors of a deferral.

@_exported public import AppExtensions
public import Foundation

/// What is done with a message.
public enum ILMessageFilterAction: Int, Sendable {
  /// The filter does not know; the message is shown.
  case none = 0
  /// It is shown.
  case allow = 1
  /// It goes among the junk.
  case junk = 2
  /// It goes among the promotions.
  case promotion = 3
  /// It goes among the transactions.
  case transaction = 4

  /// The older name of `junk`.
  public static var filter: ILMessageFilterAction { .junk }
}

/// Where among the transactions or promotions a message goes.
public enum ILMessageFilterSubAction: Int, Sendable {
  /// Nowhere in particular.
  case none = 0
  /// Other transactions.
  case transactionalOthers = 10000
  /// Money.
  case transactionalFinance = 10001
  /// Orders.
  case transactionalOrders = 10002
  /// Reminders.
  case transactionalReminders = 10003
  /// Health.
  case transactionalHealth = 10004
  /// The weather.
  case transactionalWeather = 10005
  /// The carrier.
  case transactionalCarrier = 10006
  /// Rewards.
  case transactionalRewards = 10007
  /// Public services.
  case transactionalPublicServices = 10008
  /// Other promotions.
  case promotionalOthers = 20000
  /// Offers.
  case promotionalOffers = 20001
  /// Coupons.
  case promotionalCoupons = 20002
}

/// The domain of the filter's errors.
public let ILMessageFilterErrorDomain = "com.apple.IdentityLookup.error.messagefilter"

/// Why a deferral failed.
public struct ILMessageFilterError: BridgedErrorStruct {
  /// The codes.
  public enum Code: Int, BridgedErrorCode {
    /// The error struct.
    public typealias ErrorStruct = ILMessageFilterError
    /// The system failed.
    case system = 1
    /// The extension names no URL, or one that is not https.
    case invalidNetworkURL = 2
    /// The app is not associated with the URL's host.
    case networkURLUnauthorized = 3
    /// The request failed.
    case networkRequestFailed = 4
    /// The query was deferred before.
    case redundantNetworkDeferral = 5
  }

  /// The code.
  public let code: Code
  /// The error as an object.
  public let nsError: NSError
  /// The domain.
  public static var errorDomain: String { ILMessageFilterErrorDomain }

  /// Makes an error.
  public init(code: Code, nsError: NSError) {
    self.code = code
    self.nsError = nsError
  }

  /// The system failed.
  public static var system: Code { .system }
  /// The extension names no URL, or one that is not https.
  public static var invalidNetworkURL: Code { .invalidNetworkURL }
  /// The app is not associated with the URL's host.
  public static var networkURLUnauthorized: Code { .networkURLUnauthorized }
  /// The request failed.
  public static var networkRequestFailed: Code { .networkRequestFailed }
  /// The query was deferred before.
  public static var redundantNetworkDeferral: Code { .redundantNetworkDeferral }
}
