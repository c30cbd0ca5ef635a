// The result of a benchmark: its JSON, and its comparison with an earlier result.

import FoundationEssentials
import Records

package struct BenchFigure: Codable, Equatable, Sendable {
  /// A stage's name, or `piped` or `fused`.
  package var name = ""
  package var rows: UInt64 = 0
  /// The bytes of the input.
  package var bytes: UInt64 = 0
  /// The wall-clock time of the fastest run, in seconds.
  package var seconds = 0.0
  /// The CPU time of the fastest run, in seconds.
  package var cpuSeconds = 0.0
  /// The peak memory in bytes: the sum over the processes, and the maximum over all runs.
  package var peakMemoryBytes: UInt64 = 0
  /// The speed relative to an earlier result: above 1 is faster. Nil if not compared.
  package var speedRatio: Double?
  /// The peak memory relative to an earlier result: above 1 is more. Nil if not compared.
  package var memoryRatio: Double?

  /// The throughput in rows per second; 0 if the time is 0.
  package var rowsPerSecond: Double { seconds > 0 ? Double(rows) / seconds : 0 }
  /// The throughput in bytes per second; 0 if the time is 0.
  package var bytesPerSecond: Double { seconds > 0 ? Double(bytes) / seconds : 0 }
}

/// The result of a benchmark: the settings and the measurements.
package struct BenchResult: Codable, Equatable, Sendable {
  /// The value of ``format`` that distinguishes a result from other JSON.
  package static let format = "cdpipe-bench"
  package static let version = 1
  /// The maximum number of bytes to read; a result has about two thousand.
  package static let bytesMax = 1 << 20

  package var format = Self.format
  /// The version of the format in which the result was written.
  package var version = Self.version
  package var cdpipe = ""
  package var rows: UInt64 = 0
  /// The shape of the rows; see ``BenchShape``.
  package var shape = ""
  package var seed: UInt64 = 0
  /// The memory limit of sort, such as `64 MiB`.
  package var memory = ""
  /// The number of threads of the single process.
  package var threads = 0
  /// The number of runs; the fastest counts.
  package var runs = 0
  /// The measurements: one per stage, then `piped` and `fused`.
  package var figures: [BenchFigure] = []

  package var json: String { JSONDocument.text(self) }

  /// Reads a result; nil if the bytes are not a result.
  package init?(json bytes: [UInt8]) {
    guard let read = try? JSONDecoder().decode(BenchResult.self, from: Data(bytes)),
      read.format == Self.format,
      read.version == Self.version
    else { return nil }
    self = read
  }

  package init() {}

  /// Whether both results have the same data, so that their figures can be compared.
  package func isComparable(with other: BenchResult) -> Bool {
    (rows, shape, seed, memory) == (other.rows, other.shape, other.seed, other.memory)
  }

  package mutating func compare(with earlier: BenchResult) {
    for index in figures.indices {
      guard let before = earlier.figures.first(where: { $0.name == figures[index].name }) else { continue }
      let now = figures[index]
      figures[index].speedRatio = Self.ratio(before.seconds, now.seconds)
      figures[index].memoryRatio = Self.ratio(Double(now.peakMemoryBytes), Double(before.peakMemoryBytes))
    }
  }

  /// Rounds to thousandths: further digits are noise.
  private static func ratio(_ one: Double, _ other: Double) -> Double? {
    one > 0 && other > 0 ? (one / other * 1000).rounded() / 1000 : nil
  }
}

// MARK: - The result of a benchmark as a table

package enum BenchText {
  package static func table(_ result: BenchResult, isCompared: Bool) -> [String] {
    var heads = ["stage", "rows", "rows/s", "MB/s", "seconds", "CPU", "peak memory"]
    if isCompared { heads += ["speed", "memory"] }
    var lines = [heads]
    for figure in result.figures {
      var line = [
        figure.name, Figures.grouped(figure.rows), Figures.rate(figure.rowsPerSecond),
        Figures.tenths(figure.bytesPerSecond / 1e6), hundredths(figure.seconds),
        hundredths(figure.cpuSeconds), Figures.bytes(figure.peakMemoryBytes),
      ]
      if isCompared { line += [times(figure.speedRatio), times(figure.memoryRatio)] }
      lines.append(line)
    }
    let widths = heads.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      line.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - line[column].count)
        return column == 0 ? line[column] + space : space + line[column]
      }.joined(separator: "  ")
    }
  }

  /// Formats a ratio: `× 1.25`; `-` if there is nothing to compare.
  private static func times(_ ratio: Double?) -> String { ratio.map { "× \(hundredths($0))" } ?? "-" }

  private static func hundredths(_ value: Double) -> String {
    let hundredths = Int((min(value, 1e12) * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}
