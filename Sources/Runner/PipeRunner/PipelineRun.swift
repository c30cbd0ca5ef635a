// Runs a pipeline: passes the sources one after another through their own stages and then through the shared stages.

import CallRecord
public import PipeStage
public import SystemIO

/// One run of a pipeline: built, then executed once.
///
/// `init` opens the outputs and starts the threads. A run that fails leaves neither outputs nor threads.
///
///     let run = try PipelineRun(pipeline, rejects: log)
///     try run.execute()
public struct PipelineRun {
  /// The stages' counters, in the order of the data.
  public private(set) var counters: [StageCounters] = []

  private let setup: RunSetup
  /// The sizes and hashes of the sources, if a manifest records them.
  private let hashes: SourceHashes?
  private let sourceStageNames: Set<StageName>
  private var readers: [SourceReader] = []
  /// The first shared stage if there are several sources; otherwise nil.
  private var sharedStart: (any RecordSink)?
  private var rawRowText: (stage: StageName, writer: RawRowWriter)?
  private var relays: [any Stoppable] = []

  /// Builds a pipeline. `recorder` collects data for a report; `notify` receives the stages' notices.
  public init(
    _ pipeline: Pipeline, rejects: RejectLog, calls: any SystemCalls = KernelCalls(),
    recorder: RunRecorder? = nil, notify: (@Sendable (any StageNotice) -> Void)? = nil
  ) throws(StageError) {
    let limitCheck = RejectLimitCheck(rejects, checks: pipeline.sources.map(\.checks))
    let level = pipeline.provenanceLevel
    let sources = SourceHashes(names: pipeline.sources.map(\.name), calls: calls)
    var setup = RunSetup(
      rejects: rejects, limitCheck: limitCheck, calls: calls, threads: pipeline.threads,
      recorder: recorder, notify: notify)
    if level > .none { setup.provenance = { limitCheck.accounts.provenance(of: sources.all()) } }
    self.setup = setup
    hashes = level == .hashes ? sources : nil
    sourceStageNames = pipeline.sourceStageNames
    try pipeline.checkKinds()
    do throws(StageError) {
      try build(pipeline)
    } catch {
      for relay in relays { relay.stop() }
      throw error
    }
    for reader in readers { setup.inputShare.add(reader.meter) }
    limitCheck.begin(counters)
  }

  // MARK: Building

  private mutating func build(_ pipeline: Pipeline) throws(StageError) {
    let last = pipeline.lastStage
    let end: AnySink =
      last?.output == .nothing
      ? .records(EmptyEnd())
      : .bytes(
        RejectCheckedBytes(
          setup.limitCheck, try FileSink(pipeline.output, stage: last?.name, calls: setup.calls)))
    if pipeline.sources.count == 1 {
      try buildAlone(pipeline, before: end)
    } else {
      try buildShared(pipeline, before: end)
    }
  }

  /// Builds a pipeline with one source: its stages and the shared ones form one chain.
  private mutating func buildAlone(_ pipeline: Pipeline, before end: AnySink) throws(StageError) {
    let source = pipeline.sources[0]
    var assembly = PipelineAssembly(setup, inputName: source.inputName)
    defer { relays += assembly.relays }
    let first = try assembly.build(source.stages + pipeline.stages, before: end)
    readers = [try SourceReader(source, 0, first, &assembly, pipeline, hashes, calls: setup.calls)]
    rawRowText = assembly.rawRowText
    let ownCount = assembly.stages.count - pipeline.stages.count
    counters = assembly.stages.enumerated().map { index, stage in
      index < ownCount
        ? StageCounters(stage, sourceIndex: 0, sourceName: source.name) : StageCounters(shared: stage)
    }
  }

  /// Builds the shared stages once, and each source before them.
  private mutating func buildShared(_ pipeline: Pipeline, before end: AnySink) throws(StageError) {
    var shared = PipelineAssembly(setup)
    defer { relays += shared.relays }
    var start = try shared.build(pipeline.stages, before: end)
    if pipeline.threads > 1 { start = try shared.relay(start) }
    let sharedStart = start.recordSink
    self.sharedStart = sharedStart
    for (index, source) in pipeline.sources.enumerated() {
      var own = PipelineAssembly(setup, inputName: source.inputName)
      defer { relays += own.relays }
      let first = try own.build(source.stages, before: .records(SharedEnd(sharedStart)))
      readers.append(
        try SourceReader(source, index, first, &own, pipeline, hashes, calls: setup.calls))
      counters += own.stages.map { StageCounters($0, sourceIndex: index, sourceName: source.name) }
    }
    counters += shared.stages.map { StageCounters(shared: $0) }
  }

  // MARK: Running

  /// Runs the pipeline.
  ///
  /// Throws the error of the first stage to fail; then nothing is published and no thread is left.
  public func execute() throws(StageError) {
    do throws(StageError) {
      for reader in readers {
        do throws(StageError) {
          try reader.read(hashes, hashesInThread: setup.threads > 1)
        } catch {
          throw blamed(error, on: reader.sourceIndex)
        }
      }
      try sharedStart?.finish()
    } catch {
      for relay in relays { relay.stop() }
      hashes?.stop()
      // The rows before a read error are valid; they are written to standard output.
      if let rawRowText, error.stage == rawRowText.stage, error.cause.endsInput {
        try? rawRowText.writer.flush()
      }
      throw error
    }
  }

  /// Adds the source that was being read to an error, if its data caused the error. Disk errors and too many rejects in
  /// total are not attributed to a source.
  private func blamed(_ error: StageError, on index: Int) -> StageError {
    guard error.sourceIndex == nil, let stage = error.stage, sourceStageNames.contains(stage),
      !(error.cause is RejectLimitError)
    else { return error }
    var error = error
    switch error.cause.errorClass {
    case .badData, .noInput, .unavailable: error.sourceIndex = index
    case .cannotCreate, .inputOutput, .usage, .tryLater, .readerGone, .unchanged: break
    }
    return error
  }
}

extension Pipeline.Source {
  /// The source's name in messages.
  fileprivate var inputName: String { displayName ?? input.displayName ?? "-" }
}
