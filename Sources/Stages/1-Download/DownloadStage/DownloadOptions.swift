// What the user may choose about a download.

/// What the user may choose about a download.
public struct DownloadOptions: Sendable {
  /// What to get, in order: `http://`, `https://` and `file://` URLs, and paths of files (anything without
  /// `scheme://`; `-` is standard input). They come out one behind the other, with nothing put between.
  public var resources: [String]
  /// How often a transfer that failed for a passing reason is tried again.
  public var retries = 3
  /// Seconds that the whole download may take, attempts and waits together; nil for no limit.
  public var timeoutSeconds: Double?
  /// The most bytes that may come out, all resources together; nil for no limit.
  public var maxBytes: UInt64?
  /// Header lines for every request over http and https, as `Name: value`. `Authorization` and `Cookie` are
  /// not sent on to another host that a server redirects to.
  public var headers: [String] = []
  /// The version that the user agent names.
  public var version = "0"

  /// Makes options for some resources.
  public init(_ resources: [String]) {
    self.resources = resources
  }

  /// How requests name this program.
  var userAgent: String { "cdpipe/\(version)" }
}

/// What is fixed about a download, and why.
enum DownloadLimits {
  /// What browsers and curl hold to, near enough; longer chains are loops.
  static let redirectsMax = 10
  /// Longer than any network that works needs, packets lost on the way included.
  static let connectSecondsMax = 30
  /// Below `stallBytesPerSecond` for so long, a transfer will not come back by itself.
  static let stallSeconds = 60
  /// Anything that still moves is left alone.
  static let stallBytesPerSecond = 1
  /// The wait before the first retry; each further one is twice as long.
  static let backOffSecondsFirst = 1.0
  /// No wait of our own choice is longer.
  static let backOffSecondsMax = 60.0
  /// A server that asks for a longer wait is not waited for: that is a matter for the next run.
  static let retryAfterSecondsMax = 600.0
  /// The page that comes with a redirect or a refusal is read up to here, which saves a connection; a longer
  /// one is cut off, and a redirect with such a page is not followed.
  static let discardedBytesMax = 1024 * 1024
  /// libcurl rounds its time limit down to milliseconds and looks at another clock than we do.
  static let deadlineSlackSeconds = 0.05
}
