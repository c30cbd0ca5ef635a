// Http and https requests by libcurl, with everything that all of them share: connections, time limits, certificates,
// passwords. This file has every pointer to libcurl, and every unsafe call of the stage.

import CLibraries
import Records
package import SystemIO
import SystemPackage

final class WebClient {
  /// A limit on the seconds until the connection is established, without any data, or for the whole download.
  enum TimeLimit { case connect, stall, total }

  let options: DownloadOptions
  let secretHeaders: [String]
  /// The time at which the whole download must be done.
  let deadline: Double?
  private var handle: CurlHandle?

  init(options: DownloadOptions, secretHeaders: [String], deadline: Double?) {
    self.options = options
    self.secretHeaders = secretHeaders
    self.deadline = deadline
  }

  var isPastDeadline: Bool {
    deadline.map { MonotonicClock.seconds() + DownloadLimits.deadlineSlackSeconds >= $0 } ?? false
  }

  func perform(
    _ url: WebURL, _ headers: [String], _ receiver: WebFetch
  ) throws(Failure) -> CurlHandle.Outcome {
    var current: CurlHandle
    if let handle = handle.take() { current = handle } else { current = try CurlHandle() }
    let outcome = current.perform(
      url, headers, options, timeoutSeconds: deadline.map { $0 - MonotonicClock.seconds() }, receiver)
    handle = consume current
    return outcome
  }

  func timedOut(_ url: String, _ limit: TimeLimit, received: UInt64) -> Failure {
    let seconds: Double =
      switch limit {
      case .connect: options.connectTimeoutSeconds
      case .stall: options.idleTimeoutSeconds
      case .total: options.timeoutSeconds ?? 0
      }
    return .timedOut(url: url, limit: limit, seconds: seconds, received: received)
  }
}

@safe struct CurlHandle: ~Copyable {
  /// libcurl's error code, a `CURLcode`, and its message.
  struct Reason {
    var code: Int
    var text: String
    var isUntrusted: Bool { code == 60 }
  }

  struct Outcome {
    var kind: cdp_curl_kind
    var reason: Reason
    /// The HTTP status; 0 without a response.
    var status: Int
    var expected: UInt64?
    /// The seconds in `Retry-After`; 0 without that header.
    var retryAfterSeconds: Double
    var wasConnected: Bool
    /// Whether the server closed the TLS connection. False also if it is still open.
    var hasTLSEnded: Bool
    /// Whether there was no connection because this machine lacks a resource, such as a free descriptor.
    var lacksResource: Bool
    var redirect: String?
  }

  private let handle: OpaquePointer

  /// Loads libcurl if this is the first handle of the process.
  init() throws(Failure) {
    var code = Errno(rawValue: cdp_curl_load())
    if code.rawValue == 0 {
      if let made = unsafe cdp_curl_new() {
        unsafe handle = made
        return
      }
      code = .noMemory
    }
    let name = unsafe String(cString: cdp_curl_library_name())
    throw code.blamesMachine
      ? Failure(.download, SystemError(.openInput, name, code)) : .curlMissing(name: name)
  }

  deinit { unsafe cdp_curl_free(handle) }

  /// The error of loading a library by this name; nil if it can be used.
  static func problem(loading name: String) -> Failure? {
    unsafe cdp_curl_library_is_usable(name) ? nil : .curlMissing(name: name)
  }

  /// A date in a header as seconds since 1970; -1 if it is invalid.
  static func seconds(_ date: String) -> Int64 { unsafe cdp_curl_date(date) }

  /// The variable that curl and OpenSSL read, too; libcurl reads none.
  private static var certificatesFromEnvironment: String? {
    RunningProcess.environment("SSL_CERT_FILE").flatMap { $0.isEmpty ? nil : $0 }
  }

  mutating func perform(
    _ url: WebURL, _ headers: [String], _ options: DownloadOptions, timeoutSeconds: Double?,
    _ receiver: WebFetch
  ) -> Outcome {
    for header in headers { unsafe cdp_curl_add_header(handle, header) }
    let call = unsafe Call(handle, receiver)
    var raw = unsafe cdp_curl_request()
    unsafe raw.connect_timeout_ms = Self.milliseconds(options.connectTimeoutSeconds)
    unsafe raw.idle_timeout_ms = Self.milliseconds(options.idleTimeoutSeconds)
    unsafe raw.timeout_ms = timeoutSeconds.map(Self.milliseconds) ?? 0
    unsafe raw.head = { bytes, count, context in
      guard let bytes = unsafe bytes, let context = unsafe context else { return }
      let call = unsafe Unmanaged<Call>.fromOpaque(context).takeUnretainedValue()
      call.receiver.receiveHeaderLine(unsafe Span(_unsafeStart: bytes, count: count))
    }
    unsafe raw.receive = { bytes, count, context in
      guard let bytes = unsafe bytes, let context = unsafe context else { return false }
      let call = unsafe Unmanaged<Call>.fromOpaque(context).takeUnretainedValue()
      return call.receive(unsafe Span(_unsafeStart: bytes, count: count))
    }
    let code = unsafe Self.withCStrings(
      [
        url.text, options.userAgentSent, options.caFile ?? Self.certificatesFromEnvironment,
        options.netrcFile,
      ]
    ) { texts in
      unsafe raw.url = texts[0]
      unsafe raw.user_agent = texts[1]
      unsafe raw.ca_file = texts[2]
      unsafe raw.netrc_file = texts[3]
      return withExtendedLifetime(call) {
        unsafe raw.context = Unmanaged.passUnretained(call).toOpaque()
        return unsafe cdp_curl_perform(handle, &raw)
      }
    }
    // The callback is never called for an empty body.
    if code == 0 { call.begin() }
    return outcome(code)
  }

  /// Converts seconds to milliseconds: at least one, because zero means no limit; at most what libcurl accepts on every
  /// platform.
  private static func milliseconds(_ seconds: Double) -> Int { Int(max(1, min(seconds * 1000, 2e9))) }

  private static func withCStrings<Result>(
    _ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result
  ) -> Result {
    func collect(_ rest: ArraySlice<String?>, _ pointers: [UnsafePointer<CChar>?]) -> Result {
      guard let next = rest.first else { return unsafe body(pointers) }
      guard let text = next else { return unsafe collect(rest.dropFirst(), pointers + [nil]) }
      return unsafe text.withCString { unsafe collect(rest.dropFirst(), pointers + [$0]) }
    }
    return unsafe collect(texts[...], [])
  }

  static var wasCut: Reason { Reason(code: 56, text: unsafe String(cString: cdp_curl_code_message(56))) }

  /// libcurl's error for a transfer with fewer bytes than announced.
  static var tooShort: Reason { Reason(code: 18, text: unsafe String(cString: cdp_curl_code_message(18))) }

  private func outcome(_ code: Int32) -> Outcome {
    let text = code == 0 ? "" : unsafe String(cString: cdp_curl_error_message(handle, code))
    let osError = code == 0 ? 0 : unsafe cdp_curl_os_error(handle)
    let redirect = unsafe cdp_curl_redirect(handle).map { unsafe String(cString: $0) }
    return unsafe Outcome(
      kind: cdp_curl_kind_of(code), reason: Reason(code: Int(code), text: text),
      status: cdp_curl_status(handle), expected: UInt64(exactly: cdp_curl_expected(handle)),
      retryAfterSeconds: Double(cdp_curl_retry_after(handle)), wasConnected: cdp_curl_was_connected(handle),
      hasTLSEnded: cdp_curl_tls_has_ended(handle),
      lacksResource: osError != 0 && Errno(rawValue: osError).blamesMachine, redirect: redirect)
  }

  /// The context of libcurl's callbacks: the receiver of the response, and the handle.
  @safe private final class Call {
    let receiver: WebFetch
    private let handle: OpaquePointer
    private var hasBegun = false

    init(_ handle: OpaquePointer, _ receiver: WebFetch) {
      unsafe self.handle = handle
      self.receiver = receiver
    }

    func begin() {
      guard !hasBegun else { return }
      hasBegun = true
      receiver.begin(
        status: unsafe cdp_curl_status(handle), length: UInt64(exactly: unsafe cdp_curl_expected(handle)))
    }

    func receive(_ bytes: Span<UInt8>) -> Bool {
      begin()
      return receiver.receive(bytes)
    }
  }
}

extension RuntimeLibrary {
  package static var curl: RuntimeLibrary {
    RuntimeLibrary(
      name: unsafe String(cString: cdp_curl_library_name()), command: "download",
      isUsable: cdp_curl_load() == 0)
  }
}
