// Counts the countries of the numbers that a stage creates or writes, warns if many are not valid, and ends the run if
// a check of the stage fails.

import BasicContainers
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
  /// The stage whose numbers these are.
  package let stage: StageName
  /// The source that the numbers come from; nil if they come from all sources, or if there is only one.
  package let source: String?
  /// Whether the stage determined the country codes itself, instead of reading them.
  package let createsRecords: Bool
  /// The country that the stage assumed for numbers without a country code; nil for none.
  package let assumedCountry: String?
  /// The numbers of the sample.
  package let checked: UInt64
  /// The numbers of the sample that are not valid.
  package let invalid: UInt64
}

/// Why a run with a country check fails.
package struct CountryCheckError: ErrorCause, Equatable {
  /// The check that failed.
  package let check: CountryCheck
  /// The source that the numbers come from; nil if they come from all sources, or if there is only one.
  package let source: String?
  /// The numbers that are not valid in the countries.
  package let invalid: UInt64
  /// All numbers.
  package let entries: UInt64

  /// Bad data.
  package var errorClass: ErrorClass { .badData }
}

/// Forwards records and counts their countries.
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
        throw Failure(
          plan.name,
          CountryCheckError(check: check, source: source, invalid: result.invalid, entries: result.checked))
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
