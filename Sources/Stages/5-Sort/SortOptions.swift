// The options of `sort`, and how it divides its memory.

import SystemIO

/// The options of `sort`.
package struct SortOptions: Equatable, Sendable {
  /// The default memory: 64 MiB.
  package static let defaultMemory = 64 << 20
  /// The minimum memory: the merge needs a buffer for each of its runs.
  package static let memoryMin = 12 << 20

  /// The maximum memory that is useful: two runs of 4 GiB and what they need. More is never touched.
  package static let memoryUsefulMax =
    2 * RunBuffer.bytesUsedMax + SortBudget.fixedBytes + SortBudget.dictionaryBytesMax

  /// The memory for the whole stage, in bytes.
  package var memory: Int
  /// The directory for spill files.
  package var temporaryDirectory: String
  /// With more than one thread, a run is sorted and spilled in a separate thread while the next one fills.
  package var threads: Int

  /// Makes options.
  package init(
    memory: Int = SortOptions.defaultMemory, temporaryDirectory: String = TemporaryFile.defaultDirectory,
    threads: Int = 1
  ) {
    self.memory = memory
    self.temporaryDirectory = temporaryDirectory
    self.threads = threads
  }
}

extension SortOptions {
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
  /// The number of threads that sort a run together.
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
      min(
        Self.mergeRunsMax, mergeBytes / (Self.inlineReadBufferMin + BlockMerge<MergeRecord>.bytesPerRun)))
  }

  /// The read buffer of a run when all runs are packed.
  func packedReadBufferBytes(runs: Int) -> Int {
    readBuffer(runs, Self.packedReadBufferMin, BlockMerge<PackedRecord>.bytesPerRun)
  }

  /// The read buffer of a run otherwise.
  func inlineReadBuffer(runs: Int) -> Int {
    readBuffer(runs, Self.inlineReadBufferMin, BlockMerge<MergeRecord>.bytesPerRun)
  }

  private func readBuffer(_ runs: Int, _ minimum: Int, _ bytesPerRun: Int) -> Int {
    min(Self.readBufferMax, max(minimum, mergeBytes / max(runs, 1) - bytesPerRun))
  }
}
