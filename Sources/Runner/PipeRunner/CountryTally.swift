// Counts a stream's numbers by country, and how many of them are valid there, in bounded memory.
//
// All numbers are counted. Validity is determined for a sample, unless a check requires it for each number: a sample
// costs the same for any length of the stream. Not for labels and prefixes (RecordTally).

import BasicContainers
import CallRecord
import NumberPlan
import PipeStage

/// Counts numbers by country.
struct CountryTally: ~Copyable {
  /// The maximum number of pieces that a range is split into: all numbers of up to 15 digits have fewer than 1,000
  /// blocks per length.
  static let piecesMax = 16_384

  /// Whether the records are in ascending order, which makes counting faster.
  private let isAscending: Bool
  /// The counts by calling code; 0 for digits without a known calling code.
  private var counts: [UInt16: RecordCounts.Count] = [:]
  /// The numbers with the current calling code and length, and their count.
  private var block = PrefixBlock()
  private var blockCount = RecordCounts.Count()

  init(isAscending: Bool) {
    self.isAscending = isAscending
  }

  /// Counts a batch.
  ///
  /// - Complexity: O(records), plus a lookup for each change of the calling code or of the length.
  mutating func count(_ batch: borrowing RecordBatch) {
    var at = 0
    while at < batch.count {
      at = Self.count(batch, from: at, block, isAscending: isAscending, &blockCount)
      guard at < batch.count else { return }
      enter(batch.firsts[at])
      if batch.lasts[at] > block.last {
        cut(batch.firsts[at], batch.lasts[at])
        at += 1
      }
    }
  }

  /// Counts records while they lie within a block; returns the index of the first that does not.
  private static func count(
    _ batch: borrowing RecordBatch, from start: Int, _ block: PrefixBlock, isAscending: Bool,
    _ blockCount: inout RecordCounts.Count
  ) -> Int {
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    var beyondFirst: UInt64 = 0
    var at = start
    if isAscending, firsts[at] >= block.first, lasts[firsts.count - 1] <= block.last {
      // No comparisons, so that the compiler can use vector instructions.
      while at < firsts.count {
        beyondFirst &+= lasts[at] &- firsts[at]
        at &+= 1
      }
    } else {
      while at < firsts.count, firsts[at] >= block.first, lasts[at] <= block.last {
        beyondFirst &+= lasts[at] &- firsts[at]
        at &+= 1
      }
    }
    blockCount.records &+= UInt64(at - start)
    blockCount.entries &+= beyondFirst &+ UInt64(at - start)
    return at
  }

  /// Closes the current block and begins the one that contains `number`.
  private mutating func enter(_ number: UInt64) {
    closeBlock()
    block = PrefixBlock(of: number, digits: 0)
  }

  private mutating func closeBlock() {
    guard blockCount.records > 0 || blockCount.entries > 0 else { return }
    counts[block.callingCode, default: RecordCounts.Count()].add(blockCount)
    blockCount = RecordCounts.Count()
  }

  /// Counts a range's numbers in the blocks that contain them; the record counts in the first block.
  private mutating func cut(_ first: UInt64, _ last: UInt64) {
    blockCount.records += 1
    var start = first
    for _ in 0..<Self.piecesMax {
      let end = min(last, block.last)
      blockCount.entries &+= end &- start &+ 1
      if end == last { return }
      start = end + 1
      enter(start)
    }
    counts[0, default: RecordCounts.Count()].entries &+= last &- start &+ 1
  }

  /// Returns the counts, the country with the most numbers first.
  mutating func take() -> [CountryCounts.Country] {
    closeBlock()
    return counts.map { code, count in
      CountryCounts.Country(
        callingCode: code, region: NumberPlan.regions(callingCode: code).first?.code, records: count.records,
        entries: count.entries)
    }.sorted { one, other in
      one.entries != other.entries ? one.entries > other.entries : one.callingCode < other.callingCode
    }
  }
}

/// Counts valid numbers.
struct ValidityTally {
  /// The countries that the numbers must belong to; nil for any.
  let regions: Set<Region>?
  private(set) var checked: UInt64 = 0
  private(set) var invalid: UInt64 = 0

  init(countries: [String] = []) {
    regions = countries.isEmpty ? nil : Set(countries.compactMap { Region($0) })
  }

  /// Whether fewer numbers are valid than in real lists.
  var isSuspect: Bool {
    Double(checked &- invalid) * 100 < CountryCheck.defaultMinValidPercent * Double(checked)
  }

  /// Checks a number or a range. A range is valid if its first and its last number are.
  ///
  /// - Complexity: O(digits).
  mutating func check(_ first: UInt64, _ last: UInt64) {
    let count = last &- first &+ 1
    // A hostile list may have more numbers than fit.
    checked = Self.saturated(checked, count)
    if !isValid(first) || (last != first && !isValid(last)) { invalid = Self.saturated(invalid, count) }
  }

  private static func saturated(_ sum: UInt64, _ count: UInt64) -> UInt64 {
    let (result, isOver) = sum.addingReportingOverflow(count)
    return isOver ? .max : result
  }

  private func isValid(_ number: UInt64) -> Bool {
    guard let region = NumberPlan.region(ofDigits: number) else { return false }
    return regions?.contains(region) ?? true
  }
}

/// Every n-th record of a stream. n doubles when the sample is full, so the sample is spread evenly over the stream.
struct RecordSample {
  /// The maximum number of records: checking them needs less than a millisecond, and a share of 10% is accurate to 1%.
  static let sizeMax = 4096

  private(set) var ranges: [(first: UInt64, last: UInt64)] = []
  private var step = 1
  /// The records until the next one of the sample.
  private var distance = 0

  /// Adds every n-th record of a batch.
  ///
  /// - Complexity: O(records / n).
  mutating func add(_ batch: borrowing RecordBatch) {
    var at = distance
    while at < batch.count {
      ranges.append((batch.firsts[at], batch.lasts[at]))
      at += step
      if ranges.count == Self.sizeMax { thinOut() }
    }
    distance = at - batch.count
  }

  private mutating func thinOut() {
    for index in 0..<ranges.count / 2 { ranges[index] = ranges[index * 2] }
    ranges.removeLast(ranges.count / 2)
    step *= 2
  }
}
