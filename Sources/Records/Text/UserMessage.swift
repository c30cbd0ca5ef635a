// Messages for the user: one sentence and a hint, without secrets and control characters.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import SystemIO

/// A message for the user: what is wrong, in lower case without a full stop, and what to do about it. URLs in it have no
/// query, user name or password, and control characters, which names of files may contain, are escaped.
public struct UserMessage: Equatable, Sendable {
  /// The sentence and the hint with their options marked (OptionText).
  public private(set) var sentence: String
  public private(set) var suggestion: String?

  public init(_ message: String, hint: String? = nil) {
    sentence = PrintableText.name(KeyRedaction.text(URLRedaction.text(message)))
    suggestion = hint.map { PrintableText.name(KeyRedaction.text(URLRedaction.text($0))) }
  }

  /// What is wrong.
  public var message: String {
    get { OptionText.typed(sentence) }
    set { sentence = KeyRedaction.text(newValue) }
  }

  /// What to type or change; nil if there is nothing to suggest.
  public var hint: String? {
    get { suggestion.map(OptionText.typed) }
    set { suggestion = newValue.map(KeyRedaction.text) }
  }

  /// The message with both texts, in which options are marked, replaced.
  public func mapped(_ text: (String) -> String) -> UserMessage {
    var result = self
    result.sentence = text(sentence)
    result.suggestion = suggestion.map(text)
    return result
  }

  /// The message after another text.
  public func prefixed(_ text: String) -> UserMessage {
    var result = self
    result.sentence = text + sentence
    return result
  }

  public static func == (one: UserMessage, other: UserMessage) -> Bool {
    one.message == other.message && one.hint == other.hint
  }
}

/// Names that many messages contain.
public enum InputName {
  /// An input in a sentence: `'list.json'` or `standard input`.
  public static func quoted(_ input: String) -> String { input == "-" ? "standard input" : "'\(input)'" }

  /// An input at the start of a place: `list.json` or `standard input`.
  public static func plain(_ input: String) -> String { input == "-" ? "standard input" : input }
}

/// Messages about a command's input.
public enum InputText {
  public static let readsTerminal = "reading from the terminal; end with Ctrl-D"

  public static func reading(_ input: String) -> String {
    "reading \(InputName.quoted(PrintableText.line(input)))"
  }
}

/// Replaces characters that move a terminal's cursor or change the direction of writing.
public enum PrintableText {
  private static let quotationMax = 60

  /// Shortens a text to at most `count` characters.
  public static func shortened(_ text: String, to count: Int) -> String {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: count, limitedBy: scalars.endIndex),
      end != scalars.endIndex
    else { return text }
    return String(scalars[..<end]) + "…"
  }

  /// Makes a text safe to print, as one line.
  public static func line(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069:
        shown += "\u{FFFD}"
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// Makes a text of several lines safe to print; line feeds stay.
  public static func lines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line(String($0)) }
      .joined(separator: "\n")
  }

  /// Makes the name of a file safe to print within a line: control characters, also line feeds, are escaped.
  public static func name(_ name: String) -> String {
    var shown = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\n": shown += "\\n"
      case "\r": shown += "\\r"
      case "\t": shown += "\\t"
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return TerminalText.escaped(shown)
  }

  /// Quotes the start of a text, in one line. Tabs and line terminators are escaped as in the text form.
  public static func quoted(_ text: [UInt8]) -> String {
    let scalars = String(decoding: text, as: UTF8.self).unicodeScalars
    var start = ""
    for scalar in scalars.prefix(quotationMax) {
      switch scalar {
      case "\t": start += "\\t"
      case "\n": start += "\\n"
      case "\r": start += "\\r"
      default: start.unicodeScalars.append(scalar)
      }
    }
    return "'\(line(start))\(scalars.count > quotationMax ? "…" : "")'"
  }
}

/// Removes user name and password from URLs, and what follows the path, which may be a secret:
/// `https://host/list.csv?…`.
public enum URLRedaction {
  /// A text that is a URL, or the unchanged text of another kind, such as a path.
  public static func url(_ text: String) -> String {
    guard text.contains("://") else { return text }
    return redacted(Array(text.utf8)) { $0.endIndex }
  }

  /// The name of a resource: a URL or a path. In a path, what follows a `?` is removed as well, because it may be a URL
  /// with a missing or mistyped scheme.
  public static func resource(_ text: String) -> String {
    let name = url(text)
    guard let query = name.firstIndex(of: "?") else { return name }
    return String(name[...query]) + "…"
  }

  /// A text in which URLs may occur. A URL ends at a space, or at a quote that doesn't continue a word.
  public static func text(_ text: String) -> String {
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

/// Removes the secret of private keys from texts: somebody may type a key where its path is expected.
public enum KeyRedaction {
  private static let mark = "PRIVATE KEY-----"
  private static let end = "-----END"
  /// A part of the Base64 form of every Ed25519 key: the identifier of the algorithm, and what precedes the seed.
  private static let ed25519 = "wBQYDK2VwBCIE"

  public static func text(_ text: String) -> String {
    guard text.contains(mark) || text.contains(ed25519) else { return text }
    let bytes = Array(text.utf8)
    let hidden = Array("…".utf8)
    var result: [UInt8] = []
    var at = 0
    while at < bytes.count {
      if bytes[at...].starts(with: mark.utf8) {
        result += Array(mark.utf8)
        at += mark.utf8.count
        let bodyEnd = bodyEnd(in: bytes, from: at)
        if bodyEnd > at { result += hidden }
        at = bodyEnd
      } else if bytes[at...].starts(with: ed25519.utf8) {
        while let last = result.last, isBase64(last) { result.removeLast() }
        result += hidden
        while at < bytes.count, isBase64(bytes[at]) { at += 1 }
      } else {
        result.append(bytes[at])
        at += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The end of what follows a mark and may be the key: up to the next mark, or as long as it looks like Base64, whose
  /// lines may be escaped.
  private static func bodyEnd(in bytes: [UInt8], from start: Int) -> Int {
    let next = bytes.indices[start...].first { bytes[$0...].starts(with: end.utf8) }
    if let next { return next }
    return bytes[start...].firstIndex {
      !isBase64($0) && $0 != UInt8(ascii: "\\") && $0 != 0x0A && $0 != 0x0D
    } ?? bytes.endIndex
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || "+/=".utf8.contains(byte)
  }
}

/// Suggests what may have been meant.
public enum KeySuggestion {
  /// The hint for an unknown key: the most similar known key, or all of them if none is similar.
  public static func hint(_ key: String, _ known: [String]) -> String {
    if let nearest = nearest(key, known) { return "did you mean '\(nearest)'?" }
    return "use one of: \(known.joined(separator: ", "))"
  }

  /// The most similar known key, the first one of several; nil if none is similar.
  public static func nearest(_ key: String, _ known: [String], distanceMax: Int? = nil) -> String? {
    // A word in capitals is not another word.
    let typed = key.lowercased()
    let nearest = known.map { (name: $0, distance: distance(typed, $0.lowercased())) }
      .min { $0.distance < $1.distance }
    guard let nearest, nearest.distance <= distanceMax ?? max(1, key.count / 3) else { return nil }
    return nearest.name
  }

  /// The number of letters to add, remove, replace or swap (optimal string alignment).
  private static func distance(_ one: String, _ other: String) -> Int {
    let one = Array(one)
    let other = Array(other)
    var rows = [Array(0...other.count)]
    for i in one.indices {
      var row = [i + 1]
      for j in other.indices {
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (one[i] == other[j] ? 0 : 1))
        if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
