// The server's metrics as Prometheus reads them: its text form, version 0.0.4.

import MessageRules
import NIOCore

#if canImport(Glibc)
  import Glibc
#endif

extension ServerMetrics {
  /// The type of ``text(_:)``.
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// All figures, as they are now. They are read one after another: a sum may be ahead of its parts.
  package func text(_ site: Site) -> String {
    var page = Page()
    page.metric("requests_total", "counter", "Answered requests, by route and status.")
    for kind in Route.RouteKind.allCases {
      for (index, status) in Self.statuses.enumerated() {
        let count = requests(kind, statusAt: index).value
        // A series that never counted is left out, but for the answer that there should be.
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
    page.metric("messages_total", "counter", "Messages, by the action that the rules gave.")
    for action in MessageAction.allCases {
      page.sample([("action", action.name)], "\(verdicts(action).value)")
    }
    page.metric("connections", "gauge", "Connections that are open.")
    page.sample([], "\(connections.value)")
    page.metric("connections_total", "counter", "Connections that were accepted.")
    page.sample([], "\(accepted.value)")
    page.metric("closings_total", "counter", "Connections that the server closed, by reason.")
    for closing in Closing.allCases {
      page.sample([("reason", closing.rawValue)], "\(closings(closing).value)")
    }
    page.metric("reloads_total", "counter", "Changed files, by part, and whether they could be used.")
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

  /// The process's resident memory, where /proc has it.
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

/// Lines of Prometheus' text form.
private struct Page {
  var text = ""
  private var name = ""

  mutating func line(_ line: String) {
    text += line + "\n"
  }

  /// Begins a metric.
  mutating func metric(_ name: String, _ type: String, _ help: String) {
    self.name = "cdpipe_server_" + name
    line("# HELP \(self.name) \(help)")
    line("# TYPE \(self.name) \(type)")
  }

  /// A sample of the metric that began last. Labels are words of our own and need no escapes.
  mutating func sample(_ labels: [(name: String, value: String)], _ value: String, suffix: String = "") {
    let list = labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",")
    line("\(name)\(suffix)\(list.isEmpty ? "" : "{\(list)}") \(value)")
  }

  static func seconds(microseconds: UInt64) -> String { "\(Double(microseconds) / 1e6)" }
}
