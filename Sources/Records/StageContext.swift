// What a run provides to its stages: counters, the reject log, system calls, the origin and the countries of
// the records.

package import Synchronization
package import SystemIO

/// What a stage needs besides its options: its counters, the reject log and the system calls.
package struct StageContext: Sendable {
  package var meter: StageMeter
  package var rejects: RejectLog
  package var calls: any SystemCalls
  /// Where the stage's rejects come from.
  package var origin = RejectOrigin()

  package init(meter: StageMeter, rejects: RejectLog, calls: any SystemCalls = KernelCalls()) {
    self.meter = meter
    self.rejects = rejects
    self.calls = calls
  }

  package var stage: StageName { meter.stage }

  /// Counts a reject and adds it to the log. A row of a named source is located by its source and input, too. Throws if
  /// the policy ends the run, and if this is the start of a stream in the packed form: its rows would all be lost.
  package func reject(_ place: InputLocation, _ reason: any RejectReason, text: Span<UInt8>) throws(Failure) {
    if PackedForm.begins(with: text) { throw .packedAfterText(stage) }
    meter.rejects.add(1)
    var place = place
    if case .row(let row) = place, !origin.source.isEmpty {
      let (input, row) = origin.rows?.location(of: row, first: origin.input) ?? (origin.input, row)
      place = .sourceRow(row, input: input, source: origin.source)
    }
    var reject = Reject(stage, place, reason, text: text)
    reject.origin = origin
    try rejects.add(reject)
  }
}

/// An event that a stage reports, as data. The stage defines the type; the command layer turns it into a message.
package protocol StageNotice: Sendable {}

package protocol RecordedNotice: StageNotice {}

/// The description of an output that a stage has put in place, for a run's report.
package protocol StageOutput: Sendable {}

/// What a run provides to a stage that is built for it.
package struct StageEnvironment: Sendable {
  /// The stage's counters, the reject log, and the system calls.
  package var context: StageContext
  /// The number of threads. With 1 everything happens in one thread; with more, stages run concurrently.
  package var threads = 1
  /// What messages call the input that the stage reads.
  package var inputName = "-"
  /// Returns the share of the run's input that has been read, 0 to 1; nil when its size is unknown.
  package var inputShare: @Sendable () -> Double? = { nil }
  /// Returns the origin of the records, for a manifest; nil when the manifest does not record it.
  package var provenance: (@Sendable () throws(Failure) -> RunProvenance?)?
  /// Returns the countries of the records, for a manifest; nil until the last record has arrived.
  package var countries: @Sendable () -> CountryCounts? = { nil }
  /// Receives notices; nil when they are not shown.
  package var notify: (@Sendable (any StageNotice) -> Void)?
  /// Receives the descriptions of all outputs once they are in place; nil when no report needs them.
  package var recordOutputs: (@Sendable ([any StageOutput]) -> Void)?

  package init(_ context: StageContext) {
    self.context = context
  }
}

/// A counter that one thread increases and any thread reads.
package struct Counter: ~Copyable, Sendable {
  @usableFromInline let count = Atomic<UInt64>(0)

  package init() {}

  @inlinable package var value: UInt64 { count.load(ordering: .relaxed) }

  @inlinable
  package func add(_ amount: Int) {
    count.add(UInt64(amount), ordering: .relaxed)
  }

  /// Removes what was counted twice. Call it when nothing is counted any more.
  package func subtract(_ amount: UInt64) {
    count.store(value - min(value, amount), ordering: .relaxed)
  }
}

/// The counters of one stage. The stage updates them once per batch; progress and the report read them.
package final class StageMeter: Sendable {
  package let stage: StageName
  /// Input bytes, in stages that read bytes.
  package let bytesIn = Counter()
  /// The total number of input bytes if it is known, else 0.
  package let bytesExpected = Counter()
  /// Input rows or records; for parse, rows found, valid or not.
  package let rowsIn = Counter()
  package let rowsOut = Counter()
  /// The total number of output rows once a stage that writes nothing before it has read everything knows it, else 0.
  package let rowsExpected = Counter()
  package let rejects = Counter()
  /// Records that were dropped because another record has the same numbers.
  package let duplicates = Counter()
  /// Records that were left out because of a limit or a minimum score, although no other record has their numbers.
  package let leftOut = Counter()
  /// Records that became part of another one because adjacent records were joined.
  package let joined = Counter()
  /// Records that were removed entirely because another list has their numbers, or lacks them.
  package let removed = Counter()
  /// Additional output records because ranges were split.
  package let splits = Counter()
  /// Rows that were patterns for ranges of numbers.
  package let patterns = Counter()
  package let patternNumbers = Counter()
  /// Decisions that were written to the file of conflicts.
  package let conflicts = Counter()
  package let bytesSpilled = Counter()
  package var isFinished: Bool { finished.load(ordering: .relaxed) }
  private let finished = Atomic<Bool>(false)

  package init(_ stage: StageName) {
    self.stage = stage
  }

  /// Adds the counts to another meter, and sets them to zero.
  package func move(to other: StageMeter) {
    Self.move(bytesIn, to: other.bytesIn)
    Self.move(bytesExpected, to: other.bytesExpected)
    Self.move(rowsIn, to: other.rowsIn)
    Self.move(rowsOut, to: other.rowsOut)
    Self.move(rowsExpected, to: other.rowsExpected)
    Self.move(rejects, to: other.rejects)
    Self.move(duplicates, to: other.duplicates)
    Self.move(leftOut, to: other.leftOut)
    Self.move(joined, to: other.joined)
    Self.move(removed, to: other.removed)
    Self.move(splits, to: other.splits)
    Self.move(patterns, to: other.patterns)
    Self.move(patternNumbers, to: other.patternNumbers)
    Self.move(conflicts, to: other.conflicts)
    Self.move(bytesSpilled, to: other.bytesSpilled)
  }

  private static func move(_ counter: borrowing Counter, to other: borrowing Counter) {
    let value = counter.value
    if value == 0 { return }
    counter.subtract(value)
    other.add(Int(truncatingIfNeeded: value))
  }

  package func finish() {
    finished.store(true, ordering: .relaxed)
  }
}

/// What a manifest records about the sources of a run.
package enum ProvenanceLevel: Int, Comparable, Sendable {
  case none
  case names
  /// The names, sizes and hashes of the sources.
  case hashes

  package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// The sources of a run's records, and the row counts of the run.
package struct RunProvenance: Equatable, Sendable {
  package struct Source: Equatable, Sendable {
    package var name: String
    /// The number of bytes that were read from it; nil if they were not counted.
    package var bytes: UInt64?
    /// Their SHA-256, 32 bytes; nil if it was not computed.
    package var sha256: [UInt8]?

    package init(name: String, bytes: UInt64? = nil, sha256: [UInt8]? = nil) {
      self.name = name
      self.bytes = bytes
      self.sha256 = sha256
    }
  }

  package var sources: [Source]
  package var rowsRead: UInt64
  package var rejects: UInt64
  package var duplicates: UInt64
  /// Records that were left out by a label map, a minimum score or a limit.
  package var leftOut: UInt64
  /// Records that a set operation removed whole.
  package var removed: UInt64

  package init(
    sources: [Source], rowsRead: UInt64, rejects: UInt64, duplicates: UInt64, leftOut: UInt64, removed: UInt64
  ) {
    self.sources = sources
    self.rowsRead = rowsRead
    self.rejects = rejects
    self.duplicates = duplicates
    self.leftOut = leftOut
    self.removed = removed
  }
}

/// What a stage requires of its numbers: at least a percentage of them must be valid, in given countries or in any.
package struct CountryCheck: Equatable, Sendable {
  /// The percentage of valid numbers below which a run without a check warns, and the default of a check.
  ///
  /// Real lists have invalid numbers, too: faked ones, short service numbers. In the lists that were measured they are
  /// below one in twenty; with a wrong country, most numbers are invalid.
  package static let defaultMinValidPercent = 90.0

  /// The two-letter codes of the countries that the numbers must belong to; empty for any country.
  package var countries: [String]
  /// The minimum share of valid numbers, in percent.
  package var minValidPercent: Double

  package init(countries: [String], minValidPercent: Double = Self.defaultMinValidPercent) {
    self.countries = countries
    self.minValidPercent = minValidPercent
  }
}

/// How many numbers of a stream belong to which country, and how many are valid there.
package struct CountryCounts: Equatable, Sendable {
  package struct Country: Equatable, Sendable {
    /// The calling code, 1...999; 0 for digits without a known calling code.
    package var callingCode: UInt16
    /// The two-letter code of the main country with the calling code; `001` for a network without a country; nil if
    /// the calling code is 0.
    package var region: String?
    /// Records; a range counts once.
    package var records: UInt64
    package var entries: UInt64

    package init(callingCode: UInt16, region: String?, records: UInt64, entries: UInt64) {
      self.callingCode = callingCode
      self.region = region
      self.records = records
      self.entries = entries
    }
  }

  /// The countries, the one with the most numbers first.
  package var countries: [Country]
  package var checked: UInt64
  /// The checked numbers that are not valid in their country. A range is valid if its first and its last number are.
  package var invalid: UInt64

  package init(countries: [Country] = [], checked: UInt64 = 0, invalid: UInt64 = 0) {
    self.countries = countries
    self.checked = checked
    self.invalid = invalid
  }

  package var entries: UInt64 { countries.reduce(0) { $0 &+ $1.entries } }
}

/// Stores a value in memory of its own, so that a large and mostly absent property adds one word to its owner: a
/// pipeline may have tens of thousands of sources.
package indirect enum Boxed<Value> {
  case value(Value)

  package var value: Value {
    switch self {
    case .value(let value): value
    }
  }
}

extension Boxed: Sendable where Value: Sendable {}
