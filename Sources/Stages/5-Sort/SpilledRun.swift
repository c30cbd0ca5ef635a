// A sorted run on disk, and the forms that it can have.

import SystemIO

/// How a run's records stand in its file.
enum RunFormat {
  /// Single numbers with named record fields: PackedBlock.
  case packed
  /// Single numbers: InlineBlock.
  case inline
  /// Any records, one by one: VarintRunWriter.
  case varint

  /// The most records in a block. A merge holds one block of each run decoded, and sorts as many at once: enough
  /// to make a digit's counters cheap, and little enough for the first-level cache.
  static let blockRecordsMax = 1024

  /// The most bytes in a block of a format that has blocks.
  var blockBytesMax: Int { self == .packed ? PackedBlock.bytesMax : InlineBlock.bytesMax }
}

/// A sorted run on disk.
struct SpilledRun: ~Copyable {
  let file: TemporaryFile
  let records: Int
  /// How many merges it has been through.
  let level: Int
  let format: RunFormat

  /// The file alone.
  consuming func takeFile() -> TemporaryFile { file }
}
