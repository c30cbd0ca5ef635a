// Reproducible random records and lists of every shape that has ever caused an error, and the expected output
// of sort.

import Records
package import Testing

package struct RecordShape: Sendable, Hashable, CustomStringConvertible {
  package enum Numbers: CaseIterable, Sendable {
    /// From 1 to 30, so that nearly everything overlaps.
    case few
    /// In one country's mobile range.
    case common
    /// Of every length.
    case wide
    /// The largest numbers.
    case huge
    /// Always the same number.
    case equal
  }

  package enum Ranges: CaseIterable, Sendable {
    case none
    /// A few, of any width.
    case some
    /// Nearly all, each within the one before.
    case nested
    /// Nearly all, each beginning in the middle of the one before.
    case staggered
    /// All, of the same width.
    case equalWidth
  }

  /// The kinds of record fields.
  package enum Labels: CaseIterable, Sendable {
    /// All empty.
    case none
    /// Three different values.
    case few
    /// A different value for each record.
    case different
    /// With escapes, sources, scores and letters of every length.
    case fields
    /// A kilobyte or more, sometimes the maximum length.
    case long
  }

  package var numbers: Numbers
  package var ranges: Ranges
  /// The kind of record fields.
  package var labels: Labels

  package init(_ numbers: Numbers, _ ranges: Ranges, _ labels: Labels) {
    self.numbers = numbers
    self.ranges = ranges
    self.labels = labels
  }

  package static func random(_ generator: inout SplitMix64) -> RecordShape {
    RecordShape(
      Numbers.allCases.randomElement(using: &generator) ?? .few,
      Ranges.allCases.randomElement(using: &generator) ?? .none,
      Labels.allCases.randomElement(using: &generator) ?? .none)
  }

  /// A random number of records; 0 and 1 are frequent.
  package static func randomCount(_ generator: inout SplitMix64, most: Int) -> Int {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: 0
    case 1: 1
    case 2, 3: Int.random(in: 0...min(most, 10), using: &generator)
    default: Int.random(in: 0...most, using: &generator)
    }
  }

  package var description: String { "\(numbers) numbers, \(ranges) ranges, \(labels) labels" }

  /// Random records of this shape, in no order.
  package func records(_ count: Int, _ generator: inout SplitMix64) -> [TestRecord] {
    var records: [TestRecord] = []
    records.reserveCapacity(count)
    let start = number(&generator)
    var before = start...start
    for index in 0..<count {
      let numbers = self.range(&generator, before)
      before = numbers
      records.append(
        TestRecord(numbers.lowerBound, numbers.upperBound, recordFields(index, &generator)))
    }
    return records
  }

  private func number(_ generator: inout SplitMix64) -> UInt64 {
    switch numbers {
    case .few: UInt64.random(in: 1...30, using: &generator)
    case .common: UInt64.random(in: 8_613_000_000_000...8_613_999_999_999, using: &generator)
    case .wide:
      max(
        1,
        UInt64.random(in: 0...PhoneNumber.max, using: &generator)
          >> UInt64.random(in: 0...49, using: &generator))
    case .huge: PhoneNumber.max - UInt64.random(in: 0...30, using: &generator)
    case .equal: 86_755_123_456
    }
  }

  private func width(_ generator: inout SplitMix64) -> UInt64 {
    numbers == .few || numbers == .huge || numbers == .equal
      ? UInt64.random(in: 0...12, using: &generator)
      : UInt64.random(in: 0...UInt64(10_000_000), using: &generator)
        >> UInt64.random(in: 0...20, using: &generator)
  }

  private func range(_ generator: inout SplitMix64, _ before: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
    let first = number(&generator)
    switch ranges {
    case .none: return first...first
    case .some:
      return generator.chance(oneIn: 4)
        ? first...min(PhoneNumber.max, first + width(&generator)) : first...first
    case .equalWidth: return first...min(PhoneNumber.max, first + 5)
    case .nested:
      if generator.chance(oneIn: 5) { return first...min(PhoneNumber.max, first + width(&generator)) }
      let inner = UInt64.random(in: before, using: &generator)
      return inner...UInt64.random(in: inner...before.upperBound, using: &generator)
    case .staggered:
      if generator.chance(oneIn: 5) { return first...min(PhoneNumber.max, first + width(&generator)) }
      let start = UInt64.random(in: before, using: &generator)
      return start...min(PhoneNumber.max, before.upperBound + width(&generator))
    }
  }

  private func recordFields(_ index: Int, _ generator: inout SplitMix64) -> [UInt8] {
    switch labels {
    case .none: return []
    case .few: return Array(["骚扰电话", "诈骗", "a"][Int.random(in: 0..<3, using: &generator)].utf8)
    case .different: return Array("label \(index)".utf8)
    case .fields:
      return RecordFields.bytes(
        RecordFields.Fields(
          label: Self.text(&generator, most: 12),
          source: generator.chance(oneIn: 2) ? Self.text(&generator, most: 4) : "",
          score: generator.chance(oneIn: 2) ? Int64(truncatingIfNeeded: generator.next()) : nil))
    case .long:
      let length =
        generator.chance(oneIn: 50) ? RecordFields.bytesMax : Int.random(in: 900...3000, using: &generator)
      let head = Array("\(index) ".utf8)
      return head + [UInt8](repeating: UInt8(ascii: "x"), count: length - head.count)
    }
  }

  /// A text of characters of every length in UTF-8, including those that the text form escapes.
  package static func text(_ generator: inout SplitMix64, most: Int) -> String {
    let characters: [Character] = [
      "a", "7", " ", "\\", "\t", "\n", "\r", "é", "话", "𐐷", "\u{0}", "\u{10FFFF}",
    ]
    return String(
      (0..<Int.random(in: 0...most, using: &generator)).map { _ in
        characters[Int.random(in: 0..<characters.count, using: &generator)]
      })
  }
}

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

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A seeded generator. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator whose numbers depend only on the seed.
  package init(seed: UInt64) {
    state = seed
  }

  /// Creates the generator of one test. It depends on the run's seed and on the test's name, so that a test draws the
  /// same numbers whether it runs alone or with others.
  package init(test name: String) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    self.init(seed: TestSeed.value ^ hash)
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// Whether a random event with a probability of 1 in `outOf` occurred.
  package mutating func chance(oneIn outOf: Int) -> Bool {
    Int.random(in: 0..<outOf, using: &self) == 0
  }

  /// A number from 0 to `limit` - 1, or 0 if `limit` is not positive.
  package mutating func below(_ limit: Int) -> Int { limit <= 0 ? 0 : Int(next() % UInt64(limit)) }

  package mutating func bytes(_ count: Int, in range: ClosedRange<UInt8> = 0...255) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: range, using: &self) }
  }
}

package enum TestSeed {
  package static let variable = "CDPIPE_TEST_SEED"

  /// The seed: the value of the variable, or a random one.
  package static let value: UInt64 = {
    if let text = unsafe getenv(variable), let seed = UInt64(unsafe String(cString: text)) { return seed }
    return UInt64.random(in: 0...UInt64.max)
  }()
}

extension Trait where Self == IssueHandlingTrait {
  /// Adds the run's seed to every issue of the test, so that it can be reproduced.
  package static var seeded: Self {
    .compactMapIssues { issue in
      var issue = issue
      issue.comments.append("again with \(TestSeed.variable)=\(TestSeed.value)")
      return issue
    }
  }
}

package enum SortOracle {
  /// The records by first number, wider ones first, equal ones in input order.
  ///
  /// - Complexity: O(n log n).
  package static func sorted(_ records: [TestRecord]) -> [TestRecord] {
    records.enumerated().sorted { one, other in
      if one.element.first != other.element.first { return one.element.first < other.element.first }
      if one.element.last != other.element.last { return one.element.last > other.element.last }
      return one.offset < other.offset
    }.map(\.element)
  }
}
