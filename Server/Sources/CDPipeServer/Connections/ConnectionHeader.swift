// Normalizes a request's connection header to the form that Hummingbird understands.
//
// Hummingbird closes a connection after the response only if the request has exactly `Connection: close`. A client that
// requests it in another way (HTTP/1.0, where closing is the default, or `Close`) would wait until its timeout.
// Hummingbird also ignores the HTTP version and `Expect`: both are handled here.

import NIOCore
import NIOHTTP1

/// Adds `Connection: close` to requests that imply it, and fires an event for requests whose `Host` is invalid or that
/// wait for `100 Continue`.
final class ConnectionHeader: ChannelInboundHandler, Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  /// The request whose head comes next lacks `Host`, which HTTP/1.1 requires, or has more than one. Source: RFC 9112,
  /// section 3.2.
  struct InvalidHost: Sendable {
    let error: RequestError
  }

  /// The client whose head comes next waits for `100 Continue` before it sends its body.
  struct WaitsToGoOn: Sendable {}

  private let bodyBytesMax: Int

  /// - Parameter bodyBytesMax: a client with a larger body does not get `100 Continue`.
  init(bodyBytesMax: Int) {
    self.bodyBytesMax = bodyBytesMax
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else {
      context.fireChannelRead(data)
      return
    }
    let hosts = head.headers["Host"].count
    if hosts > 1 {
      context.fireUserInboundEventTriggered(InvalidHost(error: .repeated(field: "Host")))
    } else if head.version == .http1_1 {
      if hosts == 0 {
        context.fireUserInboundEventTriggered(InvalidHost(error: .missing(field: "Host")))
      } else if waitsToGoOn(head) {
        context.fireUserInboundEventTriggered(WaitsToGoOn())
      }
    }
    if !head.isKeepAlive { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  /// Whether a client waits for `100 Continue` before it sends its body. Source: RFC 9110, section 10.1.1.
  private func waitsToGoOn(_ head: HTTPRequestHead) -> Bool {
    guard head.headers["Expect"].contains(where: { $0.lowercased() == "100-continue" }) else { return false }
    guard let length = head.headers.first(name: "Content-Length").flatMap({ Int($0) }) else { return true }
    return length <= bodyBytesMax
  }
}
