// libcurl: every pointer to it, and every unsafe call of the stage, is in this file.
//
// Not for: what a result means for the download.

import CLibCurl

/// A libcurl handle, and with it the connections that are kept open.
@safe struct CurlHandle: ~Copyable {
  /// What one request needs.
  struct Request {
    var url: String
    var userAgent: String
    var headers: [String]
    var timeoutSeconds: Double?
  }

  /// How one request ended.
  struct Outcome {
    enum Kind { case done, passing, partial, timeout, malformed, stopped, lasting }
    var kind: Kind
    var reason: DownloadFailure.CurlReason
    /// 0 without a response.
    var status: Int
    var expected: UInt64?
    /// 0 when the server did not say.
    var retryAfterSeconds: Double
    var wasConnected: Bool
    var redirect: String?
  }

  private let handle: OpaquePointer

  /// Opens libcurl if this is the first handle of the process.
  init() throws(DownloadFailure) {
    guard cdp_curl_load() == CDP_CURL_LOADED, let made = unsafe cdp_curl_new() else {
      throw Self.libraryMissing(unsafe String(cString: cdp_curl_library_name()))
    }
    unsafe handle = made
  }

  deinit {
    unsafe cdp_curl_free(handle)
  }

  /// Debian's name of the package, which most others resemble.
  static func libraryMissing(_ name: String) -> DownloadFailure {
    .libraryMissing(name: name, package: "libcurl4")
  }

  /// Whether a library of this name would do; nil, or what is wrong.
  static func problem(loading name: String) -> DownloadFailure? {
    unsafe cdp_curl_try_loading(name) == CDP_CURL_LOADED ? nil : libraryMissing(name)
  }

  /// Runs one request; the response's body goes to `body`.
  mutating func perform(_ request: Request, body: ResponseBody) -> Outcome {
    for header in request.headers { unsafe cdp_curl_add_header(handle, header) }
    let call = unsafe Call(handle, body)
    let code = unsafe request.url.withCString { url in
      unsafe request.userAgent.withCString { agent in
        var raw = unsafe cdp_curl_request()
        unsafe raw.url = url
        unsafe raw.user_agent = agent
        unsafe raw.connect_timeout_ms = DownloadLimits.connectSecondsMax * 1000
        unsafe raw.stall_seconds = DownloadLimits.stallSeconds
        unsafe raw.stall_bytes_per_second = DownloadLimits.stallBytesPerSecond
        // At least one, because none means no limit; at most what libcurl takes on every platform.
        unsafe raw.timeout_ms = request.timeoutSeconds.map { Int(max(1, min($0 * 1000, 2e9))) } ?? 0
        unsafe raw.receive = { bytes, count, context in
          guard let bytes = unsafe bytes, let context = unsafe context else { return false }
          let call = unsafe Unmanaged<Call>.fromOpaque(context).takeUnretainedValue()
          return call.receive(unsafe Span(_unsafeStart: bytes, count: count))
        }
        return withExtendedLifetime(call) {
          unsafe raw.context = Unmanaged.passUnretained(call).toOpaque()
          return unsafe cdp_curl_perform(handle, &raw)
        }
      }
    }
    return outcome(code)
  }

  private func outcome(_ code: Int32) -> Outcome {
    let kind: Outcome.Kind =
      switch cdp_curl_kind_of(code) {
      case CDP_CURL_DONE: .done
      case CDP_CURL_PASSING: .passing
      case CDP_CURL_PARTIAL: .partial
      case CDP_CURL_TIMEOUT: .timeout
      case CDP_CURL_MALFORMED: .malformed
      case CDP_CURL_STOPPED: .stopped
      default: .lasting
      }
    let text = code == 0 ? "" : unsafe String(cString: cdp_curl_text(handle, code))
    let redirect = unsafe cdp_curl_redirect(handle).map { unsafe String(cString: $0) }
    return unsafe Outcome(
      kind: kind, reason: DownloadFailure.CurlReason(code: Int(code), text: text),
      status: cdp_curl_status(handle), expected: UInt64(exactly: cdp_curl_expected(handle)),
      retryAfterSeconds: Double(cdp_curl_retry_after(handle)), wasConnected: cdp_curl_was_connected(handle),
      redirect: redirect)
  }

  /// What libcurl's callback gets: where the bytes go, and the handle to ask about the response they are of.
  @safe private final class Call {
    private let handle: OpaquePointer
    private let body: ResponseBody
    private var hasBegun = false

    init(_ handle: OpaquePointer, _ body: ResponseBody) {
      unsafe self.handle = handle
      self.body = body
    }

    func receive(_ bytes: Span<UInt8>) -> Bool {
      if !hasBegun {
        hasBegun = true
        body.begin(
          isWanted: ResponseBody.isSuccess(unsafe cdp_curl_status(handle)),
          expected: UInt64(exactly: unsafe cdp_curl_expected(handle)))
      }
      return body.receive(bytes)
    }
  }
}
