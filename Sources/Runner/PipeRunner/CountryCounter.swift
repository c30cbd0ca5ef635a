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
  /// The numbers of the sample that are not valid.
  package let invalid: UInt64
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
        throw CountryMessages.failure(
          plan.name, check, source: source, valid: valid, of: result.checked)
      }
    }
    if let notify, sampled.isSuspect {
      notify(
        CountryNotice(
          stage: plan.name, source: source, createsRecords: plan.createsRecords,
          assumedCountry: plan.assumedCountry, checked: sampled.checked, invalid: sampled.invalid))
    }
    try downstream.finish()
  }
}

// MARK: - Counts how many numbers of a stream are valid in their country
//
// Validity is determined for a sample, unless a check requires it for each number: a sample costs the same for any
// length of the stream.

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

// MARK: - The countries of a run's numbers, as lines, and the errors of country checks

package enum CountryMessages {
  /// The maximum number of counts in a line.
  static let listedMax = 6

  /// The numbers by country: `3,356 numbers: CN +86 3,351 · HK +852 5`.
  package static func line(_ counts: CountryCounts) -> String {
    let all = listed(
      counts.countries.map { (name($0.callingCode, $0.region), $0.entries) }, "more country",
      plural: "more countries")
    return Figures.counted(counts.entries, "number") + (all.isEmpty ? "" : ": " + all)
  }

  /// The first counts of a list, and the others together: `CN +86 3,351 · HK +852 5 · 2 more countries 3`.
  static func listed(
    _ counts: [(name: String, entries: UInt64)], _ noun: String, plural: String
  ) -> String {
    var parts = counts.prefix(listedMax).map { "\($0.name) \(Figures.grouped($0.entries))" }
    let others = counts.dropFirst(listedMax)
    if !others.isEmpty {
      parts.append(
        Figures.counted(UInt64(others.count), noun, plural: plural)
          + " \(Figures.grouped(others.reduce(0) { $0 &+ $1.entries }))")
    }
    return parts.joined(separator: " · ")
  }

  /// A country by its region and calling code: `CN +86`; `+800` for a network without a country.
  static func name(_ callingCode: UInt16, _ region: String?) -> String {
    guard let region else { return "no calling code" }
    let isCountry = Region(region) != nil
    return (isCountry ? region + " " : "") + "+\(callingCode)"
  }

  /// The English name of the main country with a calling code, or of the network that has it.
  package static func country(callingCode: UInt16) -> String? {
    NumberPlan.regions(callingCode: callingCode).first.map {
      CountryNames.name($0, callingCode: callingCode)
    }
  }

  /// A warning that many numbers are not valid in their country, with the likely cause.
  package static func warning(_ notice: CountryNotice) -> UserMessage {
    UserMessage(
      place(notice.source)
        + "\(share(notice.invalid, of: notice.checked)) of the numbers are not valid in their country",
      hint: hint(notice))
  }

  private static func hint(_ notice: CountryNotice) -> String {
    if !notice.createsRecords {
      return "check that 'cdpipe normalize' comes before 'cdpipe sort', with the list's \(option: "region")"
    }
    guard let country = notice.assumedCountry else {
      return "if the numbers have no country code, set their country with \(option: "region", "CC")"
    }
    return "check that the list is from \(country) (\(option: "region")); "
      + "'cdpipe number --region \(country) NUMBER' explains a number"
  }

  static func place(_ source: String?) -> String {
    source.map { "source '\(PrintableText.line($0))': " } ?? ""
  }

  /// A percentage that is not rounded to 0% or to 100%: `12%`, `less than 1%`.
  static func share(_ part: UInt64, of all: UInt64) -> String {
    if part == all { return "100%" }
    let percent = Int(Double(part) * 100 / Double(max(1, all)))
    return percent == 0 ? "less than 1%" : "\(percent)%"
  }

  /// A country check has failed; `source` is the source that the numbers come from, if there are several.
  static func failure(
    _ stage: StageName, _ check: CountryCheck, source: String?, valid: UInt64, of entries: UInt64
  ) -> Failure {
    let countries = check.countries.joined(separator: ", ")
    return Failure(
      stage, .badData, "country-check",
      place(source)
        + "\(Figures.grouped(valid)) of \(Figures.counted(entries, "number")) \(entries == 1 ? "is" : "are") valid "
        + (countries.isEmpty ? "in their country" : "in \(countries)")
        + ", less than the required \(Figures.plain(check.minValidPercent))%",
      hint:
        "check \(option: "region"), and that it is the right list; \(option: "min-valid", "P%") lowers the limit"
    )
  }
}
