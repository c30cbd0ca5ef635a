// The parts of a response head that a download needs (RFC 9110).

import SystemIO

/// The fields that distinguish one version of a resource from another (RFC 9110, 8.8).
struct Validators: Equatable {
  /// The ETag with its quotes, and with `W/` if it is weak.
  var etag: String?
  var lastModified: String?
  /// Whether the resource had been unchanged for long enough when it was sent, so that the date identifies its bytes.
  var isDateStrong = false
  /// Whether the resource had changed just before it was sent. Many servers derive ETags from a time in seconds and a
  /// size, so the next version may get the same one.
  var isRecentlyModified = false

  /// The validator for `If-Range`, which must guarantee the same bytes. A weak ETag does not, and a date is only used
  /// without an ETag (RFC 9110, 13.1.5).
  var strong: String? {
    if isRecentlyModified { return nil }
    if let etag { return etag.hasPrefix("W/") ? nil : etag }
    return isDateStrong ? lastModified : nil
  }

  func promiseSameBytes(as other: Validators) -> Bool { strong != nil && strong == other.strong }

  /// Whether a response with the other validators must be of another version. A response may omit validators.
  func isContradicted(by other: Validators) -> Bool {
    if let etag { return other.etag.map { $0 != etag } ?? false }
    return other.lastModified.map { $0 != lastModified } ?? false
  }

  /// Whether the text is a quoted ETag of printable ASCII, which can be sent back unchanged.
  static func isETag(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let quoted = bytes.starts(with: Array("W/".utf8)) ? bytes.dropFirst(2) : bytes[...]
    guard quoted.count >= 2, quoted.first == UInt8(ascii: "\""), quoted.last == UInt8(ascii: "\"") else {
      return false
    }
    return quoted.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
  }
}

/// The range of a 206 response (RFC 9110, 14.4).
struct ContentRange: Equatable {
  var first: UInt64
  var last: UInt64
  /// The size of the whole resource in bytes; nil if the server did not send it.
  var total: UInt64?

  /// Parses `bytes 100-199/200` or `bytes 100-199/*`.
  init?(_ text: String) {
    guard text.lowercased().hasPrefix("bytes ") else { return nil }
    let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = UInt64(ends[0]), let last = UInt64(ends[1]), first <= last,
      last < UInt64.max
    else { return nil }
    self.first = first
    self.last = last
    if parts[1] == "*" { return }
    guard let total = UInt64(parts[1]), last < total else { return nil }
    self.total = total
  }

  var count: UInt64 { last - first + 1 }
}

struct ResponseHead {
  /// Longer lines are ignored; no validator is that long.
  private static let lineBytesMax = 4096
  /// A date this much later than the last change is a strong validator: the server's clock has a resolution of a
  /// second, and a file may change twice in one (RFC 9110, 8.8.2.2).
  private static let strongDateSecondsMin: Int64 = 60

  /// The maximum wait in seconds, about thirty years.
  private static let retryAfterSecondsMax = 1e9

  /// A version is recent in the second of its last change and in the next one, since two clocks may differ a little.
  private static let recentSecondsMax: Int64 = 2

  private(set) var validators = Validators()
  private(set) var contentRange: ContentRange?
  /// The seconds in `Retry-After`, if it is a number; libcurl parses dates.
  private(set) var retryAfterSeconds: Double?
  private(set) var mayBeStored = true
  /// Whether the end of the body can be distinguished from a broken connection, even without a length.
  private(set) var hasFraming = false
  /// Whether there is a length that is not a number, is larger than any file, or differs from another one. libcurl uses
  /// one of several lengths, and ignores what it can't read.
  private(set) var hasInvalidLength = false
  private var length: Int64?
  private var date: String?
  private var isComplete = false
  private let seconds: (String) -> Int64

  init(seconds: @escaping (String) -> Int64 = CurlHandle.seconds) { self.seconds = seconds }

  /// Parses a line. A status line resets the state, because interim and proxy responses come first. Trailers are
  /// ignored.
  mutating func receive(_ line: Span<UInt8>) {
    guard line.count <= Self.lineBytesMax else { return }
    var bytes = [UInt8](copying: line)
    while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
    guard bytes.allSatisfy({ ($0 >= 0x20 && $0 < 0x7F) || $0 == 0x09 }) else { return }
    let text = String(decoding: bytes, as: UTF8.self)
    if text.hasPrefix("HTTP/") {
      self = ResponseHead(seconds: seconds)
      hasFraming = !text.hasPrefix("HTTP/1")
    } else if text.isEmpty {
      complete()
    } else if !isComplete, let colon = text.firstIndex(of: ":") {
      let value = text[text.index(after: colon)...]
      setField(text[..<colon].lowercased(), Self.trimmed(value))
    }
  }

  private mutating func setField(_ name: String, _ value: String) {
    switch name {
    case "content-length": setLength(value)
    case "etag": if Validators.isETag(value) { validators.etag = validators.etag ?? value }
    case "last-modified": validators.lastModified = validators.lastModified ?? value
    case "date": date = value
    case "content-range": contentRange = ContentRange(value)
    case "retry-after":
      guard !value.isEmpty, value.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { break }
      retryAfterSeconds = min(Double(value) ?? .infinity, Self.retryAfterSecondsMax)
    case "transfer-encoding": if value.lowercased().contains("chunked") { hasFraming = true }
    case "cache-control":
      let directives = value.lowercased().split(separator: ",").map { Self.trimmed($0) }
      if directives.contains("no-store") { mayBeStored = false }
    default: break
    }
  }

  /// Compares a length with those before it. A proxy may have joined equal ones to a list (RFC 9110, 8.6).
  private mutating func setLength(_ value: String) {
    for text in value.split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmed) {
      guard text.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let bytes = Int64(text), length ?? bytes == bytes
      else {
        hasInvalidLength = true
        return
      }
      length = bytes
    }
  }

  private mutating func complete() {
    isComplete = true
    guard let changed = validators.lastModified.map(seconds), changed >= 0 else {
      validators.lastModified = nil
      return
    }
    if let sent = date.map(seconds), sent >= 0 {
      let seconds = sent.subtractingReportingOverflow(changed).partialValue
      validators.isDateStrong = seconds >= Self.strongDateSecondsMin
      validators.isRecentlyModified = seconds < Self.recentSecondsMax
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
  }
}
