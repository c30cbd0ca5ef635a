// Random lists in the layouts that are read in parts.

/// Random rows in one of the layouts that are read in parts, some of them malformed.
package struct LayoutList {
  package enum Layout: CaseIterable, Sendable {
    /// One object per row, in an array.
    case array
    /// One object per row, without brackets around them.
    case lines
    /// One object whose members are the rows.
    case object
    /// A table with quotes, and sometimes line ends in them.
    case table
    /// A number per line.
    case numbers

    /// The options of `parse` in a pipeline file.
    package var options: String {
      switch self {
      case .array, .lines, .object: "{ format: json }"
      case .table: "{ format: csv, score: rank }"
      case .numbers: "{ format: lines }"
      }
    }
  }

  package private(set) var bytes: [UInt8] = []

  /// Creates a list of `rows` rows.
  package init(_ layout: Layout, rows: Int, _ generator: inout SplitMix64) {
    bytes.reserveCapacity(rows * 48)
    switch layout {
    case .array: add("[")
    case .object: add("{")
    case .table: add("phone,name,rank")
    case .lines, .numbers: break
    }
    // Lists are either clean for long stretches, or have a broken row in most parts.
    let brokenOne = generator.chance(oneIn: 2) ? 20 : 4000
    for _ in 0..<rows {
      if generator.chance(oneIn: brokenOne) {
        addBroken(layout, &generator)
      } else {
        addRow(layout, &generator)
      }
    }
    switch layout {
    case .array: add("]")
    case .object: add("}")
    case .table, .lines, .numbers: break
    }
  }

  private mutating func add(_ line: String) {
    bytes += line.utf8
    bytes.append(UInt8(ascii: "\n"))
  }

  private mutating func addRow(_ layout: Layout, _ generator: inout SplitMix64) {
    var number = "86" + String(13_800_000_000 + UInt64.random(in: 0..<60_000, using: &generator))
    if generator.chance(oneIn: 50) { number = "1380" + String(Int.random(in: 0...9, using: &generator)) }
    if generator.chance(oneIn: 300) {
      number = "+8613800" + String(Int.random(in: 100...999, using: &generator)) + "***"
    }
    let label = "label \(Int.random(in: 0..<(generator.chance(oneIn: 10) ? 9000 : 5), using: &generator))"
    switch layout {
    case .array: add(#"{"\#(number)": "\#(label)"},"#)
    case .lines: add(#"{"\#(number)": "\#(label)"}"#)
    case .object: add(#""\#(number)": "\#(label)","#)
    case .table:
      let end = generator.chance(oneIn: 40) ? "\n" : ""
      add(#""\#(number)","\#(label)\#(end)",\#(Int.random(in: -2...9, using: &generator))"#)
    case .numbers: add(number + " " + label)
    }
  }

  private mutating func addBroken(_ layout: Layout, _ generator: inout SplitMix64) {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: add(#"{"1380013800": "no end"#)
    case 1: add(#""8613800138000","a quote" inside,1"#)
    case 2: bytes += [0x22, 0xC3, 0x28, 0x22, 0x2C, 0x0A]
    default: add("nothing of use")
    }
  }
}
