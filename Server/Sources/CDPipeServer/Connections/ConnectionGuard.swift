// Limits of a connection: how many a client may have, how long it may be idle, how long a request's head and body may
// take, how long a client may not read its response, and how long a rejected client may stay connected.
//
// The handler sees the parts of requests and responses between the HTTP codec and the responder. Not for limiting all
// connections (MaximumAvailableConnections) or request rates (RateTable).

import HTTPTypes
import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Closes a connection that exceeds a limit; responds with 408 if a request had started.
///
/// A connection has one timer. It is not moved with every request: if it fires before the current deadline, it is set
/// again.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The event that the connection waits for.
  private enum Waiting {
    /// The start of a request.
    case request
    /// The rest of a head that has partly arrived.
    case head
    /// The rest of a body.
    case body
    /// The server's response. It has a time limit only while the client does not read it.
    case answer
    /// The client's disconnect. Data that it still sends is discarded.
    case end
  }

  private let limits: ServerLimits
  private let metrics: ServerMetrics
  private let usage: ClientUsage?
  /// The client whose connections include this one.
  private var client: ClientAddress?
  private var waiting = Waiting.request
  private var deadline: NIODeadline?
  private var timer: Scheduled<Void>?
  private var timerDue = NIODeadline.distantFuture
  /// The number of requests whose responses are not complete.
  private var requestsOpen = 0
  private var isBodyOpen = false
  private var isAnswering = false
  private var endsAfterAnswer = false
  private var didReadPart = false
  private var invalidHost: RequestError?
  private var bytesThrown = 0
  private var isActive = false

  /// - Parameter usage: limits the connections of a client; nil behind proxies, which share theirs among clients.
  init(_ limits: ServerLimits, _ metrics: ServerMetrics, _ usage: ClientUsage?) {
    self.limits = limits
    self.metrics = metrics
    self.usage = usage
  }

  // MARK: Beginning and end

  func handlerAdded(context: ChannelHandlerContext) {
    // By default, a connection whose client has sent a body keeps buffers of 64 KiB.
    try? context.channel.syncOptions?.setOption(
      .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: ServerLimits.readBytesMax))
    let pipeline = context.pipeline.syncOperations
    if let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) {
      try? pipeline.addHandler(ConnectionHeader(bodyBytesMax: limits.bodyBytesMax), position: .before(codec))
    }
    if context.channel.isActive { begin(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    begin(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    finish()
  }

  private func begin(_ context: ChannelHandlerContext) {
    guard !isActive else { return }
    isActive = true
    metrics.connections.add(1)
    metrics.accepted.add()
    if let usage {
      let client = ClientAddress(context.channel.remoteAddress)
      guard usage.connect(client) else {
        metrics.closings(.client).add()
        context.close(promise: nil)
        return
      }
      self.client = client
    }
    wait(.request, seconds: limits.idleSeconds, context)
  }

  private func finish() {
    guard isActive else { return }
    isActive = false
    metrics.connections.add(-1)
    if let client { usage?.disconnect(client) }
    client = nil
    timer?.cancel()
    timer = nil
    deadline = nil
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard waiting != .end else {
      if case .body(let bytes) = unwrapInboundIn(data) { bytesThrown += bytes.readableBytes }
      if bytesThrown > ServerLimits.lingerBytesMax { context.close(promise: nil) }
      return
    }
    didReadPart = true
    switch unwrapInboundIn(data) {
    case .head:
      if let invalidHost {
        // Pending responses come first, and this handler can't wait for them.
        if requestsOpen > 0 { context.close(promise: nil) } else { refuse(invalidHost, context) }
        return
      }
      requestsOpen += 1
      isBodyOpen = true
      waiting = .body
      deadline = .now() + .seconds(Int64(limits.bodySeconds))
    case .body: break
    case .end:
      isBodyOpen = false
      if requestsOpen > 0 {
        waiting = .answer
        limitAnswer(context)
      } else {
        wait(.request, seconds: limits.idleSeconds, context)
      }
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if waiting == .request, !didReadPart {
      // Bytes arrived without a complete head, so a head has started.
      wait(.head, seconds: limits.headSeconds, context)
    } else if deadline != nil {
      schedule(context)
    }
    didReadPart = false
    context.fireChannelReadComplete()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ConnectionHeader.InvalidHost {
      invalidHost = event.error
      return
    }
    if event is ConnectionHeader.WaitsToGoOn {
      // Never send it during a response: a client that pipelines requests continues without it.
      if requestsOpen == 0, waiting != .end {
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
      }
      return
    }
    if waiting == .end, case .inputClosed? = event as? ChannelEvent {
      context.close(promise: nil)
      return
    }
    context.fireUserInboundEventTriggered(event)
  }

  // MARK: Responses

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if waiting == .answer { limitAnswer(context) }
    context.fireChannelWritabilityChanged()
  }

  /// Limits the response's time while the client does not read it.
  private func limitAnswer(_ context: ChannelHandlerContext) {
    if context.channel.isWritable {
      deadline = nil
    } else {
      wait(.answer, seconds: limits.idleSeconds, context)
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard waiting != .end else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(let head):
      isAnswering = true
      if head.headerFields[.connection] == "close" { endsAfterAnswer = true }
      context.write(data, promise: promise)
    case .body: context.write(data, promise: promise)
    case .end:
      isAnswering = false
      requestsOpen -= 1
      if endsAfterAnswer {
        context.writeAndFlush(data, promise: promise)
        metrics.closings(.refused).add()
        linger(context)
        return
      }
      if requestsOpen == 0, !isBodyOpen { wait(.request, seconds: limits.idleSeconds, context) }
      context.write(data, promise: promise)
    }
  }

  /// Responds instead of the responder and disconnects the client.
  private func refuse(_ refusal: RequestError, _ context: ChannelHandlerContext) {
    let body = refusal.body
    var fields = HTTPFields.json
    fields[.connection] = "close"
    fields[.contentLength] = "\(body.readableBytes)"
    let head = HTTPResponse(status: refusal.status, headerFields: fields)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(body)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    linger(context)
  }

  /// Closes our side and allows the client some time to read the response. If the connection were closed at once while
  /// the client is still sending, its system would discard the response.
  private func linger(_ context: ChannelHandlerContext) {
    wait(.end, seconds: ServerLimits.lingerSeconds, context)
    context.close(mode: .output, promise: nil)
  }

  // MARK: Time

  private func wait(_ waiting: Waiting, seconds: Int, _ context: ChannelHandlerContext) {
    self.waiting = waiting
    deadline = .now() + .seconds(Int64(seconds))
    schedule(context)
  }

  /// Ensures that the timer fires no later than the deadline.
  private func schedule(_ context: ChannelHandlerContext) {
    guard isActive, let deadline else { return }
    if timer != nil {
      guard timerDue > deadline else { return }
      timer?.cancel()
    }
    timerDue = deadline
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(deadline: deadline) {
      let (handler, context) = bound.value
      handler.timer = nil
      handler.timeIsUp(context)
    }
  }

  private func timeIsUp(_ context: ChannelHandlerContext) {
    guard isActive, let deadline else { return }
    guard deadline <= .now() else {
      schedule(context)
      return
    }
    switch waiting {
    case .request, .answer:
      metrics.closings(waiting == .request ? .idle : .answer).add()
      context.close(promise: nil)
    case .head, .body:
      metrics.closings(waiting == .head ? .head : .body).add()
      guard !isAnswering, requestsOpen <= 1 else {
        context.close(promise: nil)
        return
      }
      refuse(.tooSlow, context)
    case .end: context.close(promise: nil)
    }
  }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}
