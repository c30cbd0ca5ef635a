// The result of a benchmark as a table.

import Records

/// Formats results of benchmarks.
package enum BenchMessages {
  /// Formats a result as a table.
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
  private static func times(_ ratio: Double?) -> String {
    ratio.map { "× \(hundredths($0))" } ?? "-"
  }

  private static func hundredths(_ value: Double) -> String {
    let hundredths = Int((min(value, 1e12) * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}
