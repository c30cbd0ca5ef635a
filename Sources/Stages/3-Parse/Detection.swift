// Recognises the general formats by an input's first bytes.

import Records

/// Texts that are not lists, although there may be one in them.
enum OtherText {
  case wikiTable, sql, mail, settings

  /// Recognises a text by its start.
  init?(_ start: Span<UInt8>) {
    let at = start.skippingSpace()
    let heads: [StaticString] = [
      "RECEIVED:", "RETURN-PATH:", "DELIVERED-TO:", "MIME-VERSION:", "FROM:", "FROM ",
    ]
    if Self.isWikiTable(start) {
      self = .wikiTable
    } else if start.firstIndex(of: "INSERT INTO ") != nil || start.firstIndex(of: "CREATE TABLE ") != nil {
      self = .sql
    } else if heads.contains(where: { start.startsIgnoringCase($0, at: at) }),
      start.firstIndex(of: "\nSubject:") != nil
    {
      self = .mail
    } else if at < start.count, start[at] == UInt8(ascii: "["), Detection.isSection(start, at),
      start.firstIndex(of: "=") != nil
    {
      self = .settings
    } else {
      return nil
    }
  }

  /// Whether a text begins like a table of MediaWiki, which is similar to JSON.
  static func isWikiTable(_ start: Span<UInt8>) -> Bool {
    start.startsIgnoringCase("{|", at: start.skippingSpace())
  }

  fileprivate var words: (what: String, hint: String) {
    switch self {
    case .wikiTable: ("a table of MediaWiki", "save its rows as CSV")
    case .sql: ("a dump in SQL", "load it into a database, and save the table as CSV")
    case .mail: ("an e-mail message", "save the list in it, or the file attached to it")
    case .settings: ("a file of settings", "write its numbers as CSV, or one per line")
    }
  }
}

extension Failure {
  static func otherText(_ text: OtherText, input: String) -> Failure {
    parse(
      "other-text", "\(InputName.quoted(input)) is \(text.words.what), which is not read",
      hint: text.words.hint)
  }
}

/// Recognises formats by the start of an input.
enum Detection {
  /// The number of lines that are examined.
  private static let linesMax = 200

  /// Whether the input is not text: it contains a NUL byte, which no UTF-8 text does.
  static func isBinary(_ start: Span<UInt8>) -> Bool {
    for index in 0..<start.count where start[index] == 0 { return true }
    return false
  }

  // MARK: This program's files

  /// Whether the input is a JSON object with the format of manifests, as they are written, among the first bytes.
  static func isManifest(_ start: Span<UInt8>) -> Bool {
    guard start.count > 0, start[0] == UInt8(ascii: "{") else { return false }
    return start.firstIndex(of: "\"format\" : \"cdpipe-manifest\"", from: 1) != nil
  }

  // MARK: JSON

  /// Whether the input is JSON, or close to it: it starts like an object or a nonempty array, or half of its lines have
  /// a quoted key and a colon. An empty input is empty JSON.
  static func isJSON(_ start: Span<UInt8>) -> Bool {
    let at = skipComments(start)
    guard at < start.count else { return true }
    let next = start.skippingSpace(from: at + 1)
    switch start[at] {
    case UInt8(ascii: "{"): return true
    case UInt8(ascii: "["):
      guard next < start.count else { return true }
      if isBracketedTime(start, at) || isSection(start, at) || ListCounters(start) != nil { return false }
      switch start[next] {
      case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\""), UInt8(ascii: "-"),
        UInt8(ascii: "<"), 0x30...0x39, UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
        return true
      default: break
      }
    case UInt8(ascii: "<"): if next < start.count, start[next] == UInt8(ascii: "\"") { return true }
    case UInt8(ascii: "\""):
      var index = at + 1
      while index < start.count, start[index] != UInt8(ascii: "\"") {
        index += start[index] == UInt8(ascii: "\\") ? 2 : 1
      }
      index = start.skippingSpace(from: index + 1)
      if index < start.count, start[index] == UInt8(ascii: ":") { return true }
    default: break
    }
    // A table may have a column of JSON.
    return hasKeys(start) && TableGuess.table(start) == nil
  }

  /// Whether a time is between the bracket at `start` and the next one, as in the logs of messengers:
  /// `[05.01.24, 10:33:01] Anna: …`.
  private static func isBracketedTime(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
    var index = start + 1
    var hasColon = false
    while index < bytes.count, bytes[index] &- 0x30 < 10 || " ,./:-\u{202F}AMPamp".utf8.contains(bytes[index])
    {
      if bytes[index] == UInt8(ascii: ":") { hasColon = true }
      index += 1
    }
    return hasColon && index < bytes.count && bytes[index] == UInt8(ascii: "]")
  }

  /// Whether a word is between the bracket at `start` and the one at the end of its line, as in files of settings: `[numbers]`.
  static func isSection(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
    var end = start + 1
    while end < bytes.count, (bytes[end] | 0x20) &- 0x61 < 26 || "_- ".utf8.contains(bytes[end]) { end += 1 }
    guard end < bytes.count, bytes[end] == UInt8(ascii: "]"), (bytes[start + 1] | 0x20) &- 0x61 < 26 else {
      return false
    }
    let word = bytes.extracting(start + 1..<end)
    let values: [StaticString] = ["TRUE", "FALSE", "NULL", "NAN"]
    return !values.contains { word.trimmed.equalsIgnoringCase($0) }
  }

  /// Whether the input starts with a bracket of JSON, and ends with the matching one as far as it is known.
  static func beginsJSON(_ start: Span<UInt8>) -> Bool {
    let text = start.trimmed
    guard text.count > 1 else { return false }
    // In ASCII, `}` and `]` come two after `{` and `[`.
    return (text[0] == UInt8(ascii: "[") || text[0] == UInt8(ascii: "{"))
      && text[text.count - 1] == text[0] + 2
  }

  /// Whether half of the lines contain a quote followed by a colon.
  private static func hasKeys(_ start: Span<UInt8>) -> Bool {
    var lines = 0
    var keyed = 0
    var index = 0
    while index < start.count, lines < linesMax {
      var hasText = false
      var hasKey = false
      while index < start.count, start[index] != Byte.lineFeed {
        let byte = start[index]
        if byte > 0x20 { hasText = true }
        if byte == UInt8(ascii: "\"") {
          var next = index + 1
          while next < start.count, start[next] == 0x20 || start[next] == 0x09 { next += 1 }
          if next < start.count, start[next] == UInt8(ascii: ":") { hasKey = true }
        }
        index += 1
      }
      if hasText { lines += 1 }
      if hasKey { keyed += 1 }
      index += 1
    }
    return keyed > 0 && 2 * keyed >= lines
  }

  /// The index after white space and comment lines.
  private static func skipComments(_ start: Span<UInt8>) -> Int {
    var index = start.skippingSpace()
    while index < start.count {
      let isComment =
        start[index] == UInt8(ascii: "#")
        || (start[index] == UInt8(ascii: "/") && index + 1 < start.count
          && start[index + 1] == UInt8(ascii: "/"))
      guard isComment else { break }
      while index < start.count, start[index] != Byte.lineFeed { index += 1 }
      index = start.skippingSpace(from: index)
    }
    return index
  }

  // MARK: Lines

  /// Whether the input is a list with one number per line: half of the lines that are not comments start with a number,
  /// or there is only a header.
  static func isLines(_ start: Span<UInt8>, separator: UInt8? = nil) -> Bool {
    if isBinary(start) { return false }
    var lines = 0
    var numbers = 0
    var marked = 0
    var isHeader = false
    var counters = ListCounters(start)
    var index = 0
    while index < start.count, lines < linesMax {
      var end = index
      while end < start.count, start[end] != Byte.lineFeed { end += 1 }
      let first = counters?.skip(start, from: index, to: end) ?? index
      let split = LineFields.split(start, from: first, to: end, separator: separator)
      if split.isRow {
        // The whole line, which may be a column name of two words.
        let line = split.number.lowerBound..<split.end
        if lines == 0 { isHeader = LineFields.isHeader(start, line) }
        lines += 1
        let number = NumberText.body(start, from: split.number.lowerBound, to: split.number.upperBound)
        let contents = NumberText.contents(start, from: number.lowerBound, to: number.upperBound)
        if contents.isNumber(digitsMin: 2) {
          numbers += 1
          if split.isListItem { marked += 1 }
        }
      }
      index = end + 1
    }
    if isHeader, lines == 1 { return true }
    // A header line is not counted.
    // Text around the items of a list in Markdown.
    return numbers > 0 && 2 * numbers >= lines - 1 || marked > 1 && marked == numbers
  }
}
