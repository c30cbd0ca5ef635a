// Recognises what servers send in place of a list: web pages, and error messages of their programs. The numbers in them,
// such as a hotline, are on no list, whatever the format is.

import Records
import SystemIO

enum ServerPage {
  /// A web page, or a part of one.
  case page
  /// An error message of a server, of PHP, Python or Java, or a response with its head.
  case error

  /// Elements that pages and error messages begin with.
  private static let elements: Set<String> = [
    "html", "head", "body", "title", "meta", "link", "script", "style", "noscript", "br", "b", "p", "h1",
    "h2", "h3",
    "h4", "base", "div", "center", "pre", "hr", "font", "span", "table", "strong", "em", "i", "a", "img",
    "svg",
    "iframe", "form", "nav", "ul", "ol", "main", "section", "article", "header", "error",
  ]
  private static let elementBytesMax = 10

  /// The starts of error messages.
  private static let errors: [StaticString] = [
    "FATAL ERROR:", "PARSE ERROR:", "PHP FATAL ERROR:", "PHP PARSE ERROR:", "PHP WARNING:", "PHP NOTICE:",
    "UNCAUGHT ",
    "TRACEBACK (MOST RECENT CALL LAST)", "EXCEPTION IN THREAD", "SERVER ERROR IN ", "HTTP/1.", "HTTP/2 ",
    "<?PHP",
    "ERROR CODE: ",
  ]
  /// The starts of messages that PHP ends with the line of the program.
  private static let notices: [StaticString] = ["WARNING:", "NOTICE:", "DEPRECATED:", "STRICT STANDARDS:"]
  private static let noticeEnd: StaticString = " on line "
  /// The lines of errors, after the status or alone.
  private static let statuses: Set<String> = [
    "bad request", "unauthorized", "forbidden", "access denied", "not found", "page not found",
    "file not found",
    "method not allowed", "not acceptable", "request timeout", "gone", "not implemented", "too many requests",
    "internal server error", "bad gateway", "service unavailable",
    "service temporarily unavailable", "gateway timeout", "gateway time-out",
  ]
  /// The maximum number of bytes of the first line that are examined.
  private static let lineBytesMax = 1024

  enum Finding {
    case found(ServerPage)
    case none
    /// More bytes are needed to decide.
    case unclear
  }

  /// Examines the start of an input, without its byte order mark. `isWhole`: no more bytes follow, or are examined.
  static func find(in start: Span<UInt8>, isWhole: Bool) -> Finding {
    guard let at = indexAfterComments(start) else { return isWhole ? .none : .unclear }
    guard mayBegin(start, at) else { return .none }
    let line = Self.line(start, at)
    let isComplete = isWhole || at + line.count < start.count || line.count == lineBytesMax
    if at < start.count, start[at] == UInt8(ascii: "<"), start.startsIgnoringCase("<!DOCTYPE HTML", at: at) {
      return .found(.page)
    }
    if let name = element(line) { return .found(name == "error" ? .error : .page) }
    if errors.contains(where: { start.startsIgnoringCase($0, at: at) }) { return .found(.error) }
    if notices.contains(where: { start.startsIgnoringCase($0, at: at) }),
      line.firstIndex(of: noticeEnd, from: 0) != nil
    {
      return .found(.error)
    }
    if line.count <= statusBytesMax, isComplete, isStatus(line) { return .found(.error) }
    return isComplete ? .none : .unclear
  }

  private static let statusBytesMax = 64

  /// Whether a page or a message may begin with a byte: a bracket, a letter, or the status 4xx or 5xx. A list that arrives
  /// slowly is not kept waiting.
  private static func mayBegin(_ start: Span<UInt8>, _ at: Int) -> Bool {
    let byte = start[at]
    if byte == UInt8(ascii: "<") || byte | 0x20 &- 0x61 < 26 { return true }
    guard byte == UInt8(ascii: "4") || byte == UInt8(ascii: "5") else { return false }
    return at + 3 >= start.count || start[at + 3] &- 0x30 >= 10
  }

  /// The index after white space, comments and an XML declaration; nil if the bytes end before.
  private static func indexAfterComments(_ start: Span<UInt8>) -> Int? {
    var at = start.skippingSpace()
    while at < start.count {
      let end: StaticString
      if start.startsIgnoringCase("<!--", at: at) {
        end = "-->"
      } else if start.startsIgnoringCase("<?XML", at: at) {
        end = "?>"
      } else {
        return at
      }
      guard let close = start.firstIndex(of: end, from: at + 4) else { return nil }
      at = start.skippingSpace(from: close + end.utf8CodeUnitCount)
    }
    return nil
  }

  @_lifetime(copy start)
  private static func line(_ start: Span<UInt8>, _ at: Int) -> Span<UInt8> {
    var end = at
    while end < start.count, end - at < lineBytesMax, start[end] != Byte.lineFeed { end += 1 }
    return start.extracting(at..<end)
  }

  /// The name of the element that a line begins with, in small letters; nil if it is not one of a page.
  private static func element(_ line: Span<UInt8>) -> String? {
    guard line.count > 1, line[0] == UInt8(ascii: "<") else { return nil }
    var name = ""
    for index in 1..<line.count {
      let byte = line[index]
      if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || byte.isASCIISpace {
        return elements.contains(name) ? name : nil
      }
      guard name.utf8.count < elementBytesMax, byte < 0x80 else { return nil }
      name.unicodeScalars.append(Unicode.Scalar(byte | (byte &- 0x41 < 26 ? 0x20 : 0)))
    }
    return nil
  }

  /// Whether a line is the status of an HTTP error, with its number or without.
  private static func isStatus(_ line: Span<UInt8>) -> Bool {
    var text = String(decoding: ContiguousArray(copying: line.trimmed), as: UTF8.self).lowercased()
    if text.hasSuffix(".") { text.removeLast() }
    if text.hasPrefix("http ") { text.removeFirst("http ".count) }
    if text.hasPrefix("error ") { text.removeFirst("error ".count) }
    let code = text.prefix { $0.isNumber }
    if code.utf8.count == 3, code.first == "4" || code.first == "5" {
      text = String(text.dropFirst(3).drop { $0 == " " || $0 == ":" || $0 == "-" })
    }
    return statuses.contains(text)
  }
}

extension Failure {
  static func serverPage(_ page: ServerPage, input: String) -> Failure {
    switch page {
    case .page:
      parse(
        "web-page", "\(InputName.quoted(input)) is a web page, not a list",
        hint: "look at the page: servers often send one in place of an error")
    case .error:
      parse(
        "server-error", "\(InputName.quoted(input)) is an error message of a server, not a list",
        hint: "look at the message, and get the list again")
    }
  }
}
