// Runs a pipeline: passes the sources through their own stages, and their records, source by source, through the shared
// stages.

package import Records
package import SystemIO

/// One run of a pipeline: built, then executed once.
///
/// `init` opens the outputs and starts the threads of the shared stages. With several sources, the stages of each are
/// built when it is read and released when it has ended, so that memory does not depend on their number. A run that
/// fails leaves neither outputs nor threads.
///
///     let run = try PipelineRun(pipeline, rejects: log)
///     try run.execute()
package struct PipelineRun {
  let runCounters: RunCounters
  private let setup: RunSetup
  private let pipeline: Pipeline
  /// The sizes and hashes of the sources, if a manifest records them.
  private let hashes: SourceHashes?
  private let sourceStageNames: Set<StageName>
  /// The source, if there is only one without bounds; otherwise nil.
  private var only: SourceReader?
  /// The first shared stage if the sources have chains of their own; otherwise nil.
  private var sharedStart: (any RecordSink)?
  private var rawRowText: (stage: StageName, writer: RawRowWriter)?
  private var relays: [any Stoppable] = []

  /// The stages' counters, in the order of the data.
  package var counters: [StageCounters] { runCounters.all }

  /// The countries of the numbers that the last stage created or wrote; nil until all have been counted, and if it did
  /// neither.
  package var countries: CountryCounts? { setup.countries.counts }

  /// The sources' names, and their sizes and hashes if a manifest records them. Call it after a successful run.
  package var sourceContents: [RunProvenance.Source] {
    (try? hashes?.all()) ?? []
  }

  /// Builds a pipeline. `recorder` collects data for a report; `notify` receives the stages' notices.
  package init(
    _ pipeline: Pipeline, rejects: RejectLog, calls: any SystemCalls = KernelCalls(),
    recorder: RunRecorder? = nil, notify: (@Sendable (any StageNotice) -> Void)? = nil
  ) throws(Failure) {
    let runCounters = RunCounters(pipeline)
    let limitCheck = RejectLimitCheck(rejects, runCounters, checks: pipeline.sources.map(\.checks))
    let level = pipeline.provenanceLevel
    let hashes = SourceHashes(names: pipeline.sources.map(\.name), calls: calls)
    var setup = RunSetup(
      rejects: rejects, limitCheck: limitCheck, calls: calls, threads: pipeline.threads,
      outputForm: pipeline.outputForm,
      recorder: recorder, notify: notify)
    if let recorder {
      setup.notify = { notice in
        recorder.note(notice)
        notify?(notice)
      }
    }
    if level > .none {
      setup.provenance = { () throws(Failure) in
        limitCheck.accounts.provenance(of: try hashes.all())
      }
    }
    self.setup = setup
    self.pipeline = pipeline
    self.runCounters = runCounters
    self.hashes = level == .hashes ? hashes : nil
    sourceStageNames = pipeline.sourceStageNames
    for index in pipeline.sources.indices {
      if let first = runCounters.own(index).first ?? runCounters.shared.first {
        setup.inputShare.add(first.meter)
        // All sizes are known before the first source is read: progress and sort need their total.
        if let bytes = pipeline.sources[index].bytesExpected(calls) {
          first.meter.bytesExpected.add(Int(clamping: bytes))
        }
      }
    }
    try pipeline.checkKinds()
    do throws(Failure) {
      try build()
    } catch {
      for relay in relays { relay.stop() }
      throw error
    }
  }

  // MARK: Building

  private mutating func build() throws(Failure) {
    let last = pipeline.lastStage
    let end: AnySink =
      last?.output == .nothing
      ? .records(EmptyEnd())
      : .bytes(
        RejectCheckedBytes(
          setup.limitCheck, try FileSink(pipeline.output, stage: last?.name, calls: setup.calls)))
    if pipeline.sources.count == 1, !pipeline.sources[0].checks.boundRecords {
      // The source's stages and the shared ones form one chain.
      let source = pipeline.sources[0]
      var assembly = PipelineAssembly(setup, runCounters.all[...], inputNames: source.inputNames)
      defer { relays += assembly.relays }
      let first = try assembly.build(source.stages + pipeline.stages, before: end)
      only = try SourceReader(source, 0, first, &assembly, pipeline, hashes, calls: setup.calls)
      rawRowText = assembly.rawRowText
    } else {
      var shared = PipelineAssembly(setup, runCounters.shared)
      defer { relays += shared.relays }
      var start = try shared.build(pipeline.stages, before: end)
      if pipeline.threads > 1 { start = try shared.relay(start) }
      sharedStart = start.recordSink
    }
  }

  /// How the sources are read that have stages of their own.
  private var reading: SourceReading {
    SourceReading(pipeline: pipeline, counters: runCounters, hashes: hashes, setup: setup)
  }

  // MARK: Running

  /// Runs the pipeline.
  ///
  /// If a source fails, `recover` decides whether the run could do without it. If it could, the rows of that source that
  /// were read before the failure are part of the result, so nothing is published; but the remaining sources are still
  /// read, so that one more run, without all sources that failed, succeeds.
  ///
  /// Throws the error of the first stage to fail; then nothing is published and no thread is left.
  ///
  /// - Returns: whether the run succeeded; if not, it is to be repeated without the sources that failed.
  @discardableResult
  package func execute(recover: (Failure) throws(Failure) -> Bool = { _ in false }) throws(Failure)
    -> Bool
  {
    do throws(Failure) {
      if try readSources(recover), try finishShared(recover) {
        // Without a manifest, no stage has waited for the hashes.
        _ = try hashes?.all()
        return true
      }
      stop()
      return false
    } catch {
      stop()
      // The rows before a read error are valid; they are written to standard output.
      if let rawRowText, error.stage == rawRowText.stage, error.endsInput {
        try? rawRowText.writer.flush()
      }
      throw error
    }
  }

  /// Stops the threads.
  private func stop() {
    for relay in relays { relay.stop() }
    hashes?.stop()
  }

  /// Reads all sources. Returns false if one failed and the run could do without it.
  private func readSources(_ recover: (Failure) throws(Failure) -> Bool) throws(Failure) -> Bool {
    var isComplete = true
    var small = 0..<0
    var threads: SourceThreads?
    defer { threads?.finish() }
    for index in pipeline.sources.indices {
      if let sharedStart, index >= small.upperBound {
        threads?.finish()
        small = reading.smallSources(from: index)
        threads =
          small.count < 2 ? nil : try SourceThreads(small, reading, into: sharedStart, drops: !isComplete)
      }
      do throws(Failure) {
        if let threads { try threads.result() } else { try read(index, drops: !isComplete) }
        if sharedStart != nil, pipeline.sources.count > 1 { try setup.limitCheck.check(source: index) }
      } catch {
        let error = blamed(error, on: index)
        if error.sourceIndex != nil {
          guard try recover(error) else { throw error }
          isComplete = false
        } else if isComplete || !error.isBecauseOfRejects {
          throw error
        } else {
          // The sources that failed may have caused the rejects.
          return false
        }
      }
      threads?.advance(drops: !isComplete)
    }
    return isComplete
  }

  /// Reads a source to its end. With `drops`, its records are checked and dropped.
  private func read(_ index: Int, drops: Bool) throws(Failure) {
    if let only { return try only.read(hashes, hashesInThread: setup.threads > 1) }
    guard let sharedStart else { return }
    try reading.read(index, into: sharedStart, drops: drops)
  }

  /// Ends the shared stages. Returns false if a source turns out to have failed and the run could do without it.
  private func finishShared(_ recover: (Failure) throws(Failure) -> Bool) throws(Failure) -> Bool {
    do throws(Failure) {
      try sharedStart?.finish()
      return true
    } catch {
      guard error.sourceIndex != nil, try recover(error) else { throw error }
      return false
    }
  }

  /// Adds the source that was being read to an error, if its data caused the error. Disk errors and too many rejects in
  /// total are not attributed to a source.
  private func blamed(_ error: Failure, on index: Int) -> Failure {
    guard error.sourceIndex == nil, let stage = error.stage, sourceStageNames.contains(stage),
      !error.isBecauseOfRejects, error.blamesSource
    else { return error }
    var error = error
    error.sourceIndex = index
    if pipeline.sources.count > 1 { error.sourceName = pipeline.sources[index].name }
    return error
  }
}

extension Pipeline.Source {
  /// The names of the source's inputs in messages.
  var inputNames: [String] {
    if let displayNames { return displayNames }
    return if case .files(let paths) = input { paths } else { input.displayName.map { [$0] } ?? [] }
  }
}
