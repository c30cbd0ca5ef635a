// Reads one source's bytes into its first stage.

import Records
import SystemIO
import SystemPackage

/// One source of a run, with its sink and input.
struct SourceReader {
  let input: Pipeline.Input
  /// The names of the input's files in messages.
  let inputNames: [String]
  /// The first sink, which receives the source's bytes.
  let sink: any ByteSink
  /// Whether the first stage reads bytes and counts them itself. Otherwise the input is in the text form.
  let countsBytes: Bool
  /// The counters of the stage that reads the input.
  let meter: StageMeter
  /// The stage that fetches the bytes, if any.
  let stage: (any StageInput)?
  let sourceIndex: Int
  let sourceName: String
  /// The seconds until a named pipe must have been read to its end; nil for no limit.
  let pipeSeconds: Double?
  let calls: any SystemCalls

  /// Builds the sink and the input before a source's stages.
  init(
    _ source: Pipeline.Source, _ index: Int, _ first: AnySink, _ assembly: inout PipelineAssembly,
    _ pipeline: Pipeline, _ hashes: SourceHashes?, calls: any SystemCalls
  ) throws(Failure) {
    input = source.input
    inputNames = source.inputNames
    sourceIndex = index
    sourceName = source.name
    pipeSeconds = source.checks.pipeSeconds
    self.calls = calls
    countsBytes = if case .bytes = first { true } else { false }
    let reader = assembly.reader(for: first)
    guard case .stage(let plan) = source.input else {
      sink = reader
      stage = nil
      // A source that reads files has at least one stage.
      meter = assembly.firstMeter!
      return
    }
    var entry = AnySink.bytes(reader)
    let stages = source.stages + pipeline.stages
    // File bytes are mostly in the page cache, so the parsing thread copies them itself. Network bytes arrive slowly,
    // so they get their own thread.
    if pipeline.threads > 1, stages.count > 1, stages[0].needsThread, countsBytes {
      entry = try assembly.relay(entry)
    }
    sink = hashes.map { HashingSink(entry.byteSink, $0, source: index) } ?? entry.byteSink
    stage = try assembly.build(plan, before: sink)
    meter = assembly.firstMeter!
  }

  /// Reads the source to its end.
  func read(_ hashes: SourceHashes?, hashesInThread: Bool) throws(Failure) {
    switch input {
    case .nothing: try sink.finish()
    case .unlisted(let failure): throw failure.of(meter.stage)
    case .stage:
      try stage?.run()
      meter.finish()
    case .files(let paths):
      hashes?.hash(sourceIndex, paths: paths, inThread: hashesInThread)
      for (index, path) in paths.enumerated() {
        if index > 0 {
          try sink.nextInput(name: inputNames.indices.contains(index) ? inputNames[index] : path)
        }
        let deadline = deadline(ofPipe: path)
        let file: InputFile
        do throws(SystemError) {
          file = try InputFile(path, calls: calls, waits: deadline == nil)
        } catch {
          // The rows of the previous files are valid.
          try sink.flush()
          throw Failure(meter.stage, error)
        }
        if deadline == nil, let reader = sink.fileReader {
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
        throw Failure(
          meter.stage,
          SourceCheckError.pipeTimedOut(source: sourceName, path: file.path, seconds: pipeSeconds))
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
      throw Failure(meter.stage, PipelineError.inputShrank(path: file.path, read: bytesRead, size: size))
    }
  }
}
