// Message filters: the principal class and its protocols, queries, and decisions.

@_exported public import AppExtensions
public import Foundation
@_exported public import FoundationNetworking

/// The base class of a filter's handler.
open class ILMessageFilterExtension: NSObject {
  /// Creates a handler.
  public override init() { super.init() }
}

/// Handles messages. A filter implements one of the two methods, as on Apple platforms; the other one has a default.
public protocol ILMessageFilterQueryHandling: NSObjectProtocol {
  /// Decides what to do with a message.
  func handle(
    _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext,
    completion: @escaping @Sendable (ILMessageFilterQueryResponse) -> Void)
  /// Decides what to do with a message.
  func handle(
    _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext
  ) async -> ILMessageFilterQueryResponse
}

extension ILMessageFilterQueryHandling {
  /// Calls the asynchronous method.
  public func handle(
    _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext,
    completion: @escaping @Sendable (ILMessageFilterQueryResponse) -> Void
  ) {
    // A query has one task; the phone does not use the objects until it is done.
    let filter = SendableBox<any ILMessageFilterQueryHandling>(self)
    let (query, context) = (SendableBox(queryRequest), SendableBox(context))
    Task { completion(await filter.value.handle(query.value, context: context.value)) }
  }

  /// Calls the method with a completion handler.
  public func handle(
    _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext
  ) async -> ILMessageFilterQueryResponse {
    let handed = await withCheckedContinuation { continuation in
      handle(queryRequest, context: context) { continuation.resume(returning: SendableBox($0)) }
    }
    return handed.value
  }
}

/// Declares which sub-actions a filter uses, in one of the two methods.
public protocol ILMessageFilterCapabilitiesQueryHandling: NSObjectProtocol {
  /// Declares which sub-actions the filter uses.
  func handle(
    _ capabilitiesQueryRequest: ILMessageFilterCapabilitiesQueryRequest,
    context: ILMessageFilterExtensionContext,
    completion: @escaping @Sendable (ILMessageFilterCapabilitiesQueryResponse) -> Void)
  /// Declares which sub-actions the filter uses.
  func handle(
    _ capabilitiesQueryRequest: ILMessageFilterCapabilitiesQueryRequest,
    context: ILMessageFilterExtensionContext
  ) async -> ILMessageFilterCapabilitiesQueryResponse
}

extension ILMessageFilterCapabilitiesQueryHandling {
  /// Calls the asynchronous method.
  public func handle(
    _ capabilitiesQueryRequest: ILMessageFilterCapabilitiesQueryRequest,
    context: ILMessageFilterExtensionContext,
    completion: @escaping @Sendable (ILMessageFilterCapabilitiesQueryResponse) -> Void
  ) {
    let filter = SendableBox<any ILMessageFilterCapabilitiesQueryHandling>(self)
    let (query, context) = (SendableBox(capabilitiesQueryRequest), SendableBox(context))
    Task { completion(await filter.value.handle(query.value, context: context.value)) }
  }

  /// Calls the method with a completion handler.
  public func handle(
    _ capabilitiesQueryRequest: ILMessageFilterCapabilitiesQueryRequest,
    context: ILMessageFilterExtensionContext
  ) async -> ILMessageFilterCapabilitiesQueryResponse {
    let handed = await withCheckedContinuation { continuation in
      handle(capabilitiesQueryRequest, context: context) { continuation.resume(returning: SendableBox($0)) }
    }
    return handed.value
  }
}

/// The response of a filter's server.
open class ILNetworkResponse: NSObject {
  /// The status and header fields.
  public let urlResponse: HTTPURLResponse
  /// The body.
  public let data: Data

  package init(urlResponse: HTTPURLResponse, data: Data) {
    self.urlResponse = urlResponse
    self.data = data
    super.init()
  }
}

/// Sends a deferred query to the filter's server and returns the response.
package typealias MessageDeferral =
  @Sendable (@escaping @Sendable (ILNetworkResponse?, (any Error)?) -> Void) -> Void

/// The context of a query.
open class ILMessageFilterExtensionContext: NSExtensionContext {
  private let deferral: MessageDeferral

  package init(deferral: @escaping MessageDeferral) {
    self.deferral = deferral
    super.init()
  }

  /// Sends the query to the filter's server, at most once per query. The filter interprets the response.
  open func deferQueryRequestToNetwork(
    completion: @escaping @Sendable (ILNetworkResponse?, (any Error)?) -> Void
  ) {
    deferral(completion)
  }

  /// Sends the query to the filter's server, at most once per query.
  open func deferQueryRequestToNetwork() async throws -> ILNetworkResponse {
    let handed = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<SendableBox<ILNetworkResponse>, any Error>) in
      deferral { response, error in
        if let response {
          continuation.resume(returning: SendableBox(response))
        } else {
          continuation.resume(throwing: error ?? ILMessageFilterError(.system))
        }
      }
    }
    return handed.value
  }
}

/// A message from an unknown sender.
open class ILMessageFilterQueryRequest: NSObject, NSSecureCoding {
  /// The sender.
  public let sender: String?
  /// The message's text.
  public let messageBody: String?
  /// The country of the receiver's line, as two letters.
  public let receiverISOCountryCode: String?

  package init(sender: String?, messageBody: String?, receiverISOCountryCode: String?) {
    self.sender = sender
    self.messageBody = messageBody
    self.receiverISOCountryCode = receiverISOCountryCode
    super.init()
  }

  /// Requests support secure coding.
  public static var supportsSecureCoding: Bool { true }

  /// Archives the request.
  open func encode(with coder: NSCoder) {
    coder.encode(sender as NSString?, forKey: "sender")
    coder.encode(messageBody as NSString?, forKey: "messageBody")
    coder.encode(receiverISOCountryCode as NSString?, forKey: "receiverISOCountryCode")
  }

  /// Reads a request from an archive.
  public required init?(coder: NSCoder) {
    sender = coder.decodeObject(of: NSString.self, forKey: "sender") as String?
    messageBody = coder.decodeObject(of: NSString.self, forKey: "messageBody") as String?
    receiverISOCountryCode =
      coder.decodeObject(of: NSString.self, forKey: "receiverISOCountryCode") as String?
    super.init()
  }
}

/// The decision of a filter on a message.
open class ILMessageFilterQueryResponse: NSObject, NSSecureCoding {
  /// The action for the message.
  open var action = ILMessageFilterAction.none
  /// The category within transactions or promotions.
  open var subAction = ILMessageFilterSubAction.none

  /// Creates a response without a decision.
  public override init() { super.init() }

  /// Responses support secure coding.
  public static var supportsSecureCoding: Bool { true }

  /// Archives the response.
  open func encode(with coder: NSCoder) {
    coder.encode(action.rawValue, forKey: "action")
    coder.encode(subAction.rawValue, forKey: "subAction")
  }

  /// Reads a response from an archive.
  public required init?(coder: NSCoder) {
    super.init()
    action = ILMessageFilterAction(rawValue: coder.decodeInteger(forKey: "action")) ?? .none
    subAction = ILMessageFilterSubAction(rawValue: coder.decodeInteger(forKey: "subAction")) ?? .none
  }
}

/// Asks a filter which sub-actions it uses.
open class ILMessageFilterCapabilitiesQueryRequest: NSObject, NSSecureCoding {
  package init(forPhone: Void) { super.init() }

  /// Requests support secure coding.
  public static var supportsSecureCoding: Bool { true }

  /// There is nothing to archive.
  open func encode(with coder: NSCoder) {}

  /// Reads a request from an archive.
  public required init?(coder: NSCoder) { super.init() }
}

/// The sub-actions that a filter uses.
open class ILMessageFilterCapabilitiesQueryResponse: NSObject, NSSecureCoding {
  /// The sub-actions of transactions.
  open var transactionalSubActions: [ILMessageFilterSubAction] = []
  /// The sub-actions of promotions.
  open var promotionalSubActions: [ILMessageFilterSubAction] = []

  /// Creates a response without a decision.
  public override init() { super.init() }

  /// Responses support secure coding.
  public static var supportsSecureCoding: Bool { true }

  /// Archives the response.
  open func encode(with coder: NSCoder) {
    coder.encode(Self.numbers(transactionalSubActions), forKey: "transactionalSubActions")
    coder.encode(Self.numbers(promotionalSubActions), forKey: "promotionalSubActions")
  }

  /// Reads a response from an archive.
  public required init?(coder: NSCoder) {
    super.init()
    transactionalSubActions = Self.subActions(coder, "transactionalSubActions")
    promotionalSubActions = Self.subActions(coder, "promotionalSubActions")
  }

  private static func numbers(_ subActions: [ILMessageFilterSubAction]) -> NSArray {
    NSArray(array: subActions.map { NSNumber(value: $0.rawValue) })
  }

  private static func subActions(_ coder: NSCoder, _ key: String) -> [ILMessageFilterSubAction] {
    let numbers = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: key) as? [NSNumber] ?? []
    return numbers.compactMap { ILMessageFilterSubAction(rawValue: $0.intValue) }
  }
}

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
