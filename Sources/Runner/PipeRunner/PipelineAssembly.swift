// Builds a pipeline's stages, from the last to the first, with the text form or the packed form at both ends.

import Records
import SystemIO

/// The data that all stages of a run share.
struct RunSetup: Sendable {
  let rejects: RejectLog
  let limitCheck: RejectLimitCheck
  let calls: any SystemCalls
  var threads: Int
  /// The form of the output if it consists of records or raw rows.
  let outputForm: StreamForm
  /// The share of the input read so far, for stages that estimate the rest.
  let inputShare = InputShare()
  /// The countries of the numbers that the last stage writes.
  let countries = CountryRecord()
  /// Collects data for the report; nil without a report.
  var recorder: RunRecorder?
  /// Receives notices; nil if they are neither shown nor recorded.
  var notify: (@Sendable (any StageNotice) -> Void)?
  /// Returns the origin of the records; nil if the manifest does not record it.
  var provenance: (@Sendable () throws(Failure) -> RunProvenance?)?
}

/// Builds a chain of stages.
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

  /// Creates an empty chain of the stages that these counters belong to.
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
    if let recorder = setup.recorder { environment.recordOutputs = { recorder.note($0) } }
    return environment
  }

  /// Creates the context of the stage whose counters were taken last.
  private func makeContext(_ stage: StageCounters) -> StageContext {
    var context = StageContext(meter: stage.meter, rejects: setup.rejects, calls: setup.calls)
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

  /// Builds an input before `downstream`.
  mutating func build(
    _ plan: any InputPlan, before downstream: any ByteSink
  ) throws(Failure) -> any StageInput {
    try plan.makeInput(environment(plan.name), downstream: downstream)
  }

  /// Continues the pipeline in another thread.
  mutating func relay(_ sink: AnySink) throws(Failure) -> AnySink {
    switch sink {
    case .bytes(let sink):
      let relay = try ByteRelay(sink)
      relays.insert(relay, at: 0)
      return .bytes(relay)
    case .rawRows(let sink):
      let relay = try RawRowRelay(sink)
      relays.insert(relay, at: 0)
      return .rawRows(relay)
    case .records(let sink):
      let relay = try RecordRelay(sink)
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

  /// Returns the sink that reads bytes for the first stage of a process.
  func reader(for sink: AnySink) -> any ByteSink {
    switch sink {
    case .bytes(let sink): return sink
    case .rawRows(let sink): return RawRowReader(context: firstContext!, downstream: sink)
    case .records(let sink): return RecordReader(context: firstContext!, downstream: sink)
    }
  }

  /// Returns the sink for a stage's output, which is written as text or packed where bytes are received.
  private mutating func textual(
    _ sink: AnySink, after plan: any StagePlan
  ) throws(Failure) -> AnySink {
    guard case .bytes(let bytes) = sink else { return sink }
    let limitCheck = setup.limitCheck
    let checkEnd: @Sendable () throws(Failure) -> Void = { () throws(Failure) in try limitCheck.check()
    }
    switch plan.output {
    case .bytes, .nothing: return sink
    case .records:
      let writer = RecordWriter(downstream: bytes, form: setup.outputForm, checkEnd: checkEnd)
      try writer.begin()
      let sink = AnySink.records(writer)
      return plan.needsWriterThread && setup.threads > 1 ? try relay(sink) : sink
    case .rawRows:
      let writer = RawRowWriter(downstream: bytes, form: setup.outputForm, checkEnd: checkEnd)
      try writer.begin()
      rawRowText = (plan.name, writer)
      return .rawRows(writer)
    }
  }
}
