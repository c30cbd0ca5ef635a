// Checks the URL of a server: https and a host name, and a path if one makes sense. For Live Caller ID Lookup, iOS
// accepts nothing but a host when the app comes from the App Store; an app that Xcode installs may use any URL.
//
// Not for checking that the server exists.

/// What a server's URL may have.
enum ServerURLForm {
  /// Only a host, as iOS requires for Live Caller ID Lookup.
  case host
  /// A host and a path, as iOS requires for message filters.
  case hostAndPath
  /// A host, a port and a path: the app itself requests files in this folder.
  case folder
  /// A host, a port, a path and a query: the app itself requests this file.
  case file
}

/// Why iOS would not accept a server's URL.
package enum ServerURLErrorReason: Equatable, Sendable {
  /// The URL does not begin with `https://`.
  case scheme
  /// The URL contains a user name or password, which would be readable in the project's files.
  case login
  /// The URL contains spaces, quotation marks, control characters or characters other than ASCII.
  case characters
  /// The URL ends with a slash after the host.
  case slash
  /// The URL has a path, a query or a fragment; iOS has accepted only hosts for Live Caller ID Lookup since 26.4.
  case path
  /// The URL has a fragment, or a query that it must not have.
  case query
  /// The URL has a port that is not a number from 1 to 65535.
  case portNumber
  /// The URL has a port.
  case port
  /// The host is not a domain name of two or more labels, in ASCII.
  case host
}

extension ServerURLErrorReason {
  /// The maximum length of a domain name and of a label, in bytes (RFC 1035).
  private static let (nameMax, labelMax) = (253, 63)

  /// Checks a URL; nil if it is valid.
  init?(ofURL url: String, _ form: ServerURLForm) {
    let start = "https://".utf8
    guard url.utf8.starts(with: start) else {
      self = .scheme
      return
    }
    let rest = url.utf8.dropFirst(start.count)
    let ends = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")]
    let authority = rest.prefix { !ends.contains($0) }
    let tail = rest[authority.endIndex...]
    let port = authority.firstIndex(of: UInt8(ascii: ":"))
    let mayHavePort = form == .folder || form == .file
    let host = mayHavePort ? authority[..<(port ?? authority.endIndex)] : authority
    if authority.contains(UInt8(ascii: "@")) {
      self = .login
    } else if form == .host, !tail.isEmpty {
      self = tail.elementsEqual("/".utf8) ? .slash : .path
    } else if form != .host, !tail.allSatisfy(Self.isPlain) || !Self.hasValidEscapes(Array(tail)) {
      self = .characters
    } else if form != .host, tail.contains(ends[2]) || form != .file && tail.contains(ends[1]) {
      self = .query
    } else if !Self.isValidPort(authority, at: port, mayHavePort) {
      self = mayHavePort ? .portNumber : .port
    } else if !Self.isDomainName(Array(host)) {
      self = .host
    } else {
      return nil
    }
  }

  /// Whether a byte of a path can be part of a URL, and of the files of a project: Xcode would replace `$(NAME)` in an
  /// Info.plist.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !"\"$<>\\^`{|}".utf8.contains(byte)
  }

  /// Whether each per cent sign is followed by two hexadecimal digits.
  private static func hasValidEscapes(_ path: [UInt8]) -> Bool {
    path.indices.allSatisfy { index in
      path[index] != UInt8(ascii: "%")
        || index + 2 < path.count
          && path[(index + 1)...(index + 2)].allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }
  }

  /// Whether there is no port, or a valid one where it may be.
  private static func isValidPort(
    _ authority: Substring.UTF8View, at colon: Substring.UTF8View.Index?, _ mayHavePort: Bool
  ) -> Bool {
    guard let colon, authority.first != UInt8(ascii: "[") else { return true }
    let digits = authority[colon...].dropFirst()
    return mayHavePort && UInt16(String(decoding: Array(digits), as: UTF8.self)).map { $0 > 0 } ?? false
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
