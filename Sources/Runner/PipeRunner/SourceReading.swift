// How a run that has several sources reads one of them, and which ones are read at the same time.
//
// Not for: the order in which their records enter the shared stages (SourceTurns), reading bytes (SourceReader).

import Records
import SystemIO
import SystemPackage

/// Reads sources through their own stages.
struct SourceReading: Sendable {
  /// The maximum size of a source that one thread reads, in bytes. Several threads share a larger one.
  private static let smallBytesMax: UInt64 = 2 << 20

  let pipeline: Pipeline
  let counters: RunCounters
  /// The sizes and hashes of the sources, if a manifest records them.
  let hashes: SourceHashes?
  var setup: RunSetup

  /// Builds a source's own stages, and reads it to its end. With `drops`, its records are checked and dropped. `shared` is
  /// the first of the shared stages, which stay open.
  func read(_ index: Int, into shared: any RecordSink, drops: Bool) throws(Failure) {
    let source = pipeline.sources[index]
    let hashes = drops ? nil : hashes
    var own = PipelineAssembly(setup, counters.own(index), inputNames: source.inputNames)
    do throws(Failure) {
      let bounds = SourceBounds(source, index, counters.own(index))
      let first = try own.build(source.stages, before: .records(SharedEnd(shared, drops: drops, bounds)))
      let reader = try SourceReader(source, index, first, &own, pipeline, hashes, calls: setup.calls)
      try reader.read(hashes, hashesInThread: setup.threads > 1)
    } catch {
      for relay in own.relays { relay.stop() }
      throw error
    }
  }

  /// The sources from `start` on that one thread each reads at the same time as the others; empty if the source at
  /// `start` is large, or must be read alone.
  func smallSources(from start: Int) -> Range<Int> {
    // The reject that ends a run must be the first one.
    guard setup.threads > 1, !setup.rejects.mayEndRun else { return start..<start }
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
