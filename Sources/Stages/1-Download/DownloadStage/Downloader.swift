// The download stage: resources in order, whole or with a failure.
//
// Not for: caches, resuming and checksums, which are not there yet.

public import PipeStage
import SystemIO

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Streams files and URLs downstream.
///
///     let options = DownloadOptions(["https://example.org/marked.zip"])
///     try Downloader(options: options, context: context, downstream: sink).run()
///
/// A transfer that ends early is never passed off as whole: it is a failure, though bytes of it may have gone
/// downstream already. One that failed for a passing reason (no connection, a server that is overloaded) is
/// tried again, with waits that double and at least what the server asks for in `Retry-After`; but only as
/// long as nothing of that resource has been handed on, because what went downstream can't be taken back:
/// that is up to the first ``SystemIO/ByteChunk/bytesUsual`` bytes.
///
/// Proxies are taken from the environment as libcurl does (`http_proxy`, `https_proxy`, `no_proxy`). Memory
/// stays the same whatever the size. Files need no libcurl.
public final class Downloader {
  private let options: DownloadOptions
  private let context: StageContext
  private let downstream: any ByteSink
  private let body: ResponseBody
  private var handle: CurlHandle?
  private var deadline: Double?

  /// Waits, in seconds; a test has no time for that.
  var sleep: (Double) -> Void = Downloader.sleep

  /// Makes a download.
  public init(options: DownloadOptions, context: StageContext, downstream: any ByteSink) {
    self.options = options
    self.context = context
    self.downstream = downstream
    body = ResponseBody(context: context, maxBytes: options.maxBytes, downstream: downstream)
  }

  /// Runs the download to its end. Call it once.
  ///
  /// Throws what downstream throws as it was, a `SystemFailure` for a file, a ``DownloadFailure`` for the
  /// rest.
  public func run() throws(PipeFailure) {
    var resources: [Resource] = []
    do throws(DownloadFailure) {
      // Everything is read before anything is fetched: a slip in the last URL shows at once.
      for header in options.headers { try Self.check(header) }
      for text in options.resources { resources.append(try Resource(text)) }
    } catch {
      throw PipeFailure(context.stage, error)
    }
    deadline = options.timeoutSeconds.map { MonotonicClock.seconds() + $0 }
    for resource in resources {
      switch resource {
      case .file(let path): try readFile(path)
      case .web(let url): try fetch(url)
      }
    }
    context.meter.finish()
    try downstream.finish()
  }

  /// A header must not be able to smuggle in a second one.
  private static func check(_ header: String) throws(DownloadFailure) {
    let name = header.utf8.prefix { $0 != UInt8(ascii: ":") }
    let isName = name.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    let isLine = header.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F }
    guard !name.isEmpty, name.count < header.utf8.count, isName, isLine else {
      throw .malformedHeader(header)
    }
  }

  private func readFile(_ path: String) throws(PipeFailure) {
    var file = try asPipeFailure(context.stage) { () throws(SystemFailure) in
      try InputFile(path, calls: context.calls)
    }
    body.startResource(path)
    body.begin(isWanted: true, expected: file.size)
    if let failure = body.failure { throw failure }
    while try body.read({ (chunk) throws(SystemFailure) in try file.read(into: &chunk) }) > 0 {
      if let deadline, MonotonicClock.seconds() > deadline {
        throw PipeFailure(context.stage, timedOut(path, .total))
      }
    }
    try body.finishResource()
  }

  private func fetch(_ url: WebURL) throws(PipeFailure) {
    body.startResource(url.shown)
    var retriesLeft = max(0, options.retries)
    var backOff = DownloadLimits.backOffSecondsFirst
    while true {
      let attempt: Attempt
      do throws(DownloadFailure) {
        attempt = try self.attempt(url)
      } catch {
        throw PipeFailure(context.stage, error)
      }
      if let failure = body.failure { throw failure }
      guard let failure = attempt.failure else { return try body.finishResource() }
      let wait = max(backOff, attempt.retryAfterSeconds)
      let isInTime = deadline.map { MonotonicClock.seconds() + wait < $0 } ?? true
      guard
        attempt.isPassing, !body.hasHandedOn, retriesLeft > 0, isInTime,
        attempt.retryAfterSeconds <= DownloadLimits.retryAfterSecondsMax
      else { throw PipeFailure(context.stage, failure) }
      retriesLeft -= 1
      sleep(wait)
      backOff = min(backOff * 2, DownloadLimits.backOffSecondsMax)
      body.startAttempt()
    }
  }

  /// How one attempt ended: without a failure, all is there.
  private struct Attempt {
    var failure: DownloadFailure?
    /// Whether it may go well another time.
    var isPassing = false
    var retryAfterSeconds = 0.0
  }

  /// One attempt, redirects included. libcurl could follow them, but not remember that https was left behind
  /// when http had been first.
  private func attempt(_ first: WebURL) throws(DownloadFailure) -> Attempt {
    var url = first
    var headers = options.headers
    for _ in 0...DownloadLimits.redirectsMax {
      var timeout: Double?
      if let deadline {
        let left = deadline - MonotonicClock.seconds()
        guard left > 0 else { return Attempt(failure: timedOut(url.shown, .total)) }
        timeout = left
      }
      body.startRequest()
      let outcome = try perform(
        CurlHandle.Request(
          url: url.text, userAgent: options.userAgent, headers: headers, timeoutSeconds: timeout))
      // A refusal's page may have been cut off; its status is the news. A success that was cut off is none.
      let isCutOff = outcome.kind == .stopped && !ResponseBody.isSuccess(outcome.status)
      let isAnswered = outcome.kind == .done || isCutOff
      guard isAnswered else { return failed(outcome, url) }
      guard (300..<400).contains(outcome.status), let location = outcome.redirect else {
        return answered(outcome, url)
      }
      let next = try url.redirected(to: location)
      if !url.sharesOrigin(with: next) { headers.removeAll(where: Self.isSecret) }
      url = next
    }
    throw .tooManyRedirects(url: first.shown, limit: DownloadLimits.redirectsMax)
  }

  private func perform(_ request: CurlHandle.Request) throws(DownloadFailure) -> CurlHandle.Outcome {
    if var kept = handle.take() {
      let outcome = kept.perform(request, body: body)
      handle = consume kept
      return outcome
    }
    var made = try CurlHandle()
    let outcome = made.perform(request, body: body)
    handle = consume made
    return outcome
  }

  private func answered(_ outcome: CurlHandle.Outcome, _ url: WebURL) -> Attempt {
    if ResponseBody.isSuccess(outcome.status) { return Attempt() }
    return Attempt(
      failure: .status(url: url.shown, status: outcome.status),
      isPassing: outcome.status == 408 || outcome.status == 429 || outcome.status >= 500,
      retryAfterSeconds: outcome.retryAfterSeconds)
  }

  private func failed(_ outcome: CurlHandle.Outcome, _ url: WebURL) -> Attempt {
    switch outcome.kind {
    case .partial where ResponseBody.isSuccess(outcome.status):
      return Attempt(
        failure: .endedEarly(
          url: url.shown, received: body.received, expected: outcome.expected, reason: outcome.reason),
        isPassing: true)
    case .passing, .partial:
      return Attempt(failure: .transfer(url: url.shown, reason: outcome.reason), isPassing: true)
    case .timeout:
      if let deadline, MonotonicClock.seconds() + DownloadLimits.deadlineSlackSeconds >= deadline {
        return Attempt(failure: timedOut(url.shown, .total))
      }
      return Attempt(failure: timedOut(url.shown, outcome.wasConnected ? .stall : .connect), isPassing: true)
    case .malformed:
      return Attempt(failure: .malformedURL(url.shown))
    case .done, .stopped, .lasting:
      return Attempt(failure: .transfer(url: url.shown, reason: outcome.reason))
    }
  }

  private func timedOut(_ url: String, _ limit: DownloadFailure.TimeLimit) -> DownloadFailure {
    let seconds: Double =
      switch limit {
      case .connect: Double(DownloadLimits.connectSecondsMax)
      case .stall: Double(DownloadLimits.stallSeconds)
      case .total: options.timeoutSeconds ?? 0
      }
    return .timedOut(url: url, limit: limit, seconds: seconds, received: body.received)
  }

  /// Whether a header says who the user is.
  private static func isSecret(_ header: String) -> Bool {
    let name = header.prefix { $0 != ":" }.lowercased()
    return name == "authorization" || name == "cookie"
  }

  private static func sleep(_ seconds: Double) {
    let end = MonotonicClock.seconds() + seconds
    while true {
      let left = end - MonotonicClock.seconds()
      guard left > 0 else { return }
      var wait = timespec()
      wait.tv_sec = Int(left)
      wait.tv_nsec = Int((left - left.rounded(.down)) * 1e9)
      // A signal may cut it short: the clock tells.
      unsafe nanosleep(&wait, nil)
    }
  }
}
