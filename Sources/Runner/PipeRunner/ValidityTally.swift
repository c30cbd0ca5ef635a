// Counts how many numbers of a stream are valid in their country.
//
// Validity is determined for a sample, unless a check requires it for each number: a sample costs the same for any
// length of the stream. Not for how many numbers belong to which country (CountryTally).

import BasicContainers
import Records
import NumberPlan

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
