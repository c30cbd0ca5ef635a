// What `sort` can be told.

public import SystemIO

/// What `sort` can be told.
public struct SortOptions: Equatable, Sendable {
  /// The memory unless told otherwise: 64 MiB.
  public static let defaultMemory = 64 << 20
  /// The least memory that sorts at all: the merge needs a buffer for each of its runs.
  public static let memoryMin = 12 << 20

  /// The most memory that is of use: two runs of 4 GiB, and what goes with them. More is not touched.
  public static let memoryUsefulMax =
    2 * RunBuffer.bytesUsedMax + SortBudget.fixedBytes + SortBudget.dictionaryBytesMax

  /// The memory for everything the stage holds, in bytes.
  public var memory: Int
  /// Where spill files go.
  public var temporaryDirectory: String
  /// With more than one a run is sorted and spilled in a thread of its own while the next one fills.
  public var threads: Int

  /// Makes options.
  public init(
    memory: Int = SortOptions.defaultMemory, temporaryDirectory: String = TemporaryFile.defaultDirectory,
    threads: Int = 1
  ) {
    self.memory = memory
    self.temporaryDirectory = temporaryDirectory
    self.threads = threads
  }
}

extension SortOptions {
  /// The most address space that the stage reserves, in bytes. Which kind of records a run is full of is not known before,
  /// so each kind has room for a whole run; what no record uses is never touched.
  public var reservedBytesMax: Int {
    // Packed records, placed records, ranges, record fields, and the merge's read buffers.
    5 * min(memory, Self.memoryUsefulMax)
  }
}

/// How the memory is shared out. The parts add up to `--memory`.
struct SortBudget {
  /// The most runs one merge reads: more would take more files than a process may open, and smaller buffers.
  static let mergeRunsMax = 128
  /// The most runs there can be at once: a group less one of each level, and no list is long enough for level 8.
  static let runsMax = mergeRunsMax * 8
  /// The usual read buffer of a run in a merge.
  static let readBufferMax = 512 << 10
  /// Batches, the spill's write buffer, and the tables of a merge.
  static let fixedBytes = 2 << 20
  /// The record fields that are known by a small number.
  static let dictionaryBytesMax = 1 << 20

  /// The least memory with which runs are formed by two threads. Below, the halves would be so small that a merge of
  /// ``mergeRunsMax`` runs found no room beside the run that fills.
  static let overlapMin = 40 << 20
  /// The least read buffer of a run of packed records: two blocks, twice over.
  static let packedReadBufferMin = 36 << 10
  /// The least read buffer of any other run: a block in each half, or the longest record.
  static let inlineReadBufferMin = 2 * InlineBlock.bytesMax

  let runBytes: Int
  let mergeBytes: Int
  /// Whether one run fills while another is spilled; each has ``runBytes``.
  let overlaps: Bool

  init(memory: Int, threads: Int = 1) {
    let free = max(memory, SortOptions.memoryMin) - Self.fixedBytes - Self.dictionaryBytesMax
    overlaps = threads > 1 && memory >= Self.overlapMin
    runBytes = overlaps ? free / 2 : free
    mergeBytes = runBytes
  }

  init(runBytes: Int, mergeBytes: Int, overlaps: Bool = false) {
    self.runBytes = runBytes
    self.mergeBytes = mergeBytes
    self.overlaps = overlaps
  }

  /// The most runs that one merge reads when not all of them are packed.
  var inlineMergeRunsMax: Int {
    // With less than the least memory, as in tests, a few must do.
    max(
      4,
      min(
        Self.mergeRunsMax, mergeBytes / (Self.inlineReadBufferMin + BlockMerge<MergeRecord>.bytesPerRun)))
  }

  /// The read buffer of a run when all are packed.
  func packedReadBufferBytes(runs: Int) -> Int {
    readBuffer(runs, Self.packedReadBufferMin, BlockMerge<PackedRecord>.bytesPerRun)
  }

  /// The read buffer of a run otherwise.
  func inlineReadBuffer(runs: Int) -> Int {
    readBuffer(runs, Self.inlineReadBufferMin, BlockMerge<MergeRecord>.bytesPerRun)
  }

  private func readBuffer(_ runs: Int, _ least: Int, _ bytesPerRun: Int) -> Int {
    min(Self.readBufferMax, max(least, mergeBytes / max(runs, 1) - bytesPerRun))
  }
}
