// URLs in messages, reports and logs: without user name and password, and without what follows the path, which may be a
// secret: `https://host/list.csv?…`.
//
// Not for: the URL that is fetched (the download stage).

/// Removes secrets from URLs.
package enum URLRedaction {
  /// A text that is a URL, or the unchanged text of another kind, such as a path.
  package static func url(_ text: String) -> String {
    guard text.contains("://") else { return text }
    return redacted(Array(text.utf8)) { $0.endIndex }
  }

  /// The name of a resource: a URL or a path. In a path, what follows a `?` is removed as well, because it may be a URL
  /// with a missing or mistyped scheme.
  package static func resource(_ text: String) -> String {
    let name = url(text)
    guard let query = name.firstIndex(of: "?") else { return name }
    return String(name[...query]) + "…"
  }

  /// A text in which URLs may occur. A URL ends at a space, or at a quote that doesn't continue a word.
  package static func text(_ text: String) -> String {
    guard text.contains("://") else { return text }
    return redacted(Array(text.utf8)) { rest in
      rest.indices.first { index in
        switch rest[index] {
        case 0...0x20, 0x7F: true
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
          index + 1 == rest.endIndex || rest[index + 1] <= 0x20 || ":,;.)]}".utf8.contains(rest[index + 1])
        default: false
        }
      } ?? rest.endIndex
    }
  }

  /// Redacts each URL; `end` returns where the one ends that starts at the slice's start.
  private static func redacted(_ bytes: [UInt8], end: (ArraySlice<UInt8>) -> Int) -> String {
    var result: [UInt8] = []
    var place = 0
    while let mark = scheme(in: bytes[place...]) {
      result += bytes[place..<mark]
      let url = bytes[mark..<end(bytes[mark...])]
      let authorityEnd = url.firstIndex { "/?#\\".utf8.contains($0) } ?? url.endIndex
      let authority = url[..<authorityEnd]
      result += authority[(authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? mark)...]
      let rest = url[authorityEnd...]
      if let query = rest.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
        result += rest[...query] + Array("…".utf8)
      } else {
        result += rest
      }
      place = url.endIndex
    }
    return String(decoding: result + bytes[place...], as: UTF8.self)
  }

  /// The index after the next `://`.
  private static func scheme(in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.first { index in
      index >= bytes.startIndex + 3 && bytes[index - 3..<index].elementsEqual("://".utf8)
    } ?? (bytes.suffix(3).elementsEqual("://".utf8) ? bytes.endIndex : nil)
  }
}
