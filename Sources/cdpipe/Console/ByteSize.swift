// Sizes in bytes as they are typed: 64MiB, 2GB, 4096.

import ArgumentParser
import Records

/// A number of bytes.
struct ByteSize: ExpressibleByArgument, Equatable {
  let bytes: Int

  init(bytes: Int) {
    self.bytes = bytes
  }

  /// Parses digits and a unit: none or B; K, M, G, T and KiB … TiB for powers of 1024; KB … TB for powers of 1000.
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

  var defaultValueDescription: String { Figures.bytes(bytes) }
}
