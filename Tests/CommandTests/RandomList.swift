// Random lists of numbers as JSON: valid, broken and duplicate rows, patterns and ranges; each on its own line, so that
// their count is known.

import TestSupport

/// A random list.
struct RandomList {
  /// The list's bytes.
  var bytes: [UInt8] = []
  /// The number of rows, valid and broken.
  var rows = 0

  /// Generates a list of `rows` rows. If each has a different long label, the minimum memory of a sort is too small
  /// from about 100,000 rows on.
  init(rows: Int, longLabels: Bool = false, _ generator: inout SplitMix64) {
    self.rows = rows
    bytes.reserveCapacity(rows * (longLabels ? 130 : 40))
    let pool = UInt64(max(10, rows / 2))
    for row in 0..<rows {
      let label = longLabels ? Self.longLabel(row) : Self.label(&generator)
      switch Int.random(in: 0..<(longLabels ? 200 : 20), using: &generator) {
      case 0: add(#"{"138001"#, Self.digits(6, &generator), #"": "no end"#)
      case 1: add(#"{"138001"#, Self.digits(6, &generator), #"" "no colon"},"#)
      case 2: bytes += Array(#"{"13800138000": ""#.utf8) + [0xC3, 0x28] + Array("\"},\n".utf8)
      case 3: add(#"{""#, String(UInt64.random(in: 0...999, using: &generator)), #"": "too short"},"#)
      case 4: add(#"{"no number": ""#, label, #""},"#)
      case 5:
        add(
          #"{"+33162"#, Self.digits(Int.random(in: 0...3, using: &generator), &generator), #"*": ""#, label,
          #""},"#)
      case 6: add(#"{"+86 138 00"#, Self.digits(2, &generator), #" #### ": ""#, label, #""},"#)
      case 7: add(#"{""#, Self.range(&generator), #"": ""#, label, #""},"#)
      case 8:
        add(
          #"{"0755-"#, String(20_000_000 + UInt64.random(in: 0..<pool, using: &generator)), #"": ""#, label,
          #""},"#)
      default:
        add(
          #"{"86"#, String(13_800_000_000 + UInt64.random(in: 0..<pool, using: &generator)), #"": ""#, label,
          #""},"#)
      }
    }
  }

  private mutating func add(_ parts: String...) {
    for part in parts { bytes += part.utf8 }
    bytes.append(UInt8(ascii: "\n"))
  }

  private static func digits(_ count: Int, _ generator: inout SplitMix64) -> String {
    String((0..<count).map { _ in "0123456789".randomElement(using: &generator) ?? "0" })
  }

  private static func range(_ generator: inout SplitMix64) -> String {
    let first = 8_613_800_000_000 + UInt64.random(in: 0...5000, using: &generator)
    return "\(first)..\(first + UInt64.random(in: 0...300, using: &generator))"
  }

  private static func label(_ generator: inout SplitMix64) -> String {
    ["骚扰电话", "诈骗", "", "a", #"tab\tand \"more\""#, #"\ud83d\ude00"#, "\\\\ back"].randomElement(
      using: &generator) ?? ""
  }

  private static func longLabel(_ row: Int) -> String {
    "number \(row) of a list whose labels are all different and long enough to fill the memory of a sort, \(row)"
  }
}
