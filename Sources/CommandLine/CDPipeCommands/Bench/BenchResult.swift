// What a benchmark found out: its JSON, its table, and how it compares with an earlier one.

import FoundationEssentials

/// One thing that was measured.
struct BenchFigure: Codable, Equatable {
  /// A stage's name, or `piped` or `fused`.
  var name = ""
  /// Rows and bytes that went in.
  var rows: UInt64 = 0
  var bytes: UInt64 = 0
  /// Of the fastest run.
  var seconds = 0.0
  var cpuSeconds = 0.0
  /// The most that its processes had, each counted for itself and added up, in the run in which that was most.
  var peakMemoryBytes: UInt64 = 0
  /// Compared with an earlier result: how many times as fast it is, and how many times the memory it takes.
  var speedRatio: Double?
  var memoryRatio: Double?

  var rowsPerSecond: Double { seconds > 0 ? Double(rows) / seconds : 0 }
  var bytesPerSecond: Double { seconds > 0 ? Double(bytes) / seconds : 0 }
}

/// A benchmark's result.
struct BenchResult: Codable, Equatable {
  static let format = "cdpipe-bench"
  static let version = 1
  /// The most bytes of a result that is read; one has about two thousand.
  static let bytesMax = 1 << 20

  var format = Self.format
  var version = Self.version
  var cdpipe = ""
  var rows: UInt64 = 0
  var shape = ""
  var seed: UInt64 = 0
  var memory = ""
  var threads = 0
  var runs = 0
  var figures: [BenchFigure] = []

  /// The JSON, as a file has it.
  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Numbers and plain text only: there is nothing that can't be encoded.
    return String(decoding: (try? encoder.encode(self)) ?? Data(), as: UTF8.self)
  }

  /// Reads a result; nil if the bytes are none.
  init?(json bytes: [UInt8]) {
    guard let read = try? JSONDecoder().decode(BenchResult.self, from: Data(bytes)),
      read.format == Self.format,
      read.version == Self.version
    else { return nil }
    self = read
  }

  init() {}

  /// Whether the two were made with the same data, so that their figures can be compared.
  func isComparable(with other: BenchResult) -> Bool {
    (rows, shape, seed, memory) == (other.rows, other.shape, other.seed, other.memory)
  }

  /// Puts the ratios to an earlier result beside the figures.
  mutating func compare(with earlier: BenchResult) {
    for index in figures.indices {
      guard let before = earlier.figures.first(where: { $0.name == figures[index].name }) else { continue }
      let now = figures[index]
      figures[index].speedRatio = Self.ratio(before.seconds, now.seconds)
      figures[index].memoryRatio = Self.ratio(Double(now.peakMemoryBytes), Double(before.peakMemoryBytes))
    }
  }

  /// To the thousandth: what is beyond is chance.
  private static func ratio(_ one: Double, _ other: Double) -> Double? {
    one > 0 && other > 0 ? (one / other * 1000).rounded() / 1000 : nil
  }

  /// The result as a table for people.
  func table(isCompared: Bool) -> [String] {
    var heads = ["stage", "rows", "rows/s", "MB/s", "seconds", "CPU", "peak memory"]
    if isCompared { heads += ["speed", "memory"] }
    var lines = [heads]
    for figure in figures {
      var line = [
        figure.name, Figures.grouped(figure.rows), Figures.rate(figure.rowsPerSecond),
        ByteSize.tenths(figure.bytesPerSecond / 1e6), Self.hundredths(figure.seconds),
        Self.hundredths(figure.cpuSeconds), ByteSize.text(figure.peakMemoryBytes),
      ]
      if isCompared { line += [Self.times(figure.speedRatio), Self.times(figure.memoryRatio)] }
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

  /// `× 1.25`; `-` where there is nothing to compare.
  private static func times(_ ratio: Double?) -> String {
    ratio.map { "× \(hundredths($0))" } ?? "-"
  }

  private static func hundredths(_ value: Double) -> String {
    let hundredths = Int((min(value, 1e12) * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}
