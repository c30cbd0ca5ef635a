// What a request's head says of the connection, told to those who answer in the one form that they know.
//
// Hummingbird ends a connection behind the answer when a request says exactly `Connection: close`. A client that means it and
// says it otherwise (HTTP/1.0, where it is the rule, or `Close`) would wait for the end until its time is up. It knows
// nothing of the HTTP version and of `Expect` either: both are seen to here.

import NIOCore
import NIOHTTP1

/// Puts `Connection: close` into the requests that mean it, and tells of those that lack `Host` or
/// wait to go on.
final class ConnectionHeader: ChannelInboundHandler, Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  /// The request whose head comes next has no `Host`, and HTTP/1.1 wants it. Source: RFC 9112, section 3.2.
  struct LacksHost: Sendable {}

  /// The client whose head comes next sends its body when it is told to.
  struct WaitsToGoOn: Sendable {}

  private let bodyBytesMax: Int

  /// - Parameter bodyBytesMax: a client is not told to send a body that is larger.
  init(bodyBytesMax: Int) {
    self.bodyBytesMax = bodyBytesMax
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else {
      context.fireChannelRead(data)
      return
    }
    if head.version == .http1_1 {
      if !head.headers.contains(name: "Host") {
        context.fireUserInboundEventTriggered(LacksHost())
      } else if waitsToGoOn(head) {
        context.fireUserInboundEventTriggered(WaitsToGoOn())
      }
    }
    if !head.isKeepAlive { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  /// Whether a client sends its body only when it is told to. Source: RFC 9110, section 10.1.1.
  private func waitsToGoOn(_ head: HTTPRequestHead) -> Bool {
    guard head.headers["Expect"].contains(where: { $0.lowercased() == "100-continue" }) else { return false }
    guard let length = head.headers.first(name: "Content-Length").flatMap({ Int($0) }) else { return true }
    return length <= bodyBytesMax
  }
}
