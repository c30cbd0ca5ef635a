// A pipeline carried out: sources one after another through their stages, then the shared ones to the end.

import BasicContainers
import CallRecord
import DownloadStage
import EmitStage
import ParseStage
public import PipeStage
public import SystemIO
import UnzipStage

/// One run of a pipeline: assembled, then carried out once.
///
/// Assembling opens the outputs and starts the threads; a run that fails leaves no output and no thread behind.
///
///     var run = try PipelineRun(pipeline, rejects: log)
///     try run.execute()
public struct PipelineRun {
  /// A stage's counters, and the source whose own the stage is.
  public struct Station: Sendable {
    /// The source's place among the sources; nil for a shared stage.
    public let sourceIndex: Int?
    /// The source's name; empty for a shared stage.
    public let sourceName: String
    /// The counters.
    public let meter: StageMeter

    init(sourceIndex: Int, sourceName: String, meter: StageMeter) {
      self.sourceIndex = sourceIndex
      self.sourceName = sourceName
      self.meter = meter
    }

    init(shared meter: StageMeter) {
      sourceIndex = nil
      sourceName = ""
      self.meter = meter
    }
  }

  private struct Head {
    let input: Pipeline.Input
    let sink: AnySink
    let reader: any ByteSink
    let meter: StageMeter
    let download: Downloader?
    let sourceIndex: Int
  }

  /// The stages with their counters, in the order of the data.
  public private(set) var stations: [Station] = []

  private let rejects: RejectLog
  private let calls: any SystemCalls
  private let end: (any RecordSink)?
  private var heads: [Head] = []
  private var rowText: RawRowWriter?
  private var relays: [any Stoppable] = []
  /// What is found out about the sources, if a manifest says it.
  private let sourceHashes: SourceHashes?
  private let threads: Int

  /// Puts a pipeline together. `watch` remembers what a report tells.
  public init(
    _ pipeline: Pipeline, rejects: RejectLog, calls: any SystemCalls = KernelCalls(),
    watch: RunRecorder? = nil
  ) throws(StageError) {
    self.rejects = rejects
    self.calls = calls
    let gate = RejectLimitCheck(rejects, checks: pipeline.sources.map(\.checks))
    var assembly = Assembly(rejects: rejects, gate: gate, calls: calls, threads: pipeline.threads)
    assembly.watch = watch
    threads = pipeline.threads
    let told = pipeline.provenance
    let sourceHashes = told.isTold ? SourceHashes(names: pipeline.sources.map(\.name), calls: calls) : nil
    self.sourceHashes = told.hasHashes ? sourceHashes : nil
    if let sourceHashes {
      assembly.provenance = {
        let accounts = gate.accounts
        return EmitProvenance(
          sources: sourceHashes.all(), rowsRead: accounts.rowsIn, rejects: accounts.rejects,
          duplicates: accounts.duplicates, leftOut: accounts.leftOut, removed: accounts.removed)
      }
    }
    do throws(StageError) {
      let last = pipeline.stages.last ?? pipeline.sources.last?.stages.last
      var tail: AnySink
      if last?.gives == .nothing {
        tail = .records(NoSink())
      } else {
        tail = .bytes(GatedBytes(gate, try FileSink(pipeline.output, stage: last?.name, calls: calls)))
      }
      // One source has the shared stages to itself; several share them behind an end that stays open.
      if pipeline.sources.count == 1 {
        end = nil
        let source = pipeline.sources[0]
        assembly.inputName = source.shownAs ?? source.input.displayName
        let sink = try assembly.stages(source.stages + pipeline.stages, before: tail)
        try heads.append(Self.head(source, 0, sink, &assembly, pipeline, self.sourceHashes))
        rowText = assembly.rowText
        let ownCount = assembly.meters.count - pipeline.stages.count
        stations = assembly.meters.enumerated().map { index, meter in
          index < ownCount
            ? Station(sourceIndex: 0, sourceName: source.name, meter: meter) : Station(shared: meter)
        }
      } else {
        tail = try assembly.stages(pipeline.stages, before: tail)
        if pipeline.threads > 1, case .records(let sink) = tail { tail = .records(try assembly.relay(sink)) }
        guard case .records(let shared) = tail else { preconditionFailure("sources give records") }
        end = shared
        let sharedMeters = assembly.meters
        for (index, source) in pipeline.sources.enumerated() {
          var own = Assembly(rejects: rejects, gate: gate, calls: calls, threads: pipeline.threads)
          own.inputName = source.shownAs ?? source.input.displayName
          defer { relays += own.relays }
          let sink = try own.stages(source.stages, before: .records(OpenEnd(shared)))
          try heads.append(Self.head(source, index, sink, &own, pipeline, self.sourceHashes))
          stations += own.meters.map { Station(sourceIndex: index, sourceName: source.name, meter: $0) }
        }
        stations += sharedMeters.map { Station(shared: $0) }
      }
    } catch {
      for relay in relays + assembly.relays { relay.stop() }
      throw error
    }
    relays += assembly.relays
    for head in heads { assembly.inputShare.add(head.meter) }
    gate.watch(stations)
  }

  private static func head(
    _ source: Pipeline.Source, _ index: Int, _ sink: AnySink, _ assembly: inout Assembly,
    _ pipeline: Pipeline, _ sourceHashes: SourceHashes?
  ) throws(StageError) -> Head {
    var reader = assembly.reader(for: sink)
    // A file's bytes are mostly in memory and copied by the thread that parses them; what comes over a network comes when
    // it likes.
    if pipeline.threads > 1, source.stages.count + pipeline.stages.count > 1, case .download = source.input,
      reader is RowParser
    {
      reader = try assembly.relay(reader)
    }
    switch source.input {
    case .download(let options):
      let context = assembly.context(.download)
      if let sourceHashes { reader = HashingSink(reader, sourceHashes, source: index) }
      let download = Downloader(options: options, context: context, downstream: reader)
      return Head(
        input: source.input, sink: sink, reader: reader, meter: context.meter, download: download,
        sourceIndex: index)
    case .files, .nothing:
      // Whatever reads files has a stage: files alone are no pipeline.
      return Head(
        input: source.input, sink: sink, reader: reader, meter: assembly.meters[0], download: nil,
        sourceIndex: index)
    }
  }

  /// Carries the run out.
  ///
  /// Throws what the first stage to fail failed with; then nothing is published and no thread is left.
  public func execute() throws(StageError) {
    do throws(StageError) {
      for head in heads {
        do throws(StageError) {
          try read(head)
        } catch {
          throw error.named(after: head.sourceIndex)
        }
      }
      try end?.finish()
    } catch {
      for relay in relays { relay.stop() }
      sourceHashes?.stop()
      // A list that broke in the middle: the rows before it are good, and standard output gets them.
      if Self.isOfInput(error) { try? rowText?.flush() }
      throw error
    }
  }

  /// Whether a failure of `parse` says that its input can't be read on.
  private static func isOfInput(_ failure: StageError) -> Bool {
    guard failure.stage == .parse else { return false }
    if let cause = failure.cause as? SystemError {
      return cause.operation == .openInput || cause.operation == .readInput
    }
    return failure.cause is ParseError
  }

  private func read(_ head: Head) throws(StageError) {
    switch head.input {
    case .nothing: try head.reader.finish()
    case .download:
      try head.download?.run()
      head.meter.finish()
    case .files(let paths):
      if paths.count == 1 { sourceHashes?.hash(head.sourceIndex, path: paths[0], inThread: threads > 1) }
      for (index, path) in paths.enumerated() {
        let parser = head.reader as? InputDecoder
        if index > 0 { try parser?.nextInput(name: path) }
        let file: InputFile
        do throws(SystemError) {
          file = try InputFile(path, calls: calls)
        } catch {
          // What came of the files before it stands.
          try parser?.flush()
          throw StageError(head.meter.stage, error)
        }
        if let unzipper = head.reader as? Unzipper { return try unzipper.read(file) }
        if let size = file.size { head.meter.bytesExpected.add(Int(size)) }
        try pump(file, into: head, isLast: index == paths.count - 1)
      }
      try head.reader.finish()
    }
  }

  /// Hands a file's bytes on. A last line without a line feed gets one when another file follows.
  private func pump(_ file: consuming InputFile, into head: Head, isLast: Bool) throws(StageError) {
    let countsItself = if case .bytes = head.sink { true } else { false }
    var chunk = ByteChunk()
    var lastByte = UInt8(ascii: "\n")
    var bytesRead: UInt64 = 0
    while true {
      let count = try asStageError(head.meter.stage) { () throws(SystemError) in
        try file.read(into: &chunk)
      }
      if count == 0 { break }
      bytesRead += UInt64(count)
      lastByte = chunk.bytes[chunk.count - 1]
      if !countsItself { head.meter.bytesIn.add(count) }
      try head.reader.receive(&chunk)
      chunk.removeAll()
    }
    // Standard input may have been read from before.
    if let size = file.size, bytesRead < size, file.path != InputFile.standardInput {
      throw StageError(
        head.meter.stage, PipelineError.inputShrank(path: file.path, read: bytesRead, size: size))
    }
    guard !isLast, !countsItself, lastByte != UInt8(ascii: "\n") else { return }
    chunk.bytes.append(UInt8(ascii: "\n"))
    try head.reader.receive(&chunk)
  }
}

/// Where the way ends before it began: emit needs nothing behind it.
private final class NoSink: RecordSink {
  func receive(_ batch: inout RecordBatch) {}
  func finish() {}
}

extension StageError {
  /// The failure with the source at fault, if it came of the bytes of the one that was being read. What a disk or a limit on
  /// all rejects does is no source's fault.
  fileprivate func named(after index: Int) -> StageError {
    guard sourceIndex == nil, let stage, StagePlan.ofSources.contains(stage), !(cause is RejectLimitError)
    else {
      return self
    }
    var failure = self
    switch cause.errorClass {
    case .badData, .noInput, .unavailable: failure.sourceIndex = index
    case .cannotCreate, .inputOutput, .usage, .tryLater, .readerGone, .unchanged: break
    }
    return failure
  }
}

extension StagePlan {
  /// The stages that only one source's bytes go through.
  fileprivate static let ofSources: Set<StageName> = [.generate, .download, .unzip, .parse, .normalize]
}

extension Pipeline.Input {
  /// What messages call the input.
  var displayName: String {
    switch self {
    case .files(let paths): paths.first ?? "-"
    case .download(let options): options.resources.first ?? "-"
    case .nothing: "-"
    }
  }
}
