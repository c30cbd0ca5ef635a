// The server's log: a line per message on standard error, with the time, the severity and one name, whichever library
// it is from.
//
// Not for: the words of messages (ServerMessages).

import Logging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes messages to standard error: `2026-01-31T12:00:00Z error cdpipe-server: message`.
struct ServerLog: LogHandler {
  let label: String
  var logLevel: Logger.Level = .info
  var metadata: Logger.Metadata = [:]

  init(label: String) { self.label = label }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let fields = metadata.merging(event.metadata ?? [:]) { $1 }
      .sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    let text = "\(Self.timestamp()) \(event.level) \(label): \(event.message)\(fields)\n"
    // One call per message: lines of several threads are not mixed.
    _ = unsafe Array(text.utf8).withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// The time in UTC.
  private static func timestamp() -> String {
    var now = time(nil)
    var parts = unsafe tm()
    unsafe gmtime_r(&now, &parts)
    let (year, month, day) = unsafe (parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
    let (hour, minute, second) = unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec)
    func digits(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(year)-\(digits(month))-\(digits(day))T\(digits(hour)):\(digits(minute)):\(digits(second))Z"
  }
}
