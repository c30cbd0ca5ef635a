// A filter's decisions on messages, and the errors of deferring a query.

@_exported public import AppExtensions
public import Foundation

/// The action for a message.
public enum ILMessageFilterAction: Int, Sendable {
  /// No decision; the message is shown.
  case none = 0
  /// The message is shown.
  case allow = 1
  /// The message is moved to junk.
  case junk = 2
  /// The message is moved to promotions.
  case promotion = 3
  /// The message is moved to transactions.
  case transaction = 4

  /// The older name of `junk`.
  public static var filter: ILMessageFilterAction { .junk }
}

/// The category of a message within transactions or promotions.
public enum ILMessageFilterSubAction: Int, Sendable {
  /// No category.
  case none = 0
  /// Other transactions.
  case transactionalOthers = 10000
  /// Finance.
  case transactionalFinance = 10001
  /// Orders.
  case transactionalOrders = 10002
  /// Reminders.
  case transactionalReminders = 10003
  /// Health.
  case transactionalHealth = 10004
  /// Weather.
  case transactionalWeather = 10005
  /// Messages of the carrier.
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
    /// A system error occurred.
    case system = 1
    /// The extension's Info.plist has no URL, or one that is not https.
    case invalidNetworkURL = 2
    /// The app is not associated with the URL's host.
    case networkURLUnauthorized = 3
    /// The request failed.
    case networkRequestFailed = 4
    /// The query was already deferred.
    case redundantNetworkDeferral = 5
  }

  /// The code.
  public let code: Code
  /// The error as an object.
  public let nsError: NSError
  /// The domain.
  public static var errorDomain: String { ILMessageFilterErrorDomain }

  /// Creates an error.
  public init(code: Code, nsError: NSError) {
    self.code = code
    self.nsError = nsError
  }

  /// A system error occurred.
  public static var system: Code { .system }
  /// The extension's Info.plist has no URL, or one that is not https.
  public static var invalidNetworkURL: Code { .invalidNetworkURL }
  /// The app is not associated with the URL's host.
  public static var networkURLUnauthorized: Code { .networkURLUnauthorized }
  /// The request failed.
  public static var networkRequestFailed: Code { .networkRequestFailed }
  /// The query was already deferred.
  public static var redundantNetworkDeferral: Code { .redundantNetworkDeferral }
}
