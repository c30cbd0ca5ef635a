// Message filters: the principal class and its protocols, queries, and decisions.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import AppExtensions
public import Foundation
@_exported public import FoundationNetworking

open class ILMessageFilterExtension: NSObject {
  public override init() { super.init() }
}

/// Handles messages. A filter implements one of the two methods, as on Apple platforms; the other one has a default.
public protocol ILMessageFilterQueryHandling: NSObjectProtocol {
  func handle(
    _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext,
    completion: @escaping @Sendable (ILMessageFilterQueryResponse) -> Void)
  func handle(
    _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext
  ) async -> ILMessageFilterQueryResponse
}

extension ILMessageFilterQueryHandling {
  public func handle(
    _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext,
    completion: @escaping @Sendable (ILMessageFilterQueryResponse) -> Void
  ) {
    // A query has one task; the phone does not use the objects until it is done.
    let filter = SendableBox<any ILMessageFilterQueryHandling>(self)
    let (query, context) = (SendableBox(queryRequest), SendableBox(context))
    Task { completion(await filter.value.handle(query.value, context: context.value)) }
  }

  public func handle(
    _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext
  ) async -> ILMessageFilterQueryResponse {
    let handed = await withCheckedContinuation { continuation in
      handle(queryRequest, context: context) { continuation.resume(returning: SendableBox($0)) }
    }
    return handed.value
  }
}

public protocol ILMessageFilterCapabilitiesQueryHandling: NSObjectProtocol {
  func handle(
    _ capabilitiesQueryRequest: ILMessageFilterCapabilitiesQueryRequest,
    context: ILMessageFilterExtensionContext,
    completion: @escaping @Sendable (ILMessageFilterCapabilitiesQueryResponse) -> Void)
  func handle(
    _ capabilitiesQueryRequest: ILMessageFilterCapabilitiesQueryRequest,
    context: ILMessageFilterExtensionContext
  ) async -> ILMessageFilterCapabilitiesQueryResponse
}

extension ILMessageFilterCapabilitiesQueryHandling {
  public func handle(
    _ capabilitiesQueryRequest: ILMessageFilterCapabilitiesQueryRequest,
    context: ILMessageFilterExtensionContext,
    completion: @escaping @Sendable (ILMessageFilterCapabilitiesQueryResponse) -> Void
  ) {
    let filter = SendableBox<any ILMessageFilterCapabilitiesQueryHandling>(self)
    let (query, context) = (SendableBox(capabilitiesQueryRequest), SendableBox(context))
    Task { completion(await filter.value.handle(query.value, context: context.value)) }
  }

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

open class ILNetworkResponse: NSObject {
  public let urlResponse: HTTPURLResponse
  public let data: Data

  package init(urlResponse: HTTPURLResponse, data: Data) {
    self.urlResponse = urlResponse
    self.data = data
    super.init()
  }
}

package typealias MessageDeferral =
  @Sendable (@escaping @Sendable (ILNetworkResponse?, (any Error)?) -> Void) -> Void

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

open class ILMessageFilterQueryRequest: NSObject, NSSecureCoding {
  public let sender: String?
  public let messageBody: String?
  public let receiverISOCountryCode: String?

  package init(sender: String?, messageBody: String?, receiverISOCountryCode: String?) {
    self.sender = sender
    self.messageBody = messageBody
    self.receiverISOCountryCode = receiverISOCountryCode
    super.init()
  }

  public static var supportsSecureCoding: Bool { true }

  open func encode(with coder: NSCoder) {
    coder.encode(sender as NSString?, forKey: "sender")
    coder.encode(messageBody as NSString?, forKey: "messageBody")
    coder.encode(receiverISOCountryCode as NSString?, forKey: "receiverISOCountryCode")
  }

  public required init?(coder: NSCoder) {
    sender = coder.decodeObject(of: NSString.self, forKey: "sender") as String?
    messageBody = coder.decodeObject(of: NSString.self, forKey: "messageBody") as String?
    receiverISOCountryCode =
      coder.decodeObject(of: NSString.self, forKey: "receiverISOCountryCode") as String?
    super.init()
  }
}

open class ILMessageFilterQueryResponse: NSObject, NSSecureCoding {
  open var action = ILMessageFilterAction.none
  open var subAction = ILMessageFilterSubAction.none

  public override init() { super.init() }

  public static var supportsSecureCoding: Bool { true }

  open func encode(with coder: NSCoder) {
    coder.encode(action.rawValue, forKey: "action")
    coder.encode(subAction.rawValue, forKey: "subAction")
  }

  public required init?(coder: NSCoder) {
    super.init()
    action = ILMessageFilterAction(rawValue: coder.decodeInteger(forKey: "action")) ?? .none
    subAction = ILMessageFilterSubAction(rawValue: coder.decodeInteger(forKey: "subAction")) ?? .none
  }
}

open class ILMessageFilterCapabilitiesQueryRequest: NSObject, NSSecureCoding {
  package init(forPhone: Void) { super.init() }

  public static var supportsSecureCoding: Bool { true }

  open func encode(with coder: NSCoder) {}

  public required init?(coder: NSCoder) { super.init() }
}

open class ILMessageFilterCapabilitiesQueryResponse: NSObject, NSSecureCoding {
  open var transactionalSubActions: [ILMessageFilterSubAction] = []
  open var promotionalSubActions: [ILMessageFilterSubAction] = []

  public override init() { super.init() }

  public static var supportsSecureCoding: Bool { true }

  open func encode(with coder: NSCoder) {
    coder.encode(Self.numbers(transactionalSubActions), forKey: "transactionalSubActions")
    coder.encode(Self.numbers(promotionalSubActions), forKey: "promotionalSubActions")
  }

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

public enum ILMessageFilterAction: Int, Sendable {
  case none = 0
  case allow = 1
  case junk = 2
  case promotion = 3
  case transaction = 4

  public static var filter: ILMessageFilterAction { .junk }
}

public enum ILMessageFilterSubAction: Int, Sendable {
  case none = 0
  case transactionalOthers = 10000
  case transactionalFinance = 10001
  case transactionalOrders = 10002
  case transactionalReminders = 10003
  case transactionalHealth = 10004
  case transactionalWeather = 10005
  case transactionalCarrier = 10006
  case transactionalRewards = 10007
  case transactionalPublicServices = 10008
  case promotionalOthers = 20000
  case promotionalOffers = 20001
  case promotionalCoupons = 20002
}

public let ILMessageFilterErrorDomain = "com.apple.IdentityLookup.error.messagefilter"

public typealias ILMessageFilterError = BridgedError<ILMessageFilterErrorCode>

public enum ILMessageFilterErrorCode: Int, BridgedErrorCode {
  case system = 1
  case invalidNetworkURL = 2
  case networkURLUnauthorized = 3
  case networkRequestFailed = 4
  case redundantNetworkDeferral = 5

  public static var errorDomain: String { ILMessageFilterErrorDomain }
}

extension BridgedError<ILMessageFilterErrorCode> {
  public static var system: Code { .system }
  public static var invalidNetworkURL: Code { .invalidNetworkURL }
  public static var networkURLUnauthorized: Code { .networkURLUnauthorized }
  public static var networkRequestFailed: Code { .networkRequestFailed }
  public static var redundantNetworkDeferral: Code { .redundantNetworkDeferral }
}
