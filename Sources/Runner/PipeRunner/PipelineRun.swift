// Runs a pipeline: passes the sources through their own stages, and their records, source by source, through the shared
// stages.

package import Records
import Synchronization
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
  let setup: RunSetup
  private let sourceStageNames: Set<StageName>
  /// The source, if there is only one without bounds; otherwise nil.
  private var only: SourceReader?
  /// The first shared stage if the sources have chains of their own; otherwise nil.
  private var sharedStart: (any RecordSink)?
  private var rawRowText: (stage: StageName, writer: RawRowWriter)?
  private var relays: [any Stoppable] = []

  /// The stages' counters, in the order of the data.
  package var counters: [StageCounters] { setup.counters.all }

  /// The day from which the ages of rows are counted; nil if none has to be below a maximum.
  package var now: CalendarDay? { setup.pipeline.now }

  /// The countries of the numbers that the last stage created or wrote; nil until all have been counted, and if it did
  /// neither.
  package var countries: CountryCounts? { setup.countries.counts }

  /// The sources' names, and their sizes and hashes if a manifest records them. Call it after a successful run.
  package var sourceContents: [RunProvenance.Source] { (try? setup.hashes?.all()) ?? [] }

  /// Builds a pipeline. `recorder` collects data for a report; `notify` receives the stages' notices, with
  /// `showsDetails` also those about what is opened and recognised.
  package init(
    _ pipeline: Pipeline, rejects: RejectLog, calls: any SystemCalls = KernelCalls(),
    recorder: RunRecorder? = nil, showsDetails: Bool = false,
    notify: (@Sendable (any StageNotice) -> Void)? = nil
  ) throws(Failure) {
    let runCounters = RunCounters(pipeline)
    let limitCheck = RejectLimitCheck(rejects, runCounters, checks: pipeline.sources.map(\.checks))
    let level = pipeline.provenanceLevel
    let hashes = SourceHashes(names: pipeline.sources.map(\.name), calls: calls)
    var setup = RunSetup(
      pipeline: pipeline, counters: runCounters, hashes: level == .hashes ? hashes : nil,
      limitCheck: limitCheck, calls: calls, threads: pipeline.threads, recorder: recorder, notify: notify)
    if let recorder {
      setup.notify = { notice in
        recorder.note(notice)
        notify?(notice)
      }
    }
    setup.showsDetails = showsDetails
    if level > .none {
      setup.provenance = { () throws(Failure) in
        var provenance = limitCheck.accounts.provenance(of: try hashes.all())
        provenance.now = pipeline.now
        return provenance
      }
    }
    self.setup = setup
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
    if showsDetails { noteSideInputs() }
    do throws(Failure) {
      try build()
    } catch {
      for relay in relays { relay.stop() }
      throw error
    }
  }

  // MARK: Building

  /// Reports the files that the stages read besides the data that flows through them.
  private func noteSideInputs() {
    for stage in pipeline.allStages {
      for file in stage.files where [.input, .settings].contains(file.role) {
        setup.notify?(DetailNotice(stage.name, InputText.reading(file.path)))
      }
    }
  }

  private var pipeline: Pipeline { setup.pipeline }

  private mutating func build() throws(Failure) {
    let last = pipeline.lastStage
    let end: AnySink =
      last?.output == .nothing
      ? .records(EmptyEnd())
      : .bytes(
        try PipelineAssembly(setup, []).output(
          RejectCheckedBytes(
            setup.limitCheck, try FileSink(pipeline.output, stage: last?.name, calls: setup.calls))))
    if pipeline.sources.count == 1, !pipeline.sources[0].checks.boundRecords {
      // The source's stages and the shared ones form one chain.
      let source = pipeline.sources[0]
      var assembly = PipelineAssembly(setup, setup.counters.all[...], inputNames: source.inputNames)
      defer { relays += assembly.relays }
      let first = try assembly.build(source.stages + pipeline.stages, before: end)
      only = try SourceReader(setup, 0, first, &assembly, setup.hashes)
      rawRowText = assembly.rawRowText
    } else {
      var shared = PipelineAssembly(setup, setup.counters.shared)
      defer { relays += shared.relays }
      var start = try shared.build(pipeline.stages, before: end)
      if pipeline.threads > 1 { start = try shared.relay(start) }
      sharedStart = start.recordSink
    }
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
        _ = try setup.hashes?.all()
        return true
      }
      stop()
      return false
    } catch {
      stop()
      // The rows before a read error are valid; they are written to standard output.
      if let rawRowText, error.stage == rawRowText.stage, error.endsInput { try? rawRowText.writer.flush() }
      throw error
    }
  }

  private func stop() {
    for relay in relays { relay.stop() }
    setup.hashes?.stop()
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
        small = setup.smallSources(from: index)
        threads =
          small.count < 2 ? nil : try SourceThreads(small, setup, into: sharedStart, drops: !isComplete)
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
    if let only { return try only.read(setup.hashes, hashesInThread: setup.threads > 1) }
    guard let sharedStart else { return }
    try setup.read(index, into: sharedStart, drops: drops)
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
  var inputNames: [String] {
    if let displayNames { return displayNames }
    return if case .files(let paths) = input { paths } else { input.displayName.map { [$0] } ?? [] }
  }
}

// MARK: - One stage's counters in a run, with the source that the stage belongs to

package struct StageCounters: Sendable {
  /// The index of the source that the stage belongs to; nil for a shared stage.
  package let sourceIndex: Int?
  /// The source's name; empty for a shared stage.
  package let sourceName: String
  package let output: DataKind
  package let meter: StageMeter

  var countsRows: Bool { output != .bytes }

  package init(_ stage: StageName, output: DataKind, sourceIndex: Int? = nil, sourceName: String = "") {
    self.sourceIndex = sourceIndex
    self.sourceName = sourceName
    self.output = output
    meter = StageMeter(stage)
  }
}

/// The counters of all stages of a run. They exist before their stages, which are built when their source's turn comes.
struct RunCounters {
  /// All counters: source by source, then those of the shared stages, each in the order of the data.
  private(set) var all: [StageCounters] = []
  /// By source: its part of ``all``.
  private(set) var sources: [Range<Int>] = []
  /// The index of the first shared stage.
  private var sharedStart = 0

  init(_ pipeline: Pipeline) {
    for (index, source) in pipeline.sources.enumerated() {
      let start = all.count
      if case .stage(let input) = source.input { add(input.name, .bytes, index, source.name) }
      for plan in source.stages { add(plan.name, plan.output, index, source.name) }
      sources.append(start..<all.count)
    }
    sharedStart = all.count
    for plan in pipeline.stages { all.append(StageCounters(plan.name, output: plan.output)) }
  }

  private mutating func add(_ stage: StageName, _ output: DataKind, _ index: Int, _ name: String) {
    all.append(StageCounters(stage, output: output, sourceIndex: index, sourceName: name))
  }

  func own(_ source: Int) -> ArraySlice<StageCounters> { all[sources[source]] }

  var shared: ArraySlice<StageCounters> { all[sharedStart...] }
}

// MARK: - The summary at the end of `run`: every row is accounted for

package enum RunSummary {
  package static func ended(_ status: Int32) -> String { "ended with exit status \(status)" }

  package static let interrupted = "cdpipe run: interrupted; temporary files are removed"

  /// Formats the row counts, the records written if ranges were split or joined, and a warning if the counts don't add
  /// up.
  package static func lines(_ run: PipelineRun, seconds: Double) -> [LogEntry] {
    let accounts = Accounts(run.counters)
    // Parts of a split row, or what was inferred, may be left out or removed; then only the parts add up, not the rows.
    let added = accounts.splits + accounts.inferred
    let countsParts = accounts.leftOut + accounts.removed > 0 && added > 0
    let written = countsParts ? accounts.recordsOut + accounts.joined : accounts.kept
    var text = "read \(Figures.counted(accounts.rowsIn, "row"))"
    if countsParts {
      let how = accounts.inferred > 0 ? "splitting and inferring" : "splitting"
      text += " (\(Figures.grouped(accounts.rowsIn + added)) after \(how))"
    }
    text += ": \(Figures.grouped(written)) written"
    text += ", \(Figures.counted(accounts.duplicates, "duplicate"))"
    text += ", \(Figures.grouped(accounts.rejects)) rejected"
    if accounts.leftOut > 0 { text += ", \(Figures.grouped(accounts.leftOut)) left out" }
    if accounts.removed > 0 { text += ", \(Figures.grouped(accounts.removed)) removed" }
    var lines = [LogEntry("run", "\(text), in \(Figures.tenths(seconds)) s")]
    let changes = [
      accounts.splits > 0
        ? "ranges and patterns were split \(Figures.counted(accounts.splits, "time"))" : nil,
      accounts.inferred > 0 ? "\(Figures.grouped(accounts.inferred)) inferred" : nil,
      accounts.joined > 0 ? "\(Figures.grouped(accounts.joined)) joined with a neighbour" : nil,
    ].compactMap { $0 }
    if !changes.isEmpty {
      lines.append(
        LogEntry(
          nil, "\(Figures.counted(accounts.recordsOut, "record")) written: \(changes.joined(separator: "; "))"
        ))
    }
    if !accounts.isBalanced {
      lines.append(LogEntry(nil, "these counts don't add up: this is a bug in cdpipe, please report it"))
    }
    return lines
  }
}

// MARK: - The row counts of a run

package struct Accounts: Equatable, Sendable {
  /// Rows that came into the first stage that counts rows, of every source.
  package let rowsIn: UInt64
  package let rejects: UInt64
  package let duplicates: UInt64
  /// Records that were left out by a label map, a minimum score, a limit or the rules of select.
  package let leftOut: UInt64
  /// Records that were merged into an adjacent one.
  package let joined: UInt64
  /// Records that a set operation removed whole.
  package let removed: UInt64
  /// Pieces of patterns and ranges that were cut, beyond the first piece of each.
  package let splits: UInt64
  /// Records that were added between others.
  package let inferred: UInt64
  package let patterns: UInt64
  package let patternNumbers: UInt64
  package let recordsOut: UInt64

  package init(_ counters: [StageCounters]) {
    rowsIn = RejectLimitCheck.rowsIn(counters)
    rejects = counters.reduce(0) { $0 + $1.meter.rejects.value }
    duplicates = counters.reduce(0) { $0 + $1.meter.duplicates.value }
    leftOut = counters.reduce(0) { $0 + $1.meter.leftOut.value }
    joined = counters.reduce(0) { $0 + $1.meter.joined.value }
    removed = counters.reduce(0) { $0 + $1.meter.removed.value }
    // Shards cut ranges too, but the pieces are not records.
    splits = counters.reduce(0) { $0 + ($1.output == .nothing ? 0 : $1.meter.splits.value) }
    inferred = counters.reduce(0) { $0 + $1.meter.inferred.value }
    patterns = counters.reduce(0) { $0 + $1.meter.patterns.value }
    patternNumbers = counters.reduce(0) { $0 &+ $1.meter.patternNumbers.value }
    recordsOut = counters.last?.meter.rowsOut.value ?? 0
  }

  /// Rows that were written whole, in pieces or merged. Only meaningful if no piece of a row, and nothing that was inferred,
  /// was left out.
  package var kept: UInt64 {
    let pieces = recordsOut + joined
    return pieces >= splits + inferred ? pieces - splits - inferred : 0
  }

  package var isBalanced: Bool {
    rowsIn + splits + inferred == recordsOut + joined + duplicates + rejects + leftOut + removed
  }

  func provenance(of sources: [RunProvenance.Source]) -> RunProvenance {
    RunProvenance(
      sources: sources, rowsRead: rowsIn, rejects: rejects, duplicates: duplicates, leftOut: leftOut,
      removed: removed)
  }
}

// MARK: - Collects data for a run's report: the distribution of the records, and the outputs
//
// A run without a recorder does not count these.

/// Collects data for a report. Usable from any thread.
package final class RunRecorder: Sendable {
  private struct CountedRejects {
    var use = RunReport.RejectUse()
    var first = FirstRejects(countMax: RunReport.RejectUse.examplesMax)
  }
  private struct Collected {
    var counts: RecordCounts?
    var outputs: [any StageOutput] = []
    var notices: [any RecordedNotice] = []
    /// By stage and reason. Memory is bounded: the stages have a few dozen reasons.
    var rejects: [String: CountedRejects] = [:]
  }
  /// The maximum number of notices that are kept: a few for each input of a large pipeline.
  private static let noticesMax = 10_000

  private let collected = Mutex(Collected())

  package init() {}

  /// The distribution of the records that entered the last stage; nil until the stream has ended.
  package var counts: RecordCounts? { collected.withLock { $0.counts } }

  package var outputs: [any StageOutput] { collected.withLock { $0.outputs } }

  /// The first notices that belong into the report.
  package var notices: [any RecordedNotice] { collected.withLock { $0.notices } }

  /// The rejects by reason, most frequent first.
  package var rejects: [RunReport.RejectUse] {
    collected.withLock { collected in
      collected.rejects.values.map { counted in
        var use = counted.use
        use.examples = counted.first.rejects.map(RunReport.RejectUse.Example.init)
        return use
      }
    }.sorted { one, other in
      one.count != other.count
        ? one.count > other.count : (one.stage, one.reason) < (other.stage, other.reason)
    }
  }

  /// Begins an attempt: forgets what the one before it has noticed and rejected.
  package func begin() {
    collected.withLock { ($0.notices, $0.rejects) = ([], [:]) }
  }

  package func note(_ reject: Reject) {
    let key = reject.stage.rawValue + " " + reject.reason.code
    collected.withLock { collected in
      var counted = collected.rejects[key] ?? CountedRejects()
      if counted.use.count == 0 {
        counted.use.stage = reject.stage.rawValue
        counted.use.reason = reject.reason.code
        counted.use.words = OptionText.typed(reject.reason.text)
      }
      counted.use.count += 1
      counted.first.add(reject)
      collected.rejects[key] = counted
    }
  }

  func note(_ notice: any StageNotice) {
    guard let notice = notice as? any RecordedNotice else { return }
    collected.withLock { collected in
      if collected.notices.count < Self.noticesMax { collected.notices.append(notice) }
    }
  }

  func note(_ counts: RecordCounts) { collected.withLock { $0.counts = counts } }

  func note(_ outputs: [any StageOutput]) { collected.withLock { $0.outputs = outputs } }
}

final class CountedRecords: RecordSink {
  private let recorder: RunRecorder
  private let downstream: any RecordSink
  private var tally = RecordTally()

  init(_ recorder: RunRecorder, _ downstream: any RecordSink) {
    self.recorder = recorder
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    tally.count(batch)
    try downstream.receive(&batch)
  }

  func finish() throws(Failure) {
    recorder.note(tally.take())
    try downstream.finish()
  }
}

extension RunReport.RejectUse.Example {
  fileprivate init(_ reject: Reject) {
    self.init()
    place = URLRedaction.text(PrintableText.line(reject.placeText))
    text = PrintableText.shortened(
      PrintableText.line(String(decoding: reject.text, as: UTF8.self)), to: RunReport.RejectUse.textMax)
  }
}
