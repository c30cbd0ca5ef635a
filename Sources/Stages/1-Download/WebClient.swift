// Requests over http and https with everything that is the same for all of them: connections, time limits,
// certificates, passwords.
//
// Not for: redirects and retries (WebFetch).

import PipeStage
import SystemIO

/// Makes requests, one after another.
final class WebClient {
  let options: DownloadOptions
  /// The lines of the file of headers.
  let secretHeaders: [String]
  /// When the whole download must be done.
  let deadline: Double?
  private var handle: CurlHandle?

  init(options: DownloadOptions, secretHeaders: [String], deadline: Double?) {
    self.options = options
    self.secretHeaders = secretHeaders
    self.deadline = deadline
  }

  /// Whether the time for everything is up.
  var isPastDeadline: Bool {
    deadline.map { MonotonicClock.seconds() + DownloadLimits.deadlineSlackSeconds >= $0 } ?? false
  }

  /// Makes a request.
  func perform(
    _ url: WebURL, _ headers: [String], _ receiver: any ResponseReceiver
  ) throws(DownloadError) -> CurlHandle.Outcome {
    let request = CurlHandle.Request(
      url: url.text, userAgent: options.userAgentSent, headers: headers, caFile: options.caFile,
      netrcFile: options.netrcFile, connectTimeoutSeconds: options.connectTimeoutSeconds,
      idleTimeoutSeconds: options.idleTimeoutSeconds,
      timeoutSeconds: deadline.map { $0 - MonotonicClock.seconds() })
    var current: CurlHandle
    if let handle = handle.take() { current = handle } else { current = try CurlHandle() }
    let outcome = current.perform(request, receiver: receiver)
    handle = consume current
    return outcome
  }

  /// The failure for a time limit that passed.
  func timedOut(_ url: String, _ limit: DownloadError.TimeLimit, received: UInt64) -> DownloadError {
    let seconds: Double =
      switch limit {
      case .connect: options.connectTimeoutSeconds
      case .stall: options.idleTimeoutSeconds
      case .total: options.timeoutSeconds ?? 0
      }
    return .timedOut(url: url, limit: limit, seconds: seconds, received: received)
  }
}
