// The text format of Prometheus: written, and read back as far as this program writes it.
//
// Source: the text-based exposition format, https://prometheus.io/docs/instrumenting/exposition_formats/.

import SystemIO

/// The metrics in the previous file.
package struct PreviousMetrics {
  /// A series with its value.
  package struct Sample: Equatable {
    /// The labels other than those of every metric.
    package var labels: String
    package var value: Double
  }

  /// The maximum number of bytes to read; a file has a few thousand.
  private static let bytesMax = 1 << 20
  private let lines: [Substring]

  /// Reads a file; there are no metrics if it can't be read.
  package init(_ path: String) {
    let text = Directory.holdsFile(path) ? (try? Self.read(path)) ?? "" : ""
    lines = text.split(separator: "\n")
  }

  /// The samples of a metric that have the labels of a page.
  package func samples(_ name: String, _ page: MetricsPage) -> [Sample] {
    let head = "\(name){" + page.commonLabels
    return lines.compactMap { line in
      guard line.hasPrefix(head), let end = line.lastIndex(of: "}"),
        let value = Double(line[line.index(after: end)...].drop { $0 == " " })
      else { return nil }
      let rest = line[line.index(line.startIndex, offsetBy: head.count)..<end]
      guard rest.isEmpty || rest.first == "," else { return nil }
      return Sample(labels: String(rest.dropFirst()), value: value)
    }
  }

  /// The value of a metric that has one sample; nil if there is none.
  package func value(_ name: String, _ page: MetricsPage) -> Double? {
    samples(name, page).first?.value
  }

  private static func read(_ path: String) throws(SystemError) -> String {
    var file = try InputFile(path)
    var chunk = ByteChunk()
    var bytes: [UInt8] = []
    while bytes.count < bytesMax, try file.read(into: &chunk) > 0 {
      bytes.append(copying: chunk.span)
      chunk.removeAll()
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Metrics in the text format.
package struct MetricsPage {
  /// Labels of every metric.
  package let labels: [(String, String)]
  private(set) var text = ""

  package init(labels: [(String, String)]) {
    self.labels = labels
  }

  /// The labels of every metric as text.
  package var commonLabels: String { labels.map { Self.label($0.0, $0.1) }.joined(separator: ",") }

  /// Adds the help and the type of a metric.
  package mutating func begin(_ name: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n"
  }

  /// Adds one sample of a metric.
  package mutating func line(_ name: String, _ more: [(String, String)], _ value: String) {
    let all = (labels + more).map { Self.label($0.0, $0.1) }.joined(separator: ",")
    text += "\(name){\(all)} \(value)\n"
  }

  /// Adds a metric with one sample.
  package mutating func add(_ name: String, _ help: String, _ value: Double) {
    begin(name, help)
    line(name, [], Self.number(value))
  }

  /// A label with its value, escaped for the text format.
  package static func label(_ name: String, _ value: String) -> String {
    var escaped = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return "\(name)=\"\(escaped)\""
  }

  /// The value of a label in labels as ``label(_:_:)`` writes them, separated by commas.
  package static func value(of name: String, in labels: String) -> String? {
    // The value of another label may contain the text that is looked for, but its quotes are escaped.
    let head = name + "=\""
    let start: String.Index? =
      labels.hasPrefix(head)
      ? labels.startIndex
      : labels.firstRange(of: "\"," + head).map { labels.index($0.lowerBound, offsetBy: 2) }
    guard let start else { return nil }
    var value = ""
    var isEscaped = false
    for character in labels[start...].dropFirst(head.count) {
      if isEscaped {
        value.append(character == "n" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        return value
      } else {
        value.append(character)
      }
    }
    return nil
  }

  /// A number without a needless fraction.
  package static func number(_ value: Double) -> String {
    value.rounded() == value && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}
