// The normalize stage in several threads. Batches of rows are shared among them; their records and rejects are passed on in
// the order of the rows.
//
// Not for: how a row is normalized (Normalizer).

import BasicContainers
import Records

/// Normalizes like a ``Normalizer``, in several threads.
final class ParallelNormalizer: RawRowSink {
  /// The maximum number of threads: each has its own cache of prefixes, and the threads before and after them are busy.
  static let threadsMax = 4

  private let workers: [NormalizeWorker]
  private let relay: OrderedRelay<NormalizedRows>
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
    relay = try OrderedRelay(
      items, NormalizedRows(context.stage),
      work: workers.map { worker in { (item) throws(Failure) in try worker.normalize(&item) } },
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

  deinit {
    relay.stop()
  }

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

/// A batch of rows, and what it becomes.
struct NormalizedRows: ~Copyable {
  var rows = RawRowBatch()
  var records = RecordBatches()
  var result: WorkerResult

  init(_ stage: StageName) {
    result = WorkerResult(stage)
  }
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

  /// Passes the batches on, and empties them.
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
  /// Receives the records of the batch that is being normalized.
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
  func finish() throws(Failure) {
    try normalizer.finish()
  }
}
