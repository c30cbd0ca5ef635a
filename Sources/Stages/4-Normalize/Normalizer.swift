// The normalize stage: turns raw rows into records, and rejects rows without a valid number.

import BasicContainers
package import NumberPlan
package import Records

/// Turns number texts into E.164 numbers, and trailing wildcards into ranges.
///
/// Every row produces a record (a pattern with `*` produces one for each length in its country) or a reject.
package final class Normalizer: RawRowSink {
  private var state: NormalizeState

  package init(options: NormalizeOptions, context: StageContext, downstream: any RecordSink) {
    state = NormalizeState(options, context, downstream)
  }

  package func receive(_ rows: inout RawRowBatch) throws(Failure) { try state.receive(&rows) }

  package func finish() throws(Failure) { try state.finish() }
}

/// The state of a normalizer: a struct, because a class's properties are checked for exclusive access at every use.
private struct NormalizeState: ~Copyable {
  private let reader: NumberReader
  private var prefixCache: PrefixCache
  private let context: StageContext
  private let downstream: any RecordSink
  private var records = RecordBatch()

  init(_ options: NormalizeOptions, _ context: StageContext, _ downstream: any RecordSink) {
    reader = NumberReader(options: options)
    prefixCache = PrefixCaches.take(options)
    self.context = context
    self.downstream = downstream
  }

  mutating func receive(_ rows: inout RawRowBatch) throws(Failure) {
    context.meter.rowsIn.add(rows.count)
    // Cached texts are all digits, so they have no wildcards. From the first other row on, one scan covers all of them.
    let row = prefixCache.read(rows, from: 0, into: &records.firsts)
    if mayHaveRanges(rows, from: row) {
      records.removeAll()
      try readPatterns(rows)
    } else {
      records.complete(with: rows, from: 0, to: row)
      try readNumbers(rows, from: row)
      // The records have the rows' record fields, so the tables are swapped and no label is copied.
      swap(&rows.fieldsTable, &records.fieldsTable)
    }
    try flush()
    rows.removeAll()
  }

  private func mayHaveRanges(_ rows: borrowing RawRowBatch, from row: Int) -> Bool {
    reader.options.arePrefixes || row < rows.count && NumberMask.mayHaveWildcards(rows.allTexts)
  }

  mutating func finish() throws(Failure) {
    context.meter.finish()
    var learned = PrefixCache(empty: reader)
    swap(&learned, &prefixCache)
    PrefixCaches.keep(learned)
    try downstream.finish()
  }

  /// Normalizes rows without wildcards, from `start` on, into records with the rows' fields indices.
  private mutating func readNumbers(_ rows: borrowing RawRowBatch, from start: Int) throws(Failure) {
    var row = start
    while row < rows.count {
      // One row by the rules, then as many as the cache can answer.
      do throws(NormalizeReject) {
        let number = try prefixCache.read(rows[textAt: row])
        records.append(first: number, last: number, fieldsIndex: Int(rows.fieldsIndices[row]))
      } catch {
        try reject(rows, row, error)
      }
      let next = prefixCache.read(rows, from: row + 1, into: &records.firsts)
      records.complete(with: rows, from: row + 1, to: next)
      row = next
    }
  }

  /// Normalizes rows that may have wildcards, and so may produce several records each.
  private mutating func readPatterns(_ rows: borrowing RawRowBatch) throws(Failure) {
    for row in 0..<rows.count {
      let text = rows[textAt: row]
      var number: UInt64 = 0
      var ranges: [ClosedRange<UInt64>]?
      do throws(NormalizeReject) {
        if reader.options.arePrefixes || NumberMask.mayHaveWildcards(text) {
          ranges = try NumberPattern.ranges(text, reader)
        }
        if ranges == nil { number = try prefixCache.read(text) }
      } catch {
        try reject(rows, row, error)
        continue
      }
      guard let ranges else {
        try add(number...number, rows, row)
        continue
      }
      context.meter.splits.add(ranges.count - 1)
      context.meter.patterns.add(1)
      context.meter.patternNumbers.add(Int(NumberPattern.numberCount(ranges)))
      for range in ranges { try add(range, rows, row) }
    }
  }

  private mutating func add(
    _ range: ClosedRange<UInt64>, _ rows: borrowing RawRowBatch, _ row: Int
  ) throws(Failure) {
    let (first, last) = (range.lowerBound, range.upperBound)
    if records.append(first: first, last: last, recordFields: rows[fieldsAt: row]) { return }
    try flush()
    _ = records.append(first: first, last: last, recordFields: rows[fieldsAt: row])
  }

  private func reject(_ rows: borrowing RawRowBatch, _ row: Int, _ reason: NormalizeReject) throws(Failure) {
    try context.reject(.row(rows.firstOrdinal + UInt64(row)), reason, text: rows[textAt: row])
  }

  private mutating func flush() throws(Failure) {
    // If all rows were rejected there are no records, but the table may still have their fields.
    guard !records.isEmpty else { return records.removeAll() }
    context.meter.rowsOut.add(records.count)
    try downstream.receive(&records)
    records.removeAll()
  }
}

extension RecordBatch {
  /// Adds last numbers and fields indices for the records that have only first numbers: those of the rows from `start`
  /// to `end`.
  fileprivate mutating func complete(with rows: borrowing RawRowBatch, from start: Int, to end: Int) {
    Self.copy(firsts, from: lasts.count, to: &lasts)
    fieldsIndices.append(copying: rows.fieldsIndices.span.extracting(start..<end))
  }

  private static func copy(
    _ firsts: borrowing RigidArray<UInt64>, from start: Int, to lasts: inout RigidArray<UInt64>
  ) {
    lasts.append(copying: firsts.span.extracting(start..<firsts.count))
  }
}

package struct NormalizeOptions: Equatable, Sendable {
  /// How digits without a plus sign are read.
  package enum Reading: String, CaseIterable, Sendable {
    /// Like libphonenumber in the region; else as international, if they start with the region's calling code.
    case auto
    case international
    /// Always as dialled in the region.
    case national
  }

  /// What is required of a number.
  package enum Requirement: String, CaseIterable, Sendable {
    /// It can be parsed.
    case none
    /// Its length is possible in its country.
    case possible
    /// The numbering plan assigns it.
    case valid
  }

  /// The region of numbers without a calling code; nil parses all digits as international.
  package var region: Region?
  package var numbers: Reading
  package var require: Requirement
  /// How many numbers one pattern may stand for: 0 for no patterns, nil for any.
  package var patternNumbersMax: UInt64?
  /// Whether each text without wildcards stands for all numbers that start with it, as if it ended in `*`.
  package var arePrefixes = false
  /// What is required of all numbers together; nil for nothing.
  package var countryCheck: CountryCheck?

  package init(
    region: Region? = nil, numbers: Reading = .auto, require: Requirement = .possible,
    patternNumbersMax: UInt64? = nil
  ) {
    self.region = region
    self.numbers = numbers
    self.require = require
    self.patternNumbersMax = patternNumbersMax
  }
}

package enum NormalizeReject: String, Error, RejectReason {
  case notANumber = "not-a-number"
  case invalidCountryCode = "invalid-country-code"
  case tooShort = "too-short"
  /// The number has more digits than any number of the country, or than E.164 allows.
  case tooLong = "too-long"
  case invalidLength = "invalid-length"
  /// The numbering plan does not assign it (only with `--require valid`).
  case notValid = "not-valid"
  /// Without a few digits before or after it, which may be a count, a day or the end of another number, the text is a valid
  /// number.
  case extraDigits = "extra-digits"
  /// The text can be read in two ways: with or without its calling code, or as a number or a pattern.
  case ambiguous
  /// No digit of a mask is known after the calling code or trunk zero: an empty field of a form.
  case emptyMask = "empty-mask"
  /// Digits follow a wildcard, or the numbers of the pattern are not one range.
  case badPattern = "bad-pattern"
  /// The pattern does not say how many digits its wildcard stands for: `%`, `…`, `\d+`.
  case openPattern = "open-pattern"
  case largePattern = "large-pattern"
  /// The text is a pattern where one number is needed (only in simulated calls).
  case severalNumbers = "several-numbers"

  package var code: String { rawValue }

  package var text: String {
    switch self {
    case .notANumber: "not a phone number"
    case .invalidCountryCode: "unknown country calling code"
    case .tooShort: "too short"
    case .tooLong: "too long"
    case .invalidLength: "no number of that country has this length"
    case .notValid: "not assigned in that country's numbering plan"
    case .extraDigits: "digits before or after the number may not belong to it"
    case .ambiguous: "the text can be read as two different numbers"
    case .emptyMask: "the mask has no digit after the country calling code; '+CODE*' stands for all numbers"
    case .badPattern: "the pattern's numbers are not one range"
    case .openPattern: "the pattern does not say how many digits follow"
    case .severalNumbers: "a pattern, not a single number"
    case .largePattern: "the pattern stands for more numbers than 'patterns' allows"
    }
  }
}

extension StageName {
  package static let normalize = StageName(rawValue: "normalize")
}

extension NormalizeOptions: StagePlan {
  package var name: StageName { .normalize }
  package var input: DataKind { .rawRows }
  package var output: DataKind { .records }
  package var countryChecks: [CountryCheck] { countryCheck.map { [$0] } ?? [] }
  package var assumedCountry: String? { region?.code }
  package var needsThread: Bool { true }

  package func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink {
    let (context, records) = (environment.context, downstream.recordSink)
    let threads = min(environment.threads - Self.otherThreads, ParallelNormalizer.threadsMax)
    guard threads > 0 else {
      return .rawRows(Normalizer(options: self, context: context, downstream: records))
    }
    return .rawRows(
      try ParallelNormalizer(options: self, context: context, threads: threads, downstream: records))
  }

  /// The number of threads that are busy at the same time with reading, sorting and spilling.
  private static let otherThreads = 3
}

final class ParallelNormalizer: RawRowSink {
  /// The maximum number of threads: each has its own cache of prefixes, and the threads before and after them are busy.
  static let threadsMax = 4

  private let workers: [NormalizeWorker]
  private let relay: RelayThread<NormalizedRows>
  /// An empty item that carries the rows into the queue.
  private var item: NormalizedRows

  init(
    options: NormalizeOptions, context: StageContext, threads: Int, downstream: any RecordSink
  ) throws(Failure) {
    var workers: [NormalizeWorker] = []
    for _ in 0..<threads { workers.append(try NormalizeWorker(options, context)) }
    // Each thread has a batch that it normalizes and one that waits.
    var items = RigidArray<NormalizedRows?>(capacity: 2 * threads)
    for _ in 0..<2 * threads { items.append(NormalizedRows(context.stage)) }
    relay = try RelayThread(
      name: "ordered", OrderedWork(items, work: workers.map(Self.work)), NormalizedRows(context.stage),
      RelayThread.Consumer(
        receive: { (item) throws(Failure) in
          try item.result.pass(to: context)
          try item.records.pass(to: downstream)
        },
        finish: { () throws(Failure) in
          context.meter.finish()
          try downstream.finish()
        }))
    self.workers = workers
    item = NormalizedRows(context.stage)
  }

  private static func work(_ worker: NormalizeWorker) -> OrderedWork<NormalizedRows>.Work {
    { (item) throws(Failure) in try worker.normalize(&item) }
  }

  deinit { relay.stop() }

  func receive(_ rows: inout RawRowBatch) throws(Failure) {
    // Row numbers continue in the recycled batch as they would in this one.
    let next = rows.firstOrdinal + UInt64(rows.count)
    swap(&item.rows, &rows)
    try relay.push(&item)
    swap(&item.rows, &rows)
    rows.removeAll()
    rows.firstOrdinal = next
  }

  func finish() throws(Failure) {
    try relay.finish()
    for worker in workers { try worker.finish() }
  }
}

struct NormalizedRows: ~Copyable {
  var rows = RawRowBatch()
  var records = RecordBatches()
  var result: WorkerResult

  init(_ stage: StageName) { result = WorkerResult(stage) }
}

/// The records of one batch of rows. Patterns can become more records than there are rows.
struct RecordBatches: ~Copyable {
  /// The batches, of which only the first ``count`` are in use.
  private var batches = RigidArray<RecordBatch>(capacity: 1)
  private var count = 0

  /// Exchanges a batch for an empty one.
  mutating func add(_ batch: inout RecordBatch) {
    if count == batches.count {
      if count == batches.capacity { batches.reallocate(capacity: 2 * count) }
      batches.append(RecordBatch())
    }
    swap(&batches[count], &batch)
    count += 1
  }

  mutating func pass(to sink: any RecordSink) throws(Failure) {
    for index in 0..<count {
      try sink.receive(&batches[index])
      batches[index].removeAll()
    }
    count = 0
  }
}

/// Normalizes batches in one thread.
///
/// `@unchecked Sendable`: only its thread accesses it until the thread has ended.
final class NormalizeWorker: @unchecked Sendable {
  private final class Output: RecordSink {
    var records = RecordBatches()
    func receive(_ batch: inout RecordBatch) { records.add(&batch) }
    func finish() {}
  }
  private let context: WorkerContext
  private let output = Output()
  private let normalizer: Normalizer

  init(_ options: NormalizeOptions, _ context: StageContext) throws(Failure) {
    let own = try WorkerContext(of: context)
    self.context = own
    normalizer = Normalizer(options: options, context: own.context, downstream: output)
  }

  func normalize(_ item: inout NormalizedRows) throws(Failure) {
    swap(&output.records, &item.records)
    try normalizer.receive(&item.rows)
    swap(&output.records, &item.records)
    context.take(&item.result)
  }

  /// Keeps what was learned about numbers.
  func finish() throws(Failure) { try normalizer.finish() }
}
