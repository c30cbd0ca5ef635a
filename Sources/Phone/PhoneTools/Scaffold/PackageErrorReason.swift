// Checks the location of the package cdpipe: a path, or a URL that does not contain secrets.
//
// Not for checking that the package exists (Tuist, XcodeGen and Xcode do that).

/// Why the location of a package is invalid.
package enum PackageErrorReason: Equatable, Sendable {
  /// The location is empty or contains characters that can't be quoted.
  case characters
  /// The location is a URL with a scheme other than https, the only one that is both secure and accepted by Xcode.
  case scheme
  /// The location is a URL with a user name or password, which would be readable in the project's files.
  case login
  /// The location is a URL without a host.
  case host
  /// The location has the form `git@host:path`, which is neither a path nor a URL.
  case remotePath
}

extension PackageErrorReason {
  /// Checks a location; nil if it is a path or an https URL.
  init?(ofPlace place: String) {
    guard Self.isQuotable(place) else {
      self = .characters
      return
    }
    let colon = UInt8(ascii: ":")
    let slash = UInt8(ascii: "/")
    let bytes = Array(place.utf8)
    // A path with a colon before its first slash must be written as ./a:b.
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

  /// Whether a text can be put between double quotes in Swift and YAML without escapes.
  private static func isQuotable(_ text: String) -> Bool {
    !text.isEmpty
      && !text.utf8.contains {
        $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
      }
  }
}
