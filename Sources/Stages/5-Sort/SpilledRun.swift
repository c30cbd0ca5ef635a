// A sorted run on disk, and its possible formats.

import SystemIO

/// The format of a run's file.
enum RunFormat {
  /// Single numbers whose record fields all have dictionary IDs: PackedBlock.
  case packed
  /// Single numbers, with inline record fields or IDs: InlineBlock.
  case inline
  /// Any records, one by one: VarintRunWriter.
  case varint

  /// The maximum number of records in a block. A merge holds one decoded block of each run, and sorts that many at a
  /// time: enough to make a digit's counters cheap, and few enough for the L1 cache.
  static let blockRecordsMax = 1024

  /// The maximum bytes of a block, for a format that has blocks.
  var blockBytesMax: Int { self == .packed ? PackedBlock.bytesMax : InlineBlock.bytesMax }
}

/// A sorted run on disk.
struct SpilledRun: ~Copyable {
  let file: TemporaryFile
  let records: Int
  /// The number of merges that produced it.
  let level: Int
  let format: RunFormat

  /// Consumes the run and returns its file.
  consuming func takeFile() -> TemporaryFile { file }
}
