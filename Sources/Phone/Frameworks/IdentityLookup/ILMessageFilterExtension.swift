// The principal class of a message filter and the protocols that it implements.

public import AppExtensions
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
