// What the user asked to download, told apart: a file on this machine, or a URL for libcurl.
//
// Not for: judging a URL's host and path, which is libcurl's.

/// What the user asked to download.
enum Resource: Equatable {
  case file(String)
  case web(WebURL)

  init(_ text: String) throws(DownloadError) {
    guard let mark = WebURL.schemeEnd(text) else {
      self = .file(text)
      return
    }
    let scheme = text[..<mark].lowercased()
    switch scheme {
    case "http", "https":
      let url = try WebURL(text)
      if url.hasLogin { throw .loginInURL(url.redacted) }
      self = .web(url)
    case "file":
      self = .file(try Self.path(ofFileURL: text, from: text.index(mark, offsetBy: 3)))
    default:
      throw .unsupportedScheme(url: text, scheme: scheme)
    }
  }

  /// The path in a file URL (RFC 8089): the host may be empty or `localhost`, `%` and two hex digits stand
  /// for a byte, and a query or a fragment is no part of the path.
  private static func path(ofFileURL url: String, from start: String.Index) throws(DownloadError) -> String {
    let rest = url[start...].prefix { $0 != "?" && $0 != "#" }
    guard let slash = rest.firstIndex(of: "/") else { throw .malformedURL(url) }
    let host = rest[..<slash].lowercased()
    guard host.isEmpty || host == "localhost" else { throw .malformedURL(url) }

    var bytes: [UInt8] = []
    var encoded = rest[slash...].utf8.makeIterator()
    while let byte = encoded.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = encoded.next().flatMap(hexDigit), let low = encoded.next().flatMap(hexDigit) else {
        throw .malformedURL(url)
      }
      bytes.append(high << 4 | low)
    }
    // A name can't deferBody a zero byte, and an InputFile's path is text.
    guard !bytes.contains(0), let path = String(validating: bytes, as: UTF8.self) else {
      throw .malformedURL(url)
    }
    return path
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// An http or https URL, cut only as far as redirects need it.
struct WebURL: Equatable {
  /// The whole of it, as libcurl gets it.
  let text: String
  let isSecure: Bool
  /// `user:password`, as it stands before the `@`.
  private let login: String?
  /// Lower case, with the port if one is written.
  private let host: String
  /// What comes behind the host.
  private let rest: String

  init(_ text: String) throws(DownloadError) {
    guard let mark = Self.schemeEnd(text) else { throw .malformedURL(text) }
    let scheme = text[..<mark].lowercased()
    guard scheme == "http" || scheme == "https" else {
      throw .unsupportedScheme(url: text, scheme: scheme)
    }
    isSecure = scheme == "https"
    let behind = text[text.index(mark, offsetBy: 3)...]
    let authority = behind.prefix { $0 != "/" && $0 != "?" && $0 != "#" && $0 != "\\" }
    if let at = authority.lastIndex(of: "@") {
      login = String(authority[..<at])
      host = authority[authority.index(after: at)...].lowercased()
    } else {
      login = nil
      host = authority.lowercased()
    }
    rest = String(behind[authority.endIndex...])
    self.text = text
    guard !host.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw .malformedURL(redacted)
    }
  }

  private init(scheme: String, login: String?, host: String, rest: String) {
    isSecure = scheme == "https"
    self.login = login
    self.host = host
    self.rest = rest
    text = "\(scheme)://\(login.map { "\($0)@" } ?? "")\(host)\(rest)"
  }

  private var scheme: String { isSecure ? "https" : "http" }

  /// Whether a user name or a password stands in it.
  var hasLogin: Bool { login != nil }

  /// The URL as far as a server sees it.
  var withoutFragment: String { String(text.prefix { $0 != "#" }) }

  /// The URL without its query, which for some servers holds a signature that is new each time.
  var withoutQuery: String { String(text.prefix { $0 != "?" && $0 != "#" }) }

  /// The URL without user name and password, for messages.
  var redacted: String { login == nil ? text : "\(scheme)://\(host)\(rest)" }

  /// Where `://` begins behind a scheme, if the text begins with one (RFC 3986, 3.1).
  static func schemeEnd(_ text: String) -> String.Index? {
    let scheme = text.prefix {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+" || $0 == "-" || $0 == ".")
    }
    guard let first = scheme.first, first.isLetter, text[scheme.endIndex...].hasPrefix("://") else {
      return nil
    }
    return scheme.endIndex
  }

  /// Whether what was meant for one of them may go to the other as well: the same scheme, host and port.
  func sharesOrigin(with other: WebURL) -> Bool {
    isSecure == other.isSecure && host == other.host
  }

  /// The URL that a redirect leads to. From https only to https, and only ever to http or https; user name
  /// and password go along within a host and nowhere else.
  func redirected(to location: String) throws(DownloadError) -> WebURL {
    let target: WebURL
    do throws(DownloadError) {
      target = try WebURL(location)
    } catch {
      throw .redirectNotAllowed(from: redacted, to: location)
    }
    if isSecure && !target.isSecure { throw .redirectNotAllowed(from: redacted, to: target.redacted) }
    guard sharesOrigin(with: target) else { return target }
    return WebURL(scheme: target.scheme, login: target.login ?? login, host: target.host, rest: target.rest)
  }
}
