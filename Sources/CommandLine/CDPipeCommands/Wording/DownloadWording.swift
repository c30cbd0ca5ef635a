// Downloads that failed, in sentences.

import DownloadStage

enum DownloadWording {
  static func sentence(_ failure: DownloadFailure) -> Sentence {
    switch failure {
    case .libraryMissing(let name, let package):
      Sentence("cannot use \(name)", hint: "install the package \(package); files need no library")
    case .malformedURL(let url): Sentence("'\(url)' is no URL that can be fetched")
    case .unsupportedScheme(let url, let scheme):
      Sentence("'\(url)': \(scheme) is not supported", hint: "http, https, file, or a plain path")
    case .malformedHeader(let header): Sentence("'\(header)' is no header", hint: "--header 'Name: value'")
    case .status(let url, let status): Sentence("'\(url)': the server answered \(status)")
    case .endedEarly(let url, let received, let expected, let reason):
      Sentence(
        "'\(url)': the transfer ended early, after \(Figures.grouped(received))"
          + (expected.map { " of \(Figures.grouped($0))" } ?? "") + " bytes: \(reason.text)")
    case .timedOut(let url, let limit, let seconds, let received):
      Sentence(
        "'\(url)': \(what(limit)) within \(Figures.seconds(seconds)), after \(Figures.grouped(received)) bytes",
        hint: limit == .total ? "--timeout SECONDS allows more" : nil)
    case .tooLarge(let url, let limit):
      Sentence("'\(url)' is larger than \(ByteSize.text(limit))", hint: "--max-size SIZE allows more")
    case .tooManyRedirects(let url, let limit): Sentence("'\(url)': more than \(limit) redirects")
    case .redirectRefused(let from, let to):
      Sentence("'\(from)' redirects to '\(to)', which is not followed for safety")
    case .transfer(let url, let reason): Sentence("'\(url)': \(reason.text) (curl \(reason.code))")
    }
  }

  private static func what(_ limit: DownloadFailure.TimeLimit) -> String {
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
