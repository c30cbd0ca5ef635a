// The sources of a refresh: fetched before the run; replaced by their last good copies or left out if they can't be
// used.

package import InputStages
package import Records
package import SystemIO

package struct RefreshSource: Sendable {
  package var name: String
  /// Where its bytes come from.
  package var input: Pipeline.Input
  /// How its URL is fetched; nil for a file.
  package var download: Boxed<DownloadOptions>?
  /// The stage that reads the input; errors of opening it are that stage's.
  package var reader: StageName?
  /// Whether the run fails if the source can't be used.
  package var isRequired = true
  /// Whether the last good copy is used if the current bytes can't be used.
  package var usesLastGood = false
  /// The conditions that the source's rows must meet.
  package var checks = SourceChecks()

  package init(name: String, input: Pipeline.Input) {
    self.name = name
    self.input = input
  }
}

package final class RefreshSources {
  private enum Origin {
    /// The input in the pipeline file, or the content fetched from its URL.
    case fresh
    case lastGood(SourceCopy)
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
  /// The SHA-256 of each source's bytes, or of the list of its files if it has several; nil if unknown.
  private var hashes: [String?]
  /// The files of each source with several, if all of their hashes are known.
  private var lists: [Int: CopyList] = [:]
  /// The last good copies that were checked, by source index; nil where none is intact.
  private var copies: [Int: SourceCopy?] = [:]
  private var sourceIndices: [Int] = []
  /// The inputs of the current attempt that can be read only once, with the index of their source in its pipeline; nil
  /// for a list that a stage reads.
  private var readOnce: [(path: String, place: Int?)] = []
  /// The inputs; nil if they are not all known, or a source was replaced or left out.
  private var inputs: [PublishMemory.Input]?
  /// The start of this run, in seconds since 1970.
  private let now = WallClock.wholeSeconds()

  /// Creates the state before the first attempt.
  ///
  /// - Parameters:
  ///   - publisher: the folder's publisher; nil if nothing is published, so that no source is fetched beforehand.
  ///   - observe: receives what happens to a source, and its name.
  package init(
    _ sources: [RefreshSource], _ publisher: Publisher?,
    observe: @escaping (_ event: RefreshEvent, _ source: String) -> Void
  ) throws(Failure) {
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
  package var calls: any SystemCalls { cache?.calls ?? KernelCalls() }

  // MARK: Before the run

  /// Fetches the sources with URLs and records all inputs. A run that does not publish keeps no copies: it only leaves
  /// out sources that are missing, and only if it can't be repeated without them.
  package func prepare(sideInputs: [String]) throws(Failure) {
    guard let cache else { return try leaveOutMissing() }
    let known = Dictionary((publisher?.memory?.inputs ?? []).map { ($0.name, $0) }) { first, _ in first }
    var inputs: [PublishMemory.Input]? = []
    for (index, source) in sources.enumerated() {
      do throws(Failure) {
        switch source.input {
        case .nothing: break
        case .unlisted(let failure): throw failure.of(source.reader)
        case .stage:
          guard let options = source.download?.value else { continue }
          let input = try cache.fetch(
            source.name, options, known: known[source.name], rejects: try RejectLog())
          inputs?.append(input)
          hashes[index] = input.sha256
          bodies[index] = cache.body(source.name)
        case .files(let paths):
          let found = try look(at: paths, of: source, known, cache)
          // An input that can be read only once has no hash before the run.
          if let found { inputs?.append(contentsOf: found) } else { inputs = nil }
          note(found ?? [], of: paths, index)
        }
      } catch {
        let failure = blamed(error, index)
        guard failure.blamesSource, try canBeReplaced(index) else {
          observe(.failed(failure), source.name)
          throw failure
        }
        try leaveOut(index, failure)
        inputs = nil
      }
    }
    for path in sideInputs {
      do throws(Failure) {
        let input = try cache.look(path, at: path, known: known[path])
        if let input { inputs?.append(input) } else { inputs = nil }
      } catch {
        // The run reports the error if it can't read the file either.
        inputs = nil
      }
    }
    self.inputs = inputs
  }

  /// Leaves out the sources whose files can't be opened, if another input can be read only once.
  private func leaveOutMissing() throws(Failure) {
    guard sources.contains(where: { $0.input.paths.contains(where: Self.isReadOnce) }) else { return }
    for (index, source) in sources.enumerated() where !source.isRequired {
      do throws(Failure) {
        if case .unlisted(let failure) = source.input { throw failure.of(source.reader) }
        for path in source.input.paths where !Self.isReadOnce(path) {
          _ = try asFailure(source.reader) { () throws(SystemError) in try InputFile(path, calls: calls) }
        }
      } catch {
        let failure = blamed(error, index)
        // The run reports the error if it can't do without the source.
        if failure.blamesSource, try canBeReplaced(index) { try leaveOut(index, failure) }
      }
    }
  }

  private func blamed(_ error: Failure, _ index: Int) -> Failure {
    var failure = error
    failure.sourceIndex = index
    if sources.count > 1 { failure.sourceName = sources[index].name }
    return failure
  }

  /// Whether an input can be read only once: standard input, a pipe or a socket.
  private static func isReadOnce(_ path: String) -> Bool {
    path == InputFile.standardInput || FileIdentity.isPipe(path)
  }

  /// The current version's outcome if its inputs and pipeline are unchanged, so that there is nothing to do; otherwise
  /// nil.
  package func unchanged(pipeline identity: String) -> PublishOutcome? {
    publisher?.unchanged(pipeline: identity, inputs: inputs)
  }

  package func keep(_ outcome: PublishOutcome) throws(Failure) {
    guard let publisher, var memory = publisher.memory else { return }
    memory.inputs = inputs
    for index in memory.sources.indices { memory.sources[index].good = now }
    try publisher.keep(memory, after: outcome)
  }

  /// Describes the files of a source as inputs; nil if one of them can be read only once. The input of a single file has
  /// the source's name, other inputs have their paths.
  private func look(
    at paths: [String], of source: RefreshSource, _ known: [String: PublishMemory.Input], _ cache: SourceCache
  ) throws(Failure) -> [PublishMemory.Input]? {
    var inputs: [PublishMemory.Input]? = []
    for path in paths {
      let name = paths.count == 1 ? source.name : path
      var input: PublishMemory.Input?
      do throws(Failure) {
        if path != InputFile.standardInput { input = try cache.look(name, at: path, known: known[name]) }
      } catch {
        throw error.of(source.reader)
      }
      if let input { inputs?.append(input) } else { inputs = nil }
    }
    return inputs
  }

  /// Records the hashes of a source's files, if all are known.
  private func note(_ inputs: [PublishMemory.Input], of paths: [String], _ index: Int) {
    guard inputs.count == paths.count else { return }
    if inputs.count == 1 {
      hashes[index] = inputs[0].sha256
    } else {
      var list = CopyList()
      for (input, path) in zip(inputs, paths) { list.files.append((input.sha256, path)) }
      hashes[index] = list.sha256
      lists[index] = list
    }
  }

  // MARK: The run

  /// Returns the pipeline with the remaining sources, each read from where its bytes are.
  package func remaining(of pipeline: Pipeline) -> Pipeline {
    var pipeline = pipeline
    var left: [Pipeline.Source] = []
    left.reserveCapacity(origins.count)
    sourceIndices = []
    for (index, origin) in origins.enumerated() {
      var source = pipeline.sources[index]
      source.checks = sources[index].checks
      source.checks.rowsBefore = before[source.name]?.rows
      switch origin {
      case .fresh:
        if let body = bodies[index] {
          source.displayNames = source.input.displayName.map { [$0] }
          source.input = .files([body])
        }
      case .lastGood(let copy):
        source.displayNames = copy.names ?? source.input.displayName.map { [$0] }
        source.input = .files(copy.files)
        // The copy passed the checks when it was made.
        source.checks = SourceChecks()
      case .leftOut: continue
      }
      sourceIndices.append(index)
      left.append(source)
    }
    pipeline.sources = left
    readOnce = pipeline.files(.input).filter { $0 != InputFile.standardInput && Self.isReadOnce($0) }
      .map { ($0, nil) }
    for (place, source) in left.enumerated() {
      readOnce += source.input.paths.filter(Self.isReadOnce).map { ($0, place) }
    }
    return pipeline
  }

  package func memory(of run: PipelineRun, pipeline identity: String) -> PublishMemory {
    var entries: [PublishMemory.Source] = []
    var missing = MissingSources()
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
      switch origins[index] {
      case .fresh: break
      case .lastGood: missing.lastGood.append(source.name)
      case .leftOut: missing.leftOut.append(source.name)
      }
    }
    return PublishMemory(
      result: "", pipeline: identity, inputs: inputs, sources: entries,
      missing: missing == MissingSources() ? nil : missing)
  }

  /// Makes the bytes that a successful run used the last good copies.
  package func keepGood() {
    guard let cache else { return }
    for (index, source) in sources.enumerated() {
      guard case .fresh = origins[index] else { continue }
      do throws(Failure) {
        if let body = bodies[index] {
          try cache.keepGood(source.name, body, isOurs: true)
        } else if source.usesLastGood, let list = lists[index] {
          try cache.keepGood(source.name, list)
        } else if source.usesLastGood, source.input.paths.count == 1,
          FileSignature(of: source.input.paths[0], calls: cache.calls) != nil
        {
          try cache.keepGood(source.name, source.input.paths[0], isOurs: false)
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
  package func recover(_ failure: Failure) throws(Failure) -> Bool {
    guard let place = failure.sourceIndex, sourceIndices.indices.contains(place), failure.blamesSource
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

  /// Throws if the last attempt can't be repeated without the sources that failed: it has read an input that can be read
  /// only once.
  package func checkRepeatable() throws(Failure) {
    let lost = readOnce.first { input in
      guard let place = input.place, case .fresh = origins[sourceIndices[place]] else {
        return input.place == nil
      }
      return true
    }
    if let lost {
      // Bad data: that of the sources that failed. The input is not at fault.
      throw Failure(
        nil, .badData, "not-repeatable",
        "\(InputName.quoted(lost.path)) can be read only once, and the run would have to be repeated without the "
          + "sources that were left out",
        hint: "save it to a file, and name the file", blamesSource: false)
    }
  }

  private func canBeReplaced(_ index: Int) throws(Failure) -> Bool {
    if try lastGood(index) != nil { return true }
    // The last remaining source of a run is always required: an empty version is never useful.
    return !sources[index].isRequired && remainingCount > 1
  }

  /// The last good copy that replaces a source; nil if that is not allowed, or if no copy is intact.
  private func lastGood(_ index: Int) throws(Failure) -> SourceCopy? {
    let name = sources[index].name
    guard sources[index].usesLastGood, case .fresh = origins[index], let cache else { return nil }
    if let checked = copies[index] { return checked }
    let all = try cache.copies(name)
    var intact: SourceCopy?
    for copy in all where intact == nil {
      let hashes = before[name]?.copies
      if let hashes, try !cache.isIntact(copy, hashes) { continue }
      intact = copy
    }
    copies[index] = .some(intact)
    if intact == nil, !all.isEmpty { observe(.damagedCopy, name) }
    return intact
  }

  private func leaveOut(_ index: Int, _ failure: Failure) throws(Failure) {
    let source = sources[index]
    var good: Int64?
    if let copy = try lastGood(index) {
      good = before[source.name]?.good ?? FileSignature.modified(copy.path, calls: calls)
      origins[index] = .lastGood(copy)
    } else {
      origins[index] = .leftOut
      remainingCount -= 1
    }
    observe(good.map { .usesLastGood(good: $0, now: now, failure) } ?? .leftOut(failure), source.name)
  }
}

// MARK: - What happens to the sources of a refresh, for messages and reports

package enum RefreshEvent {
  /// The source can't be used, and its last good copy replaces it. `good` is the time of that copy and `now` the start
  /// of the run, in seconds since 1970.
  case usesLastGood(good: Int64, now: Int64, Failure)
  /// The source can't be used, and the run continues without it.
  case leftOut(Failure)
  /// The run fails because of the source.
  case failed(Failure)
  /// The last good copy is damaged and not used.
  case damagedCopy
  /// The bytes that the run used could not be kept as the last good copy.
  case copyNotKept(Failure)
}
