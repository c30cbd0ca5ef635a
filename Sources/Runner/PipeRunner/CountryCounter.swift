// Counts the countries of the numbers that a stage creates or writes, warns if many are not valid, and ends the run if
// a check of the stage fails.

import BasicContainers
import NumberPlan
import RecordStages
package import Records
import Synchronization

/// The countries of a run's numbers, once its last record has been counted. Usable from any thread.
final class CountryRecord: Sendable {
  private let value = Mutex<CountryCounts?>(nil)

  var counts: CountryCounts? {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}

/// Many numbers are not valid in their country. Likely causes are a missing stage and a wrong country.
package struct CountryNotice: StageNotice, Equatable {
  package let stage: StageName
  /// The source that the numbers come from; nil if they come from all sources, or if there is only one.
  package let source: String?
  /// Whether the stage determined the country codes itself, instead of reading them.
  package let createsRecords: Bool
  /// The country that the stage assumed for numbers without a country code; nil for none.
  package let assumedCountry: String?
  package let checked: UInt64
  /// Those of the sample that are not valid, ranges counted once.
  package let invalid: UInt64
  /// Those that have the assumed country's calling code twice, and are valid with one, too: `4949171…`.
  package let doubled: UInt64

  /// Whether the list's numbers may begin with a calling code: more have it twice than by chance.
  var isDoubled: Bool { doubled > 0 && doubled * Self.doubledShare >= checked }

  /// In a national list, fewer numbers have it by chance than one of these.
  private static let doubledShare: UInt64 = 10
}

final class CountryCounter: RecordSink {
  private let plan: any StagePlan
  private let source: String?
  private let record: CountryRecord?
  private let notify: (@Sendable (any StageNotice) -> Void)?
  private let downstream: any RecordSink
  private var tally = CountryTally()
  private var sample = RecordSample()
  private var validity: [ValidityTally]

  /// Creates a counter for the numbers that the stage creates, or else writes.
  ///
  /// - Parameters:
  ///   - source: the name of the source that the numbers come from, if there are several.
  ///   - record: set at the end of the stream; nil if another counter counts all numbers.
  ///   - notify: called at the end of the stream if many numbers are not valid.
  init(
    _ plan: any StagePlan, source: String?, record: CountryRecord?,
    notify: (@Sendable (any StageNotice) -> Void)?, downstream: any RecordSink
  ) {
    self.plan = plan
    self.source = source
    self.record = record
    self.notify = notify
    self.downstream = downstream
    validity = plan.countryChecks.map { ValidityTally(countries: $0.countries) }
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    if record != nil { tally.count(batch) }
    sample.add(batch)
    for index in validity.indices {
      for at in 0..<batch.count { validity[index].check(batch.firsts[at], batch.lasts[at]) }
    }
    try downstream.receive(&batch)
  }

  func finish() throws(Failure) {
    var sampled = ValidityTally()
    for range in sample.ranges { sampled.check(range.first, range.last) }
    record?.counts = CountryCounts(
      countries: tally.take(), checked: sampled.checked, invalid: sampled.invalid)
    for (check, result) in zip(plan.countryChecks, validity) {
      let valid = result.checked &- result.invalid
      if Double(valid) * 100 < check.minValidPercent * Double(result.checked) {
        throw CountryText.failure(
          plan.name, check, source: source, valid: valid, of: result.checked)
      }
    }
    if let notify {
      let notice = CountryNotice(
        stage: plan.name, source: source, createsRecords: plan.createsRecords,
        assumedCountry: plan.assumedCountry, checked: sampled.checked, invalid: sampled.invalid,
        doubled: plan.assumedCountry.flatMap { Region($0) }.map { sample.doubled(in: $0) } ?? 0)
      if sampled.isSuspect || notice.isDoubled { notify(notice) }
    }
    try downstream.finish()
  }
}

// MARK: - Counts how many numbers of a stream are valid in their country
//
// A range counts once, like a number: a mask or a prefix does not outvote the other rows. Validity is determined for a
// sample, unless a check requires it for each record: a sample costs the same for any length of the stream.

struct ValidityTally {
  /// The maximum number of blocks of the plan that are examined at each end of a range.
  private static let blocksMax = 256

  /// The countries that the numbers must belong to; nil for any.
  let regions: Set<Region>?
  /// The numbers and ranges that were checked.
  private(set) var checked: UInt64 = 0
  /// Those that are not valid.
  private(set) var invalid: UInt64 = 0

  init(countries: [String] = []) {
    regions = countries.isEmpty ? nil : Set(countries.compactMap { Region($0) })
  }

  /// Whether fewer numbers are valid than in real lists.
  var isSuspect: Bool {
    Double(checked &- invalid) * 100 < CountryCheck.defaultMinValidPercent * Double(checked)
  }

  /// Checks a number or a range.
  mutating func check(_ first: UInt64, _ last: UInt64) {
    checked &+= 1
    if !(first == last ? isValid(NumberPlan.region(ofDigits: first)) : isValid(first...last)) {
      invalid &+= 1
    }
  }

  private func isValid(_ region: Region?) -> Bool {
    guard let region else { return false }
    return regions?.contains(region) ?? true
  }

  /// Whether numbers with the same calling code and length are a valid range: the lowest and the highest number that
  /// the plan assigns are valid. The ends of prefixes and masks are often not assigned.
  private func isValid(_ range: ClosedRange<UInt64>) -> Bool {
    guard Decimal.digitCount(range.lowerBound) == Decimal.digitCount(range.upperBound),
      let code = NumberPlan.callingCode(ofDigits: range.lowerBound),
      NumberPlan.callingCode(ofDigits: range.upperBound) == code
    else { return false }
    return isValid(assignedRegion(from: range.lowerBound, to: range.upperBound))
      && isValid(assignedRegion(from: range.upperBound, to: range.lowerBound))
  }

  /// The region of the first assigned number on the way from one end of a range to the other.
  private func assignedRegion(from start: UInt64, to end: UInt64) -> Region? {
    var number = start
    for _ in 0..<Self.blocksMax {
      let block = NumberPlan.block(ofDigits: number)
      if block.type != .unknown { return block.region }
      if (block.first...block.last).contains(end) { return nil }
      number = start < end ? block.last + 1 : block.first - 1
    }
    return nil
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

  /// The numbers that have the region's calling code twice, and are valid with one, too.
  func doubled(in region: Region) -> UInt64 {
    let code = String(region.callingCode)
    return UInt64(
      ranges.count { range in
        let digits = String(range.first)
        guard range.first == range.last, digits.hasPrefix(code + code) else { return false }
        return UInt64(digits.dropFirst(code.count)).flatMap { NumberPlan.region(ofDigits: $0) } != nil
      })
  }

  /// Adds every n-th record of a batch.
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
