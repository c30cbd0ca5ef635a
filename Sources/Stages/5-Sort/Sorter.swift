// The sort stage: an external merge sort. Runs are sorted in memory, spilled when they are full, and merged at the end.
//
// Goals: the same bytes for every memory size; nothing on disk if everything fits; no file remains.

import BasicContainers
package import Records
import SystemIO

/// Sorts records by first number, then wider ranges first; equal records stay in input order.
///
/// It reads all its input before it writes any output. What doesn't fit into memory goes to unnamed files in the
/// temporary directory.
///
/// - Complexity: O(n) for the runs, O(n log k) for the merge of k runs.
package final class Sorter: RecordSink {
  private let context: StageContext
  private let budget: SortBudget
  private let downstream: any RecordSink
  private let inputShare: (@Sendable () -> Double?)?
  private var dictionary: RecordFieldsDictionary?
  private var buffer: RunBuffer
  private var runLength: RunLengthPolicy
  /// The runs on disk, as long as this thread spills them itself.
  private var mergeSort: ExternalMergeSort?
  /// The thread that spills them otherwise, from the first spill on.
  private var spillThread: SpillThread?
  /// The threads that sort a run together; nil for one thread.
  private let team: WorkerTeam?

  /// Makes a sorter that sends records to `downstream`. `inputShare` returns the share of the input that has been read,
  /// 0 to 1, or nil if that is unknown; it does not affect the output.
  package convenience init(
    options: SortOptions, context: StageContext, inputShare: (@Sendable () -> Double?)? = nil,
    downstream: any RecordSink
  ) {
    self.init(
      options: options, budget: SortBudget(memory: options.memory, threads: options.threads),
      context: context, inputShare: inputShare, downstream: downstream)
  }

  init(
    options: SortOptions, budget: SortBudget, context: StageContext,
    inputShare: (@Sendable () -> Double?)? = nil, downstream: any RecordSink
  ) {
    team = budget.sortThreads > 1 ? WorkerTeam(size: budget.sortThreads) : nil
    self.context = context
    self.inputShare = inputShare
    self.budget = budget
    self.downstream = downstream
    dictionary = RecordFieldsDictionary()
    buffer = RunBuffer(bytesMax: budget.runBytes)
    runLength = RunLengthPolicy(budget)
    mergeSort = ExternalMergeSort(options: options, budget: budget, context: context, team: team)
  }

  deinit {
    spillThread?.stop()
    team?.end()
  }

  package func receive(_ batch: inout RecordBatch) throws(Failure) {
    context.meter.rowsIn.add(batch.count)
    if !runLength.isEstimated, buffer.bytesUsed >= RunLengthPolicy.bytesMin {
      runLength.estimate(buffer.bytesUsed, share: inputShare?())
      buffer.targetBytes = runLength.targetBytes
    }
    if !buffer.hasCapacity(for: batch) { try spill() }
    buffer.append(batch, &dictionary!)
    batch.removeAll()
  }

  package func finish() throws(Failure) {
    context.meter.rowsExpected.add(Int(clamping: context.meter.rowsIn.value))
    try sendRecords()
    context.meter.finish()
    try downstream.finish()
  }

  private func sendRecords() throws(Failure) {
    // Sorts the last run while the previous one may still be being written.
    buffer.sort(team)
    // Either the thread or this object owns the runs, and neither needs them after this.
    var runs = try spillThread?.finish() ?? mergeSort.take()!
    spillThread = nil
    var writer = BatchWriter(dictionary.take()!, context.meter, downstream)
    if runs.isEmpty {
      if buffer.format == .packed { try buffer.walkPacked(&writer) } else { try buffer.walk(&writer) }
      return try writer.flush()
    }
    if buffer.count > 0 { try runs.spill(&buffer) }
    buffer = RunBuffer(bytesMax: 0)
    try runs.mergeAll(into: &writer)
  }

  private func spill() throws(Failure) {
    runLength.end(at: buffer.bytesUsed)
    guard budget.overlaps else { return try mergeSort!.spill(&buffer) }
    if spillThread == nil { spillThread = try SpillThread(&mergeSort, bytesMax: budget.runBytes) }
    try spillThread?.spill(&buffer)
    buffer.targetBytes = runLength.targetBytes
  }
}

package struct SortOptions: Equatable, Sendable {
  package static let defaultMemory = 64 << 20
  /// The minimum memory: the merge needs a buffer for each of its runs.
  package static let memoryMin = 12 << 20

  /// The maximum memory that is useful: two runs of 4 GiB and what they need. More is never touched.
  package static let memoryUsefulMax =
    2 * RunBuffer.bytesUsedMax + SortBudget.fixedBytes + SortBudget.dictionaryBytesMax

  package var memory: Int
  package var temporaryDirectory: String
  /// With more than one thread, a run is sorted and spilled in a separate thread while the next one fills.
  package var threads: Int

  package init(
    memory: Int = SortOptions.defaultMemory, temporaryDirectory: String = TemporaryFile.defaultDirectory,
    threads: Int = 1
  ) {
    self.memory = memory
    self.temporaryDirectory = temporaryDirectory
    self.threads = threads
  }

  /// The maximum address space that the stage reserves, in bytes. It is not known in advance which kind of records will
  /// fill a run, so each kind has capacity for a whole run; unused capacity is never touched.
  package var reservedBytesMax: Int {
    // Packed records, inline records, ranges, record fields, and the merge's read buffers.
    5 * min(memory, Self.memoryUsefulMax)
  }
}

/// How the memory is divided. The parts add up to `--memory`.
struct SortBudget {
  /// The maximum number of runs that one merge reads: more would exceed the open file limit and make buffers too small.
  static let mergeRunsMax = 128
  /// The maximum number of runs at a time: a group less one of each level, and no list is long enough for level 8.
  static let runsMax = mergeRunsMax * 8
  /// The read buffer of a run in a merge, if there is enough memory.
  static let readBufferMax = 512 << 10
  /// Batches, the spill's write buffer, and the tables of a merge.
  static let fixedBytes = 2 << 20
  /// The record fields that have a dictionary ID.
  static let dictionaryBytesMax = 1 << 20

  /// The maximum number of threads that sort a run: more wait for the thread that writes it.
  static let sortThreadsMax = 8
  /// The maximum number of threads that sort the records of a merge: it takes about twice as long as collecting them.
  static let mergeThreadsMax = 4

  /// The minimum memory for forming runs in two threads. With less, each half would be too small for a merge of
  /// ``mergeRunsMax`` runs while the other half fills.
  static let overlapMin = 40 << 20
  /// The minimum read buffer of a run of packed records: two blocks in each half.
  static let packedReadBufferMin = 36 << 10
  /// The minimum read buffer of any other run: a block in each half, or the longest record.
  static let inlineReadBufferMin = 2 * InlineBlock.bytesMax

  let runBytes: Int
  let mergeBytes: Int
  /// Whether one run fills while another is spilled; each has ``runBytes``.
  let overlaps: Bool
  let sortThreads: Int
  /// The number of threads that sort the records of the last merge, in ``runBytes``, which no run needs any more; 0 if the
  /// thread that merges sorts them.
  let mergeThreads: Int

  init(memory: Int, threads: Int = 1) {
    let free = max(memory, SortOptions.memoryMin) - Self.fixedBytes - Self.dictionaryBytesMax
    let overlaps = threads > 1 && memory >= Self.overlapMin
    let runBytes = overlaps ? free / 2 : free
    self.init(runBytes: runBytes, mergeBytes: runBytes, overlaps: overlaps, threads: threads)
  }

  init(runBytes: Int, mergeBytes: Int, overlaps: Bool = false, threads: Int = 1) {
    self.runBytes = runBytes
    self.mergeBytes = mergeBytes
    self.overlaps = overlaps
    // While rows arrive, another thread parses and a third normalizes.
    sortThreads = max(1, min(threads - 2, Self.sortThreadsMax))
    mergeThreads = overlaps ? max(0, min(threads - 3, Self.mergeThreadsMax)) : 0
  }

  /// The maximum number of runs that one merge reads when not all of them are packed.
  var inlineMergeRunsMax: Int {
    // With less than the minimum memory, as in tests, a few must be enough.
    max(
      4,
      min(Self.mergeRunsMax, mergeBytes / (Self.inlineReadBufferMin + BlockMerge<MergeRecord>.bytesPerRun)))
  }

  func packedReadBufferBytes(runs: Int) -> Int {
    readBuffer(runs, Self.packedReadBufferMin, BlockMerge<CompactRecord>.bytesPerRun)
  }

  /// The read buffer of a run otherwise.
  func inlineReadBuffer(runs: Int) -> Int {
    readBuffer(runs, Self.inlineReadBufferMin, BlockMerge<MergeRecord>.bytesPerRun)
  }

  private func readBuffer(_ runs: Int, _ minimum: Int, _ bytesPerRun: Int) -> Int {
    min(Self.readBufferMax, max(minimum, mergeBytes / max(runs, 1) - bytesPerRun))
  }
}

extension StageName {
  package static let sort = StageName(rawValue: "sort")
}

// No thread of its own: a sort receives records faster than a batch changes threads, and spills in another thread.
extension SortOptions: StagePlan {
  package var name: StageName { .sort }
  package var input: DataKind { .records }
  package var output: DataKind { .records }
  /// True: all output is written at the end.
  package var needsWriterThread: Bool { true }

  package func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink {
    var options = self
    options.threads = environment.threads
    return .records(
      Sorter(
        options: options, context: environment.context, inputShare: environment.inputShare,
        downstream: downstream.recordSink))
  }
}

// The policy for when a run is long enough to be spilled.
//
// The first run fills the memory: input that fits is never written to disk. After that, or if the input is certain not
// to fit, shorter runs are better: at the beginning nothing is sorted until the first run is full, and at the end the
// last run is sorted and written while the other threads have nothing left to do. A few more runs don't make a merge
// slower, so run length grows with the amount of data to be merged.

struct RunLengthPolicy {
  /// The minimum length of a run that is worth spilling, in bytes of memory.
  static let bytesMin = 8 << 20
  /// A run is at least 1/32 of all earlier runs together, so that their number grows only logarithmically until they
  /// are as long as the memory allows.
  static let part = 32

  private let allowsShortRuns: Bool
  private let runBytes: Int
  private var bytesInEarlierRuns = 0
  /// Whether the total amount of input was estimated.
  private(set) var isEstimated = false
  /// The run is long enough when its records take this many bytes.
  private(set) var targetBytes = Int.max

  /// Starts with the length of the first run.
  init(_ budget: SortBudget) {
    // With a single thread nothing waits for the last run.
    allowsShortRuns = budget.overlaps
    runBytes = budget.runBytes
  }

  /// Estimates the total from the `bytes` read so far and their `share` of the input, which may be unknown (nil).
  ///
  /// Input that certainly won't fit need not fill the memory before the first spill, since only reading could be done
  /// meanwhile. The share is an estimate, so the total must exceed the memory by half.
  mutating func estimate(_ bytes: Int, share: Double?) {
    isEstimated = true
    guard allowsShortRuns, targetBytes == .max, let share, share > 0 else { return }
    if Double(bytes) / share > 1.5 * Double(runBytes) { targetBytes = Self.bytesMin }
  }

  mutating func end(at bytes: Int) {
    guard allowsShortRuns else { return }
    bytesInEarlierRuns += bytes
    // Half of it first: the next run fills while this one is sorted, and should not have to wait for that.
    targetBytes = max(bytes / 2, Self.bytesMin, bytesInEarlierRuns / Self.part)
  }
}

struct BatchWriter: RunSink, CompactRecordSink, ~Copyable {
  private let dictionary: RecordFieldsDictionary
  private let meter: StageMeter
  private let downstream: any RecordSink
  private var batch = RecordBatch()
  /// The batch's index of each dictionary entry, plus one; 0 if the batch doesn't have it.
  private var indices: RigidArray<UInt16>
  private var used = RigidArray<UInt16>(capacity: RecordBatch.recordsMax)

  init(_ dictionary: consuming RecordFieldsDictionary, _ meter: StageMeter, _ downstream: any RecordSink) {
    indices = RigidArray(repeating: 0, count: dictionary.count)
    self.dictionary = dictionary
    self.meter = meter
    self.downstream = downstream
  }

  mutating func receive(first: UInt64, last: UInt64, fieldsID: UInt32) throws(Failure) {
    if batch.isFull { try flush() }
    let id = Int(fieldsID)
    if indices[id] == 0 { try internFields(id) }
    batch.append(first: first, last: last, fieldsIndex: Int(indices[id]) - 1)
  }

  mutating func receive(packed records: Span<CompactRecord>) throws(Failure) {
    var start = 0
    while start < records.count {
      if batch.isFull { try flush() }
      let count = Self.append(
        records.extracting(start..<records.count), &batch.firsts, &batch.lasts, &batch.fieldsIndices,
        indices)
      start += count
      if count == 0 { try internFields(Int(records[start].fieldsID)) }
    }
  }

  /// Appends records until the columns are full or a record's fields are missing from the batch, and returns their
  /// number.
  private static func append(
    _ records: Span<CompactRecord>, _ firsts: inout RigidArray<UInt64>, _ lasts: inout RigidArray<UInt64>,
    _ fieldsIndices: inout RigidArray<UInt32>, _ indices: borrowing RigidArray<UInt16>
  ) -> Int {
    let limit = min(records.count, firsts.freeCapacity)
    let indices = indices.span
    var count = 0
    fieldsIndices.append(addingCount: limit) { output in
      while count < limit {
        // `count` is less than `limit`, and so than the number of records.
        let index = indices[unsafe Int(records[unchecked: count].fieldsID)]
        if index == 0 { break }
        output.append(UInt32(index) &- 1)
        count &+= 1
      }
    }
    let start = firsts.count
    firsts.append(addingCount: count) { output in
      for index in 0..<count { output.append(records[index].number) }
    }
    lasts.append(copying: firsts.span.extracting(start..<start + count))
    return count
  }

  /// Adds record fields to the batch, or to the next one.
  private mutating func internFields(_ id: Int) throws(Failure) {
    var index = dictionary.intern(id, in: &batch.fieldsTable)
    if index == nil {
      try flush()
      index = dictionary.intern(id, in: &batch.fieldsTable)
    }
    // An empty batch has capacity for any record fields.
    indices[id] = UInt16(index! + 1)
    used.append(UInt16(id))
  }

  mutating func receive(first: UInt64, last: UInt64, inline fields: Span<UInt8>) throws(Failure) {
    if batch.append(first: first, last: last, recordFields: fields) { return }
    try flush()
    _ = batch.append(first: first, last: last, recordFields: fields)
  }

  mutating func flush() throws(Failure) {
    guard !batch.isEmpty else { return }
    meter.rowsOut.add(batch.count)
    try downstream.receive(&batch)
    batch.removeAll()
    for index in 0..<used.count { indices[Int(used[index])] = 0 }
    used.removeAll()
  }
}

package final class SortCheck: RecordSink {
  package struct Disorder: Equatable, Sendable {
    /// The row, counted from 1.
    package var row: UInt64
    package var previous: ClosedRange<UInt64>
    package var numbers: ClosedRange<UInt64>

    package var text: String {
      "row \(row): \(text(numbers)) comes after \(text(previous)): input is not sorted"
    }

    /// A record's numbers, as a range if two records start at the same number, since their ends decide the order.
    private func text(_ range: ClosedRange<UInt64>) -> String {
      let isRange = range.count > 1 && previous.lowerBound == numbers.lowerBound
      return isRange ? "\(range.lowerBound)..\(range.upperBound)" : "\(range.lowerBound)"
    }
  }

  package private(set) var disorder: Disorder?

  package var rowsSeen: UInt64 { row }

  private var row: UInt64 = 0
  private var previous: (first: UInt64, last: UInt64) = (0, 0)

  package init() {}

  /// Reads files one after another.
  package func read(_ files: [String], _ context: StageContext) throws(Failure) {
    let reader = RecordReader(context: context, downstream: self)
    for (index, path) in files.enumerated() {
      if index > 0 { try reader.nextInput(name: path) }
      var file = try asFailure(.sort) { () throws(SystemError) in try InputFile(path) }
      var chunk = ByteChunk()
      while try asFailure(.sort, { () throws(SystemError) in try file.read(into: &chunk) }) > 0 {
        try reader.receive(&chunk)
      }
    }
    try reader.finish()
  }

  package func receive(_ batch: inout RecordBatch) {
    for index in 0..<batch.count {
      let first = batch.firsts[index]
      let last = batch.lasts[index]
      row += 1
      guard disorder == nil else { continue }
      if first < previous.first || (first == previous.first && last > previous.last) {
        disorder = Disorder(
          row: row, previous: previous.first...max(previous.first, previous.last),
          numbers: first...max(first, last))
      }
      previous = (first, last)
    }
    batch.removeAll()
  }

  package func finish() {}
}
