// The counts of `cdpipe stats`, and the last stage of its pipeline, which counts records.
//
// In Runner/ and not in Stages/: it combines stages (parse and normalize for raw rows) and counts what they output with
// the counters of a run's report.

import CallStoreReader
import RecordStages
package import Records
import StoreWriting
import Synchronization
package import SystemIO
import SystemPackage

extension StageName {
  package static let stats = StageName(rawValue: "stats")
}

/// The counts of all records of a run. Usable from any thread.
package final class ListStatistics: Sendable {
  /// The maximum number of distinct labels, and of distinct sources, that are counted separately: more than anyone
  /// reads, in a few mebibytes.
  package static let textsMax = 1 << 16

  private let value = Mutex(RecordCounts())

  package init() {}

  /// The counts; zero until the stream has ended.
  package var counts: RecordCounts { value.withLock { $0 } }

  fileprivate func set(_ counts: RecordCounts) { value.withLock { $0 = counts } }
}

/// The last stage of the pipeline: it counts records and outputs nothing.
package struct StatsPlan: StagePlan {
  private let statistics: ListStatistics

  package init(_ statistics: ListStatistics) { self.statistics = statistics }

  package var name: StageName { .stats }
  package var input: DataKind { .records }
  package var output: DataKind { .nothing }
  package var needsThread: Bool { true }
  package var checksCountries: Bool { false }

  package func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(Failure) -> AnySink {
    .records(RecordCounter(statistics, environment.context.meter))
  }
}

private final class RecordCounter: RecordSink {
  private let statistics: ListStatistics
  private let meter: StageMeter
  private var tally = RecordTally(labelsMax: ListStatistics.textsMax, sourcesMax: ListStatistics.textsMax)

  init(_ statistics: ListStatistics, _ meter: StageMeter) {
    self.statistics = statistics
    self.meter = meter
  }

  func receive(_ batch: inout RecordBatch) { tally.count(batch) }

  func finish() {
    statistics.set(tally.take())
    meter.finish()
  }
}

// MARK: - The pipeline of `cdpipe stats`

package enum StatsPipeline {
  /// Creates the pipeline that counts the records of all inputs: stores, directories of shards, records in the text
  /// form, or raw rows.
  ///
  /// Reads the beginning of each input, which may wait for a pipe's writer.
  ///
  /// - Parameters:
  ///   - inputs: the inputs as the user named them; `-` is standard input.
  ///   - statistics: receives the counts.
  ///   - rawStages: the stages that turn raw rows into records.
  ///   - isRaw: whether text consists of raw rows, even if it looks like records.
  package static func pipeline(
    _ inputs: [String], _ statistics: ListStatistics, rawStages: [any StagePlan], isRaw: Bool, threads: Int,
    calls: any SystemCalls = KernelCalls()
  ) throws(Failure) -> Pipeline {
    var sources: [Pipeline.Source] = []
    for path in inputs {
      var source = try source(path, rawStages, isRaw: isRaw, calls)
      // The sources of a run have names if there are several.
      if inputs.count > 1 { source.name = path }
      sources.append(source)
    }
    return Pipeline(sources: sources, stages: [StatsPlan(statistics)], threads: threads)
  }

  private static func source(
    _ path: String, _ rawStages: [any StagePlan], isRaw: Bool, _ calls: any SystemCalls
  ) throws(Failure) -> Pipeline.Source {
    let list = try ListInput(path, of: .stats, calls: calls)
    do throws(Failure) {
      switch list {
      case .shards(let directory): return source(ofStores: try directory.checkHeaders(), of: list)
      case .lookup: return source(ofStores: [], of: list)
      case .file: break
      }
    } catch {
      throw error.of(.stats)
    }
    return try textSource(path, rawStages, isRaw: isRaw, calls)
      ?? source(ofStores: [path], of: .file(path))
  }

  /// The source of the records of a file that is not a store; nil if it is one.
  package static func textSource(
    _ path: String, _ rawStages: [any StagePlan], isRaw: Bool, _ calls: any SystemCalls = KernelCalls()
  ) throws(Failure) -> Pipeline.Source? {
    // A file can be read again, anything else can't.
    if path != InputFile.standardInput, FileKind(of: FilePath(path), calls: calls) == .regular {
      let head = try asFailure(.stats) { () throws(SystemError) in
        try InputFile.bytes(of: path, limit: ListContent.headBytes, calls: calls)
      }
      let content = ListContent(head: head, isWhole: head.count <= ListContent.headBytes)
      return source(content, .files([path]), rawStages, isRaw: isRaw)
    }
    let opened = try OpenedInput(path, calls: calls)
    return source(opened.content, .stage(opened), rawStages, isRaw: isRaw)
  }

  private static func source(
    _ content: ListContent, _ input: Pipeline.Input, _ rawStages: [any StagePlan], isRaw: Bool
  ) -> Pipeline.Source? {
    switch content {
    case .store: nil
    case .records where !isRaw: Pipeline.Source(input: input, stages: [TextRecordsPlan()])
    case .records, .rawRows: Pipeline.Source(input: input, stages: rawStages)
    }
  }

  private static func source(
    ofStores stores: [String], of list: ListInput
  ) -> Pipeline.Source {
    Pipeline.Source(input: .nothing, stages: [ListRecordsPlan(list: list, stores: stores)])
  }
}

/// The content of a file, by its first bytes.
enum ListContent: Equatable {
  case store
  case records
  case rawRows

  /// The number of bytes that are needed: two lines of the text form, or thousands of short ones.
  static let headBytes = 64 << 10
  /// The maximum number of lines that are checked.
  private static let linesMax = 16

  init(head: [UInt8], isWhole: Bool) {
    if head.starts(with: StoreRecords.magic) {
      self = .store
    } else if PackedForm.begins(stream: head.span) {
      self = .records
    } else {
      self = Self.areRecords(head.span, isWhole: isWhole) ? .records : .rawRows
    }
  }

  /// Whether the first lines are records. No lines at all are a list without records.
  private static func areRecords(_ text: Span<UInt8>, isWhole: Bool) -> Bool {
    var batch = RecordBatch()
    var start = 0
    while start < text.count, batch.count < linesMax {
      let end = LineScan.lineFeed(in: text, from: start)
      // The first line must be complete.
      if end == text.count, !isWhole { return start > 0 }
      do throws(TextFormReject) {
        guard try batch.append(line: text.extracting(start..<end)) else { return true }
      } catch {
        return false
      }
      start = end + 1
    }
    return true
  }
}

// MARK: - An input that can be read only once, of which the first bytes were read to recognise it

/// An opened input and the bytes that were read from it.
final class OpenedInput: InputPlan {
  private struct Opened: ~Copyable, Sendable {
    var file: InputFile
    var head = ByteChunk()
    /// Whether the input has ended. A terminal would wait for more.
    var isWhole = false

    /// Reads the next bytes into `head`, unless the input has ended.
    mutating func read() throws(Failure) {
      if !isWhole {
        isWhole = try asFailure(.stats) { () throws(SystemError) in try file.read(into: &head) == 0 }
      }
    }
  }

  let name = StageName.stats
  let displayName: String
  let content: ListContent
  private let opened: Mutex<Opened?>

  /// Opens an input and reads its first bytes.
  init(_ path: String, calls: any SystemCalls) throws(Failure) {
    var opened = Opened(
      file: try asFailure(.stats) { () throws(SystemError) in try InputFile(path, calls: calls) })
    while opened.head.count < ListContent.headBytes, !opened.isWhole { try opened.read() }
    displayName = path
    content = ListContent(head: Array(copying: opened.head.span), isWhole: opened.isWhole)
    self.opened = Mutex(opened)
  }

  /// Sends the first bytes and then the others.
  func run(_ environment: StageEnvironment, into downstream: any ByteSink) throws(Failure) {
    guard var opened = opened.withLock({ $0.take() }) else { return }
    environment.noteDetail(InputText.reading(displayName))
    while !opened.head.isEmpty {
      try downstream.receive(&opened.head)
      opened.head.removeAll()
      try opened.read()
    }
    try downstream.finish()
  }
}

// MARK: - Reads the records of a store or a directory, which are no stream of bytes

private struct ListRecordsPlan: StagePlan {
  let list: ListInput
  /// The paths of its stores, unless it is a Live Caller ID Lookup directory.
  let stores: [String]

  var name: StageName { .stats }
  var input: DataKind { .nothing }
  var output: DataKind { .records }
  var files: [StageFile] { list.paths.map { StageFile($0, .input) } }

  func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink {
    .records(RecordsDriver(self, environment.context, downstream.recordSink))
  }

  func source(_ calls: any SystemCalls) throws(Failure) -> any RecordSource & ~Copyable {
    if case .lookup(let directory) = list { return CallerIDRecords(directory, calls: calls) }
    guard stores == [InputFile.standardInput] else { return StoreRecords(paths: stores, .stats) }
    return try StoreRecords(descriptor: .standardInput, of: InputFile.standardInput, .stats)
  }
}

/// Sends the records of a list when its own stream, which is empty, ends.
private final class RecordsDriver: RecordSink {
  private let plan: ListRecordsPlan
  private let context: StageContext
  private let downstream: MeteredRecords

  init(_ plan: ListRecordsPlan, _ context: StageContext, _ downstream: any RecordSink) {
    self.plan = plan
    self.context = context
    self.downstream = MeteredRecords(context.meter, downstream)
  }

  func receive(_ batch: inout RecordBatch) {}

  func finish() throws(Failure) {
    var source = try plan.source(context.calls)
    var batch = RecordBatch()
    while try throwing({ $0.of(.stats) }, { () throws(Failure) in try source.next(&batch) }) {
      try downstream.receive(&batch)
      batch.removeAll()
    }
    try downstream.finish()
    context.meter.finish()
  }
}

// MARK: - Reads one input in the text form
//
// The stages that read records as filters leave this to the runner; here each input of several may have another
// form.

struct TextRecordsPlan: StagePlan {
  var name: StageName { .stats }
  var input: DataKind { .bytes }
  var output: DataKind { .records }

  func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink {
    .bytes(TextRecordsSink(environment.context, downstream: downstream.recordSink))
  }
}

/// Counts bytes, and passes them to the reader of the text form.
private final class TextRecordsSink: ByteSink {
  private let meter: StageMeter
  private let reader: RecordReader

  init(_ context: StageContext, downstream: any RecordSink) {
    meter = context.meter
    reader = RecordReader(context: context, downstream: MeteredRecords(context.meter, downstream))
  }

  func receive(_ chunk: inout ByteChunk) throws(Failure) {
    meter.bytesIn.add(chunk.count)
    try reader.receive(&chunk)
  }

  func finish() throws(Failure) {
    try reader.finish()
    meter.finish()
  }
}

/// Forwards records and counts them as the rows of a stage that reads them.
final class MeteredRecords: RecordSink {
  private let meter: StageMeter
  private let downstream: any RecordSink

  init(_ meter: StageMeter, _ downstream: any RecordSink) {
    self.meter = meter
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    meter.rowsIn.add(batch.count)
    meter.rowsOut.add(batch.count)
    try downstream.receive(&batch)
  }

  func finish() throws(Failure) { try downstream.finish() }
}
