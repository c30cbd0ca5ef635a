// The dedupe stage: makes sorted records disjoint, in one pass.
//
// The steps: RecordFilter (maps labels, leaves low scores out), DuplicateResolver, ScoreLimiter, Coalescer,
// DedupeOutput. Steps that the options don't require are omitted.

import BasicContainers
package import Records
import SystemIO

/// Makes sorted records disjoint: a more specific record wins over a more general one, and the policy decides between
/// equally specific ones.
///
/// Every input record is kept (possibly split by narrower records, or joined with adjacent ones), counted as a
/// duplicate, or counted as left out. Throws ``DedupeError/notSorted(row:previous:number:)`` when a record starts below
/// the previous one.
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
  private let meter: StageMeter

  /// Makes a deduper that sends records to `downstream`. Reads the label map, and creates the conflicts file.
  package init(
    options: DedupeOptions, context: StageContext, downstream: any RecordSink
  ) throws(Failure) {
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
    if let limit = options.limit {
      steps = try ScoreLimiter(limit, options, context, leftOut, steps)
    }
    order = SortOrderCheck(needsWiderFirst: options.keep == .mostFrequent)
    sources = sourceCheck
    filter =
      map == nil && options.minScore == nil
      ? nil : RecordFilter(map, minScore: options.minScore, context, leftOut)
    resolver = DuplicateResolver(options, context, log, steps)
    self.steps = steps
    self.log = log
    meter = context.meter
  }

  /// Processes a batch of sorted records.
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
