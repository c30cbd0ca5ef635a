// Runs a pipeline file that publishes or that has optional sources: fetches the sources, retries without those that
// can't be used, and publishes the result.

import ArgumentParser
import RecordStages
import Records
import Runner
import StoreWriting
import SystemIO

/// Runs a pipeline file, with retries and publishing.
struct Refresh {
  let builder: PipelineBuilder
  let common: CommonOptions
  let threads: Int
  private let diagnostics = Diagnostics.typed

  /// Whether a pipeline file needs a refresh instead of a simple run.
  static func isFor(_ builder: PipelineBuilder) -> Bool {
    builder.publish != nil || builder.sources.contains { !$0.isRequired }
  }

  /// Runs the pipeline file. Throws the exit status if it is not 0.
  func run(_ reports: ReportOptions) throws {
    let reporting = try PipelineCommand.begin(
      builder.pipeline(threads: threads), common, reports, files: builder.files,
      keys: builder.publish?.signing.sign ?? [], folder: builder.publish?.directory)
    let folder = builder.publish.map { PublishedFolder($0.directory) }
    let before = folder?.currentVersion
    do throws(Failure) {
      try refresh(reporting)
    } catch {
      if let folder {
        if error.isNotDurable, let version = folder.currentVersion {
          note(.published, folder, version, before, reporting)
        } else {
          reporting?.noteNothing(in: folder.directory, current: folder.currentVersion)
          noteHistory(of: folder, reporting)
        }
      }
      let status = RunReporting.end(reporting, error)
      // If publishing itself rejected the version, its message already reports that.
      if let folder, folder.currentVersion == before, status != .success, !error.isOfPublishing {
        diagnostics.log(PublishText.nothingPublished(folder), .error)
      }
      throw status
    }
  }

  private func refresh(_ reporting: RunReporting?) throws(Failure) {
    var publisher: Publisher?
    if let options = builder.publish?.options { publisher = try Publisher(options) }
    if let publisher { reporting?.notePublishing(in: publisher.folder.staging) }
    let sources = try RefreshSources(builder.refreshSources(isQuiet: common.quiet), publisher) {
      event, source in note(event, source, reporting)
    }
    try sources.prepare(sideInputs: builder.sideInputs)
    publisher?.noteFetched()
    if let publisher, let outcome = sources.unchanged(pipeline: builder.identity),
      try isWhole(publisher, outcome)
    {
      try sources.keep(outcome)
      note(outcome, publisher, reporting)
      try reporting?.end()
      if !common.quiet {
        diagnostics.log(PublishText.nothingNew(outcome, folder: publisher.folder.directory))
      }
      return
    }
    try attempts(publisher, sources, reporting)
  }

  /// Whether the version that stays current is intact. If it is damaged, logs that it is written again.
  private func isWhole(_ publisher: Publisher, _ outcome: PublishOutcome) throws(Failure) -> Bool {
    guard let current = publisher.current, let problem = try publisher.problemOfCurrent() else {
      try publisher.renewSignature()
      return true
    }
    if case .withdrawn = outcome { throw .damagedCurrent(current, problem) }
    diagnostics.log(PublishText.damagedCurrent(current, problem), .warning)
    return false
  }

  /// Runs the pipeline until it succeeds, each time without the sources that failed, if those are optional.
  private func attempts(
    _ publisher: Publisher?, _ sources: RefreshSources, _ reporting: RunReporting?
  ) throws(Failure) {
    var common = common
    common.maxRejects.limit = common.maxRejects.limit ?? builder.publish?.maxRejects.limit
    while true {
      if let publisher { _ = try publisher.begin() }
      var outcome: PublishOutcome?
      let attempt = PipelineCommand.attempt(
        sources.remaining(of: pipeline(publisher)), common, reporting, calls: sources.calls,
        summary: RunSummary.lines,
        recover: { (error) throws(Failure) in try sources.recover(error) },
        finish: { (run) throws(Failure) in
          guard let publisher else { return }
          noteChanges(publisher, reporting)
          let made = try publisher.commit(sources.memory(of: run, pipeline: builder.identity))
          note(made, publisher, reporting)
          sources.keepGood()
          outcome = made
        })
      let failure: Failure
      switch attempt {
      case .repeats:
        try sources.checkRepeatable()
        continue
      case .failed(let error): failure = error
      case .succeeded:
        if !common.quiet, let publisher, let outcome {
          diagnostics.log(PublishText.line(outcome, folder: publisher.folder.directory))
        }
        return
      }
      let damaged = try publisher?.excludeDamagedBaselines(after: failure) ?? []
      if damaged.isEmpty { throw named(failure) }
      for (version, problem) in damaged {
        diagnostics.log(PublishText.damagedBaseline(version, problem), .warning)
      }
    }
  }

  /// The pipeline; its directories start from the baselines of the publisher.
  private func pipeline(_ publisher: Publisher?) -> Pipeline {
    var outputs = builder.outputs
    if let publisher {
      let baselines = publisher.baselines
      for index in outputs.indices
      where outputs[index].isDirectory && outputs[index].output == publisher.folder.staging {
        outputs[index].shards.baseline = baselines.first
        outputs[index].shards.olderBaselines = [String](baselines.dropFirst())
        outputs[index].shards.leavesOutDeltas = builder.publish?.options.deltas == 0
      }
      let staging = publisher.folder.staging
      for index in outputs.indices where outputs[index].format == .pir {
        // The version before may lack the output.
        let earlier = baselines.first.map { $0 + outputs[index].output.dropFirst(staging.count) }
          .flatMap { CallerIDFolder.isOne($0, calls: publisher.calls) ? $0 : nil }
        outputs[index].shards.baseline = earlier ?? ShardOptions.noBaseline
      }
    }
    return builder.pipeline(threads: threads, outputs: outputs)
  }

  /// Prints what happened to a source, and adds it to the reports. Printed even with --quiet, because someone has to fix
  /// the source.
  private func note(_ event: RefreshEvent, _ source: String, _ reporting: RunReporting?) {
    func message(_ error: Failure) -> String { PrintableText.line(Diagnostics.message(of: error).message) }
    let path = builder.sources.first { $0.name == source }.flatMap { $0.paths.count == 1 ? $0.paths[0] : nil }
    switch event {
    case .usesLastGood(let good, let now, let error):
      reportUnused(error, source, path)
      diagnostics.log(PublishText.usesLastGood(source, good: good, now: now), source: source)
      let age = RunReport.SourceError(
        message: message(error), good: WallClock.text(Double(good)), ageSeconds: now - good)
      reporting?.note(age, of: source)
    case .leftOut(let error):
      reportUnused(error, source, path)
      diagnostics.log(PublishText.leftOut(source, path: path), source: source)
      reporting?.note(RunReport.SourceError(message: message(error)), of: source)
    case .failed(let error): reporting?.note(RunReport.SourceError(failing: message(error)), of: source)
    case .damagedCopy: diagnostics.log(PublishText.damagedCopy(source), .warning, source: source)
    case .copyNotKept(let error): _ = diagnostics.end(error)
    }
  }

  /// Prints why the run does without a source. `path` is its file, if it has a single one.
  private func reportUnused(_ error: Failure, _ source: String, _ path: String?) {
    var message = Diagnostics.message(of: error)
    if error.code == "nothing-usable" {
      let hint = RejectText.unusedSourceHint(error.stage, path: path)
      message.hint = Diagnostics.shown(hint, of: error.stage)
    }
    _ = diagnostics.end(
      message, of: error.stage, ExitStatus.of(error.errorClass),
      source: source)
  }

  /// Rewrites an error about a reject limit so that it names the `publish` key that set it.
  private func named(_ failure: Failure) -> Failure {
    guard common.maxRejects.limit == nil, let limit = builder.publish?.maxRejects.limit?.limit,
      failure.code == "reject-limit", let rejects = failure.rejects
    else { return failure }
    return .tooManyPublishedRejects(rejects.count, of: rejects.of, limit)
  }

  /// Adds the changes from the current version to the reports; they explain a refused result, too. A version that can't
  /// be read is not compared: publishing reports that.
  private func noteChanges(_ publisher: Publisher, _ reporting: RunReporting?) {
    guard let reporting, reporting.hasReports, let current = publisher.current,
      let before = publisher.baselines.first, before == publisher.folder.version(current),
      let changes = try? ReportBuilder.changes(
        from: current, old: before, new: publisher.folder.staging, calls: publisher.calls)
    else { return }
    reporting.note(changes)
  }

  /// Adds the latest versions to the reports. Without them, the reports lack only the trend.
  private func noteHistory(of folder: PublishedFolder, _ reporting: RunReporting?) {
    guard let reporting, reporting.hasReports, let history = try? VersionHistory(of: folder) else { return }
    reporting.note(history)
  }

  private func note(_ outcome: PublishOutcome, _ publisher: Publisher, _ reporting: RunReporting?) {
    let folder = publisher.folder
    switch outcome {
    case .published(let version, _, let before, _): note(.published, folder, version, before, reporting)
    case .repaired(let version, _): note(.repaired, folder, version, version, reporting)
    case .unchanged(let version), .signed(let version):
      note(.unchanged, folder, version, version, reporting)
    case .withdrawn(let version, let current): note(.withdrawn, folder, version, current, reporting)
    }
  }

  private func note(
    _ outcome: RunReport.Published.Outcome, _ folder: PublishedFolder, _ version: String, _ before: String?,
    _ reporting: RunReporting?
  ) {
    noteHistory(of: folder, reporting)
    let isNew = outcome == .published || outcome == .repaired
    reporting?.note(
      RunReport.Published(directory: folder.directory, outcome: outcome, version: version, before: before),
      at: isNew ? folder.version(version) : nil)
  }
}
