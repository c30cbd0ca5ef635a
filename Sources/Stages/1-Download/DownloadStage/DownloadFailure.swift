// Why a download ended early, as data. Only the command layer makes sentences.

public import PipeStage

/// Why a download ended early. URLs are without the user name and password they may have had.
///
/// A file that can't be opened or read is a `SystemFailure` instead.
public enum DownloadFailure: Error, FailureCause, Equatable {
  /// No libcurl under its usual name, or one that can't be used; it comes with the system's package.
  case libraryMissing(name: String, package: String)
  /// Not a URL, or one of a file that is on another host or has a name that can't be written as text.
  case malformedURL(String)
  /// A URL of a kind other than http, https and file.
  case unsupportedScheme(url: String, scheme: String)
  /// A header that is no `Name: value` in one line.
  case malformedHeader(String)
  /// The server said no.
  case status(url: String, status: Int)
  /// A transfer that began and broke off: so much came of so much, if that was known.
  case endedEarly(url: String, received: UInt64, expected: UInt64?, reason: CurlReason)
  /// One of the time limits.
  case timedOut(url: String, limit: TimeLimit, seconds: Double, received: UInt64)
  /// More than `maxBytes`.
  case tooLarge(url: String, limit: UInt64)
  /// More redirects than are followed.
  case tooManyRedirects(url: String, limit: Int)
  /// A redirect to another kind of URL, or from https to http.
  case redirectRefused(from: String, to: String)
  /// The transfer failed otherwise: no such host, nobody listens there, a certificate that is not trusted.
  case transfer(url: String, reason: CurlReason)

  /// libcurl's code and its own words for it.
  public struct CurlReason: Equatable, Sendable {
    /// The `CURLcode`.
    public var code: Int
    /// libcurl's words.
    public var text: String
  }

  /// Which of the time limits it was.
  public enum TimeLimit: Equatable, Sendable {
    /// Until the connection stands.
    case connect
    /// Without a byte moving.
    case stall
    /// For the whole download, which the user set.
    case total
  }

  /// What kind of trouble it is.
  public var failureClass: FailureClass {
    switch self {
    case .malformedURL, .unsupportedScheme, .malformedHeader: .usage
    case .status(_, let status): status == 404 || status == 410 ? .noInput : .unavailable
    case .tooLarge: .badData
    case .libraryMissing, .endedEarly, .timedOut, .tooManyRedirects, .redirectRefused, .transfer: .unavailable
    }
  }
}
