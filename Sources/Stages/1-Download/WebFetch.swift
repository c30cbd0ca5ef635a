// One resource from the web: what is requested, what the responses mean, and how often it is tried.

import CLibraries
import Records
import SystemIO

/// Fetches one resource from the web, until it is complete, known to be unchanged, or failed.
final class WebFetch {
  enum AttemptResult {
    case whole
    /// The cached body is current.
    case unchanged
    /// Stored data turned out to be unusable: retry immediately without it.
    case again
    /// The attempt failed; if `isTemporary`, it may be retried after the given wait.
    case failed(Failure, isTemporary: Bool = false, retryAfterSeconds: Double = 0)
  }

  let url: WebURL
  let client: WebClient
  let body: ResponseBody
  let cache: ResourceCache?
  /// The validators of the bytes received so far.
  private(set) var validators = Validators()
  private(set) var source: WebURL
  /// The size of the whole resource, if the server sent it.
  private(set) var total: UInt64?
  /// Whether the server allows the body to be stored, and its end is certain.
  private(set) var mayBeStored = true

  private var head = ResponseHead()
  /// The first byte that the current request asks for.
  private var offset: UInt64 = 0
  private var isReceiving = false
  /// Why a response with a success status was not accepted.
  private var responseError: Failure?

  init(_ url: WebURL, client: WebClient, body: ResponseBody, cache: ResourceCache?) {
    self.url = url
    self.client = client
    self.body = body
    self.cache = cache
    source = url
  }

  /// Whether the download can be resumed after the bytes received so far.
  var canContinue: Bool { body.received > 0 && validators.strong != nil }

  var metadata: BodyMetadata {
    var metadata = BodyMetadata(url: url.text, from: source.text)
    metadata.validators = validators
    metadata.total = total
    return metadata
  }

  /// Makes one attempt, including redirects. libcurl could follow them, but would not detect a redirect from https to
  /// http after one from http to https.
  func attempt() throws(Failure) -> AttemptResult {
    var hop = url
    var headers = client.options.headers + client.secretHeaders
    for _ in 0...DownloadLimits.redirectsMax {
      if client.isPastDeadline {
        return .failed(client.timedOut(hop.redacted, .total, received: body.received))
      }
      body.startRequest()
      isReceiving = false
      responseError = nil
      source = hop
      let isConditional = !conditions(hop).isEmpty
      let outcome = try client.perform(hop, headers + range() + conditions(hop), self)
      if let responseError { return .failed(responseError) }
      // The page of an error response may have been cut off, but its status counts. A success must be complete.
      let isCutOff = outcome.kind == CDP_CURL_STOPPED && !isReceiving
      guard outcome.kind == CDP_CURL_DONE || isCutOff else { return failureResult(outcome, hop) }
      guard (300..<400).contains(outcome.status), let location = outcome.redirect else {
        return result(of: outcome, hop, isConditional: isConditional)
      }
      let next = try hop.redirected(to: location)
      if !url.sharesOrigin(with: next) {
        headers = client.options.headers.filter { !HeaderLines.isSecret($0) }
      }
      hop = next
    }
    throw .tooManyRedirects(url: url.redacted, limit: DownloadLimits.redirectsMax)
  }

  /// The headers that request the missing range.
  private func range() -> [String] {
    offset = 0
    if body.received > 0 {
      offset = body.received
    } else if let part = cache?.partial {
      offset = part.length
      validators = part.validators
      total = part.total
    }
    guard offset > 0, let strong = validators.strong else {
      offset = 0
      return []
    }
    return ["Range: bytes=\(offset)-", "If-Range: \(strong)"]
  }

  /// The headers of a conditional request for the cached body. Validators belong to the URL that sent them. After a
  /// redirect, the query may have been a signature, and an ETag is enough to identify the resource.
  private func conditions(_ hop: WebURL) -> [String] {
    guard body.received == 0, let metadata = cache?.stored?.metadata else { return [] }
    let isSame = metadata.from == hop.text
    guard isSame || (hop != url && (try? WebURL(metadata.from))?.withoutQuery == hop.withoutQuery) else {
      return []
    }
    var lines: [String] = []
    if let etag = metadata.validators.etag { lines.append("If-None-Match: \(etag)") }
    if isSame, let date = metadata.validators.lastModified { lines.append("If-Modified-Since: \(date)") }
    return lines
  }

  private func result(of outcome: CurlHandle.Outcome, _ hop: WebURL, isConditional: Bool) -> AttemptResult {
    let status = outcome.status
    if isReceiving {
      if hop.isSecure, total == nil, !head.hasFraming, !outcome.hasTLSEnded {
        return .failed(
          .endedEarly(url: hop.redacted, received: body.received, expected: nil, reason: CurlHandle.wasCut),
          isTemporary: true)
      }
      return completeResult(hop)
    }
    if status == 304, isConditional, let cache {
      if cache.isStoredWhole() { return .unchanged }
      cache.dropStored()
      client.options.observe?(.damaged(url: url.redacted))
      return .again
    }
    if status == 416, offset > 0 {
      // The resource is shorter than the bytes that are present.
      if body.received > 0 { return .failed(.changed(url: url.redacted, received: body.received)) }
      cache?.restart()
      return .again
    }
    return .failed(
      .status(url: hop.redacted, status: status),
      isTemporary: status == 408 || status == 429 || status >= 500,
      // libcurl ignores numbers that are too large for it.
      retryAfterSeconds: head.retryAfterSeconds ?? outcome.retryAfterSeconds)
  }

  /// The result at the end of a complete response: checks whether the resource is complete, too.
  private func completeResult(_ hop: WebURL) -> AttemptResult {
    if body.toSkip > 0 { return .failed(.changed(url: hop.redacted, received: body.received)) }
    guard let total, total != body.received else { return .whole }
    if body.received > total { return .failed(.wrongRange(url: hop.redacted)) }
    // A server may send less than requested.
    return .failed(
      .endedEarly(url: hop.redacted, received: body.received, expected: total, reason: CurlHandle.tooShort),
      isTemporary: true)
  }

  private func failureResult(_ outcome: CurlHandle.Outcome, _ hop: WebURL) -> AttemptResult {
    switch outcome.kind {
    case CDP_CURL_PARTIAL where isReceiving:
      return .failed(
        .endedEarly(
          url: hop.redacted, received: body.received, expected: total ?? outcome.expected,
          reason: outcome.reason),
        isTemporary: true)
    case CDP_CURL_TEMPORARY where outcome.lacksResource:
      return .failed(.lacksResource(url: hop.redacted, reason: outcome.reason), isTemporary: true)
    case CDP_CURL_TEMPORARY, CDP_CURL_PARTIAL:
      return .failed(.transfer(url: hop.redacted, reason: outcome.reason), isTemporary: true)
    case CDP_CURL_LOCAL:
      return .failed(.lacksResource(url: hop.redacted, reason: outcome.reason))
    case CDP_CURL_IDLE:
      return .failed(client.timedOut(hop.redacted, .stall, received: body.received), isTemporary: true)
    case CDP_CURL_TIMEOUT:
      if client.isPastDeadline {
        return .failed(client.timedOut(hop.redacted, .total, received: body.received))
      }
      return .failed(client.timedOut(hop.redacted, .connect, received: body.received), isTemporary: true)
    case CDP_CURL_MALFORMED:
      if hop != url { return .failed(.redirectNotAllowed(from: url.redacted, to: hop.redacted)) }
      return .failed(.malformedURL(hop.redacted))
    default:
      return .failed(.transfer(url: hop.redacted, reason: outcome.reason))
    }
  }

  /// Receives a header line, including those of interim responses.
  func receiveHeaderLine(_ line: Span<UInt8>) { head.receive(line) }

  /// Called when the header is complete and the body begins; `length` is the announced one. Not called for a response
  /// that broke off before its body.
  func begin(status: Int, length: UInt64?) {
    switch status {
    case 200, 203, 206:
      if head.hasInvalidLength {
        responseError = .invalidLength(url: url.redacted)
        body.begin(.none)
      } else if status == 206 {
        beginPartialBody(length)
      } else {
        beginFullBody(status, length)
      }
    // Other answers of success have no body, or one that is not the resource.
    default: body.begin(.none)
    }
  }

  private func beginFullBody(_ status: Int, _ length: UInt64?) {
    if body.received > 0, validators.promiseSameBytes(as: head.validators), total == nil || total == length {
      // The server does not support ranges: skip what has been received.
      isReceiving = true
      return body.begin(.repeated)
    }
    if body.hasSent {
      responseError = .changed(url: url.redacted, received: body.received)
      return body.begin(.none)
    }
    body.startOver()
    cache?.restart()
    isReceiving = true
    validators = head.validators
    total = length
    mayBeStored = status == 200 && head.mayBeStored && (length != nil || head.hasFraming)
    body.begin(.whole(expected: length))
  }

  private func beginPartialBody(_ length: UInt64?) {
    guard offset > 0 else { return body.begin(.none) }
    guard let part = head.contentRange, part.first == offset, length == nil || length == part.count,
      total == nil || part.total == nil || part.total == total,
      !validators.isContradicted(by: head.validators)
    else {
      responseError = .wrongRange(url: url.redacted)
      return body.begin(.none)
    }
    isReceiving = true
    total = total ?? part.total
    mayBeStored = mayBeStored && head.mayBeStored && (length != nil || head.hasFraming)
    guard body.received == 0 else { return body.begin(.rest) }
    client.options.observe?(.resumed(url: url.redacted, from: offset))
    body.begin(.whole(expected: total))
    if body.error == nil { body.sendPart(offset) }
  }

  /// Receives bytes of the body; returns false to stop.
  func receive(_ bytes: Span<UInt8>) -> Bool {
    guard responseError == nil else { return false }
    let continues = body.receive(bytes)
    if continues, let cache, cache.isCheckpointDue { cache.checkpoint(metadata) }
    return continues
  }

  /// How a fetch ended without error.
  enum Completion { case whole, unchanged }

  /// Fetches the resource; `sleep` waits. If this throws, the caller must abandon the cache entry.
  func run(sleep: (Double) -> Void) throws(Failure) -> Completion {
    let retries = max(0, client.options.retries)
    var retriesLeft = retries
    var backOff = DownloadLimits.backOffSecondsFirst
    while true {
      let before = body.received
      let result = try attempt()
      if let error = body.error { throw error }
      switch result {
      case .whole:
        try body.finishResource()
        cache?.complete(metadata, mayBeStored: mayBeStored)
        return .whole
      case .unchanged: return .unchanged
      case .again: continue
      case .failed(let error, let isTemporary, let retryAfter):
        if body.received >= before, body.received - before >= DownloadLimits.progressBytes {
          retriesLeft = retries
          backOff = DownloadLimits.backOffSecondsFirst
        }
        let wait = max(backOff, retryAfter)
        let isInTime = client.deadline.map { MonotonicClock.seconds() + wait < $0 } ?? true
        guard
          isTemporary, canContinue || !body.hasSent, retriesLeft > 0, isInTime,
          retryAfter <= DownloadLimits.retryAfterSecondsMax
        else {
          let isWaitTooLong =
            retryAfter > DownloadLimits.retryAfterSecondsMax || (!isInTime && retryAfter > 0)
          throw isTemporary && isWaitTooLong ? .retryAfterTooLong(error, seconds: retryAfter) : error
        }
        if !canContinue { body.startOver() }
        client.options.observe?(.retrying(error, seconds: wait, from: body.received))
        retriesLeft -= 1
        sleep(wait)
        backOff = min(backOff * 2, DownloadLimits.backOffSecondsMax)
      }
    }
  }

  /// Ends a failed fetch: keeps the part if it can be resumed.
  func abandon(after error: Failure) {
    guard let cache else { return }
    if body.received > 0 {
      body.saveUnsentBytes()
      if canContinue { cache.checkpoint(metadata) }
    }
    // An existing part is kept if no server was reached.
    let keepsPart = !error.spoilsDownload && (canContinue || (body.received == 0 && cache.partial != nil))
    if keepsPart, cache.hasResumablePart, let bytes = cache.copy?.count {
      client.options.observe?(.kept(url: url.redacted, bytes: bytes))
    }
    cache.abandon(keepingPart: keepsPart)
  }
}
