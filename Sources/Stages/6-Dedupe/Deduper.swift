// The dedupe stage: makes sorted records disjoint, in one pass.
//
// The steps: RecordFilter (maps labels, leaves low scores out), DuplicateResolver, BlockInference, ScoreLimiter,
// Coalescer, DedupeOutput. Steps that the options don't require are omitted.

import BasicContainers
package import Records
import SystemIO

/// Makes sorted records disjoint: a more specific record wins over a more general one, and the policy decides between
/// equally specific ones.
///
/// Every input record is kept (possibly split by narrower records, or joined with adjacent ones), counted as a
/// duplicate, or counted as left out. Throws when a record starts below the previous one.
///
/// - Complexity: O(n) for single numbers; O(n log a) where up to a ranges overlap. With a limit the records are
///   written to a temporary file and read back.
package final class Deduper: RecordSink {
  private var order: SortOrderCheck
  private var sources: PrioritySourceCheck?
  private var filter: RecordFilter?
  private var resolver: DuplicateResolver
  private let steps: any RecordSink
  private let log: ConflictLog?
  private let leftOut: LeftOutCounter
  private let meter: StageMeter

  /// Makes a deduper that sends records to `downstream`. Reads the label map, and creates the conflicts file.
  package init(options: DedupeOptions, context: StageContext, downstream: any RecordSink) throws(Failure) {
    // Everything that can fail comes before the first property is set; OutputFile explains why.
    var map: LabelMap?
    if let path = options.labelMapPath { map = try LabelMap(path: path, calls: context.calls) }
    var log: ConflictLog?
    if let path = options.conflictsPath {
      let format = options.conflictsFormat ?? .init(named: path)
      log = try asFailure(.dedupe) { () throws(SystemError) in
        try ConflictLog(path, format, context.meter, calls: context.calls)
      }
    }
    let leftOut = LeftOutCounter(context.meter, log)
    let sourceCheck = options.keep == .priority ? PrioritySourceCheck(options.priority) : nil
    let end = DedupeOutput(context.meter, log, leftOut, sourceCheck, options.observe, downstream)
    var steps: any RecordSink = end
    if options.coalesce { steps = Coalescer(context.meter, steps) }
    if let limit = options.limit { steps = try ScoreLimiter(limit, options, context, leftOut, steps) }
    if !options.inference.isEmpty {
      steps = BlockInference(options.inference, options, context.meter, log, steps)
    }
    order = SortOrderCheck(needsWiderFirst: options.keep == .mostFrequent)
    sources = sourceCheck
    filter =
      map == nil && options.minScore == nil
      ? nil : RecordFilter(map, minScore: options.minScore, context, leftOut)
    resolver = DuplicateResolver(options, context, log, leftOut, steps)
    self.steps = steps
    self.log = log
    self.leftOut = leftOut
    meter = context.meter
  }

  package func receive(_ batch: inout RecordBatch) throws(Failure) {
    guard !batch.isEmpty else { return }
    meter.rowsIn.add(batch.count)
    let row = order.rows
    let isSingles = try order.check(batch)
    sources?.observe(batch.fieldsTable)
    if filter != nil {
      try filter?.apply(batch, isSingles: isSingles, rowsBefore: row, to: &resolver)
    } else {
      try resolver.receive(&batch, isSingles: isSingles)
    }
    leftOut.count()
    batch.removeAll()
  }

  /// Sends the records that were held back, and publishes the conflicts file.
  package func finish() throws(Failure) {
    try resolver.finish()
    try steps.finish()
    // Last, so that no conflicts file is published if a later stage fails.
    try log?.publish()
  }
}

/// The options of `dedupe`. The steps are applied in this order: labels are mapped, records with low scores are left
/// out, duplicates are resolved, those with too few votes are left out, dense blocks are filled, the limit is applied, adjacent records are joined.
package struct DedupeOptions: Sendable {
  /// Which of several records for the same numbers is kept. Of records that are equal under the policy, the first is
  /// kept.
  package enum Keep: String, CaseIterable, Sendable {
    case first, last
    /// The one with the highest score; a missing score counts as 0.
    case highestScore = "highest-score"
    /// The one with the latest day; a missing day comes before all others.
    case newest
    /// The first one with the most frequent label.
    case mostFrequent = "most-frequent"
    /// The one whose source comes first in ``DedupeOptions/priority``.
    case priority
  }

  package enum ConflictsFormat: String, CaseIterable, Sendable {
    /// Tab-separated columns.
    case tsv
    case jsonl

    /// The format implied by a file's name: JSON lines for `.jsonl` and `.ndjson`, else TSV.
    package init(named path: String) {
      self = path.hasSuffix(".jsonl") || path.hasSuffix(".ndjson") ? .jsonl : .tsv
    }
  }

  package var keep: Keep
  /// The sources for ``Keep/priority``, highest priority first. Sources that are not listed come after all of them.
  package var priority: [String] = []
  package var labelMapPath: String?
  /// Records with a lower score are left out; nil for no minimum. A record without a score has score 0.
  package var minScore: Int64?
  /// How the scores of all records for the same numbers become that of the one which is kept; nil to keep its own.
  package var combination: ScoreCombination?
  /// The votes that a record needs once the decision is made.
  package var voteMinimums = VoteMinimums()
  /// The most sources that are counted for a number: 1 MiB.
  package static let sourcesMax = 1 << 16
  var countsVotes: Bool { combination != nil || !voteMinimums.isEmpty }
  /// How many numbers must be listed in a block for it to be listed whole; empty to infer nothing.
  package var inference: [InferenceRule] = []
  /// The most percent of the output's numbers that may be inferred; nil for any.
  package var inferredPercentMax: Double?
  /// The maximum number of single numbers in the output, those with the highest scores; nil for all.
  package var limit: UInt64?
  package var coalesce = false
  /// The conflicts file, to which every decision is written, or nil.
  package var conflictsPath: String?
  /// The format of that file; nil for the one that its name implies.
  package var conflictsFormat: ConflictsFormat?
  /// Where temporary files go: the records while ``limit`` looks for the score that fits, and those of a number that
  /// has very many while every decision is written.
  package var temporaryDirectory = TemporaryFile.defaultDirectory
  /// Receives notices at the end, such as how many records were left out.
  package var observe: (@Sendable (DedupeNotice) -> Void)?

  package init(keep: Keep = .first, conflictsPath: String? = nil) {
    self.keep = keep
    self.conflictsPath = conflictsPath
  }
}

extension StageName {
  package static let dedupe = StageName(rawValue: "dedupe")
}

// No thread of its own: deduping is little work, and shares the thread of the sort's merge.
extension DedupeOptions: StagePlan {
  package var name: StageName { .dedupe }
  package var input: DataKind { .records }
  package var output: DataKind { .records }

  package var files: [StageFile] {
    var files: [StageFile] = []
    if let labelMapPath { files.append(StageFile(labelMapPath, .settings)) }
    if let conflictsPath { files.append(StageFile(conflictsPath, .log)) }
    return files
  }

  package func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink {
    var options = self
    if let notify = environment.notify { options.observe = { notify($0) } }
    return .records(
      try Deduper(options: options, context: environment.context, downstream: downstream.recordSink))
  }
}

/// Why a record is left out, although no other record covers its numbers.
package enum LeftOutReason: String, CaseIterable, Sendable {
  case mapped, score, total, count, sources, limit

  /// Its position in `allCases`.
  fileprivate var position: Int {
    switch self {
    case .mapped: 0
    case .score: 1
    case .total: 2
    case .count: 3
    case .sources: 4
    case .limit: 5
    }
  }

  fileprivate var clause: String {
    switch self {
    case .mapped: "whose label \(option: "map-labels") drops"
    case .score: "below \(option: "min-score")"
    case .total: "below \(option: "min-total")"
    case .count: "below \(option: "min-count")"
    case .sources: "below \(option: "min-sources")"
    case .limit: "beyond \(option: "limit")"
    }
  }
}

package enum DedupeNotice: StageNotice, Equatable {
  case leftOut(LeftOutReason, records: UInt64, numbers: UInt64)
  /// No record had one of these sources, which the priority list names.
  case sourcesWithoutRecords([String])
  /// Blocks of which enough numbers are listed became ranges; `numbers`: those that were not listed.
  case inferred(blocks: UInt64, numbers: UInt64)

  package var line: String {
    switch self {
    case .leftOut(let reason, let records, let numbers):
      "left out \(Figures.counted(records: records, numbers: numbers)) \(reason.clause)"
    case .inferred(let blocks, let numbers):
      "inferred \(Figures.counted(numbers, "number")) in \(Figures.counted(blocks, "block"))"
    case .sourcesWithoutRecords(let names):
      "\(option: "priority") names sources without records: "
        + names.map { "'\(PrintableText.line($0))'" }.joined(separator: ", ")
    }
  }
}

enum DedupeReject: RejectReason {
  /// With the mapped label or the combined score, the record's fields are longer than the maximum.
  case labelTooLong

  var code: String { "label-too-long" }
  var text: String { "the record is too long with its new label or score" }
}

struct SortOrderCheck {
  private let needsWiderFirst: Bool
  private var previousFirst: UInt64 = 0
  private var previousLast: UInt64 = 0
  private(set) var rows: UInt64 = 0

  init(needsWiderFirst: Bool) { self.needsWiderFirst = needsWiderFirst }

  /// Throws if the numbers descend; else returns whether no record is a range.
  mutating func check(_ batch: borrowing RecordBatch) throws(Failure) -> Bool {
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    guard !firsts.isEmpty else { return true }
    // Scans all records without a branch per record. The difference of two numbers has its highest bit only if they
    // descend: numbers have at most 15 digits.
    var before = previousFirst
    var descents: UInt64 = 0
    var differences: UInt64 = 0
    for index in 0..<firsts.count {
      let number = firsts[index]
      descents |= number &- before
      differences |= number ^ lasts[index]
      before = number
    }
    if descents >> 63 != 0 { throw notSortedError(in: firsts) }
    let isSingles = differences == 0
    if needsWiderFirst, !isSingles { try checkWidths(batch) }
    previousFirst = before
    previousLast = lasts[firsts.count - 1]
    rows += UInt64(firsts.count)
    return isSingles
  }

  /// The error for the first number that is less than the previous one.
  private func notSortedError(in firsts: Span<UInt64>) -> Failure {
    var index = 0
    var before = previousFirst
    while index + 1 < firsts.count, firsts[index] >= before {
      before = firsts[index]
      index += 1
    }
    let row = rows + UInt64(index) + 1
    return Failure(
      .dedupe, .badData, "not-sorted",
      "row \(row): \(firsts[index]) comes after \(before): input is not sorted",
      hint: "add 'cdpipe sort' before this stage")
  }

  /// Labels can only be counted if the records for the same numbers are adjacent.
  private func checkWidths(_ batch: borrowing RecordBatch) throws(Failure) {
    var (first, last) = (previousFirst, previousLast)
    for index in 0..<batch.count {
      if batch.firsts[index] == first, batch.lasts[index] > last {
        let row = rows + UInt64(index) + 1
        throw Failure(
          .dedupe, .badData, "wider-range-after",
          "row \(row): a range that starts at \(first) comes after a shorter one: input is not sorted, "
            + "and \(option: "keep=", "most-frequent") needs sorted input",
          hint: "add 'cdpipe sort' before this stage")
      }
      (first, last) = (batch.firsts[index], batch.lasts[index])
    }
  }
}

final class DedupeOutput: RecordSink {
  private let meter: StageMeter
  private let log: ConflictLog?
  private let leftOut: LeftOutCounter
  private let sources: PrioritySourceCheck?
  private let observe: (@Sendable (DedupeNotice) -> Void)?
  private let downstream: any RecordSink

  init(
    _ meter: StageMeter, _ log: ConflictLog?, _ leftOut: LeftOutCounter, _ sources: PrioritySourceCheck?,
    _ observe: (@Sendable (DedupeNotice) -> Void)?, _ downstream: any RecordSink
  ) {
    self.meter = meter
    self.log = log
    self.leftOut = leftOut
    self.sources = sources
    self.observe = observe
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    meter.rowsOut.add(batch.count)
    try downstream.receive(&batch)
  }

  func finish() throws(Failure) {
    // All decisions have been made. A full disk must be detected before the next stage publishes its files.
    try log?.flush()
    leftOut.count()
    meter.finish()
    if let observe {
      if let missing = sources?.missing, !missing.isEmpty, meter.rowsIn.value > 0 {
        observe(.sourcesWithoutRecords(missing))
      }
      leftOut.report(to: observe)
    }
    try downstream.finish()
  }
}

final class LeftOutCounter {
  private struct Sum {
    var records: UInt64 = 0
    var numbers: UInt64 = 0
    /// The records that the meter does not have yet.
    var uncounted = 0
  }

  private let meter: StageMeter
  private let log: ConflictLog?
  /// By the position of a reason.
  private var sums = [Sum](repeating: Sum(), count: LeftOutReason.allCases.count)

  /// Whether ``add(first:last:_:_:_:)`` uses the record fields.
  var needsFields: Bool { log != nil }

  init(_ meter: StageMeter, _ log: ConflictLog?) {
    self.meter = meter
    self.log = log
  }

  func add(
    first: UInt64, last: UInt64, _ recordFields: Span<UInt8>, _ reason: LeftOutReason, _ votes: Votes? = nil
  ) throws(Failure) {
    let position = reason.position
    sums[position].uncounted += 1
    sums[position].records += 1
    sums[position].numbers = sums[position].numbers.addingSaturated(last - first + 1)
    try log?.add(first: first, last: last, leftOut: recordFields, reason, votes)
  }

  /// Brings the meter up to date.
  func count() {
    for reason in LeftOutReason.allCases {
      meter.leaveOut(sums[reason.position].uncounted, because: reason.rawValue)
      sums[reason.position].uncounted = 0
    }
  }

  func report(to observe: (DedupeNotice) -> Void) {
    for reason in LeftOutReason.allCases where sums[reason.position].records > 0 {
      let sum = sums[reason.position]
      observe(.leftOut(reason, records: sum.records, numbers: sum.numbers))
    }
  }
}

final class PrioritySourceCheck {
  private var names: [String]
  private var missingBytes: [[UInt8]]

  init(_ names: [String]) {
    self.names = names
    missingBytes = names.map { RecordFields.bytes(RecordFields.Fields(label: $0)) }
  }

  var missing: [String] { names }

  /// Checks a batch's record fields, until all sources have occurred.
  func observe(_ table: borrowing RecordFieldsTable) {
    guard !missingBytes.isEmpty else { return }
    for index in 0..<table.count {
      let source = KeepPolicy.source(table[index])
      guard !source.isEmpty, let found = missingBytes.firstIndex(of: source) else { continue }
      missingBytes.remove(at: found)
      names.remove(at: found)
      if missingBytes.isEmpty { return }
    }
  }
}
