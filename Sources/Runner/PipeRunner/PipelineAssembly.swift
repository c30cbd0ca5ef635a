// Builds a pipeline's stages, from the last to the first, with the text form or the packed form at both ends.

import Records
import Synchronization
import SystemIO

/// What the parts of a run have in common.
struct RunSetup: Sendable {
  let pipeline: Pipeline
  let counters: RunCounters
  /// The sizes and hashes of the sources, if a manifest records them.
  let hashes: SourceHashes?
  let limitCheck: RejectLimitCheck
  let calls: any SystemCalls
  var threads: Int
  let inputShare = InputShare()
  let countries = CountryRecord()
  /// Collects data for the report; nil without a report.
  var recorder: RunRecorder?
  /// Receives notices; nil if they are neither shown nor recorded.
  var notify: (@Sendable (any StageNotice) -> Void)?
  /// Whether the notices include details.
  var showsDetails = false
  /// Returns the origin of the records; nil if the manifest does not record it.
  var provenance: (@Sendable () throws(Failure) -> RunProvenance?)?
}

struct PipelineAssembly {
  private let setup: RunSetup
  /// The name in messages of the input that the stages read.
  private let inputName: String
  /// Which rows come from which input; nil if there is only one.
  private let rows: InputRows?
  /// The counters of the stages that are not built yet.
  private var counters: ArraySlice<StageCounters>
  /// The context of the stage that was built last, which is the first in the order of the data.
  private var firstContext: StageContext?
  /// The writer of raw rows as text, and the stage before it, if raw rows are the output.
  private(set) var rawRowText: (stage: StageName, writer: RawRowWriter)?
  /// The thread boundaries, in the order of the data.
  private(set) var relays: [any Stoppable] = []

  init(_ setup: RunSetup, _ counters: ArraySlice<StageCounters>, inputNames: [String] = ["-"]) {
    self.setup = setup
    self.counters = counters
    inputName = inputNames.first ?? "-"
    rows = inputNames.count > 1 ? InputRows() : nil
  }

  /// Creates the environment of a stage that comes before all stages built so far.
  mutating func environment(_ name: StageName) -> StageEnvironment {
    let counters = counters.removeLast()
    precondition(counters.meter.stage == name, "the stages are built in another order than they were counted")
    let context = makeContext(counters)
    firstContext = context
    var environment = StageEnvironment(context)
    environment.threads = setup.threads
    environment.inputName = inputName
    environment.inputShare = { [inputShare = setup.inputShare] in inputShare.value }
    environment.provenance = setup.provenance
    environment.countries = { [countries = setup.countries] in countries.counts }
    environment.notify = setup.notify
    environment.showsDetails = setup.showsDetails
    if let recorder = setup.recorder { environment.recordOutputs = { recorder.note($0) } }
    return environment
  }

  private func makeContext(_ stage: StageCounters) -> StageContext {
    var context = StageContext(meter: stage.meter, rejects: setup.limitCheck.rejects, calls: setup.calls)
    context.origin.stagePosition = counters.endIndex
    if let index = stage.sourceIndex {
      context.origin.sourceIndex = index
      context.origin.source = stage.sourceName
      context.origin.input = inputName
      context.origin.rows = rows
    }
    return context
  }

  /// The counters of the first stage in the order of the data; nil until a stage is built.
  var firstMeter: StageMeter? { firstContext?.meter }

  /// Builds `plans` before `downstream`. Rows and records become bytes where `downstream` receives bytes.
  mutating func build(
    _ plans: [any StagePlan], before downstream: AnySink
  ) throws(Failure) -> AnySink {
    var sink = downstream
    for (index, plan) in plans.enumerated().reversed() {
      let environment = environment(plan.name)
      sink = try plan.makeSink(
        environment, downstream: counted(try textual(sink, after: plan), after: plan, before: sink))
      if plan.output == .nothing { sink = checked(sink, before: plan) }
      // The first stage and the reading of the input share a thread, unless it is the only stage and writes files.
      let isAlone = plans.count == 1 && plan.output == .nothing
      if plan.needsThread, setup.threads > 1, index > 0 || isAlone { sink = try relay(sink) }
    }
    return sink
  }

  mutating func relay(_ sink: AnySink) throws(Failure) -> AnySink {
    switch sink {
    case .bytes(let sink):
      let relay = try ByteRelay(sink)
      relays.insert(relay, at: 0)
      return .bytes(relay)
    case .rawRows(let sink):
      let relay = try RelayThread(sink)
      relays.insert(relay, at: 0)
      return .rawRows(relay)
    case .records(let sink):
      let relay = try RelayThread(sink)
      relays.insert(relay, at: 0)
      return .records(relay)
    }
  }

  /// Checks the reject limit and the countries before a stage that writes its own files publishes them, and counts its
  /// records for a report.
  private func checked(_ sink: AnySink, before plan: any StagePlan) -> AnySink {
    switch sink {
    case .bytes(let sink): return .bytes(RejectCheckedBytes(setup.limitCheck, sink))
    case .records(let sink):
      let counter: any RecordSink =
        plan.checksCountries
        ? CountryCounter(plan, source: nil, record: setup.countries, notify: setup.notify, downstream: sink)
        : sink
      let checked = RejectCheckedRecords(setup.limitCheck, counter)
      return .records(setup.recorder.map { CountedRecords($0, checked) } ?? checked)
    case .rawRows: preconditionFailure("raw rows are not written to files")
    }
  }

  /// Checks the countries of the records that a stage creates. If their text is the output, no other stage counts them.
  private func counted(_ sink: AnySink, after plan: any StagePlan, before next: AnySink) -> AnySink {
    guard plan.createsRecords, case .records(let records) = sink else { return sink }
    let isOutput = if case .bytes = next { true } else { false }
    let source = firstContext?.origin.source
    return .records(
      CountryCounter(
        plan, source: source?.isEmpty ?? true ? nil : source,
        record: isOutput ? setup.countries : nil,
        notify: setup.notify, downstream: records))
  }

  // MARK: The text form or the packed form at both ends

  /// Checks the reject limit before the end mark is written.
  private var checkEnd: @Sendable () throws(Failure) -> Void {
    { [limitCheck = setup.limitCheck] () throws(Failure) in try limitCheck.check() }
  }

  /// Returns the sink for the bytes that a pipeline outputs, plain or packed.
  func output(_ bytes: any ByteSink) throws(Failure) -> any ByteSink {
    guard setup.pipeline.outputForm == .packed, setup.pipeline.lastOutput == .bytes else { return bytes }
    let writer = PackedBytesWriter(
      downstream: bytes, hasHeader: setup.pipeline.hasHeader, checkEnd: checkEnd)
    try writer.begin()
    return writer
  }

  /// Returns the sink that reads bytes for the first stage of a process. Those of files, which may be pipes, may be packed.
  func reader(for sink: AnySink, mayBePacked: Bool) -> any ByteSink {
    let reader: any ByteSink =
      switch sink {
      case .bytes(let sink): sink
      case .rawRows(let sink): RawRowReader(context: firstContext!, downstream: sink)
      case .records(let sink): RecordReader(context: firstContext!, downstream: sink)
      }
    return mayBePacked ? PackedBytesReader(stage: firstContext?.stage, downstream: reader) : reader
  }

  /// Returns the sink for a stage's output, which is written as text or packed where bytes are received.
  private mutating func textual(
    _ sink: AnySink, after plan: any StagePlan
  ) throws(Failure) -> AnySink {
    guard case .bytes(let bytes) = sink else { return sink }
    let checkEnd = checkEnd
    switch plan.output {
    case .bytes, .nothing: return sink
    case .records:
      let writer = RecordWriter(
        downstream: bytes, form: setup.pipeline.outputForm, hasHeader: setup.pipeline.hasHeader,
        checkEnd: checkEnd)
      try writer.begin()
      let sink = AnySink.records(writer)
      return plan.needsWriterThread && setup.threads > 1 ? try relay(sink) : sink
    case .rawRows:
      let writer = RawRowWriter(
        downstream: bytes, form: setup.pipeline.outputForm, hasHeader: setup.pipeline.hasHeader,
        checkEnd: checkEnd)
      try writer.begin()
      rawRowText = (plan.name, writer)
      return .rawRows(writer)
    }
  }
}

// MARK: - A stage boundary after which the pipeline continues in another thread

/// A sink that passes its work to another thread and can stop that thread.
protocol Stoppable: AnyObject {
  /// Stops the downstream thread and waits for it. Its pending data is dropped and not published.
  func stop()
}

/// Passes bytes to another thread.
final class ByteRelay: ByteSink, Stoppable {
  /// The number of chunks in the queue: one being filled, one being read, two to smooth out differences in speed.
  private static let depth = 4

  /// A chunk, or the start of another input, which comes before the chunk's bytes.
  private struct Batch: ~Copyable {
    var chunk = ByteChunk()
    var nextInput: String?
  }
  private let thread: RelayThread<Batch>
  /// An empty batch that carries the chunks into the queue.
  private var batch = Batch()

  init(_ downstream: any ByteSink) throws(Failure) {
    thread = try RelayThread(
      name: "bytes", BoundedBuffer(count: Self.depth) { Batch() }, Batch(),
      RelayThread.Consumer(
        receive: { (batch) throws(Failure) in
          if let name = batch.nextInput.take() { try downstream.nextInput(name: name) }
          if batch.chunk.count > 0 { try downstream.receive(&batch.chunk) }
          batch.chunk.removeAll()
        }, finish: { () throws(Failure) in try downstream.finish() }))
  }

  func receive(_ chunk: inout ByteChunk) throws(Failure) {
    swap(&batch.chunk, &chunk)
    defer { swap(&batch.chunk, &chunk) }
    try thread.push(&batch)
  }

  func nextInput(name: String) throws(Failure) {
    batch.nextInput = name
    try thread.push(&batch)
  }

  func finish() throws(Failure) { try thread.finish() }

  func stop() { thread.stop() }
}

extension RelayThread: Stoppable where Batch: ~Copyable {}

// MARK: - The end of each source's stages in a pipeline of several sources

/// Forwards records within the source's bounds and leaves the stream open for the next source.
final class SharedEnd: RecordSink {
  private let downstream: any RecordSink
  /// Whether records are dropped: the run is repeated without the sources that failed, and only looks for more of them.
  private let drops: Bool
  private var bounds: SourceBounds?

  init(_ downstream: any RecordSink, drops: Bool, _ bounds: SourceBounds?) {
    self.downstream = downstream
    self.drops = drops
    self.bounds = bounds
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    try bounds?.check(batch)
    if drops { batch.removeAll() } else { try downstream.receive(&batch) }
  }

  func finish() throws(Failure) { try bounds?.finish() }
}

/// The end of a pipeline whose last stage writes its own files: it receives nothing.
final class EmptyEnd: RecordSink {
  func receive(_ batch: inout RecordBatch) {}
  func finish() {}
}

// MARK: - The share of a run's input that has been read

/// The bytes read so far and the sizes of all inputs whose size is known.
final class InputShare: Sendable {
  private let meters = Mutex<[StageMeter]>([])

  func add(_ meter: StageMeter) { meters.withLock { $0.append(meter) } }

  /// The share that was read, 0 to 1; nil if more was read of an input than expected. Inputs of unknown size that are not
  /// being read yet are not counted, so this value may be too high.
  var value: Double? {
    var read: UInt64 = 0
    var all: UInt64 = 0
    for meter in meters.withLock({ $0 }) {
      let (bytes, expected) = (meter.bytesIn.value, meter.bytesExpected.value)
      if bytes > expected { return nil }
      read += bytes
      all += expected
    }
    return all == 0 ? nil : Double(read) / Double(all)
  }
}
