// The sources of a refresh: fetched before the run; replaced by their last good copies or left out if they can't be
// used. Not for running the pipeline, or for messages: what happens to a source is reported as an event.

public import DownloadStage
public import PipeRunner
public import PipeStage
public import SystemIO

/// A source of a pipeline that publishes, as its pipeline file describes it.
public struct RefreshSource: Sendable {
  /// The source's name, unique in the pipeline.
  public var name: String
  /// Where its bytes come from.
  public var input: Pipeline.Input
  /// How its URL is fetched; nil for a file.
  public var download: DownloadOptions?
  /// The file; nil for a download.
  public var path: String?
  /// The stage that reads the input; errors of opening it are that stage's.
  public var reader: StageName?
  /// Whether the run fails if the source can't be used.
  public var isRequired = true
  /// Whether the last good copy is used if the current bytes can't be used.
  public var usesLastGood = false
  /// The conditions that the source's rows must meet.
  public var checks = SourceChecks()

  /// Creates a source.
  public init(name: String, input: Pipeline.Input) {
    self.name = name
    self.input = input
  }
}

/// What happened to a source of a refresh.
public enum RefreshEvent {
  /// The source can't be used, and its last good copy replaces it. `good` is the time of that copy and `now` the start
  /// of the run, in seconds since 1970.
  case usesLastGood(good: Int64, now: Int64, StageError)
  /// The source can't be used, and the run continues without it.
  case leftOut(StageError)
  /// The run fails because of the source.
  case failed(StageError)
  /// The last good copy is damaged and not used.
  case damagedCopy
  /// The bytes that the run used could not be kept as the last good copy.
  case copyNotKept(StageError)
}

/// The sources of a refresh and their state so far.
public final class RefreshSources {
  /// Where a source's rows come from in the next attempt.
  private enum Origin {
    /// The input in the pipeline file, or the content fetched from its URL.
    case fresh
    /// The last good copy.
    case lastGood(path: String)
    /// The source is left out.
    case leftOut
  }

  private let sources: [RefreshSource]
  private let publisher: Publisher?
  private let cache: SourceCache?
  /// The sources of the last run, by name.
  private let before: [String: PublishMemory.Source]
  private let observe: (_ event: RefreshEvent, _ source: String) -> Void
  private var origins: [Origin]
  /// How many sources are not left out.
  private var remainingCount: Int
  /// For each source, the fetched file that replaces its URL; nil for a source that is read directly.
  private var bodies: [String?]
  /// The SHA-256 of each source that is a single file or URL; nil if unknown.
  private var hashes: [String?]
  /// Whether the last good copies that were checked are intact, by source index.
  private var areCopiesIntact: [Int: Bool] = [:]
  /// The indices, among all sources, of the sources in the pipeline of the current attempt.
  private var sourceIndices: [Int] = []
  /// The inputs; nil if they are not all known, or a source was replaced or left out.
  private var inputs: [PublishMemory.Input]?
  /// The start of this run, in seconds since 1970.
  private let now = WallClock.wholeSeconds()

  /// Creates the state before the first attempt.
  ///
  /// - Parameters:
  ///   - publisher: the folder's publisher; nil if nothing is published, so that no source is fetched beforehand.
  ///   - observe: receives what happens to a source, and its name.
  public init(
    _ sources: [RefreshSource], _ publisher: Publisher?,
    observe: @escaping (_ event: RefreshEvent, _ source: String) -> Void
  ) throws(StageError) {
    self.sources = sources
    self.publisher = publisher
    self.observe = observe
    if let publisher {
      let isNeeded = sources.contains { $0.download != nil || $0.usesLastGood }
      cache = try SourceCache(publisher.folder, isNeeded: isNeeded, calls: publisher.calls)
    } else {
      cache = nil
    }
    before = Dictionary((publisher?.memory?.sources ?? []).map { ($0.name, $0) }) { first, _ in first }
    origins = sources.map { _ in .fresh }
    remainingCount = sources.count
    bodies = sources.map { _ in nil }
    hashes = sources.map { _ in nil }
  }

  /// The calls of the run: those of the folder and of the copies, if there is one.
  public var calls: any SystemCalls { cache?.calls ?? KernelCalls() }

  // MARK: Before the run

  /// Fetches the sources with URLs and records all inputs. Does nothing if the file does not publish, because there is
  /// no folder for the copies.
  ///
  /// - Parameter sideInputs: the files that the pipeline reads in addition to its sources.
  public func prepare(sideInputs: [String]) throws(StageError) {
    guard let cache else { return }
    let known = Dictionary((publisher?.memory?.inputs ?? []).map { ($0.name, $0) }) { first, _ in first }
    var inputs: [PublishMemory.Input]? = []
    for (index, source) in sources.enumerated() {
      do throws(StageError) {
        let before = known[source.name]
        switch source.input {
        case .nothing: break
        case .stage:
          guard let options = source.download else { continue }
          let input = try cache.fetch(source.name, options, known: before, rejects: try RejectLog())
          inputs?.append(input)
          hashes[index] = input.sha256
          bodies[index] = cache.body(source.name)
        case .files(let paths):
          for path in paths {
            var input: PublishMemory.Input?
            if path != InputFile.standardInput {
              input = try asReader(source.reader) { () throws(StageError) in
                try cache.look(source.name, at: path, known: before)
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
        guard failure.cause.blamesSource, try canBeReplaced(index) else {
          observe(.failed(failure), source.name)
          throw failure
        }
        try leaveOut(index, failure)
        inputs = nil
      }
    }
    for path in sideInputs {
      do throws(StageError) {
        let input = try cache.look(path, at: path, known: known[path])
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
  ///
  /// - Parameter identity: the pipeline's identity, `Publisher.identity(of:)`.
  public func unchanged(pipeline identity: String) throws(StageError) -> PublishOutcome? {
    guard let publisher, var memory = publisher.memory,
      let outcome = publisher.unchanged(pipeline: identity, inputs: inputs)
    else { return nil }
    memory.inputs = inputs
    for index in memory.sources.indices { memory.sources[index].good = now }
    try publisher.keep(memory)
    return outcome
  }

  private func asReader<Result>(
    _ reader: StageName?, _ body: () throws(StageError) -> Result
  ) throws(StageError) -> Result {
    do throws(StageError) {
      return try body()
    } catch {
      throw StageError(reader, error.cause)
    }
  }

  // MARK: The run

  /// Returns the pipeline with the remaining sources, each read from where its bytes are.
  public func remaining(of pipeline: Pipeline) -> Pipeline {
    var pipeline = pipeline
    var left: [Pipeline.Source] = []
    sourceIndices = []
    for (index, origin) in origins.enumerated() {
      var source = pipeline.sources[index]
      source.checks = sources[index].checks
      source.checks.rowsBefore = before[source.name]?.rows
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
      sourceIndices.append(index)
      left.append(source)
    }
    pipeline.sources = left
    return pipeline
  }

  /// The memory of a successful run.
  public func memory(of run: PipelineRun, pipeline identity: String) -> PublishMemory {
    var entries: [PublishMemory.Source] = []
    let places = Dictionary(uniqueKeysWithValues: zip(sourceIndices, sourceIndices.indices))
    for (index, source) in sources.enumerated() {
      let before = before[source.name]
      if case .fresh = origins[index], let place = places[index] {
        entries.append(
          PublishMemory.Source(
            name: source.name, rows: run.usableRows(ofSource: place), good: now,
            copies: hashes[index].map { [$0] + (before?.copies?.prefix(1) ?? []) }))
      } else if let before {
        entries.append(before)
      }
    }
    return PublishMemory(result: "", pipeline: identity, inputs: inputs, sources: entries)
  }

  /// Makes the bytes that a successful run used the last good copies.
  public func keepGood() {
    guard let cache else { return }
    for (index, source) in sources.enumerated() {
      guard case .fresh = origins[index] else { continue }
      do throws(StageError) {
        if let body = bodies[index] {
          try cache.keepGood(source.name, body, isOurs: true)
        } else if source.usesLastGood, let path = source.path,
          FileSignature(of: path, calls: cache.calls) != nil
        {
          try cache.keepGood(source.name, path, isOurs: false)
        }
      } catch {
        // The version stays published. Report now that this source has no current last good copy.
        observe(.copyNotKept(error), source.name)
      }
    }
    cache.removeOthers(than: sources.map(\.name))
  }

  // MARK: Failures

  /// Leaves a source that failed out of the next attempt, or uses its last good copy. Returns false if neither is
  /// allowed. Call it once for each failure of an attempt.
  public func recover(_ failure: StageError) throws(StageError) -> Bool {
    guard let place = failure.sourceIndex, sourceIndices.indices.contains(place), failure.cause.blamesSource
    else {
      return false
    }
    guard try canBeReplaced(sourceIndices[place]) else {
      observe(.failed(failure), sources[sourceIndices[place]].name)
      return false
    }
    try leaveOut(sourceIndices[place], failure)
    inputs = nil
    return true
  }

  private func canBeReplaced(_ index: Int) throws(StageError) -> Bool {
    if try lastGood(index) != nil { return true }
    // The last remaining source is always required: an empty version is never useful.
    return !sources[index].isRequired && remainingCount > 1
  }

  private func lastGood(_ index: Int) throws(StageError) -> String? {
    let name = sources[index].name
    guard sources[index].usesLastGood, case .fresh = origins[index], let cache,
      let path = try cache.good(name)
    else { return nil }
    if let isIntact = areCopiesIntact[index] { return isIntact ? path : nil }
    let copies = before[name]?.copies
    let isIntact =
      try copies.map { copies throws(StageError) in try cache.isGoodCopyIntact(name, copies) } ?? true
    areCopiesIntact[index] = isIntact
    if !isIntact { observe(.damagedCopy, name) }
    return isIntact ? path : nil
  }

  private func leaveOut(_ index: Int, _ failure: StageError) throws(StageError) {
    let source = sources[index]
    var good: Int64?
    if let path = try lastGood(index) {
      good = before[source.name]?.good ?? FileSignature.modified(path, calls: calls)
      origins[index] = .lastGood(path: path)
    } else {
      origins[index] = .leftOut
      remainingCount -= 1
    }
    observe(good.map { .usesLastGood(good: $0, now: now, failure) } ?? .leftOut(failure), source.name)
  }
}
