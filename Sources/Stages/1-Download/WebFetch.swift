// One resource from the web: what is asked, and what the answers mean.
//
// Not for: how often it is tried (WebFetch+Attempts), where the bytes go (ResponseBody), what is kept (ResourceCache).

import PipeStage
import SystemIO

/// One resource from the web, until it is whole, known to be unchanged, or given up.
final class WebFetch: ResponseReceiver {
  /// How one attempt ended.
  enum Ending {
    case whole
    /// The cached body is the resource.
    case unchanged
    /// Something kept turned out to be of no use: at once again without it.
    case again
    /// `isPassing`: it may go well another time, after so many seconds at least.
    case failed(DownloadError, isPassing: Bool = false, retryAfterSeconds: Double = 0)
  }

  let url: WebURL
  let client: WebClient
  let body: ResponseBody
  let shelf: ResourceCache?
  /// Of the bytes received so far.
  private(set) var identity = Validators()
  /// The URL that sent them.
  private(set) var source: WebURL
  /// How many there are in all, if the server said so.
  private(set) var total: UInt64?
  /// Whether the server lets them be kept, and their end is known for sure.
  private(set) var mayBeStored = true

  private var head = ResponseHead()
  /// Where the bytes that the present request asks for begin.
  private var offset: UInt64 = 0
  private var isTaking = false
  /// Why a response was not taken though its status is one of success.
  private var refusal: DownloadError?

  init(_ url: WebURL, client: WebClient, body: ResponseBody, shelf: ResourceCache?) {
    self.url = url
    self.client = client
    self.body = body
    self.shelf = shelf
    source = url
  }

  /// Whether the bytes received so far can be gone on from.
  var canContinue: Bool { body.received > 0 && identity.strong != nil }

  /// What a part's record says of them.
  var record: BodyRecord {
    var record = BodyRecord(url: url.text, from: source.text)
    record.validators = identity
    record.total = total
    return record
  }

  // MARK: One attempt

  /// One attempt, redirects included. libcurl could follow them, but not remember that https was left behind
  /// when http had been first.
  func attempt() throws(DownloadError) -> Ending {
    var hop = url
    var headers = client.options.headers + client.secretHeaders
    for _ in 0...DownloadLimits.redirectsMax {
      if client.isLate { return .failed(client.timedOut(hop.shown, .total, received: body.received)) }
      body.startRequest()
      isTaking = false
      refusal = nil
      source = hop
      let isConditional = !conditions(hop).isEmpty
      let outcome = try client.perform(hop, headers + range() + conditions(hop), self)
      if let refusal { return .failed(refusal) }
      // A refusal's page may have been cut off; its status is the news. A success that was cut off is none.
      let isCutOff = outcome.kind == .stopped && !isTaking
      guard outcome.kind == .done || isCutOff else { return failed(outcome, hop) }
      guard (300..<400).contains(outcome.status), let location = outcome.redirect else {
        return answered(outcome, hop, isConditional: isConditional)
      }
      let next = try hop.redirected(to: location)
      if !url.sharesOrigin(with: next) {
        headers = client.options.headers.filter { !HeaderLines.isSecret($0) }
      }
      hop = next
    }
    throw .tooManyRedirects(url: url.shown, limit: DownloadLimits.redirectsMax)
  }

  /// The headers that ask for the rest of what is there.
  private func range() -> [String] {
    offset = 0
    if body.received > 0 {
      offset = body.received
    } else if let part = shelf?.partial {
      offset = part.length
      identity = part.validators
      total = part.total
    }
    guard offset > 0, let strong = identity.strong else {
      offset = 0
      return []
    }
    return ["Range: bytes=\(offset)-", "If-Range: \(strong)"]
  }

  /// The headers that ask whether the cached body is the resource still. Validators are of the URL that gave them;
  /// where a redirect led, the query may have been a signature, and an ETag is enough to know the resource by.
  private func conditions(_ hop: WebURL) -> [String] {
    guard body.received == 0, let known = shelf?.stored?.record else { return [] }
    let isSame = known.from == hop.text
    guard isSame || (hop != url && (try? WebURL(known.from))?.withoutQuery == hop.withoutQuery) else {
      return []
    }
    var lines: [String] = []
    if let etag = known.validators.etag { lines.append("If-None-Match: \(etag)") }
    if isSame, let date = known.validators.lastModified { lines.append("If-Modified-Since: \(date)") }
    return lines
  }

  private func answered(_ outcome: CurlHandle.Outcome, _ hop: WebURL, isConditional: Bool) -> Ending {
    let status = outcome.status
    if isTaking { return ended(hop) }
    if status == 304, isConditional, let shelf {
      if shelf.isStoredWhole() { return .unchanged }
      shelf.dropStored()
      client.options.observe?(.damaged(url: url.shown))
      return .again
    }
    if status == 416, offset > 0 {
      // The resource is shorter than what is there of it.
      if body.received > 0 { return .failed(.changed(url: url.shown, received: body.received)) }
      shelf?.restart()
      return .again
    }
    return .failed(
      .status(url: hop.shown, status: status),
      isPassing: status == 408 || status == 429 || status >= 500,
      // libcurl takes a number that is too large for it for none.
      retryAfterSeconds: head.retryAfterSeconds ?? outcome.retryAfterSeconds)
  }

  /// libcurl has seen the response's end: is it that of the resource?
  private func ended(_ hop: WebURL) -> Ending {
    if body.toSkip > 0 { return .failed(.changed(url: hop.shown, received: body.received)) }
    guard let total, total != body.received else { return .whole }
    if body.received > total { return .failed(.wrongPart(url: hop.shown)) }
    // A server may send less than was asked for.
    return .failed(
      .endedEarly(
        url: hop.shown, received: body.received, expected: total, reason: CurlHandle.tooShort),
      isPassing: true)
  }

  private func failed(_ outcome: CurlHandle.Outcome, _ hop: WebURL) -> Ending {
    switch outcome.kind {
    case .partial where isTaking:
      return .failed(
        .endedEarly(
          url: hop.shown, received: body.received, expected: total ?? outcome.expected,
          reason: outcome.reason),
        isPassing: true)
    case .passing, .partial:
      return .failed(.transfer(url: hop.shown, reason: outcome.reason), isPassing: true)
    case .idle:
      return .failed(client.timedOut(hop.shown, .stall, received: body.received), isPassing: true)
    case .timeout:
      if client.isLate { return .failed(client.timedOut(hop.shown, .total, received: body.received)) }
      return .failed(client.timedOut(hop.shown, .connect, received: body.received), isPassing: true)
    case .malformed:
      return .failed(.malformedURL(hop.shown))
    case .done, .stopped, .lasting:
      return .failed(.transfer(url: hop.shown, reason: outcome.reason))
    }
  }

  // MARK: The response as it comes

  func takeHead(_ line: Span<UInt8>) { head.take(line) }

  func begin(status: Int, length: UInt64?) {
    switch status {
    case 206: beginRest(length)
    case 200..<300: beginWhole(status, length)
    default: body.begin(.none)
    }
  }

  private func beginWhole(_ status: Int, _ length: UInt64?) {
    if body.received > 0, identity.promisesSameBytes(as: head.validators), total == nil || total == length {
      // The server gives no parts: what is there is read over.
      isTaking = true
      return body.begin(.again)
    }
    if body.hasHandedOn {
      refusal = .changed(url: url.shown, received: body.received)
      return body.begin(.none)
    }
    body.startOver()
    shelf?.restart()
    isTaking = true
    identity = head.validators
    total = length
    mayBeStored = status == 200 && head.mayBeStored && (length != nil || head.hasFraming)
    body.begin(.whole(expected: length))
  }

  private func beginRest(_ length: UInt64?) {
    guard offset > 0 else { return body.begin(.none) }
    guard let part = head.contentRange, part.first == offset, length == nil || length == part.count,
      total == nil || part.total == nil || part.total == total, !identity.isContradicted(by: head.validators)
    else {
      refusal = .wrongPart(url: url.shown)
      return body.begin(.none)
    }
    isTaking = true
    total = total ?? part.total
    mayBeStored = mayBeStored && head.mayBeStored && (length != nil || head.hasFraming)
    guard body.received == 0 else { return body.begin(.rest) }
    client.options.observe?(.resumed(url: url.shown, from: offset))
    body.begin(.whole(expected: total))
    if body.failure == nil { body.sendPart(offset) }
  }

  func receive(_ bytes: Span<UInt8>) -> Bool {
    guard refusal == nil else { return false }
    let goesOn = body.receive(bytes)
    if goesOn, let shelf, shelf.isCheckpointDue { shelf.checkpoint(record) }
    return goesOn
  }
}
