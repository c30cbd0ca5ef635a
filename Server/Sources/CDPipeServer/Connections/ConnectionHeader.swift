// Whether a client keeps its connection, told to those who answer in the one form that they know.
//
// Hummingbird ends a connection behind the answer when a request says exactly `Connection: close`. A client that means it and
// says it otherwise (HTTP/1.0, where it is the rule, or `Close`) would wait for the end until its time is up.

import NIOCore
import NIOHTTP1

/// Puts `Connection: close` into the requests that mean it.
final class ConnectionHeader: ChannelInboundHandler, Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), !head.isKeepAlive else {
      context.fireChannelRead(data)
      return
    }
    head.headers.replaceOrAdd(name: "Connection", value: "close")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
