// Downloads that failed, in sentences.

import DownloadStage

enum DownloadMessages {
  static func sentence(_ failure: DownloadError) -> UserMessage {
    switch failure {
    case .libraryMissing(let name, let package):
      UserMessage("cannot use \(name)", hint: "install the package \(package); files need no library")
    case .malformedURL(let url): UserMessage("'\(url)' is no URL that can be fetched")
    case .loginInURL(let url):
      UserMessage(
        "'\(url)' has a user name or password, which everybody on this machine could read",
        hint: "--netrc-file FILE takes them from a file")
    case .unsupportedScheme(let url, let scheme):
      UserMessage("'\(url)': \(scheme) is not supported", hint: "http, https, file, or a plain path")
    case .malformedHeader(let header): UserMessage("'\(header)' is no header", hint: "--header 'Name: value'")
    case .malformedHeaderLine(let file, let line):
      UserMessage("\(file):\(line): this is no header", hint: "a line is 'Name: value', or begins with #")
    case .secretFileTooLarge(let file, let limit):
      UserMessage("'\(file)' is larger than \(ByteSize.text(UInt64(limit))): is it the right file?")
    case .malformedNetrcLine(let file, let line):
      UserMessage(
        "\(file):\(line): this is no line of a netrc file",
        hint: "a line is 'machine HOST login NAME password WORD', or begins with #")
    case .emptySecretFile(let file, let isNetrc):
      isNetrc
        ? UserMessage(
          "'\(file)' names no machine", hint: "a line is 'machine HOST login NAME password WORD'")
        : UserMessage("'\(file)' has no header", hint: "a line is 'Name: value'")
    case .malformedHash(let text):
      UserMessage("'\(text)' is no SHA-256", hint: "64 hex digits, as sha256sum prints them")
    case .resumeNeedsCache:
      UserMessage("'resume' needs a cache to keep the beginning of a transfer in", hint: "--cache DIR")
    case .failUnchangedNeedsCache:
      UserMessage("'fail-unchanged' needs a cache to compare with", hint: "--cache DIR")
    case .status(let url, let status):
      UserMessage(
        "'\(url)': the server answered \(status)",
        hint: status == 401 || status == 403
          ? "--netrc-file FILE or --header-file FILE say who asks" : nil)
    case .retryAfterTooLong(let url, let status, let seconds, let limit):
      UserMessage(
        "'\(url)': the server answered \(status), and asks not to be asked again for \(Figures.seconds(seconds))",
        hint: seconds > limit
          ? "run it again then: no more than \(Figures.seconds(limit)) are waited"
          : "--timeout SECONDS allows more, or run it again then")
    case .changed(let url, let received):
      UserMessage(
        "'\(url)' changed while it was fetched, after \(Figures.grouped(received)) bytes",
        hint: "the next run gets the new one")
    case .wrongRange(let url):
      UserMessage("'\(url)': the transfer broke off, and the server sent another part than the one asked for")
    case .endedEarly(let url, let received, let expected, let reason):
      UserMessage(
        "'\(url)': the transfer ended early, after \(Figures.grouped(received))"
          + (expected.map { " of \(Figures.grouped($0))" } ?? "") + " bytes: \(reason.text)")
    case .timedOut(let url, let limit, let seconds, let received):
      UserMessage(
        "'\(url)': \(what(limit)) within \(Figures.seconds(seconds)), after \(Figures.grouped(received)) bytes",
        hint: "\(option(limit)) SECONDS allows more")
    case .tooLarge(let url, let limit):
      UserMessage("'\(url)' is larger than \(ByteSize.limit(limit))", hint: "--max-size SIZE allows more")
    case .wrongHash(let expected, let actual, let bytes):
      UserMessage(
        "the SHA-256 of the \(Figures.grouped(bytes)) bytes that came is \(actual), not \(expected)",
        hint: "no file was put in place; what went to standard output has gone")
    case .cacheDamaged(let path): UserMessage("'\(path)' changed while it was read", hint: "try again")
    case .tooManyRedirects(let url, let limit): UserMessage("'\(url)': more than \(limit) redirects")
    case .redirectNotAllowed(let from, let to):
      UserMessage("'\(from)' redirects to '\(to)', which is not followed for safety")
    case .transfer(let url, let reason):
      UserMessage(
        "'\(url)': \(reason.text) (curl \(reason.code))",
        hint: reason.isUntrusted ? "--ca-file FILE names whom to trust" : nil)
    case .unchanged: UserMessage("nothing has changed")
    }
  }

  /// What happens on the way, for people who watch.
  static func lines(_ event: DownloadEvent) -> [String] {
    switch event {
    case .retrying(let failure, let seconds, let from):
      [
        "cdpipe download: \(sentence(failure).message)",
        "  trying again in \(Figures.seconds(seconds))"
          + (from > 0 ? ", from byte \(Figures.grouped(from)) on" : ""),
      ]
    case .resumed(let url, let from):
      ["cdpipe download: '\(url)': going on from byte \(Figures.grouped(from))"]
    case .kept(let url, let bytes):
      ["cdpipe download: '\(url)': \(Figures.grouped(bytes)) bytes are kept, --resume goes on from there"]
    case .partIsLocked(let url):
      ["cdpipe download: '\(url)': another run is at the same part; this one starts from the beginning"]
    case .damaged(let url): ["cdpipe download: '\(url)': the copy in the cache is damaged, fetching it anew"]
    case .cacheWriteFailed(let failure):
      ["cdpipe download: not kept for the next time: \(SystemMessages.sentence(failure).message)"]
    case .unchanged: ["cdpipe download: nothing has changed"]
    }
  }

  private static func option(_ limit: DownloadError.TimeLimit) -> String {
    switch limit {
    case .connect: "--connect-timeout"
    case .stall: "--idle-timeout"
    case .total: "--timeout"
    }
  }

  private static func what(_ limit: DownloadError.TimeLimit) -> String {
    switch limit {
    case .connect: "no connection"
    case .stall: "no byte came"
    case .total: "not done"
    }
  }
}

extension Figures {
  /// `10`, `2.5`
  static func plain(_ value: Double) -> String {
    value.rounded() == value ? String(Int(value)) : ByteSize.tenths(value)
  }

  /// `30 s`
  static func seconds(_ value: Double) -> String {
    "\(plain(value)) s"
  }
}
