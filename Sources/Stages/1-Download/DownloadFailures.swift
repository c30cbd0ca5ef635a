// Why a download fails: the sentences, and the classes that decide the exit status. URLs are without user name, password
// and query. A file that can't be opened or read is a SystemError instead.

import Records
import SystemIO
import SystemPackage

extension Failure {
  private static func misuse(_ code: String, _ text: String, hint: String? = nil) -> Failure {
    Failure(.download, .usage, code, text, hint: hint)
  }

  /// Not a URL, or a file URL with another host or a name that is not text.
  static func malformedURL(_ url: String) -> Failure {
    misuse("malformed-url", "'\(url)' is not a fetchable URL")
  }

  /// Every process on the machine could read the login, unless the URL is in a pipeline file.
  static func loginInURL(_ url: String, isInFile: Bool = false) -> Failure {
    isInFile
      ? misuse(
        "login-in-url", "'\(url)' contains a user name or password",
        hint: "put them in a file, and name it with 'download: { netrc-file: FILE }'")
      : misuse(
        "login-in-url", "'\(url)' contains a user name or password, which every user of this machine can see",
        hint: "put them in a file and use \(option: "netrc-file", "FILE")")
  }

  static func unsupportedScheme(url: String, scheme: String) -> Failure {
    misuse(
      "unsupported-scheme", "'\(url)': \(scheme) is not supported",
      hint: "use http, https, file, or a plain path")
  }

  /// Shows only the name in the header; the rest may be a secret.
  static func malformedHeader(_ header: String) -> Failure {
    let name = header.prefix { $0 != ":" && !$0.isWhitespace }
    let shown = name.count == header.count ? header : name + "…"
    return misuse(
      "malformed-header", "'\(shown)' is not a header", hint: "use \(option: "header", "'Name: value'")")
  }

  /// The line itself may be a secret.
  static func malformedHeaderLine(file: String, line: Int) -> Failure {
    misuse(
      "malformed-header-line", "\(file):\(line): not a header",
      hint: "write 'Name: value', or start a comment with #")
  }

  static func malformedNetrcLine(file: String, line: Int) -> Failure {
    misuse(
      "malformed-netrc-line", "\(file):\(line): not a line of a netrc file",
      hint: "write 'machine HOST login NAME password WORD', or start a comment with #")
  }

  static func emptySecretFile(file: String, isNetrc: Bool) -> Failure {
    isNetrc
      ? misuse(
        "empty-secret-file", "'\(file)' lists no machine",
        hint: "write 'machine HOST login NAME password WORD'")
      : misuse("empty-secret-file", "'\(file)' has no header", hint: "write 'Name: value'")
  }

  static func secretFileTooLarge(file: String) -> Failure {
    misuse(
      "secret-file-too-large",
      "'\(file)' is larger than \(Figures.bytes(DownloadLimits.secretFileBytesMax)): is it the right file?")
  }

  static func malformedHash(_ text: String) -> Failure {
    misuse(
      "malformed-hash", "'\(text)' is not a SHA-256", hint: "use 64 hex digits, as sha256sum prints them")
  }

  static var resumeNeedsCache: Failure {
    misuse(
      "resume-needs-cache", "'resume' needs a cache for partial transfers",
      hint: "add \(option: "cache", "DIR")")
  }

  static var failUnchangedNeedsCache: Failure {
    misuse(
      "fail-unchanged-needs-cache", "'fail-unchanged' needs a cache to compare with",
      hint: "add \(option: "cache", "DIR")")
  }

  /// A file that does not exist, whose name was probably meant as a URL. The name is without what may be a secret.
  static func notFound(name: String) -> Failure {
    let error = SystemError(.openInput, name, .noSuchFileOrDirectory)
    return Failure(
      .download, .noInput, "not-found", error.userMessage.message,
      hint: "if it is a URL, start it with https://")
  }

  // MARK: - The transfer failed

  private static func unavailable(_ code: String, _ text: String, hint: String? = nil) -> Failure {
    Failure(.download, .unavailable, code, text, hint: hint)
  }

  /// libcurl is not installed under its default name, or can't be used. The package is Debian's; most other systems use a
  /// similar name.
  static func curlMissing(name: String) -> Failure {
    Failure(
      .download, .unavailable, "library-missing", "cannot load \(name)",
      hint: "install the package libcurl4; local files need no library", blamesSource: false)
  }

  static func status(url: String, status: Int) -> Failure {
    Failure(
      .download, status == 404 || status == 410 ? .noInput : .unavailable, "status",
      "'\(url)': the server answered \(status)",
      hint: status == 401 || status == 403
        ? "log in with \(option: "netrc-file", "FILE") or \(option: "header-file", "FILE")" : nil)
  }

  /// The server asks to wait longer than the limit, or than the remaining time, in an answer that is a failure.
  static func retryAfterTooLong(_ answer: Failure, seconds: Double) -> Failure {
    let limit = DownloadLimits.retryAfterSecondsMax
    return unavailable(
      "retry-after-too-long", "\(answer.message.message): retry after \(Figures.seconds(seconds))",
      hint: seconds > limit
        ? "run it again then: cdpipe waits at most \(Figures.seconds(limit))"
        : "allow more with \(option: "timeout", "SECONDS"), or run it again then")
  }

  /// A transfer broke off after `received` of `expected` bytes; the latter may be unknown.
  static func endedEarly(
    url: String, received: UInt64, expected: UInt64?, reason: CurlHandle.Reason
  ) -> Failure {
    unavailable(
      "ended-early",
      "'\(url)': the transfer ended early, after \(Figures.grouped(received))"
        + (expected.map { " of \(Figures.grouped($0))" } ?? "") + " bytes: \(reason.text)")
  }

  /// A transfer broke off, and the resource had changed when it was resumed. `received` bytes had been sent downstream.
  static func changed(url: String, received: UInt64) -> Failure {
    unavailable(
      "changed", "'\(url)' changed during the transfer, after \(Figures.grouped(received)) bytes",
      hint: "run it again to fetch the new content")
  }

  static func wrongRange(url: String) -> Failure {
    unavailable(
      "wrong-range",
      "'\(url)': the transfer was interrupted, and the server sent a different part than requested")
  }

  static func invalidLength(url: String) -> Failure {
    unavailable("invalid-length", "'\(url)': the server announced several lengths, or an invalid one")
  }

  static func timedOut(
    url: String, limit: WebClient.TimeLimit, seconds: Double, received: UInt64
  ) -> Failure {
    let (clause, option) =
      switch limit {
      case .connect: ("no connection", "\(option: "connect-timeout")")
      case .stall: ("no data arrived", "\(option: "idle-timeout")")
      case .total: ("not finished", "\(option: "timeout")")
      }
    return unavailable(
      "timed-out",
      "'\(url)': \(clause) within \(Figures.seconds(seconds)), after \(Figures.grouped(received)) bytes",
      hint: "allow more with \(option) SECONDS")
  }

  static func tooManyRedirects(url: String, limit: Int) -> Failure {
    unavailable("too-many-redirects", "'\(url)': more than \(limit) redirects")
  }

  /// A redirect to another scheme, or from https to http.
  static func redirectNotAllowed(from: String, to: String) -> Failure {
    unavailable("redirect-not-allowed", "'\(from)' redirects to '\(to)', which is not followed for safety")
  }

  /// This machine is the reason: it lacks memory, descriptors, or a readable file of certificates.
  static func lacksResource(url: String, reason: CurlHandle.Reason) -> Failure {
    Failure(
      .download, .inputOutput, "lacks-resource", "'\(url)': \(reason.text) (curl \(reason.code))",
      hint: "this machine is the cause: check its memory, 'ulimit -n' and its file of certificates")
  }

  /// Another reason: host not found, connection refused, untrusted certificate.
  static func transfer(url: String, reason: CurlHandle.Reason) -> Failure {
    unavailable(
      "transfer", "'\(url)': \(reason.text) (curl \(reason.code))",
      hint: reason.isUntrusted ? "name the trusted certificates with \(option: "ca-file", "FILE")" : nil)
  }

  // MARK: - The bytes are not the expected ones

  /// Whether bytes that were kept of a resource are useless after this failure.
  var spoilsDownload: Bool {
    stage == .download && ["too-large", "changed", "wrong-range", "cache-damaged"].contains(code)
  }

  var isWrongHash: Bool { stage == .download && code == "wrong-hash" }

  static func tooLarge(url: String, limit: UInt64) -> Failure {
    Failure(
      .download, .badData, "too-large", "'\(url)' is larger than \(Figures.byteLimit(limit))",
      hint: "allow more with \(option: "max-size", "SIZE")")
  }

  static func wrongHash(expected: String, actual: String, bytes: UInt64) -> Failure {
    Failure(
      .download, .badData, "wrong-hash",
      "the SHA-256 of the \(Figures.grouped(bytes)) bytes received is \(actual), not \(expected)",
      hint: "no file was replaced; discard what was written to standard output")
  }

  static func cacheDamaged(path: String) -> Failure {
    Failure(
      .download, .inputOutput, "cache-damaged", "'\(path)' changed while it was read", hint: "run it again")
  }

  /// Nothing has changed since the last run, and `failsUnchanged` is set: nothing is wrong, but there is no output.
  static var downloadUnchanged: Failure {
    Failure(.download, .unchanged, "unchanged", "nothing has changed")
  }
}
