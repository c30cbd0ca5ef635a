// What the user may choose about a download.

/// What the user may choose about a download.
public struct DownloadOptions: Sendable {
  /// What to get, in order: `http://`, `https://` and `file://` URLs, and paths of files (anything without
  /// `scheme://`; `-` is standard input). They come out one behind the other, with nothing put between.
  public var resources: [String]
  /// How often a transfer that failed for a passing reason is tried again. One that got further by
  /// `progressBytes` (1 MiB) in between may be tried as often again.
  public var retries = 3
  /// Seconds until a connection must stand.
  public var connectTimeoutSeconds = 30.0
  /// Seconds without a byte until a transfer is given up; looked at about once a second.
  public var idleTimeoutSeconds = 60.0
  /// Seconds that the whole download may take, attempts and waits together; nil for no limit.
  public var timeoutSeconds: Double?
  /// The most bytes that may come out, all resources together; nil for no limit.
  public var maxBytes: UInt64?
  /// The SHA-256 in hex of all that comes out; nil for any.
  public var sha256: String?
  /// Header lines for every request over http and https, as `Name: value`. `Authorization` and `Cookie` are
  /// not sent on to another host that a server redirects to.
  public var headers: [String] = []
  /// A file of header lines: secrets, which are sent to the hosts of the URLs alone. Empty lines and those that
  /// begin with `#` are passed over.
  public var headerFile: String?
  /// A netrc file: user names and passwords by host.
  public var netrcFile: String?
  /// Certificates to trust in place of the system's, in PEM.
  public var caFile: String?
  /// How requests name this program, in place of its own name.
  public var userAgent: String?
  /// The directory that keeps bodies of web resources between runs, and is made if it is missing; nil for none.
  ///
  /// Each is asked for every time, with `If-None-Match` and `If-Modified-Since`, and a server that answers 304
  /// need not send it again. `Cache-Control` and `Expires` change nothing about that, except `no-store`, which
  /// keeps a body out. Only whole answers with status 200 are kept, once downstream has taken everything and
  /// ended well. A kept body whose hash is wrong is fetched anew. Files are not cached.
  public var cacheDirectory: String?
  /// Whether the download fails with ``DownloadError/unchanged`` when all it was asked for is what the cache
  /// had: by a 304, which sends nothing downstream, or by the same bytes. Files count as changed.
  public var failsUnchanged = false
  /// Whether a transfer that breaks off leaves its beginning behind, and goes on with what an earlier run left,
  /// if the server says that it is still the same (`If-Range`). Wants a cache, or a path for one resource's part.
  public var resumes = false
  /// Without a cache, where the beginning stays: a name that no file of the user's has.
  public var partialPath: String?
  /// Is told what happens on the way, in the thread of the download.
  public var observe: (@Sendable (DownloadEvent) -> Void)?
  /// The version that the user agent names.
  public var version = "0"

  /// Makes options for some resources.
  public init(_ resources: [String]) {
    self.resources = resources
  }

  /// What stands in `User-Agent`.
  var userAgentSent: String { userAgent ?? "cdpipe/\(version)" }
}

/// What is fixed about a download, and why.
enum DownloadLimits {
  /// What browsers and curl deferBody to, near enough; longer chains are loops.
  static let redirectsMax = 10
  /// The wait before the first retry; each further one is twice as long.
  static let backOffSecondsFirst = 1.0
  /// No wait of our own choice is longer.
  static let backOffSecondsMax = 60.0
  /// A server that asks for a longer wait is not waited for: that is a matter for the next run.
  static let retryAfterSecondsMax = 600.0
  /// A line that breaks now and then still brings a large file; one that brings only crumbs does not go on forever.
  static let progressBytes: UInt64 = 1024 * 1024
  /// How often a part's record is written: what a kill can cost, against a rename.
  static let checkpointSeconds = 1.0
  /// The page that comes with a redirect or a responseError is read up to here, which saves a connection; a longer
  /// one is cut off, and a redirect with such a page is not followed.
  static let discardedBytesMax = 1024 * 1024
  /// Some headers, or logins, and comments; libcurl takes no more in one request either, near enough.
  static let secretFileBytesMax = 64 * 1024
  /// libcurl rounds its time limit down to milliseconds and looks at another clock than we do.
  static let deadlineSlackSeconds = 0.05
}
