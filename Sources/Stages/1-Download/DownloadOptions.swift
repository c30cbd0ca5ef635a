// `download` as the input of a pipeline: its options, limits and events.

package import Records
package import SystemIO

package struct DownloadOptions: Sendable {
  /// The resources, in order: `http://`, `https://` and `file://` URLs, and file paths (anything without `scheme://`;
  /// `-` is standard input). They are output one after another, with nothing in between.
  package var resources: [String]
  /// How often a transfer that failed temporarily is retried. After `progressBytes` (1 MiB) of progress the count
  /// starts again.
  package var retries = 3
  /// The seconds until a connection must be established.
  package var connectTimeoutSeconds = 30.0
  /// The seconds without data until a transfer is aborted; checked about once a second.
  package var idleTimeoutSeconds = 60.0
  /// The seconds for the whole download, including attempts and waits; nil for no limit.
  package var timeoutSeconds: Double?
  /// The maximum bytes of output for all resources together; nil for no limit.
  package var maxBytes: UInt64?
  /// The expected SHA-256 of all output, in hexadecimal digits; nil for any.
  package var sha256: String?
  /// Header lines for every http and https request, as `Name: value`. `Authorization` and `Cookie` are not forwarded to
  /// another host on a redirect.
  package var headers: [String] = []
  /// A file of secret header lines, which are only sent to the hosts of the URLs. Empty lines and lines that begin with
  /// `#` are ignored.
  package var headerFile: String?
  /// A netrc file: user names and passwords by host.
  package var netrcFile: String?
  /// A PEM file of certificates to trust instead of the system's; nil for the file that the environment names in
  /// `SSL_CERT_FILE`, if any, or else the system's.
  package var caFile: String?
  /// The user agent, instead of the program's name and version.
  package var userAgent: String?
  /// The directory in which bodies of web resources are cached between runs, created if it is missing; nil for none.
  ///
  /// Every resource is requested in every run, with `If-None-Match` and `If-Modified-Since`, so that the server can
  /// answer 304 instead of sending it again. `Cache-Control` and `Expires` don't change that, except that `no-store`
  /// keeps a body out of the cache. Only complete responses with status 200 are stored, and only after downstream has
  /// finished without error. A cached body with the wrong hash is fetched again. Files are not cached.
  package var cacheDirectory: String?
  /// Whether the download fails (``ErrorClass/unchanged``) if all resources are the same as in the cache:
  /// because of a 304, in which case nothing is sent downstream, or byte by byte. Files count as changed.
  package var failsUnchanged = false
  /// Whether an interrupted transfer keeps its first part, and resumes from the part of an earlier run if the server
  /// confirms that the resource is unchanged (`If-Range`). Requires a cache, or a path for the part of a single
  /// resource.
  package var resumes = false
  /// The path of the part without a cache. Nothing else may use that name.
  package var partialPath: String?
  /// Called for every event, in the thread of the download.
  package var observe: (@Sendable (DownloadEvent) -> Void)?
  /// The version in the default user agent.
  package var version = "0"

  /// The time that a command allows by default: a server that sends a byte a minute must not hold a nightly run for
  /// ever.
  package static let defaultTimeoutSeconds = 3600.0
  /// The size that a command allows by default, like unzip: a billion rows.
  package static let defaultMaxBytes: UInt64 = 64 << 30

  package init(_ resources: [String]) { self.resources = resources }
  var userAgentSent: String { userAgent ?? "cdpipe/\(version)" }
}

/// The fixed limits of a download, with their reasons.
enum DownloadLimits {
  /// About the same as in browsers and curl; longer chains are loops.
  static let redirectsMax = 10
  /// The wait before the first retry; it doubles with each retry.
  static let backOffSecondsFirst = 1.0
  /// The maximum wait, unless the server asks for more.
  static let backOffSecondsMax = 60.0
  /// If a server asks for a longer wait, the run fails, and the next run tries again.
  static let retryAfterSecondsMax = 600.0
  /// With this much progress per attempt retries don't count, so that a large file arrives over an unreliable
  /// connection.
  static let progressBytes: UInt64 = 1024 * 1024
  /// The interval of writing a part's metadata: what a killed process can lose, against the cost of a rename.
  static let checkpointSeconds = 1.0
  /// The page of a redirect or an error response is read up to this size, which keeps the connection open; a longer one
  /// is cut off, and a redirect with such a page is not followed.
  static let discardedBytesMax = 1024 * 1024
  /// Enough for some headers or logins and comments; libcurl's limit per request is about the same.
  static let secretFileBytesMax = 64 * 1024
  /// libcurl rounds its time limit down to milliseconds, and uses a different clock.
  static let deadlineSlackSeconds = 0.05
}

extension StageName {
  package static let download = StageName(rawValue: "download")
}

extension DownloadOptions: InputPlan {
  package var name: StageName { .download }
  /// The first resource without secrets, for messages and reports.
  package var displayName: String { resources.first.map { URLRedaction.resource($0) } ?? "-" }

  /// Checks the resources without fetching them: each is a path, or a URL that a download accepts. With `isInFile`, they
  /// come from a pipeline file.
  package func checkResources(isInFile: Bool = false) throws(Failure) {
    for text in resources { _ = try Resource(text, isInFile: isInFile) }
  }

  package func run(_ environment: StageEnvironment, into downstream: any ByteSink) throws(Failure) {
    var options = self
    if let notify = environment.notify { options.observe = { notify($0) } }
    try Downloader(options: options, context: environment.context, downstream: downstream).run()
  }
}

package enum DownloadEvent: StageNotice, Sendable {
  /// A URL or a file is going to be read. A detail.
  case opening(name: String)
  /// A transfer failed temporarily; it is retried after a wait, from the given byte on.
  case retrying(Failure, seconds: Double, from: UInt64)
  /// The download resumes after the bytes of an earlier run.
  case resumed(url: String, from: UInt64)
  /// The run fails, and this many bytes are kept for `resumes`.
  case kept(url: String, bytes: UInt64)
  /// Another run has locked the part: this one neither uses nor keeps a part.
  case partIsLocked(url: String)
  /// The server reported no change, but the cached body is damaged: it is fetched again.
  case damaged(url: String)
  /// The cache or the part can't be written. The download continues without it.
  case cacheWriteFailed(SystemError)
  /// `failsUnchanged` ends the run.
  case unchanged

  package var isDetail: Bool { if case .opening = self { true } else { false } }

  package var lines: [String] {
    switch self {
    case .opening(let name): [InputText.reading(name)]
    case .retrying(let error, let seconds, let from):
      [
        "\(error.message.message)",
        "trying again in \(Figures.seconds(seconds))"
          + (from > 0 ? ", from byte \(Figures.grouped(from))" : ""),
      ]
    case .resumed(let url, let from):
      ["'\(url)': resuming from byte \(Figures.grouped(from))"]
    case .kept(let url, let bytes):
      ["'\(url)': kept \(Figures.grouped(bytes)) bytes; \(option: "resume") continues from there"]
    case .partIsLocked(let url):
      ["'\(url)': another run is resuming this transfer; starting from the beginning"]
    case .damaged(let url):
      ["'\(url)': the cached copy is damaged; downloading it again"]
    case .cacheWriteFailed(let error):
      ["the partial transfer was not kept: \(error.userMessage.message)"]
    case .unchanged: ["nothing has changed"]
    }
  }
}
