// Checks the options of a project: names, bundle identifiers, the location of the package, and URLs.
//
// For Live Caller ID Lookup, iOS accepts nothing but a host when the app comes from the App Store; an app that Xcode
// installs may use any URL.

package import Records

/// The name of a target and its module.
enum ProjectName {
  /// The maximum length of a name in characters: it becomes part of file and module names.
  static let lengthMax = 64
  /// The reserved words of Swift that consist of letters.
  /// Source: The Swift Programming Language, Lexical Structure, Keywords and Punctuation.
  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "break", "case", "catch", "class",
    "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate",
    "for",
    "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "open",
    "operator",
    "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static",
    "struct",
    "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]

  /// A target with the name of a module in `modules` would hide that module.
  static func check(_ name: String, modules: Set<String>) throws(Failure) {
    if name.isEmpty || name.utf8.count > lengthMax {
      throw Failure(nil, .usage, "name-length", "--name must have 1 to \(lengthMax) characters")
    }
    if !name.utf8.allSatisfy(isLetterOrDigit) || name.utf8.first.map(isDigit) != false {
      throw Failure(
        nil, .usage, "name-characters",
        "--name '\(PrintableText.line(name))' is not a target name: use ASCII letters and digits, a letter first"
      )
    }
    if keywords.contains(name) {
      throw Failure(nil, .usage, "name-keyword", "--name '\(name)' is a keyword of Swift")
    }
    if modules.contains(name) { throw taken(name) }
  }

  static func taken(_ name: String) -> Failure {
    Failure(nil, .usage, "name-taken", "--name '\(name)' is the name of a module that the project imports")
  }
}

package enum BundleIdentifier {
  static let lengthMax = 155

  package static func check(_ identifier: String, option: String, lengthMax: Int? = nil) throws(Failure) {
    let lengthMax = lengthMax ?? Self.lengthMax
    guard identifier.utf8.count <= lengthMax else {
      throw Failure(nil, .usage, "identifier-length", "\(option) must have at most \(lengthMax) characters")
    }
    let period = UInt8(ascii: ".")
    let hyphen = UInt8(ascii: "-")
    guard identifier.utf8.allSatisfy({ isLetterOrDigit($0) || $0 == period || $0 == hyphen }) else {
      throw Failure(
        nil, .usage, "identifier-characters",
        "\(option) '\(PrintableText.line(identifier))' may contain only letters, digits, '-' and '.'")
    }
    let parts = identifier.utf8.split(separator: period, omittingEmptySubsequences: false)
    guard parts.count < 2 || parts.contains(where: \.isEmpty) else { return }
    throw Failure(
      nil, .usage, "identifier-parts",
      "\(option) '\(identifier)' must look like com.example.app: two or more non-empty parts")
  }
}

/// The location of the package cdpipe: a path, or a URL that does not contain secrets.
enum PackageLocation {
  /// Accepts a path or an https URL: the only scheme that is both secure and accepted by Xcode.
  static func check(_ place: String) throws(Failure) {
    guard isQuotable(place) else {
      throw Failure(
        nil, .usage, "package-characters",
        "--package '\(PrintableText.line(place))' has characters that a project description can't contain")
    }
    let scheme = Failure(
      nil, .usage, "package-scheme", "--package must be a path, or a URL that starts with https://")
    let colon = UInt8(ascii: ":")
    let slash = UInt8(ascii: "/")
    let bytes = Array(place.utf8)
    // A path with a colon before its first slash must be written as ./a:b.
    let first = bytes.prefix { $0 != slash }
    guard let end = first.firstIndex(of: colon) else { return }
    let rest = bytes[(end + 1)...]
    guard rest.starts(with: [slash, slash]) else {
      if first[..<end].elementsEqual("file".utf8) { throw scheme }
      throw Failure(
        nil, .usage, "package-remote-path",
        "--package must be a path or an https URL; write a path with a colon in its first part as ./NAME")
    }
    guard String(decoding: first[..<end], as: UTF8.self).lowercased() == "https" else { throw scheme }
    let host = rest.dropFirst(2).prefix { ![slash, UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
    if host.contains(UInt8(ascii: "@")) {
      // Messages must not contain secrets either.
      throw Failure(
        nil, .usage, "package-login",
        "--package contains a user name or a password, which would be readable in the project's files")
    }
    if host.isEmpty || host.first == colon {
      throw Failure(nil, .usage, "package-host", "--package '\(PrintableText.line(place))' has no host")
    }
  }

  /// Whether a text can be put between double quotes in Swift and YAML without escapes.
  private static func isQuotable(_ text: String) -> Bool {
    !text.isEmpty
      && !text.utf8.contains {
        $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
      }
  }
}

enum ServerURLForm {
  /// Only a host, as iOS requires for Live Caller ID Lookup.
  case host
  /// A host and a path, as iOS requires for message filters.
  case hostAndPath
  /// A host, a port and a path: the app itself requests files in this folder.
  case folder
  /// A host, a port, a path and a query: the app itself requests this file.
  case file

  /// The maximum length of a domain name and of a label, in bytes (RFC 1035).
  private static let (nameMax, labelMax) = (253, 63)

  func check(_ url: String, option: String) throws(Failure) {
    let start = "https://".utf8
    guard url.utf8.starts(with: start) else {
      throw Failure(nil, .usage, "url-scheme", "\(option) must start with https://")
    }
    let rest = url.utf8.dropFirst(start.count)
    let ends = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")]
    let authority = rest.prefix { !ends.contains($0) }
    let tail = rest[authority.endIndex...]
    let port = authority.firstIndex(of: UInt8(ascii: ":"))
    let mayHavePort = self == .folder || self == .file
    let host = mayHavePort ? authority[..<(port ?? authority.endIndex)] : authority
    func refuse(_ code: String, _ text: String) -> Failure {
      Failure(nil, .usage, code, "\(option) '\(PrintableText.line(url))' \(text)")
    }
    if authority.contains(UInt8(ascii: "@")) {
      // Messages must not contain secrets either.
      throw Failure(
        nil, .usage, "url-login",
        "\(option) contains a user name or a password, which would be readable in the project's files")
    } else if self == .host, !tail.isEmpty {
      throw tail.elementsEqual("/".utf8)
        ? refuse("url-slash", "must not end with a slash")
        : refuse("url-path", "has a path; iOS accepts only a host: use a subdomain")
    } else if self != .host, !tail.allSatisfy(Self.isPlain) || !Self.hasValidEscapes(Array(tail)) {
      throw refuse("url-characters", "has characters that a URL can't contain; write them as %HH")
    } else if self != .host, tail.contains(ends[2]) || self != .file && tail.contains(ends[1]) {
      throw refuse("url-query", "must not have a query or a fragment")
    } else if !Self.isValidPort(authority, at: port, mayHavePort) {
      throw mayHavePort
        ? refuse("url-port-number", "has a port that is not a number from 1 to 65535")
        : refuse("url-port", "has a port; iOS asks servers only on port 443")
    } else if !Self.isDomainName(Array(host)) {
      throw refuse("url-host", "needs a domain name as its host, in ASCII, such as lookup.example.com")
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

private func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

func isLetterOrDigit(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }
