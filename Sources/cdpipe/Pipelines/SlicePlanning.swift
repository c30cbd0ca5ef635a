// `cdpipe run --plan-slices`: reads a source's file once, and finds out where it can be divided.

import ArgumentParser
import Hashing
import InputStages
import Runner
import Records
import Synchronization
import SystemIO
import SystemPackage

/// Plans the slices of the only source of a pipeline.
struct SlicePlanning {
  let builder: PipelineBuilder
  let sliceBytes: Int
  let threads: Int

  /// Writes the plan to a file. Throws the exit status after printing a message.
  func write(to path: String, _ diagnostics: Diagnostics) throws {
    Interruption.cleanUp()
    do throws(Failure) {
      let text = JSONLine.text(try plan()) + "\n"
      try asFailure(nil) { () throws(SystemError) in
        var file = try OutputFile(path)
        try file.write(Array(text.utf8).span)
        try file.publish()
      }
    } catch {
      throw diagnostics.end(error)
    }
  }

  /// A file can be divided if the source consists only of it, nothing but all of its rows decides whether the source is
  /// used, and its rows are those of its bytes.
  private func plan() throws(Failure) -> SourceSlices {
    let invocation = builder.sources[0]
    var pipeline = builder.pipeline(threads: threads)
    var source = pipeline.sources[0]
    guard invocation.isRequired, !invocation.usesLastGood, !source.checks.boundRecords,
      case .files(let paths) = source.input, paths.count == 1, Directory.holdsFile(paths[0]),
      let index = source.stages.firstIndex(where: { $0 is ParsePlan }),
      var parse = source.stages[index] as? ParsePlan, !parse.options.recognisesEncoding
    else { return SourceSlices(undivided: invocation.name) }
    let fileBytes = (try? InputFile(paths[0]))?.size ?? 0
    let collector = BoundaryCollector(
      sliceBytes: max(UInt64(sliceBytes), fileBytes / UInt64(SourceSlices.slicesMax) + 1))
    parse.observeBoundary = { collector.note($0) }
    source.stages[index] = parse
    source.stages.removeSubrange((index + 1)...)
    pipeline = Pipeline(sources: [source], stages: [], output: Self.nowhere, threads: threads)
    pipeline.recordsSources = true
    pipeline.recordedLevel = .hashes
    let run = try PipelineRun(pipeline, rejects: try RejectLog())
    try run.execute()
    var slices = SourceSlices(undivided: invocation.name)
    guard let content = run.sourceContents.first, let sha256 = content.sha256,
      // A compressed file has other bytes than its rows.
      let read = run.counters.last?.meter.bytesIn.value, read == content.bytes
    else { return slices }
    (slices.boundaries, slices.headBytes) = collector.result
    slices.count = max(1, slices.boundaries.count - 1)
    slices.bytes = content.bytes
    slices.sha256 = Hexadecimal.text(sha256)
    return slices
  }

  /// The rows are only counted.
  private static let nowhere = "/dev/null"
}

/// Chooses boundaries that are at least some distance apart.
private final class BoundaryCollector: Sendable {
  private struct Chosen {
    var boundaries = [InputBoundary(byte: 0, line: 1, row: 1)]
    var headBytes: UInt64?
    var end: InputBoundary?
  }
  private let sliceBytes: UInt64
  private let chosen = Mutex(Chosen())

  init(sliceBytes: UInt64) {
    self.sliceBytes = sliceBytes
  }

  func note(_ boundary: InputBoundary) {
    chosen.withLock { chosen in
      // The end is reported twice.
      if let latest = chosen.end, latest.byte < boundary.byte,
        latest.byte >= (chosen.boundaries.last?.byte ?? 0) + sliceBytes
      {
        chosen.boundaries.append(latest)
      }
      if chosen.headBytes == nil, boundary.byte >= InputSlice.headBytesMin {
        chosen.headBytes = boundary.byte
      }
      chosen.end = boundary
    }
  }

  /// The boundaries, with the end of the file as the last one, and the size of the head; no boundaries if there is only
  /// one slice.
  var result: (boundaries: [InputBoundary], headBytes: UInt64?) {
    chosen.withLock { chosen in
      guard let end = chosen.end, let head = chosen.headBytes, chosen.boundaries.count > 1 else {
        return ([], nil)
      }
      return (chosen.boundaries + [end], head)
    }
  }
}
