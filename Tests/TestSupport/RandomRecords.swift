// Random records of every shape that has ever caused an error: empty, all equal, nested, staggered, huge; few labels,
// all different, with escapes, long.

import Records

package struct RecordShape: Sendable, Hashable, CustomStringConvertible {
  /// The range of the first numbers.
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

  /// The range of the first numbers.
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
