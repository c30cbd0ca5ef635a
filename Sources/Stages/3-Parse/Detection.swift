// Recognises the general formats by an input's first bytes.

import Records

/// Recognises formats by the start of an input.
enum Detection {
  /// The number of lines that are examined.
  private static let linesMax = 200

  /// Whether the input is not text: it contains a NUL byte, which no UTF-8 text does.
  static func isBinary(_ start: Span<UInt8>) -> Bool {
    for index in 0..<start.count where start[index] == 0 { return true }
    return false
  }

  /// Whether the input is a web page, or the error message of a server, by its start: an element of HTML, in any case,
  /// after white space, comments and declarations, or an error's first words. Nil if more bytes are needed to decide.
  static func isWebPage(_ start: Span<UInt8>) -> Bool? {
    var at = start.skippingSpace()
    while at < start.count, start[at] == UInt8(ascii: "<") {
      if start.startsIgnoringCase("<!DOCTYPE HTML", at: at) { return true }
      guard let next = declarationEnd(start, at) else { break }
      guard next <= start.count else { return nil }
      at = start.skippingSpace(from: next)
    }
    guard at < start.count else { return at > 0 ? nil : false }
    if start[at] != UInt8(ascii: "<") { return ServerError.begins(start, at: at) }
    var nameEnd = at + 1
    while nameEnd < start.count, start[nameEnd] &- 0x30 < 10 || (start[nameEnd] | 0x20) &- 0x61 < 26 {
      nameEnd += 1
    }
    let name = start.extracting(at + 1..<nameEnd)
    let isCut = nameEnd == start.count || start[at + 1] == UInt8(ascii: "!")
    if isCut, start.count - at < declarationBytesMax { return nil }
    return elements.contains { name.equalsIgnoringCase($0) }
  }

  /// The size of `<!DOCTYPE HTML`; names of elements are shorter.
  private static let declarationBytesMax = 14

  /// The elements with which web pages and parts of them begin, and the root of the error messages of object stores.
  private static var elements: [StaticString] {
    [
      "HTML", "HEAD", "BODY", "TITLE", "META", "LINK", "SCRIPT", "NOSCRIPT", "STYLE", "BASE", "DIV", "SPAN",
      "P", "BR", "HR",
      "H1", "H2", "H3", "H4", "B", "I", "STRONG", "EM", "CENTER", "FONT", "PRE", "A", "IMG", "SVG", "IFRAME",
      "FORM", "MAIN",
      "SECTION", "ARTICLE", "HEADER", "NAV", "UL", "OL", "TABLE", "ERROR",
    ]
  }

  /// The index after the comment, document type or declaration at `at`; beyond the text if it does not end there, nil if
  /// there is none.
  private static func declarationEnd(_ start: Span<UInt8>, _ at: Int) -> Int? {
    let forms: [(StaticString, StaticString)] = [("<!--", "-->"), ("<?", "?>")]
    for (opening, closing) in forms where start.startsIgnoringCase(opening, at: at) {
      return start.firstIndex(of: closing, from: at + opening.utf8CodeUnitCount).map {
        $0 + closing.utf8CodeUnitCount
      } ?? start.count + 1
    }
    // Of other documents, the type is not HTML.
    guard start.startsIgnoringCase("<!DOCTYPE", at: at) else { return nil }
    var end = at
    while end < start.count, start[end] != UInt8(ascii: ">"), start[end] != UInt8(ascii: "[") { end += 1 }
    guard end < start.count else { return start.count + 1 }
    return start[end] == UInt8(ascii: ">") ? end + 1 : nil
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
    var isHeader = false
    var index = 0
    while index < start.count, lines < linesMax {
      var end = index
      while end < start.count, start[end] != Byte.lineFeed { end += 1 }
      let split = LineFields.split(start, from: index, to: end, separator: separator)
      if split.isRow {
        // The whole line, which may be a column name of two words.
        let line = split.number.lowerBound..<split.end
        if lines == 0 { isHeader = LineFields.isHeader(start, line) }
        lines += 1
        let number = NumberText.body(start, from: split.number.lowerBound, to: split.number.upperBound)
        let contents = NumberText.contents(start, from: number.lowerBound, to: number.upperBound)
        if contents.isNumber(digitsMin: 2) { numbers += 1 }
      }
      index = end + 1
    }
    if isHeader, lines == 1 { return true }
    // A header line is not counted.
    return numbers > 0 && 2 * numbers >= lines - 1
  }
}

/// The error messages that servers and their programs send in place of a list.
private enum ServerError {
  /// The first words of messages of programs and servers.
  private static let words: [StaticString] = [
    "FATAL ERROR:", "PARSE ERROR:", "PHP FATAL ERROR:", "PHP PARSE ERROR:", "PHP WARNING:", "PHP NOTICE:",
    "TRACEBACK (MOST RECENT CALL LAST)", "HTTP/1.", "HTTP/2", "INTERNAL SERVER ERROR", "SERVICE UNAVAILABLE",
    "BAD GATEWAY", "ACCESS DENIED", "TOO MANY REQUESTS",
  ]
  /// The same, if the message names a program in PHP.
  private static let wordsOfPHP: [StaticString] = ["WARNING:", "NOTICE:", "DEPRECATED:"]
  private static let lineBytesMax = 512
  private static let prefixes: [StaticString] = ["ERROR ", "HTTP ERROR "]
  /// What follows a status, such as `404: Not Found`.
  private static let statuses: [StaticString] = [
    "BAD REQUEST", "UNAUTHORIZED", "FORBIDDEN", "NOT FOUND", "METHOD NOT ALLOWED", "NOT ACCEPTABLE",
    "REQUEST TIME", "GONE",
    "TOO MANY REQUESTS", "INTERNAL SERVER ERROR", "NOT IMPLEMENTED", "BAD GATEWAY", "SERVICE UNAVAILABLE",
    "SERVICE TEMPORARILY UNAVAILABLE", "GATEWAY TIME",
  ]

  /// Whether a message begins at `at`; nil if more bytes are needed to decide.
  static func begins(_ start: Span<UInt8>, at: Int) -> Bool? {
    for word in words {
      if start.startsIgnoringCase(word, at: at) { return true }
      if isBeginning(start, at, of: word) { return nil }
    }
    for word in wordsOfPHP {
      if isBeginning(start, at, of: word) { return nil }
      guard start.startsIgnoringCase(word, at: at) else { continue }
      if start.extracting(first: at + lineBytesMax).firstIndex(of: ".php", from: at) != nil { return true }
      return start.count < at + lineBytesMax ? nil : false
    }
    var index = at
    for prefix in prefixes {
      if isBeginning(start, at, of: prefix) { return nil }
      if start.startsIgnoringCase(prefix, at: at) { index = at + prefix.utf8CodeUnitCount }
    }
    let end = start.skippingDigits(from: index, to: start.count)
    if end == start.count, end - index <= 3 { return nil }
    guard end - index == 3, start[index] == UInt8(ascii: "4") || start[index] == UInt8(ascii: "5") else {
      return false
    }
    var word = end
    while word < start.count, ": -".utf8.contains(start[word]) { word += 1 }
    if statuses.contains(where: { isBeginning(start, word, of: $0) }) { return nil }
    return word > end && statuses.contains { start.startsIgnoringCase($0, at: word) }
  }

  /// Whether the text ends inside a word.
  private static func isBeginning(_ start: Span<UInt8>, _ at: Int, of word: StaticString) -> Bool {
    let known = start.count - at
    guard known < word.utf8CodeUnitCount else { return false }
    return zip("\(word)".utf8, at..<start.count).allSatisfy { $0 == start[$1].asciiCapital }
  }
}
