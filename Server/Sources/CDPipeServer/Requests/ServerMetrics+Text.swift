// Formats the server's metrics in Prometheus's text format, version 0.0.4.

import CallManifest
import MessageRules
import NIOCore

#if canImport(Glibc)
  import Glibc
#endif

extension ServerMetrics {
  /// The content type of ``text(_:)``.
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// Formats the current values of all metrics. They are read one after another, so a sum may be ahead of its parts.
  package func text(_ site: Site) -> String {
    var page = Page()
    page.metric("requests_total", "counter", "Answered requests, by route and status.")
    for kind in Route.RouteKind.allCases {
      for (index, status) in Self.statuses.enumerated() {
        let count = requests(kind, statusAt: index).value
        // Omit series that are 0, except for the status 200.
        if count > 0 || status == 200 {
          page.sample(
            [("route", kind.rawValue), ("status", status == 0 ? "other" : "\(status)")], "\(count)")
        }
      }
    }
    page.metric("request_seconds", "histogram", "Time from a request's head to its answer.")
    var sum: UInt64 = 0
    for (index, limit) in Self.durations.enumerated() {
      sum += took[index].value
      page.sample([("le", Page.seconds(microseconds: limit))], "\(sum)", suffix: "_bucket")
    }
    sum += took[Self.durations.count].value
    page.sample([("le", "+Inf")], "\(sum)", suffix: "_bucket")
    page.sample([], "\(Double(tookNanoseconds.value) / 1e9)", suffix: "_sum")
    page.sample([], "\(sum)", suffix: "_count")
    page.metric("messages_total", "counter", "Messages, by the action of the rules.")
    for action in MessageAction.allCases {
      page.sample([("action", action.name)], "\(verdicts(action).value)")
    }
    page.metric("connections", "gauge", "Open connections.")
    page.sample([], "\(connections.value)")
    page.metric("connections_total", "counter", "Accepted connections.")
    page.sample([], "\(accepted.value)")
    page.metric("closings_total", "counter", "Connections that the server closed, by reason.")
    for closing in Closing.allCases {
      page.sample([("reason", closing.rawValue)], "\(closings(closing).value)")
    }
    page.metric("reloads_total", "counter", "Reloads of changed files, by part and result.")
    for part in Site.Part.allCases {
      page.sample([("part", part.rawValue), ("result", "used")], "\(reloads(part, isFailure: false).value)")
      page.sample([("part", part.rawValue), ("result", "failed")], "\(reloads(part, isFailure: true).value)")
    }
    if let rules = site.rules?.value {
      page.metric("rules", "gauge", "Rules in use.")
      page.sample([], "\(rules.ruleCount)")
    }
    if let lists = site.lists?.value {
      page.metric("shards", "gauge", "Shards in use.")
      page.sample([], "\(lists.manifest.shards.count)")
    }
    if let memory = Self.residentBytes {
      page.line("# HELP process_resident_memory_bytes Resident memory.")
      page.line("# TYPE process_resident_memory_bytes gauge")
      page.line("process_resident_memory_bytes \(memory)")
    }
    return page.text
  }

  /// The process's resident memory in bytes; nil without /proc.
  private static var residentBytes: Int? {
    #if os(Linux)
      guard let bytes = try? OpenFile(path: "/proc/self/statm").read(at: 0, count: 256) else { return nil }
      let fields = String(buffer: bytes).split(separator: " ")
      guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
      return pages * sysconf(Int32(_SC_PAGESIZE))
    #else
      return nil
    #endif
  }
}

/// Builds lines in Prometheus's text format.
private struct Page {
  var text = ""
  private var name = ""

  mutating func line(_ line: String) {
    text += line + "\n"
  }

  /// Starts a metric.
  mutating func metric(_ name: String, _ type: String, _ help: String) {
    self.name = "cdpipe_server_" + name
    line("# HELP \(self.name) \(help)")
    line("# TYPE \(self.name) \(type)")
  }

  /// Adds a sample of the metric that was started last. Labels are our own words and need no escapes.
  mutating func sample(_ labels: [(name: String, value: String)], _ value: String, suffix: String = "") {
    let list = labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",")
    line("\(name)\(suffix)\(list.isEmpty ? "" : "{\(list)}") \(value)")
  }

  static func seconds(microseconds: UInt64) -> String { "\(Double(microseconds) / 1e6)" }
}
