// Checks the URL of a server for Live Caller ID Lookup: https and a host name, nothing else. iOS checks it when the app
// comes from the App Store; an app that Xcode installs may use any URL.
//
// Not for checking that the server exists.

/// Why iOS would not accept a server's URL.
public enum ServerURLErrorReason: Equatable, Sendable {
  /// The URL does not begin with `https://`.
  case scheme
  /// The URL contains a user name or password, which would be readable in the project's files.
  case login
  /// The URL ends with a slash after the host.
  case slash
  /// The URL has a path, a query or a fragment; iOS has accepted only hosts since 26.4.
  case path
  /// The URL has a port.
  case port
  /// The host is not a domain name of two or more labels, in ASCII.
  case host
}

extension ServerURLErrorReason {
  /// The maximum length of a domain name and of a label, in bytes (RFC 1035).
  private static let (nameMax, labelMax) = (253, 63)

  /// Checks a URL; nil if it is valid.
  init?(ofURL url: String) {
    let start = "https://".utf8
    guard url.utf8.starts(with: start) else {
      self = .scheme
      return
    }
    let rest = url.utf8.dropFirst(start.count)
    let ends = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")]
    let authority = rest.prefix { !ends.contains($0) }
    let tail = rest[authority.endIndex...]
    if authority.contains(UInt8(ascii: "@")) {
      self = .login
    } else if !tail.isEmpty {
      self = tail.elementsEqual("/".utf8) ? .slash : .path
    } else if authority.contains(UInt8(ascii: ":")) && authority.first != UInt8(ascii: "[") {
      self = .port
    } else if !Self.isDomainName(Array(authority)) {
      self = .host
    } else {
      return nil
    }
  }

  /// Whether a host is a domain name; an IP address is not, and has no TXT record.
  private static func isDomainName(_ host: [UInt8]) -> Bool {
    let hyphen = UInt8(ascii: "-")
    let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let areValid = labels.allSatisfy { label in
      (1...labelMax).contains(label.count) && label.first != hyphen && label.last != hyphen
        && label.allSatisfy { isLetterOrDigit($0) || $0 == hyphen }
    }
    let isNumeric = labels.last?.allSatisfy { !isLetter($0) } ?? true
    return host.count <= nameMax && labels.count > 1 && areValid && !isNumeric
  }
}
