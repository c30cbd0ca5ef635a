// What a run provides to its stages: counters, the reject log, system calls, the origin and the countries of
// the records.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Synchronization
public import SystemIO

/// What a stage needs besides its options: its counters, the reject log and the system calls.
public struct StageContext: Sendable {
  public var meter: StageMeter
  public var rejects: RejectLog
  public var calls: any SystemCalls
  /// Where the stage's rejects come from.
  public var origin = RejectOrigin()

  public init(meter: StageMeter, rejects: RejectLog, calls: any SystemCalls = KernelCalls()) {
    self.meter = meter
    self.rejects = rejects
    self.calls = calls
  }

  public var stage: StageName { meter.stage }

  /// Counts a reject and adds it to the log. A row of a named source is located by its source and input, too. Throws if
  /// the policy ends the run, and if this is the start of a stream in the packed form: its rows would all be lost.
  public func reject(_ place: InputLocation, _ reason: any RejectReason, text: Span<UInt8>) throws(Failure) {
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
public protocol StageNotice: Sendable {}

public protocol RecordedNotice: StageNotice {}

/// What a stage opens or recognises, for users who want to see it (`--verbose`).
public struct DetailNotice: StageNotice, Equatable {
  public let stage: StageName
  public let text: String
  /// The source's name; empty if the run has only one.
  public let source: String

  public init(_ stage: StageName, _ text: String, source: String = "") {
    self.stage = stage
    self.text = text
    self.source = source
  }
}

/// The description of an output that a stage has put in place, for a run's report.
public protocol StageOutput: Sendable {}

/// What a run provides to a stage that is built for it.
public struct StageEnvironment: Sendable {
  /// The stage's counters, the reject log, and the system calls.
  public var context: StageContext
  /// The number of threads. With 1 everything happens in one thread; with more, stages run concurrently.
  public var threads = 1
  /// What messages call the input that the stage reads.
  public var inputName = "-"
  /// Returns the share of the run's input that has been read, 0 to 1; nil when its size is unknown.
  public var inputShare: @Sendable () -> Double? = { nil }
  /// Returns the origin of the records, for a manifest; nil when the manifest does not record it.
  public var provenance: (@Sendable () throws(Failure) -> RunProvenance?)?
  /// Returns the countries of the records, for a manifest; nil until the last record has arrived.
  public var countries: @Sendable () -> CountryCounts? = { nil }
  /// Receives notices; nil when they are not shown.
  public var notify: (@Sendable (any StageNotice) -> Void)?
  /// Whether the notices include details.
  public var showsDetails = false
  /// Receives the descriptions of all outputs once they are in place; nil when no report needs them.
  public var recordOutputs: (@Sendable ([any StageOutput]) -> Void)?

  public init(_ context: StageContext) {
    self.context = context
  }

  /// Reports what the stage opens or recognises, if the user wants to see it.
  public func noteDetail(_ text: String) {
    if showsDetails { notify?(DetailNotice(context.stage, text, source: context.origin.source)) }
  }
}

/// A counter that one thread increases and any thread reads.
public struct Counter: ~Copyable, Sendable {
  @usableFromInline let count = Atomic<UInt64>(0)

  public init() {}

  @inlinable public var value: UInt64 { count.load(ordering: .relaxed) }

  @inlinable
  public func add(_ amount: Int) {
    count.add(UInt64(amount), ordering: .relaxed)
  }

  /// Removes what was counted twice. Call it when nothing is counted any more.
  public func subtract(_ amount: UInt64) {
    count.store(value - min(value, amount), ordering: .relaxed)
  }
}

/// The counters of one stage. The stage updates them once per batch; progress and the report read them.
public final class StageMeter: Sendable {
  public let stage: StageName
  /// Input bytes, in stages that read bytes.
  public let bytesIn = Counter()
  /// The total number of input bytes if it is known, else 0.
  public let bytesExpected = Counter()
  /// Input rows or records; for parse, rows found, valid or not.
  public let rowsIn = Counter()
  public let rowsOut = Counter()
  /// The total number of output rows once a stage that writes nothing before it has read everything knows it, else 0.
  public let rowsExpected = Counter()
  public let rejects = Counter()
  /// Records that were dropped because another record has the same numbers.
  public let duplicates = Counter()
  /// Records that were left out because of a limit, a minimum score or a rule, although no other record has their
  /// numbers.
  public let leftOut = Counter()
  private let leftOutReasons = Mutex<[String: UInt64]>([:])
  /// Records that became part of another one because adjacent records were joined.
  public let joined = Counter()
  /// Records that were removed entirely because another list has their numbers, or lacks them.
  public let removed = Counter()
  /// Additional output records because ranges were split.
  public let splits = Counter()
  /// Additional output records for numbers that no record has.
  public let inferred = Counter()
  /// Rows that are kept without a date that can be read.
  public let undated = Counter()
  /// Rows that were patterns for ranges of numbers.
  public let patterns = Counter()
  public let patternNumbers = Counter()
  /// Decisions that were written to the file of conflicts.
  public let conflicts = Counter()
  public let bytesSpilled = Counter()
  public var isFinished: Bool { finished.load(ordering: .relaxed) }
  private let finished = Atomic<Bool>(false)

  public init(_ stage: StageName) {
    self.stage = stage
  }

  /// The records of ``leftOut`` whose reason is known, by reason.
  public var leftOutByReason: [String: UInt64] { leftOutReasons.withLock { $0 } }

  /// Counts records that are left out. There are a few reasons, the same in each run: `not-selected`.
  public func leaveOut(_ count: Int, because reason: String) {
    if count == 0 { return }
    leftOut.add(count)
    leftOutReasons.withLock { $0[reason, default: 0] += UInt64(count) }
  }

  /// Adds the counts to another meter, and sets them to zero.
  public func move(to other: StageMeter) {
    Self.move(bytesIn, to: other.bytesIn)
    Self.move(bytesExpected, to: other.bytesExpected)
    Self.move(rowsIn, to: other.rowsIn)
    Self.move(rowsOut, to: other.rowsOut)
    Self.move(rowsExpected, to: other.rowsExpected)
    Self.move(rejects, to: other.rejects)
    Self.move(duplicates, to: other.duplicates)
    Self.move(leftOut, to: other.leftOut)
    let reasons = leftOutReasons.withLock { reasons in
      defer { reasons = [:] }
      return reasons
    }
    if !reasons.isEmpty { other.leftOutReasons.withLock { $0.merge(reasons, uniquingKeysWith: +) } }
    Self.move(joined, to: other.joined)
    Self.move(removed, to: other.removed)
    Self.move(splits, to: other.splits)
    Self.move(inferred, to: other.inferred)
    Self.move(undated, to: other.undated)
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

  public func finish() {
    finished.store(true, ordering: .relaxed)
  }
}

/// What a manifest records about the sources of a run.
public enum ProvenanceLevel: Int, Comparable, Sendable {
  case none
  case names
  /// The names, sizes and hashes of the sources.
  case hashes

  public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// The sources of a run's records, and the row counts of the run.
public struct RunProvenance: Equatable, Sendable {
  public struct Source: Equatable, Sendable {
    public var name: String
    /// The number of bytes that were read from it; nil if they were not counted.
    public var bytes: UInt64?
    /// Their SHA-256, 32 bytes; nil if it was not computed.
    public var sha256: [UInt8]?

    public init(name: String, bytes: UInt64? = nil, sha256: [UInt8]? = nil) {
      self.name = name
      self.bytes = bytes
      self.sha256 = sha256
    }
  }

  public var sources: [Source]
  public var rowsRead: UInt64
  public var rejects: UInt64
  public var duplicates: UInt64
  /// Records that were left out by a label map, a minimum score or a limit.
  public var leftOut: UInt64
  /// Records that a set operation removed whole.
  public var removed: UInt64
  /// The day from which ages are counted; nil if no source has a maximum age.
  public var now: CalendarDay?

  public init(
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
public struct CountryCheck: Equatable, Sendable {
  /// The percentage of valid numbers below which a run without a check warns, and the default of a check.
  ///
  /// Real lists have invalid numbers, too: faked ones, short service numbers. In the lists that were measured they are
  /// below one in twenty; with a wrong country, most numbers are invalid.
  public static let defaultMinValidPercent = 90.0

  /// The two-letter codes of the countries that the numbers must belong to; empty for any country.
  public var countries: [String]
  /// The minimum share of valid numbers, in percent.
  public var minValidPercent: Double

  public init(countries: [String], minValidPercent: Double = Self.defaultMinValidPercent) {
    self.countries = countries
    self.minValidPercent = minValidPercent
  }
}

/// How many numbers of a stream belong to which country, and how many are valid there.
public struct CountryCounts: Equatable, Sendable {
  public struct Country: Equatable, Sendable {
    /// The calling code, 1...999; 0 for digits without a known calling code.
    public var callingCode: UInt16
    /// The two-letter code of the main country with the calling code; `001` for a network without a country; nil if
    /// the calling code is 0.
    public var region: String?
    /// Records; a range counts once.
    public var records: UInt64
    public var entries: UInt64

    public init(callingCode: UInt16, region: String?, records: UInt64, entries: UInt64) {
      self.callingCode = callingCode
      self.region = region
      self.records = records
      self.entries = entries
    }
  }

  /// The countries, the one with the most numbers first.
  public var countries: [Country]
  /// The numbers and ranges that were checked.
  public var checked: UInt64
  /// Those that are not valid in their country. A range is valid if the lowest and the highest number in it that the
  /// plan assigns are.
  public var invalid: UInt64

  public init(countries: [Country] = [], checked: UInt64 = 0, invalid: UInt64 = 0) {
    self.countries = countries
    self.checked = checked
    self.invalid = invalid
  }

  public var entries: UInt64 { countries.reduce(0) { $0 &+ $1.entries } }
}

/// Stores a value in memory of its own, so that a large and mostly absent property adds one word to its owner: a
/// pipeline may have tens of thousands of sources.
public indirect enum Boxed<Value> {
  case value(Value)

  public var value: Value {
    switch self {
    case .value(let value): value
    }
  }
}

extension Boxed: Sendable where Value: Sendable {}
