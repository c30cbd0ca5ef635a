// Where a project finds the package cdpipe, checked: a path, or a URL that everybody may read.
//
// Not for: asking whether there is anything (Tuist, XcodeGen and Xcode do).

/// What is wrong with the place of a package.
public enum PackageErrorReason: Equatable, Sendable {
  /// It is empty, or has characters that can't stand between quotes.
  case characters
  /// It is a URL, and not of https: nothing else is both safe from others on the way, and taken by Xcode.
  case scheme
  /// It is a URL with a user's name or a password, which the project's files would tell everybody.
  case login
  /// It is a URL without a host.
  case host
  /// It is of the form `git@host:path`: neither a path nor a URL.
  case remotePath
}

extension PackageErrorReason {
  /// What is wrong with a place; nil when it is a path or an https URL.
  init?(ofPlace place: String) {
    guard Self.isQuotable(place) else {
      self = .characters
      return
    }
    let colon = UInt8(ascii: ":")
    let slash = UInt8(ascii: "/")
    let bytes = Array(place.utf8)
    // A path has no colon before its first slash, unless it is written as ./a:b.
    let first = bytes.prefix { $0 != slash }
    guard let end = first.firstIndex(of: colon) else { return nil }
    let rest = bytes[(end + 1)...]
    guard rest.starts(with: [slash, slash]) else {
      self = first[..<end].elementsEqual("file".utf8) ? .scheme : .remotePath
      return
    }
    guard String(decoding: first[..<end], as: UTF8.self).lowercased() == "https" else {
      self = .scheme
      return
    }
    let host = rest.dropFirst(2).prefix { ![slash, UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
    if host.contains(UInt8(ascii: "@")) {
      self = .login
    } else if host.isEmpty || host.first == colon {
      self = .host
    } else {
      return nil
    }
  }

  /// Whether a text can stand between double quotes in Swift and in YAML as it is.
  private static func isQuotable(_ text: String) -> Bool {
    !text.isEmpty
      && !text.utf8.contains {
        $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
      }
  }
}
