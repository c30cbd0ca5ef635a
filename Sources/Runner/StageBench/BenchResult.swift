// The result of a benchmark: its JSON, and its comparison with an earlier result.

import FoundationEssentials

/// One measurement.
public struct BenchFigure: Codable, Equatable, Sendable {
  /// A stage's name, or `piped` or `fused`.
  public var name = ""
  /// Rows and bytes that went in.
  public var rows: UInt64 = 0
  /// The bytes.
  public var bytes: UInt64 = 0
  /// The times of the fastest run.
  public var seconds = 0.0
  /// The cpu seconds.
  public var cpuSeconds = 0.0
  /// The sum of the peaks of its processes; the maximum over all runs.
  public var peakMemoryBytes: UInt64 = 0
  /// The ratios to an earlier result: above 1 is faster, and more memory.
  public var speedRatio: Double?
  /// The memory ratio.
  public var memoryRatio: Double?

  /// The rows per second.
  public var rowsPerSecond: Double { seconds > 0 ? Double(rows) / seconds : 0 }
  /// The bytes per second.
  public var bytesPerSecond: Double { seconds > 0 ? Double(bytes) / seconds : 0 }
}

/// A benchmark's result.
public struct BenchResult: Codable, Equatable, Sendable {
  /// The format.
  public static let format = "cdpipe-bench"
  /// The version.
  public static let version = 1
  /// The most bytes of a result that are read; a result has about two thousand.
  public static let bytesMax = 1 << 20

  /// The format.
  public var format = Self.format
  /// The version.
  public var version = Self.version
  /// The cdpipe.
  public var cdpipe = ""
  /// The rows.
  public var rows: UInt64 = 0
  /// The shape.
  public var shape = ""
  /// The seed.
  public var seed: UInt64 = 0
  /// The memory.
  public var memory = ""
  /// The threads.
  public var threads = 0
  /// The runs.
  public var runs = 0
  /// The figures.
  public var figures: [BenchFigure] = []

  /// The result as JSON.
  public var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Numbers and plain text only: encoding can't fail.
    return String(decoding: (try? encoder.encode(self)) ?? Data(), as: UTF8.self)
  }

  /// Reads a result; nil if the bytes are not a result.
  public init?(json bytes: [UInt8]) {
    guard let read = try? JSONDecoder().decode(BenchResult.self, from: Data(bytes)),
      read.format == Self.format,
      read.version == Self.version
    else { return nil }
    self = read
  }

  /// The init.
  public init() {}

  /// Whether both results have the same data, so that their figures can be compared.
  public func isComparable(with other: BenchResult) -> Bool {
    (rows, shape, seed, memory) == (other.rows, other.shape, other.seed, other.memory)
  }

  /// Adds the ratios to an earlier result.
  public mutating func compare(with earlier: BenchResult) {
    for index in figures.indices {
      guard let before = earlier.figures.first(where: { $0.name == figures[index].name }) else { continue }
      let now = figures[index]
      figures[index].speedRatio = Self.ratio(before.seconds, now.seconds)
      figures[index].memoryRatio = Self.ratio(Double(now.peakMemoryBytes), Double(before.peakMemoryBytes))
    }
  }

  /// To the thousandth: the rest is noise.
  private static func ratio(_ one: Double, _ other: Double) -> Double? {
    one > 0 && other > 0 ? (one / other * 1000).rounded() / 1000 : nil
  }
}
