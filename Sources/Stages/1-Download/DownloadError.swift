// Why a download fails, as data.

package import Records
package import SystemIO

/// Why a download fails. URLs are without user name and password.
///
/// A file that can't be opened or read is a `SystemError` instead.
package enum DownloadError: Error, ErrorCause, Equatable {
  /// libcurl is not installed under its default name, or can't be used; `package` is the system's package.
  case libraryMissing(name: String, package: String)
  /// libcurl can't be opened because the machine lacks something.
  case libraryUnreadable(SystemError)
  /// A file that does not exist, whose name was probably meant as a URL. The name is without what may be a secret.
  case notFound(name: String)
  /// Not a URL, or a file URL with another host or a name that is not text.
  case malformedURL(String)
  /// A URL with a user name or password, which every process on the machine could read.
  case loginInURL(String)
  /// A URL with a scheme other than http, https and file.
  case unsupportedScheme(url: String, scheme: String)
  /// A header that is not one line of the form `Name: value`.
  case malformedHeader(String)
  /// An invalid header in a line of a file; the line itself may be a secret.
  case malformedHeaderLine(file: String, line: Int)
  /// A line of a netrc file with an unknown keyword, or with a keyword that lacks its value.
  case malformedNetrcLine(file: String, line: Int)
  /// A netrc file without a machine, or a header file without headers.
  case emptySecretFile(file: String, isNetrc: Bool)
  /// A header or netrc file that exceeds the maximum size.
  case secretFileTooLarge(file: String, limit: Int)
  /// Not a SHA-256 in hexadecimal digits.
  case malformedHash(String)
  /// Resuming requires a cache, or a single resource and a path for its part.
  case resumeNeedsCache
  /// `failsUnchanged` requires a cache to compare with.
  case failUnchangedNeedsCache
  /// The server answered with an error status.
  case status(url: String, status: Int)
  /// The server asks to wait longer than the limit, or than the remaining time.
  case retryAfterTooLong(url: String, status: Int, seconds: Double, limit: Double)
  /// A transfer broke off after `received` of `expected` bytes; the latter may be unknown.
  case endedEarly(url: String, received: UInt64, expected: UInt64?, reason: CurlReason)
  /// A transfer broke off, and the resource had changed when it was resumed. `received` bytes had been sent downstream.
  case changed(url: String, received: UInt64)
  /// The server sent a different range than requested.
  case wrongRange(url: String)
  /// The server announced lengths that differ, or that are not lengths.
  case invalidLength(url: String)
  /// A time limit was exceeded.
  case timedOut(url: String, limit: TimeLimit, seconds: Double, received: UInt64)
  /// The size exceeds `maxBytes`.
  case tooLarge(url: String, limit: UInt64)
  /// The download is complete, but has the wrong hash.
  case wrongHash(expected: String, actual: String, bytes: UInt64)
  /// A cached body changed while it was read.
  case cacheDamaged(path: String)
  /// Too many redirects.
  case tooManyRedirects(url: String, limit: Int)
  /// A redirect to another scheme, or from https to http.
  case redirectNotAllowed(from: String, to: String)
  /// This machine is the reason: it lacks memory, descriptors, or a readable file of certificates.
  case lacksResource(url: String, reason: CurlReason)
  /// The transfer failed for another reason: host not found, connection refused, untrusted certificate.
  case transfer(url: String, reason: CurlReason)
  /// Nothing has changed since the last run, and `failsUnchanged` is set. Not a failure.
  case unchanged

  /// libcurl's error code and message.
  package struct CurlReason: Equatable, Sendable {
    /// The `CURLcode`.
    package var code: Int
    /// libcurl's message.
    package var text: String
    /// Whether a certificate is not trusted.
    package var isUntrusted: Bool { code == 60 }
  }

  /// A time limit.
  package enum TimeLimit: Equatable, Sendable {
    /// Until the connection is established.
    case connect
    /// Without any data transferred.
    case stall
    /// For the whole download, set by the user.
    case total
  }

  /// Whether the source is the cause; a missing library is not its fault.
  package var blamesSource: Bool {
    if case .libraryMissing = self { return false }
    return errorClass.blamesSource
  }

  /// The class of the error.
  package var errorClass: ErrorClass {
    switch self {
    case .malformedURL, .loginInURL, .unsupportedScheme, .malformedHeader, .malformedHeaderLine,
      .malformedNetrcLine, .emptySecretFile, .secretFileTooLarge, .malformedHash, .resumeNeedsCache,
      .failUnchangedNeedsCache:
      .usage
    case .notFound: .noInput
    case .status(_, let status): status == 404 || status == 410 ? .noInput : .unavailable
    case .tooLarge, .wrongHash: .badData
    case .cacheDamaged, .lacksResource, .libraryUnreadable: .inputOutput
    case .libraryMissing, .retryAfterTooLong, .endedEarly, .changed, .wrongRange, .invalidLength, .timedOut,
      .tooManyRedirects,
      .redirectNotAllowed,
      .transfer:
      .unavailable
    // Nothing is wrong, but there is nothing to output.
    case .unchanged: .unchanged
    }
  }
}
