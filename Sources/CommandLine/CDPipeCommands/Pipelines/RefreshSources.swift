// The sources of a refresh: fetched before the run; replaced by their last good copies or left out if they can't be
// used.

import DownloadStage
import EmitStage
import PipeRunner
import PipeStage
import Publishing
import RunReport
import SystemIO
import UnzipStage
import UserMessages

/// The sources of a refresh and their state so far.
final class RefreshSources {
  /// Where a source's rows come from in the next attempt.
  private enum Origin {
    /// The input in the pipeline file, or the content fetched from its URL.
    case fresh
    /// The last good copy.
    case lastGood(path: String)
    /// The source is left out.
    case leftOut
  }

  private let builder: PipelineBuilder
  private let publisher: Publisher?
  private let keep: SourceCache?
  private let diagnostics: Diagnostics
  private let reporting: RunReporting?
  private let isQuiet: Bool
  private var origins: [Origin]
  /// For each source, the fetched file that replaces its URL; nil for a source that is read directly.
  private var bodies: [String?]
  /// The SHA-256 of each source that is a single file or URL; nil if unknown.
  private var hashes: [String?]
  /// Whether the last good copies that were checked are intact, by source index.
  private var areCopiesIntact: [Int: Bool] = [:]
  /// The indices, among all sources, of the sources in the pipeline of the current attempt.
  private var places: [Int] = []
  /// The inputs; nil if they are not all known, or a source was replaced or left out.
  private var inputs: [PublishMemory.Input]?
  /// The start of this run, in seconds since 1970.
  private let now = WallClock.wholeSeconds()

  init(
    _ builder: PipelineBuilder, _ publisher: Publisher?, _ diagnostics: Diagnostics,
    _ reporting: RunReporting?,
    isQuiet: Bool
  ) {
    self.builder = builder
    self.publisher = publisher
    self.diagnostics = diagnostics
    self.reporting = reporting
    self.isQuiet = isQuiet
    keep = publisher.map { SourceCache($0.folder) }
    origins = builder.sources.map { _ in .fresh }
    bodies = builder.sources.map { _ in nil }
    hashes = builder.sources.map { _ in nil }
  }

  // MARK: Before the run

  /// Fetches the sources with URLs and records all inputs. Does nothing if the file does not publish, because there is
  /// no folder for the copies.
  func prepare() throws(StageError) {
    guard let keep else { return }
    let known = publisher?.memory?.inputs ?? []
    var inputs: [PublishMemory.Input]? = []
    for (index, source) in builder.sources.enumerated() {
      do throws(StageError) {
        let before = known.first { $0.name == source.name }
        switch source.input {
        case .nothing: break
        case .stage:
          guard var options = source.download?.options else { continue }
          if !isQuiet { options.observe = { PipelineCommand.show($0) } }
          let input = try keep.fetch(source.name, options, known: before, rejects: try RejectLog())
          inputs?.append(input)
          hashes[index] = input.sha256
          bodies[index] = keep.body(source.name)
        case .files(let paths):
          for path in paths {
            var input: PublishMemory.Input?
            if path != InputFile.standardInput {
              input = try asSource { () throws(StageError) in
                try keep.look(source.name, at: path, known: before)
              }
            }
            // An input that can be read only once has no hash before the run.
            if let input { inputs?.append(input) } else { inputs = nil }
            hashes[index] = paths.count == 1 ? input?.sha256 : nil
          }
        }
      } catch {
        var failure = error
        failure.sourceIndex = index
        guard Self.isOfSource(failure), canStandIn(index) else {
          noteFatal(failure, at: index)
          throw failure
        }
        leaveOut(index, failure)
        inputs = nil
      }
    }
    for path in builder.sideInputs {
      do throws(StageError) {
        let input = try keep.look(path, at: path, known: known.first { $0.name == path })
        if let input { inputs?.append(input) } else { inputs = nil }
      } catch {
        // The run reports the error if it can't read the file either.
        inputs = nil
      }
    }
    self.inputs = inputs
  }

  /// The current version's outcome if its inputs and pipeline are unchanged, so that there is nothing to do; otherwise
  /// nil.
  func unchanged() throws(StageError) -> PublishOutcome? {
    guard let publisher, var memory = publisher.memory,
      let outcome = publisher.unchanged(pipeline: builder.identity, inputs: inputs)
    else { return nil }
    memory.inputs = inputs
    for index in memory.sources.indices { memory.sources[index].good = now }
    try publisher.keep(memory)
    return outcome
  }

  private func asSource<Result>(
    _ body: () throws(StageError) -> Result
  ) throws(StageError) -> Result {
    do throws(StageError) {
      return try body()
    } catch {
      throw StageError(.unzip, error.cause)
    }
  }

  // MARK: The run

  /// The pipeline of the remaining sources.
  func pipeline(threads: Int, baselines: [String]) -> Pipeline {
    var outputs = builder.outputs
    if let publisher { outputs.lead(from: baselines, in: publisher.folder, builder.publish?.options) }
    var pipeline = builder.pipeline(threads: threads, outputs: outputs)
    var left: [Pipeline.Source] = []
    places = []
    for (index, origin) in origins.enumerated() {
      var source = pipeline.sources[index]
      source.checks = builder.sources[index].checks
      let rowsBefore = publisher?.memory?.sources.first { $0.name == source.name }?.rows
      source.checks.rowsBefore = rowsBefore
      switch origin {
      case .fresh:
        if let body = bodies[index] {
          source.displayName = source.input.displayName
          source.input = .files([body])
        }
      case .lastGood(let path):
        source.displayName = source.input.displayName
        source.input = .files([path])
        // The copy passed the checks when it was made.
        source.checks = SourceChecks()
      case .leftOut: continue
      }
      places.append(index)
      left.append(source)
    }
    pipeline.sources = left
    return pipeline
  }

  /// The memory of a successful run.
  func memory(of run: PipelineRun, pipeline identity: String) -> PublishMemory {
    var sources: [PublishMemory.Source] = []
    for (index, source) in builder.sources.enumerated() {
      let before = publisher?.memory?.sources.first { $0.name == source.name }
      if case .fresh = origins[index], let place = places.firstIndex(of: index) {
        sources.append(
          PublishMemory.Source(
            name: source.name, rows: run.usableRows(ofSource: place), good: now,
            copies: hashes[index].map { [$0] + (before?.copies?.prefix(1) ?? []) }))
      } else if let before {
        sources.append(before)
      }
    }
    return PublishMemory(result: "", pipeline: identity, inputs: inputs, sources: sources)
  }

  /// Makes the bytes that a successful run used the last good copies.
  func keepGood() {
    guard let keep else { return }
    for (index, source) in builder.sources.enumerated() {
      guard case .fresh = origins[index] else { continue }
      do throws(StageError) {
        if let body = bodies[index] {
          try keep.keepGood(source.name, body, isOurs: true)
        } else if source.usesLastGood, let path = source.path, FileSignature(of: path) != nil {
          try keep.keepGood(source.name, path, isOurs: false)
        }
      } catch {
        // The version stays published. Report now that this source has no current last good copy.
        _ = diagnostics.end(error)
      }
    }
    keep.removeOthers(than: builder.sources.map(\.name))
  }

  // MARK: Failures

  /// Leaves the failed source out of the next attempt, or uses its last good copy. Returns false if neither is allowed.
  func recover(_ failure: StageError) -> Bool {
    guard let place = failure.sourceIndex, places.indices.contains(place), Self.isOfSource(failure) else {
      return false
    }
    guard canStandIn(places[place]) else {
      noteFatal(failure, at: places[place])
      return false
    }
    leaveOut(places[place], failure)
    inputs = nil
    return true
  }

  /// Whether the source caused the error; a full disk, for example, is not its fault.
  private static func isOfSource(_ failure: StageError) -> Bool {
    switch failure.cause.errorClass {
    case .badData, .noInput, .unavailable: true
    case .cannotCreate, .inputOutput, .usage, .tryLater, .readerGone, .unchanged: false
    }
  }

  private func canStandIn(_ index: Int) -> Bool {
    if lastGood(index) != nil { return true }
    // The last remaining source is always required: an empty version is never useful.
    let hasOthers = origins.enumerated().contains { other, origin in
      if case .leftOut = origin { false } else { other != index }
    }
    return !builder.sources[index].isRequired && hasOthers
  }

  private func lastGood(_ index: Int) -> String? {
    let name = builder.sources[index].name
    guard builder.sources[index].usesLastGood, case .fresh = origins[index], let keep,
      let path = keep.good(name)
    else { return nil }
    if let isIntact = areCopiesIntact[index] { return isIntact ? path : nil }
    let copies = publisher?.memory?.sources.first { $0.name == name }?.copies
    let isIntact = copies.map { keep.isGoodStill(name, $0) } ?? true
    areCopiesIntact[index] = isIntact
    if !isIntact { diagnostics.log(PublishMessages.damagedCopy(name), .warning) }
    return isIntact ? path : nil
  }

  /// Records in the reports that the run failed because of a source.
  private func noteFatal(_ failure: StageError, at index: Int) {
    let message = PrintableText.line(failure.userMessage.message)
    reporting?.note(RunReport.SourceError(failing: message), of: builder.sources[index].name)
  }

  private func leaveOut(_ index: Int, _ failure: StageError) {
    let source = builder.sources[index]
    var good: Int64?
    if let path = lastGood(index) {
      good = publisher?.memory?.sources.first { $0.name == source.name }?.good ?? FileSignature.modified(path)
      origins[index] = .lastGood(path: path)
    } else {
      origins[index] = .leftOut
    }
    // Printed even with --quiet, because someone has to fix the source.
    _ = diagnostics.end(failure)
    let message = PrintableText.line(failure.userMessage.message)
    if let good {
      diagnostics.log(PublishMessages.usesLastGood(source.name, good: good, now: now))
      reporting?.note(
        RunReport.SourceError(
          message: message, good: WallClock.text(Double(good)), ageSeconds: now - good), of: source.name)
    } else {
      diagnostics.log(PublishMessages.leftOut(source.name))
      reporting?.note(RunReport.SourceError(message: message), of: source.name)
    }
  }
}

extension [EmitOptions] {
  /// Sets the baselines of the output in the version's own folder.
  fileprivate mutating func lead(
    from baselines: [String], in folder: PublishedFolder, _ options: PublishOptions?
  ) {
    for index in indices where self[index].isDirectory && self[index].output == folder.staging {
      self[index].shards.baseline = baselines.first
      self[index].shards.olderBaselines = [String](baselines.dropFirst())
      self[index].shards.leavesOutDeltas = options?.deltas == 0
    }
  }
}
