// Distinguishes the resources to download: a local file, or a URL for libcurl.

import Records
import SystemIO

enum Resource: Equatable {
  case file(String)
  case web(WebURL)

  /// With `isInFile`, the text comes from a pipeline file.
  init(_ text: String, isInFile: Bool = false) throws(Failure) {
    guard let mark = WebURL.schemeEnd(text) else {
      self = .file(text)
      return
    }
    let scheme = text[..<mark].lowercased()
    switch scheme {
    case "http", "https":
      let url = try WebURL(text)
      if url.hasLogin { throw .loginInURL(url.redacted, isInFile: isInFile) }
      self = .web(url)
    case "file":
      self = .file(try Self.path(ofFileURL: text, from: text.index(mark, offsetBy: 3)))
    default:
      throw .unsupportedScheme(url: URLRedaction.url(text), scheme: scheme)
    }
  }

  /// The path in a file URL (RFC 8089): the host may be empty or `localhost`, `%` and two hex digits encode a byte,
  /// and a query or fragment is not part of the path.
  private static func path(ofFileURL url: String, from start: String.Index) throws(Failure) -> String {
    let rest = url[start...].prefix { $0 != "?" && $0 != "#" }
    guard let slash = rest.firstIndex(of: "/") else { throw .malformedURL(URLRedaction.url(url)) }
    let host = rest[..<slash].lowercased()
    guard host.isEmpty || host == "localhost" else { throw .malformedURL(URLRedaction.url(url)) }

    var bytes: [UInt8] = []
    var encoded = rest[slash...].utf8.makeIterator()
    while let byte = encoded.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = encoded.next()?.hexDigit, let low = encoded.next()?.hexDigit else {
        throw .malformedURL(URLRedaction.url(url))
      }
      bytes.append(high << 4 | low)
    }
    // A file name can't contain a zero byte, and an InputFile's path is text.
    guard !bytes.contains(0), let path = String(validating: bytes, as: UTF8.self) else {
      throw .malformedURL(URLRedaction.url(url))
    }
    return path
  }

  /// Whether a path was probably meant as a URL: `lists.example.org/list.csv`, `https:/host/list.csv`, `list?key=value`.
  static func looksLikeURL(_ path: String) -> Bool {
    if path.contains("?") { return true }
    let components = path.split(separator: "/", omittingEmptySubsequences: true)
    for component in components {
      let start = component.lowercased()
      if start.hasPrefix("http:") || start.hasPrefix("https:") { return true }
    }
    return !path.hasPrefix("/") && components.dropLast().contains { isHostName($0) }
  }

  private static func isHostName(_ text: Substring) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count > 1, let last = labels.last, last.count > 1 else { return false }
    return last.allSatisfy { $0.isASCII && $0.isLetter }
      && labels.allSatisfy { label in
        !label.isEmpty && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      }
  }
}

/// An http or https URL, parsed only as far as redirects require.
struct WebURL: Equatable {
  /// The whole URL, as passed to libcurl.
  let text: String
  let isSecure: Bool
  /// `user:password`, the part before the `@`.
  private let login: String?
  /// In lower case, with the port if there is one.
  private let host: String
  private let rest: String

  init(_ text: String) throws(Failure) {
    guard let mark = Self.schemeEnd(text) else { throw .malformedURL(URLRedaction.url(text)) }
    let scheme = text[..<mark].lowercased()
    guard scheme == "http" || scheme == "https" else {
      throw .unsupportedScheme(url: URLRedaction.url(text), scheme: scheme)
    }
    isSecure = scheme == "https"
    let afterScheme = text[text.index(mark, offsetBy: 3)...]
    let authority = afterScheme.prefix { $0 != "/" && $0 != "?" && $0 != "#" && $0 != "\\" }
    if let at = authority.lastIndex(of: "@") {
      login = String(authority[..<at])
      host = authority[authority.index(after: at)...].lowercased()
    } else {
      login = nil
      host = authority.lowercased()
    }
    rest = String(afterScheme[authority.endIndex...])
    self.text = text
    guard Self.isHost(host), text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
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

  /// Whether libcurl accepts a host with its port, if any. Checked before anything is fetched.
  private static func isHost(_ text: String) -> Bool {
    let name: Substring
    let port: Substring
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else { return false }
      name = text[..<end].dropFirst()
      let rest = text[end...].dropFirst()
      guard rest.isEmpty || rest.first == ":" else { return false }
      port = rest.dropFirst()
    } else {
      name = text.prefix { $0 != ":" }
      port = text[name.endIndex...].dropFirst()
    }
    let isPort = port.isEmpty || (port.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt16(port) != nil)
    return isPort && !name.isEmpty && !name.utf8.contains { forbiddenInHost.contains($0) }
  }

  /// The characters that libcurl refuses in a host, besides those that end it.
  private static let forbiddenInHost = Array("@{}[]\\$'\"^`*<>=;,+&()!".utf8)

  private var scheme: String { isSecure ? "https" : "http" }
  var hasLogin: Bool { login != nil }
  var withoutFragment: String { String(text.prefix { $0 != "#" }) }

  /// The URL without its query, which some servers use for a signature that differs each time.
  var withoutQuery: String { String(text.prefix { $0 != "?" && $0 != "#" }) }

  var redacted: String { URLRedaction.url(login == nil ? text : "\(scheme)://\(host)\(rest)") }

  /// The index of `://` after a scheme, if the text starts with one (RFC 3986, 3.1).
  static func schemeEnd(_ text: String) -> String.Index? {
    let scheme = text.prefix {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+" || $0 == "-" || $0 == ".")
    }
    guard let first = scheme.first, first.isLetter, text[scheme.endIndex...].hasPrefix("://") else {
      return nil
    }
    return scheme.endIndex
  }

  /// Whether credentials for one may be sent to the other: same scheme, host and port.
  func sharesOrigin(with other: WebURL) -> Bool { isSecure == other.isSecure && host == other.host }

  /// The target URL of a redirect. It must be http or https, and https if this is; user name and password are only kept
  /// within a host.
  func redirected(to location: String) throws(Failure) -> WebURL {
    let target: WebURL
    do throws(Failure) {
      target = try WebURL(location)
    } catch {
      throw .redirectNotAllowed(from: redacted, to: URLRedaction.url(location))
    }
    if isSecure && !target.isSecure { throw .redirectNotAllowed(from: redacted, to: target.redacted) }
    guard sharesOrigin(with: target) else { return target }
    return WebURL(scheme: target.scheme, login: target.login ?? login, host: target.host, rest: target.rest)
  }
}
