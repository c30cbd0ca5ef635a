// Sizes as people type them: 64MiB, 2GB, 4096.

import ArgumentParser

/// A number of bytes.
struct ByteSize: ExpressibleByArgument, Equatable {
  let bytes: Int

  init(bytes: Int) {
    self.bytes = bytes
  }

  /// Reads digits and a unit: none or B; K, M, G, T and KiB … TiB for powers of 1024; KB … TB for powers of 1000.
  init?(argument: String) {
    let text = argument.filter { $0 != " " && $0 != "_" }
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let number = Double(digits), number >= 0,
      let factor = Self.factor(text.dropFirst(digits.count).lowercased())
    else { return nil }
    let bytes = number * factor
    guard bytes < Double(Int64.max) else { return nil }
    self.bytes = Int(bytes)
  }

  private static func factor(_ unit: String) -> Double? {
    if unit.isEmpty || unit == "b" { return 1 }
    guard
      let power = "kmgt".firstIndex(of: unit.first!).map({
        "kmgt".distance(from: "kmgt".startIndex, to: $0) + 1
      })
    else { return nil }
    let base: Double
    switch unit.dropFirst() {
    case "", "ib": base = 1024
    case "b": base = 1000
    default: return nil
    }
    return (0..<power).reduce(1) { factor, _ in factor * base }
  }

  var defaultValueDescription: String { Self.text(UInt64(bytes)) }

  /// A size for people, in powers of 1024.
  static func text(_ bytes: UInt64) -> String {
    var value = Double(bytes)
    var unit = 0
    while value >= 1024, unit < 4 {
      value /= 1024
      unit += 1
    }
    let name = ["B", "KiB", "MiB", "GiB", "TiB"][unit]
    let isWhole = unit == 0 || value.rounded() == value || value >= 100
    return isWhole ? "\(Int(value.rounded())) \(name)" : "\(tenths(value)) \(name)"
  }

  /// A limit as somebody typed it, most likely: in the largest unit of which it is a whole number, of 1024 before 1000.
  static func limit(_ bytes: UInt64) -> String {
    if bytes < decimalMin { return text(bytes, in: 1024, ["KiB"]) ?? "\(bytes) B" }
    return text(bytes, in: 1024, ["KiB", "MiB", "GiB", "TiB"]) ?? text(
      bytes, in: 1000, ["KB", "MB", "GB", "TB"])
      ?? "\(Figures.grouped(bytes)) B"
  }

  /// Below this a figure is short enough as it is.
  private static let decimalMin: UInt64 = 10_000

  private static func text(_ bytes: UInt64, in base: UInt64, _ units: [String]) -> String? {
    var value = bytes
    var unit: String?
    for name in units where value > 0 && value % base == 0 {
      value /= base
      unit = name
    }
    return unit.map { "\(Figures.grouped(value)) \($0)" }
  }

  static func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
