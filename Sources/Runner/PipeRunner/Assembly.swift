// A pipeline's stages put together, from the last to the first, with the text form at both ends.

import ApplicationFormats
import CallRecord
import DedupeStage
import DownloadStage
import EmitStage
import GenerateStage
import NormalizeStage
import ParseStage
import PipeStage
import SetStage
import SortStage
import SystemIO
import UnzipStage

/// A sink of any kind.
enum AnySink {
  case bytes(any ByteSink)
  case rawRows(any RawRowSink)
  case records(any RecordSink)
}

/// Puts stages together for one run.
struct Assembly {
  let rejects: RejectLog
  let gate: RejectLimitCheck
  let calls: any SystemCalls
  let threads: Int
  /// What messages call the input that the next stages read.
  var inputName = "-"
  /// What a manifest says of the way to it.
  var provenance: (@Sendable () -> EmitProvenance?)?
  /// What is remembered for a report, if one is wanted.
  var watch: RunRecorder?
  /// How much of the input has been read.
  let inputShare = InputShare()
  /// The stages' counters, in the order of the data.
  private(set) var meters: [StageMeter] = []
  /// What writes raw rows as text, if a `parse` is the last stage.
  private(set) var rowText: RawRowWriter?
  /// The thread boundaries, in the order of the data.
  private(set) var relays: [any Stoppable] = []

  init(rejects: RejectLog, gate: RejectLimitCheck, calls: any SystemCalls, threads: Int) {
    self.rejects = rejects
    self.gate = gate
    self.calls = calls
    self.threads = threads
  }

  /// Counters for a stage in front of all that were made so far.
  mutating func context(_ stage: StageName) -> StageContext {
    let meter = StageMeter(stage)
    meters.insert(meter, at: 0)
    return StageContext(meter: meter, rejects: rejects, calls: calls)
  }

  /// Puts `stages` before `sink`. When the last of them writes no files of its own, its text goes there.
  mutating func stages(_ stages: [StagePlan], before sink: AnySink) throws(StageError) -> AnySink {
    for (one, next) in zip(stages, stages.dropFirst()) where one.gives != next.takes {
      throw StageError(
        next.name, PipelineError.mismatch(next.name, takes: next.takes, after: one.name, gives: one.gives))
    }
    var sink = sink
    for (index, stage) in stages.enumerated().reversed() {
      sink = try make(stage, before: sink)
      if threads > 1, index > 0 { sink = try relayed(sink, between: stages[index - 1], and: stage) }
    }
    return sink
  }

  /// A thread boundary where the work on both sides is worth one.
  private mutating func relayed(
    _ sink: AnySink, between one: StagePlan, and next: StagePlan
  ) throws(StageError) -> AnySink {
    switch (sink, next.name) {
    case (.bytes(let sink), .parse): .bytes(try relay(sink))
    case (.rawRows(let sink), .normalize): .rawRows(try relay(sink))
    // A sort takes records in faster than a batch changes threads, and spills in a thread of its own. Dedupe is little
    // work and stays with sort's merge; writing a store is about as much as both.
    case (.records(let sink), .emit): .records(try relay(sink))
    default: sink
    }
  }

  /// Lets bytes go on in another thread.
  mutating func relay(_ sink: any ByteSink) throws(StageError) -> any ByteSink {
    let relay = try ByteRelay(sink)
    relays.insert(relay, at: 0)
    return relay
  }

  /// Lets raw rows go on in another thread.
  mutating func relay(_ sink: any RawRowSink) throws(StageError) -> any RawRowSink {
    let relay = try RawRowRelay(sink)
    relays.insert(relay, at: 0)
    return relay
  }

  /// Lets records go on in another thread.
  mutating func relay(_ sink: any RecordSink) throws(StageError) -> any RecordSink {
    let relay = try RecordRelay(sink)
    relays.insert(relay, at: 0)
    return relay
  }

  private mutating func make(_ stage: StagePlan, before sink: AnySink) throws(StageError) -> AnySink {
    let context = context(stage.name)
    switch stage {
    case .generate(let options):
      return .records(try Generator(options: options, context: context, downstream: Self.records(sink)))
    case .unzip(let options):
      return .bytes(Unzipper(options: options, context: context, downstream: Self.bytes(sink)))
    case .parse(let options):
      let downstream = Self.rawRows(sink)
      rowText = downstream as? RawRowWriter
      return .bytes(
        InputDecoder(
          RowParser(
            options: options, formats: .all, input: inputName, context: context, downstream: downstream)))
    case .normalize(let options):
      return .rawRows(Normalizer(options: options, context: context, downstream: Self.records(sink)))
    case .sort(var options):
      options.threads = threads
      let share = inputShare
      return .records(
        Sorter(
          options: options, context: context, inputShare: { share.value }, downstream: Self.records(sink)))
    case .dedupe(let options):
      return .records(try Deduper(options: options, context: context, downstream: Self.records(sink)))
    case .combine(let options):
      let downstream = Self.records(sink)
      let shards = ShardLists.opening(context)
      switch options.operation {
      case .union, .merge:
        return .records(
          try ListMerger(options: options, context: context, shards: shards, downstream: downstream))
      case .subtract, .intersect:
        return .records(
          try ListCutter(options: options, context: context, shards: shards, downstream: downstream))
      }
    case .emit(var options):
      for index in options.indices { options[index].threads = threads }
      let observe = watch.map { watch in { @Sendable (outputs: [EmittedOutput]) in watch.note(outputs) } }
      let emitter = GatedRecords(
        gate, try Emitter(options: options, context: context, provenance: provenance, observe: observe))
      if let watch { return .records(CountedRecords(watch, emitter)) }
      return .records(emitter)
    }
  }

  // MARK: The text form at both ends

  /// What reads bytes into the first stage of a process.
  func reader(for sink: AnySink) -> any ByteSink {
    let context = meters.first.map { StageContext(meter: $0, rejects: rejects, calls: calls) }
    switch sink {
    case .bytes(let sink): return sink
    case .rawRows(let sink): return RawRowReader(context: context!, downstream: sink)
    case .records(let sink): return RecordReader(context: context!, downstream: sink)
    }
  }

  private static func bytes(_ sink: AnySink) -> any ByteSink {
    guard case .bytes(let sink) = sink else { preconditionFailure("the kinds were checked") }
    return sink
  }

  private static func rawRows(_ sink: AnySink) -> any RawRowSink {
    switch sink {
    case .bytes(let sink): RawRowWriter(downstream: sink)
    case .rawRows(let sink): sink
    case .records: preconditionFailure("the kinds were checked")
    }
  }

  private static func records(_ sink: AnySink) -> any RecordSink {
    switch sink {
    case .bytes(let sink): RecordWriter(downstream: sink)
    case .records(let sink): sink
    case .rawRows: preconditionFailure("the kinds were checked")
    }
  }
}
