// How a run that has several sources reads one of them, and which ones are read at the same time.

import BasicContainers
import Hashing
import Records
import Synchronization
import SystemIO
import SystemPackage

extension RunSetup {
  /// The maximum size of a source that one thread reads, in bytes. Several threads share a larger one.
  private static let smallBytesMax: UInt64 = 8 << 20

  /// Builds a source's own stages, and reads it to its end. With `drops`, its records are checked and dropped. `shared` is
  /// the first of the shared stages, which stay open.
  func read(_ index: Int, into shared: any RecordSink, drops: Bool) throws(Failure) {
    let source = pipeline.sources[index]
    let hashes = drops ? nil : hashes
    var own = PipelineAssembly(self, counters.own(index), inputNames: source.inputNames)
    do throws(Failure) {
      let bounds = SourceBounds(source, index, counters.own(index))
      let first = try own.build(source.stages, before: .records(SharedEnd(shared, drops: drops, bounds)))
      let reader = try SourceReader(self, index, first, &own, hashes)
      try reader.read(hashes, hashesInThread: threads > 1)
    } catch {
      for relay in own.relays { relay.stop() }
      throw error
    }
  }

  /// The sources from `start` on that one thread each reads at the same time as the others; empty if the source at
  /// `start` is large, or must be read alone.
  func smallSources(from start: Int) -> Range<Int> {
    // The reject that ends a run must be the first one.
    guard threads > 1, !limitCheck.rejects.mayEndRun else { return start..<start }
    var end = start
    while end < pipeline.sources.count, isSmall(end) { end += 1 }
    return start..<end
  }

  private func isSmall(_ index: Int) -> Bool {
    let source = pipeline.sources[index]
    guard case .files(let paths) = source.input, !paths.contains(InputFile.standardInput),
      let bytes = counters.own(index).first?.meter.bytesExpected.value
    else { return false }
    // 0: empty, or of unknown size.
    return bytes > 0 && bytes <= Self.smallBytesMax
  }
}

extension Pipeline.Source {
  /// The size of all of its files together; nil unless all of them are regular files.
  func bytesExpected(_ calls: any SystemCalls) -> UInt64? {
    guard case .files(let paths) = input else { return nil }
    var total: UInt64 = 0
    for path in paths {
      let status =
        try? path == InputFile.standardInput
        ? calls.status(.standardInput) : calls.status(FilePath(path), followsLinks: true)
      guard let status, status.type == .regular else { return nil }
      total &+= UInt64(clamping: status.size)
    }
    return total
  }
}

// MARK: - Reads one source's bytes into its first stage

struct SourceReader {
  let input: Pipeline.Input
  let inputNames: [String]
  /// The first sink, which receives the source's bytes.
  let sink: any ByteSink
  /// Whether the first stage reads bytes and counts them itself. Otherwise the input is in the text form.
  let countsBytes: Bool
  let meter: StageMeter
  /// The environment of the stage that fetches the bytes, if any.
  let environment: StageEnvironment?
  let sourceIndex: Int
  let sourceName: String
  /// The seconds until a named pipe must have been read to its end; nil for no limit.
  let pipeSeconds: Double?
  let calls: any SystemCalls
  /// Receives what is opened; nil if nobody wants to see it.
  let noteDetail: (@Sendable (any StageNotice) -> Void)?

  /// Builds the sink and the input before a source's stages.
  init(
    _ setup: RunSetup, _ index: Int, _ first: AnySink, _ assembly: inout PipelineAssembly,
    _ hashes: SourceHashes?
  ) throws(Failure) {
    let source = setup.pipeline.sources[index]
    input = source.input
    inputNames = source.inputNames
    sourceIndex = index
    sourceName = source.name
    pipeSeconds = source.checks.pipeSeconds
    calls = setup.calls
    noteDetail = setup.showsDetails ? setup.notify : nil
    countsBytes = if case .bytes = first { true } else { false }
    let readsFiles = if case .files = source.input { true } else { false }
    let reader = assembly.reader(for: first, mayBePacked: readsFiles)
    guard case .stage(let plan) = source.input else {
      sink = reader
      environment = nil
      // A source that reads files has at least one stage.
      meter = assembly.firstMeter!
      return
    }
    var entry = AnySink.bytes(reader)
    let stages = source.stages + setup.pipeline.stages
    // File bytes are mostly in the page cache, so the parsing thread copies them itself. Network bytes arrive slowly,
    // so they get their own thread.
    if setup.pipeline.threads > 1, stages.count > 1, stages[0].needsThread, countsBytes {
      entry = try assembly.relay(entry)
    }
    sink = hashes.map { HashingSink(entry.byteSink, $0, source: index) } ?? entry.byteSink
    environment = assembly.environment(plan.name)
    meter = assembly.firstMeter!
  }

  func read(_ hashes: SourceHashes?, hashesInThread: Bool) throws(Failure) {
    switch input {
    case .nothing: try sink.finish()
    case .unlisted(let failure): throw failure.of(meter.stage)
    case .stage(let plan):
      if let environment { try plan.run(environment, into: sink) }
      meter.finish()
    case .files(let paths):
      hashes?.hash(sourceIndex, paths: paths, inThread: hashesInThread)
      for (index, path) in paths.enumerated() {
        let name = inputNames.indices.contains(index) ? inputNames[index] : path
        if index > 0 { try sink.nextInput(name: name) }
        noteDetail?(DetailNotice(meter.stage, InputText.reading(name), source: sourceName))
        let deadline = deadline(ofPipe: path)
        let file: InputFile
        do throws(SystemError) {
          file = try InputFile(path, calls: calls, waits: deadline == nil)
        } catch {
          // The rows of the previous files are valid.
          try sink.flush()
          throw Failure(meter.stage, error)
        }
        // A stream from a pipe may be packed.
        if deadline == nil, file.size != nil, let reader = sink.fileReader {
          try reader.read(file)
          continue
        }
        try copy(file, until: deadline)
      }
      try sink.finish()
    }
  }

  /// When a named pipe must have been read to its end, by the monotonic clock; nil for other files and without a limit.
  private func deadline(ofPipe path: String) -> Double? {
    guard let pipeSeconds, path != InputFile.standardInput,
      FileKind(of: FilePath(path), calls: calls) == .other
    else { return nil }
    return MonotonicClock.seconds() + pipeSeconds
  }

  /// Copies a file's bytes to the sink.
  private func copy(_ file: consuming InputFile, until deadline: Double?) throws(Failure) {
    var chunk = ByteChunk()
    var bytesRead: UInt64 = 0
    while true {
      if let deadline, let pipeSeconds, !file.hasData(within: deadline - MonotonicClock.seconds()) {
        throw .pipeTimedOut(sourceName, path: file.path, seconds: pipeSeconds).of(meter.stage)
      }
      let count = try asFailure(meter.stage) { () throws(SystemError) in
        try file.read(into: &chunk)
      }
      if count == 0 { break }
      if bytesRead == 0, !countsBytes, let content = BinaryContent(chunk.span), content != .packedForm {
        throw .binaryInput(meter.stage, file.path, content)
      }
      bytesRead += UInt64(count)
      if !countsBytes { meter.bytesIn.add(count) }
      try sink.receive(&chunk)
      chunk.removeAll()
    }
    // Part of standard input may have been read before this process started.
    if let size = file.size, bytesRead < size, file.path != InputFile.standardInput {
      throw Failure(
        meter.stage, .inputOutput, "input-shrank",
        "'\(file.path)' became shorter while it was read: it ended after \(bytesRead) of \(size) bytes",
        hint: "run it again when nothing writes to the file, or replace the file with a rename")
    }
  }
}

// MARK: - The bounds of one source's records

/// Checks the records of one source before they enter the shared stages.
struct SourceBounds {
  private struct LabelledRange: Comparable {
    var first: UInt64
    var last: UInt64
    var bytes: Int

    /// Equal ranges are adjacent, the one with the longest label first.
    static func < (one: LabelledRange, other: LabelledRange) -> Bool {
      (one.first, one.last, other.bytes) < (other.first, other.last, one.bytes)
    }
  }

  /// The number of ranges that are compared with one another, 12 MiB. In a longer list only the overlaps within each
  /// part of this length are found.
  private static let rangesMax = 1 << 19
  /// The maximum size of the labels of ranges that contain the same number: a sixteenth of what dedupe accepts from all
  /// sources together.
  private static let overlapBytesMax = 512 << 10

  private let checks: SourceChecks
  private let index: Int
  private let name: String
  /// The counters of the source's first stage that counts rows.
  private let meter: StageMeter?
  private var numbers: UInt64 = 0
  private var ranges: [LabelledRange] = []

  /// Nil if the source has no bounds.
  init?(_ source: Pipeline.Source, _ index: Int, _ counters: ArraySlice<StageCounters>) {
    checks = source.checks
    guard checks.boundRecords else { return nil }
    self.index = index
    name = source.name
    meter = counters.first { $0.countsRows }?.meter
  }

  mutating func check(_ batch: borrowing RecordBatch) throws(Failure) {
    try checkRows()
    if batch.isSingles { return try add(UInt64(batch.count), nil) }
    for record in 0..<batch.count {
      let (first, last) = (batch.firsts[record], batch.lasts[record])
      try add(last &- first &+ 1, first < last ? first...last : nil)
      guard first < last, checks.maxOverlaps != nil else { continue }
      ranges.append(LabelledRange(first: first, last: last, bytes: batch[fieldsAt: record].count))
      if ranges.count == Self.rangesMax { try checkOverlaps() }
    }
  }

  private mutating func add(_ count: UInt64, _ range: ClosedRange<UInt64>?) throws(Failure) {
    numbers = numbers.addingSaturated(count)
    if let maxNumbers = checks.maxNumbers, numbers > maxNumbers {
      throw failure(.tooManyNumbers(name, limit: maxNumbers, range: range))
    }
  }

  mutating func finish() throws(Failure) {
    try checkRows()
    try checkOverlaps()
  }

  private func checkRows() throws(Failure) {
    guard let maxRows = checks.maxRows, let meter, meter.rowsIn.value > maxRows else { return }
    throw failure(.tooManyRows(name, limit: maxRows))
  }

  private mutating func checkOverlaps() throws(Failure) {
    defer { ranges.removeAll() }
    guard let overlapsMax = checks.maxOverlaps, ranges.count > 1 else { return }
    ranges.sort()
    // Dedupe drops equal ranges at once.
    var starts: [LabelledRange] = []
    for range in ranges where starts.last.map({ ($0.first, $0.last) != (range.first, range.last) }) ?? true {
      starts.append(range)
    }
    let ends = starts.sorted { $0.last < $1.last }
    var (count, bytes, ended) = (UInt64(0), 0, 0)
    for range in starts {
      while ends[ended].last < range.first {
        count -= 1
        bytes -= ends[ended].bytes
        ended += 1
      }
      count += 1
      bytes += range.bytes
      if count > overlapsMax {
        throw failure(.tooManyOverlaps(name, number: range.first, limit: overlapsMax))
      }
      if bytes > Self.overlapBytesMax {
        throw failure(.overlapsTooLarge(name, number: range.first, limit: UInt64(Self.overlapBytesMax)))
      }
    }
  }

  private func failure(_ error: Failure) -> Failure {
    var error = error
    error.sourceIndex = index
    return error
  }
}

// MARK: - The sizes and SHA-256 hashes of a run's sources, for a manifest
//
// A file is hashed in its own thread during the run, a download while its bytes pass through.

final class SourceHashes: Sendable {
  private let sources: Mutex<[RunProvenance.Source]>
  /// The thread that hashes a file; at most one at a time, so that the number of sources does not matter.
  private let thread = Mutex<WorkerThread?>(nil)
  private let isStopped = Atomic<Bool>(false)
  /// The machine's first error, which left a source without a hash.
  private let failure = Mutex<Failure?>(nil)
  private let calls: any SystemCalls

  init(names: [String], calls: any SystemCalls) {
    sources = Mutex(names.map { RunProvenance.Source(name: $0) })
    self.calls = calls
  }

  /// Waits for the last hash and returns the sources.
  func all() throws(Failure) -> [RunProvenance.Source] {
    join()
    if let failure = failure.withLock({ $0 }) { throw failure }
    return sources.withLock { $0 }
  }

  func note(_ index: Int, bytes: UInt64, sha256: [UInt8]) {
    sources.withLock { sources in
      sources[index].bytes = bytes
      sources[index].sha256 = sha256
    }
  }

  /// Hashes regular files one after another, as if they were one; in its own thread if `inThread`, after the source
  /// before. Other files can be read only once: a source with such a file gets no hash.
  func hash(_ index: Int, paths: [String], inThread: Bool) {
    let areFiles = paths.allSatisfy { $0 != InputFile.standardInput && Directory.holdsFile($0) }
    guard areFiles else { return }
    guard inThread else { return read(index, paths) }
    join()
    guard let started = try? WorkerThread(name: "hash", { self.read(index, paths) }) else {
      return read(index, paths)
    }
    thread.withLock { $0 = started }
  }

  /// Stops hashing after the run has failed.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    join()
  }

  private func join() { thread.withLock { $0.take() }?.join() }

  /// Reads and hashes files. A source with a file that was removed or closed to us after the run opened it gets no hash.
  private func read(_ index: Int, _ paths: [String]) {
    do throws(SystemError) {
      var chunk = ByteChunk()
      var hash = SHA256Hasher()
      var bytes: UInt64 = 0
      for path in paths {
        var file = try InputFile(path, calls: calls)
        while true {
          if isStopped.load(ordering: .relaxed) { return }
          let count = try file.read(into: &chunk)
          if count == 0 { break }
          hash.update(chunk.span)
          bytes += UInt64(count)
          chunk.removeAll()
        }
      }
      note(index, bytes: bytes, sha256: hash.digest)
    } catch {
      guard error.code.blamesMachine else { return }
      failure.withLock { $0 = $0 ?? Failure(nil, error) }
    }
  }
}

/// Forwards bytes and hashes them.
final class HashingSink: ByteSink {
  private let downstream: any ByteSink
  private let sourceHashes: SourceHashes
  private let index: Int
  private var hash = SHA256Hasher()
  private var bytes: UInt64 = 0

  init(_ downstream: any ByteSink, _ sourceHashes: SourceHashes, source index: Int) {
    self.downstream = downstream
    self.sourceHashes = sourceHashes
    self.index = index
  }

  func receive(_ chunk: inout ByteChunk) throws(Failure) {
    hash.update(chunk.span)
    bytes += UInt64(chunk.count)
    try downstream.receive(&chunk)
  }

  func finish() throws(Failure) {
    sourceHashes.note(index, bytes: bytes, sha256: hash.digest)
    try downstream.finish()
  }
}
