// The head of a response, as far as a download looks at it (RFC 9110).
//
// Not for: status and length, which libcurl reads.

import SystemIO

/// What tells one version of a resource from another (RFC 9110, 8.8).
struct Validators: Equatable {
  /// The ETag with its quotes, and `W/` if it is a weak one.
  var etag: String?
  /// The date as the server wrote it.
  var lastModified: String?
  /// Whether the resource was at rest for long enough when it was sent, so that the date stands for its bytes.
  var isDateStrong = false
  /// Whether the resource changed just before it was sent. Many servers make ETags of a time in seconds and a size, and
  /// the next version may get the same.
  var isRecentlyModified = false

  /// What may stand in `If-Range`: it promises the same bytes. A weak ETag does not, and a date only counts
  /// without any ETag (RFC 9110, 13.1.5).
  var strong: String? {
    if isRecentlyModified { return nil }
    if let etag { return etag.hasPrefix("W/") ? nil : etag }
    return isDateStrong ? lastModified : nil
  }

  /// Whether both stand for the same bytes.
  func promisesSameBytes(as other: Validators) -> Bool {
    strong != nil && strong == other.strong
  }

  /// Whether an answer that has the others must be of another version. One may leave validators out.
  func isContradicted(by other: Validators) -> Bool {
    if let etag { return other.etag.map { $0 != etag } ?? false }
    return other.lastModified.map { $0 != lastModified } ?? false
  }

  /// A quoted ETag of printable ASCII, which can be sent back as it came.
  static func isETag(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let quoted = bytes.starts(with: Array("W/".utf8)) ? bytes.dropFirst(2) : bytes[...]
    guard quoted.count >= 2, quoted.first == UInt8(ascii: "\""), quoted.last == UInt8(ascii: "\"") else {
      return false
    }
    return quoted.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
  }
}

/// The part that a 206 has (RFC 9110, 14.4).
struct ContentRange: Equatable {
  var first: UInt64
  var last: UInt64
  /// Of the whole resource, if the server knows it.
  var total: UInt64?

  /// Reads `bytes 100-199/200` or `bytes 100-199/*`.
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

  /// How many bytes the part has.
  var count: UInt64 { last - first + 1 }
}

/// The head of a response, read line by line.
struct ResponseHead {
  /// Longer lines are no validator of anybody's.
  private static let lineBytesMax = 4096
  /// So long after the last change the date stands for the bytes: the server's clock has seconds, and a file may
  /// change twice in one (RFC 9110, 8.8.2.2).
  private static let strongDateSecondsMin: Int64 = 60

  /// Some thirty years, which stand for any longer wait.
  private static let retryAfterSecondsMax = 1e9

  /// Within the second of its last change, and the next for two clocks that differ a little, a version is young.
  private static let recentSecondsMax: Int64 = 2

  private(set) var validators = Validators()
  private(set) var contentRange: ContentRange?
  /// The seconds that the server wants to be left alone for, if it said a number; a date is libcurl's to read.
  private(set) var retryAfterSeconds: Double?
  /// Whether the server lets the response be kept.
  private(set) var mayBeStored = true
  /// Whether the end of the body can be told from a connection that broke off, even without a length.
  private(set) var hasFraming = false
  private var date: String?
  private var isComplete = false
  private let seconds: (String) -> Int64

  /// `seconds` reads a date.
  init(seconds: @escaping (String) -> Int64 = CurlHandle.seconds) {
    self.seconds = seconds
  }

  /// Takes a line. A status line begins anew: interim responses and proxies' come first. Trailers are none of
  /// the head's.
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
