// The principal class of a message filter, and what it handles.

public import AppExtensions
public import Foundation
@_exported public import FoundationNetworking

/// What a filter derives its handler from.
open class ILMessageFilterExtension: NSObject {
  /// Makes a handler.
  public override init() { super.init() }
}

/// Handles messages: a filter writes one of the two methods, as on Apple platforms, and has the other from it.
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
  /// Asks the asynchronous method.
  public func handle(
    _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext,
    completion: @escaping @Sendable (ILMessageFilterQueryResponse) -> Void
  ) {
    // One query has one task; the phone keeps its hands off the three until it is done.
    let filter = SendableBox<any ILMessageFilterQueryHandling>(self)
    let (query, context) = (SendableBox(queryRequest), SendableBox(context))
    Task { completion(await filter.value.handle(query.value, context: context.value)) }
  }

  /// Asks the method with a completion.
  public func handle(
    _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext
  ) async -> ILMessageFilterQueryResponse {
    let handed = await withCheckedContinuation { continuation in
      handle(queryRequest, context: context) { continuation.resume(returning: SendableBox($0)) }
    }
    return handed.value
  }
}

/// Declares which sub-actions a filter uses, by one of the two methods.
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
  /// Asks the asynchronous method.
  public func handle(
    _ capabilitiesQueryRequest: ILMessageFilterCapabilitiesQueryRequest,
    context: ILMessageFilterExtensionContext,
    completion: @escaping @Sendable (ILMessageFilterCapabilitiesQueryResponse) -> Void
  ) {
    let filter = SendableBox<any ILMessageFilterCapabilitiesQueryHandling>(self)
    let (query, context) = (SendableBox(capabilitiesQueryRequest), SendableBox(context))
    Task { completion(await filter.value.handle(query.value, context: context.value)) }
  }

  /// Asks the method with a completion.
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

/// What a filter's server answered.
open class ILNetworkResponse: NSObject {
  /// The head.
  public let urlResponse: HTTPURLResponse
  /// The body.
  public let data: Data

  package init(urlResponse: HTTPURLResponse, data: Data) {
    self.urlResponse = urlResponse
    self.data = data
    super.init()
  }
}

/// The way of a deferred query to the filter's server and back.
package typealias MessageDeferral =
  @Sendable (@escaping @Sendable (ILNetworkResponse?, (any Error)?) -> Void) -> Void

/// The context of a query.
open class ILMessageFilterExtensionContext: NSExtensionContext {
  private let deferral: MessageDeferral

  package init(deferral: @escaping MessageDeferral) {
    self.deferral = deferral
    super.init()
  }

  /// Has the phone ask the filter's server, once for a query. The filter reads what comes back.
  open func deferQueryRequestToNetwork(
    completion: @escaping @Sendable (ILNetworkResponse?, (any Error)?) -> Void
  ) {
    deferral(completion)
  }

  /// Has the phone ask the filter's server, once for a query.
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
