// Http and https requests, with everything that all of them share: connections, time limits, certificates, passwords.
//
// Not for: redirects and retries (WebFetch).

import Records
import SystemIO

/// Makes requests, one after another.
final class WebClient {
  let options: DownloadOptions
  /// The lines of the header file.
  let secretHeaders: [String]
  /// The time at which the whole download must be done.
  let deadline: Double?
  private var handle: CurlHandle?

  init(options: DownloadOptions, secretHeaders: [String], deadline: Double?) {
    self.options = options
    self.secretHeaders = secretHeaders
    self.deadline = deadline
  }

  /// Whether the deadline has passed.
  var isPastDeadline: Bool {
    deadline.map { MonotonicClock.seconds() + DownloadLimits.deadlineSlackSeconds >= $0 } ?? false
  }

  /// Makes a request.
  func perform(
    _ url: WebURL, _ headers: [String], _ receiver: any ResponseReceiver
  ) throws(DownloadError) -> CurlHandle.Outcome {
    let request = CurlHandle.Request(
      url: url.text, userAgent: options.userAgentSent, headers: headers,
      caFile: options.caFile ?? Self.certificatesFromEnvironment, netrcFile: options.netrcFile,
      connectTimeoutSeconds: options.connectTimeoutSeconds,
      idleTimeoutSeconds: options.idleTimeoutSeconds,
      timeoutSeconds: deadline.map { $0 - MonotonicClock.seconds() })
    var current: CurlHandle
    if let handle = handle.take() { current = handle } else { current = try CurlHandle() }
    let outcome = current.perform(request, receiver: receiver)
    handle = consume current
    return outcome
  }

  /// The variable that curl and OpenSSL read, too; libcurl reads none.
  private static var certificatesFromEnvironment: String? {
    RunningProcess.environment("SSL_CERT_FILE").flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The error for an exceeded time limit.
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
