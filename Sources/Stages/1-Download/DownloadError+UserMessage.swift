// Messages for errors of downloads.

package import Records
import SystemIO
import SystemPackage

extension DownloadError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .libraryMissing(let name, let package):
      UserMessage("cannot load \(name)", hint: "install the package \(package); local files need no library")
    case .libraryUnreadable(let error): error.userMessage(of: .download)
    case .notFound(let name): Self.notFound(name)
    case .malformedURL(let url): UserMessage("'\(url)' is not a fetchable URL")
    case .loginInURL(let url): Self.loginInURL(url)
    case .unsupportedScheme(let url, let scheme):
      UserMessage("'\(url)': \(scheme) is not supported", hint: "use http, https, file, or a plain path")
    case .malformedHeader(let header):
      UserMessage("'\(Self.name(ofHeader: header))' is not a header", hint: "use --header 'Name: value'")
    case .malformedHeaderLine(let file, let line):
      UserMessage("\(file):\(line): not a header", hint: "write 'Name: value', or start a comment with #")
    case .secretFileTooLarge(let file, let limit):
      UserMessage("'\(file)' is larger than \(Figures.bytes(limit)): is it the right file?")
    case .malformedNetrcLine(let file, let line): Self.malformedNetrc(file, line)
    case .emptySecretFile(let file, let isNetrc): Self.emptyFile(file, isNetrc: isNetrc)
    case .malformedHash(let text):
      UserMessage("'\(text)' is not a SHA-256", hint: "use 64 hex digits, as sha256sum prints them")
    case .resumeNeedsCache:
      UserMessage("'resume' needs a cache for partial transfers", hint: "add --cache DIR")
    case .failUnchangedNeedsCache:
      UserMessage("'fail-unchanged' needs a cache to compare with", hint: "add --cache DIR")
    case .status(let url, let status): Self.refused(url, status)
    case .retryAfterTooLong(let url, let status, let seconds, let limit):
      Self.retryAfterTooLong(url, status, seconds, max: limit)
    case .changed(let url, let received):
      UserMessage(
        "'\(url)' changed during the transfer, after \(Figures.grouped(received)) bytes",
        hint: "run it again to fetch the new content")
    case .wrongRange(let url):
      UserMessage(
        "'\(url)': the transfer was interrupted, and the server sent a different part than requested")
    case .endedEarly(let url, let received, let expected, let reason):
      Self.endedEarly(url, received, expected, reason)
    case .invalidLength(let url):
      UserMessage("'\(url)': the server announced several lengths, or an invalid one")
    case .timedOut(let url, let limit, let seconds, let received):
      Self.timedOut(url, limit, seconds, received)
    case .tooLarge(let url, let limit):
      UserMessage(
        "'\(url)' is larger than \(Figures.byteLimit(limit))", hint: "allow more with --max-size SIZE")
    case .wrongHash(let expected, let actual, let bytes):
      UserMessage(
        "the SHA-256 of the \(Figures.grouped(bytes)) bytes received is \(actual), not \(expected)",
        hint: "no file was replaced; discard what was written to standard output")
    case .cacheDamaged(let path): UserMessage("'\(path)' changed while it was read", hint: "run it again")
    case .tooManyRedirects(let url, let limit): UserMessage("'\(url)': more than \(limit) redirects")
    case .redirectNotAllowed(let from, let to):
      UserMessage("'\(from)' redirects to '\(to)', which is not followed for safety")
    case .lacksResource(let url, let reason):
      Self.failed(
        url, reason, "this machine is the cause: check its memory, 'ulimit -n' and its file of certificates")
    case .transfer(let url, let reason):
      Self.failed(url, reason, reason.isUntrusted ? "name the trusted certificates with --ca-file FILE" : nil)
    case .unchanged: UserMessage("nothing has changed")
    }
  }

  private static func timedOut(
    _ url: String, _ limit: TimeLimit, _ seconds: Double, _ received: UInt64
  ) -> UserMessage {
    UserMessage(
      "'\(url)': \(limit.clause) within \(Figures.seconds(seconds)), after \(Figures.grouped(received)) bytes",
      hint: "allow more with \(limit.option) SECONDS")
  }

  private static func notFound(_ name: String) -> UserMessage {
    let error = SystemError(.openInput, name, .noSuchFileOrDirectory)
    return UserMessage(error.userMessage.message, hint: "if it is a URL, start it with https://")
  }

  private static func failed(_ url: String, _ reason: CurlReason, _ hint: String?) -> UserMessage {
    UserMessage("'\(url)': \(reason.text) (curl \(reason.code))", hint: hint)
  }

  private static func endedEarly(
    _ url: String, _ received: UInt64, _ expected: UInt64?, _ reason: CurlReason
  ) -> UserMessage {
    UserMessage(
      "'\(url)': the transfer ended early, after \(Figures.grouped(received))"
        + (expected.map { " of \(Figures.grouped($0))" } ?? "") + " bytes: \(reason.text)")
  }

  private static func emptyFile(_ file: String, isNetrc: Bool) -> UserMessage {
    isNetrc
      ? UserMessage("'\(file)' lists no machine", hint: "write 'machine HOST login NAME password WORD'")
      : UserMessage("'\(file)' has no header", hint: "write 'Name: value'")
  }

  private static func refused(_ url: String, _ status: Int) -> UserMessage {
    UserMessage(
      "'\(url)': the server answered \(status)",
      hint: status == 401 || status == 403 ? "log in with --netrc-file FILE or --header-file FILE" : nil)
  }

  /// The name in a malformed header; the rest may be a secret.
  private static func name(ofHeader header: String) -> String {
    let name = header.prefix { $0 != ":" && !$0.isWhitespace }
    return name.count == header.count ? header : name + "…"
  }

  private static func loginInURL(_ url: String) -> UserMessage {
    UserMessage(
      "'\(url)' contains a user name or password, which every user of this machine can see",
      hint: "put them in a file and use --netrc-file FILE")
  }

  private static func malformedNetrc(_ file: String, _ line: Int) -> UserMessage {
    UserMessage(
      "\(file):\(line): not a line of a netrc file",
      hint: "write 'machine HOST login NAME password WORD', or start a comment with #")
  }

  private static func retryAfterTooLong(
    _ url: String, _ status: Int, _ seconds: Double, max: Double
  ) -> UserMessage {
    UserMessage(
      "'\(url)': the server answered \(status): retry after \(Figures.seconds(seconds))",
      hint: seconds > max
        ? "run it again then: cdpipe waits at most \(Figures.seconds(max))"
        : "allow more with --timeout SECONDS, or run it again then")
  }
}

extension DownloadError.TimeLimit {
  fileprivate var option: String {
    switch self {
    case .connect: "--connect-timeout"
    case .stall: "--idle-timeout"
    case .total: "--timeout"
    }
  }

  fileprivate var clause: String {
    switch self {
    case .connect: "no connection"
    case .stall: "no data arrived"
    case .total: "not finished"
    }
  }
}

extension DownloadEvent {
  /// The event as lines.
  package var lines: [String] {
    switch self {
    case .retrying(let error, let seconds, let from):
      [
        "\(error.userMessage.message)",
        "trying again in \(Figures.seconds(seconds))"
          + (from > 0 ? ", from byte \(Figures.grouped(from))" : ""),
      ]
    case .resumed(let url, let from):
      ["'\(url)': resuming from byte \(Figures.grouped(from))"]
    case .kept(let url, let bytes):
      ["'\(url)': kept \(Figures.grouped(bytes)) bytes; --resume continues from there"]
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
