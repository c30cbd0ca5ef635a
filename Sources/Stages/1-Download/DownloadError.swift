// Why a download ended early, as data. Only the command layer makes sentences.

public import PipeStage

/// Why a download ended early. URLs are without the user name and password they may have had.
///
/// A file that can't be opened or read is a `SystemError` instead.
public enum DownloadError: Error, ErrorCause, Equatable {
  /// No libcurl under its usual name, or one that can't be used; it comes with the system's package.
  case libraryMissing(name: String, package: String)
  /// Not a URL, or one of a file that is on another host or has a name that can't be written as text.
  case malformedURL(String)
  /// A URL with a user name or password: every process of the machine could read it.
  case loginInURL(String)
  /// A URL of a kind other than http, https and file.
  case unsupportedScheme(url: String, scheme: String)
  /// A header that is no `Name: value` in one line.
  case malformedHeader(String)
  /// The same in a line of a file; the line itself may be a secret.
  case malformedHeaderLine(file: String, line: Int)
  /// A line of a netrc file that has a word which is none of netrc's, or one without its value.
  case malformedNetrcLine(file: String, line: Int)
  /// A netrc file without a machine, or a file of headers without one.
  case emptySecretFile(file: String, isNetrc: Bool)
  /// A file of headers or logins that is larger than any is.
  case secretFileTooLarge(file: String, limit: Int)
  /// Not a SHA-256 in hex.
  case malformedHash(String)
  /// To resume, there must be a cache, or one resource and a path for its part.
  case resumeNeedsCache
  /// `failsUnchanged` without a cache: there is nothing to compare with.
  case failUnchangedNeedsCache
  /// The server said no.
  case status(url: String, status: Int)
  /// The server is busy, and asks to be left alone for longer than is waited (`limit`) or there is time for.
  case retryAfterTooLong(url: String, status: Int, seconds: Double, limit: Double)
  /// A transfer that began and broke off: so much came of so much, if that was known.
  case endedEarly(url: String, received: UInt64, expected: UInt64?, reason: CurlReason)
  /// A transfer broke off, and when it was to go on the resource was another one. So much had been handed on.
  case changed(url: String, received: UInt64)
  /// The server sent another part than the one it was asked for.
  case wrongRange(url: String)
  /// One of the time limits.
  case timedOut(url: String, limit: TimeLimit, seconds: Double, received: UInt64)
  /// More than `maxBytes`.
  case tooLarge(url: String, limit: UInt64)
  /// All came, but not what was expected.
  case wrongHash(expected: String, actual: String, bytes: UInt64)
  /// A cached body changed while it was read.
  case cacheDamaged(path: String)
  /// More redirects than are followed.
  case tooManyRedirects(url: String, limit: Int)
  /// A redirect to another kind of URL, or from https to http.
  case redirectNotAllowed(from: String, to: String)
  /// The transfer failed otherwise: no such host, nobody listens there, a certificate that is not trusted.
  case transfer(url: String, reason: CurlReason)
  /// Nothing changed since the last time, which `failsUnchanged` makes the end. No trouble, but nothing to do.
  case unchanged

  /// libcurl's code and its own words for it.
  public struct CurlReason: Equatable, Sendable {
    /// The `CURLcode`.
    public var code: Int
    /// libcurl's words.
    public var text: String
    /// Whether a certificate is not trusted.
    public var isUntrusted: Bool { code == 60 }
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
  public var errorClass: ErrorClass {
    switch self {
    case .malformedURL, .loginInURL, .unsupportedScheme, .malformedHeader, .malformedHeaderLine,
      .malformedNetrcLine, .emptySecretFile, .secretFileTooLarge, .malformedHash, .resumeNeedsCache,
      .failUnchangedNeedsCache:
      .usage
    case .status(_, let status): status == 404 || status == 410 ? .noInput : .unavailable
    case .tooLarge, .wrongHash: .badData
    case .cacheDamaged: .inputOutput
    case .libraryMissing, .retryAfterTooLong, .endedEarly, .changed, .wrongRange, .timedOut,
      .tooManyRedirects,
      .redirectNotAllowed,
      .transfer:
      .unavailable
    // The nearest class there is: the work is over without a result, and nothing is wrong.
    case .unchanged: .unchanged
    }
  }
}
