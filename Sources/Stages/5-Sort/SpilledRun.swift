// A sorted run on disk, and the forms that it can have.

import SystemIO

/// How a run's records stand in its file.
enum RunForm {
  /// Single numbers with named record fields: PackedBlock.
  case packed
  /// Single numbers: PlacedBlock.
  case placed
  /// Any records, one by one: LooseSpiller.
  case loose

  /// The most records in a block. A merge holds one block of each run decoded, and sorts as many at once: enough
  /// to make a digit's counters cheap, and little enough for the first-level cache.
  static let blockRecordsMax = 1024

  /// The most bytes in a block of a form that has blocks.
  var blockBytesMax: Int { self == .packed ? PackedBlock.bytesMax : PlacedBlock.bytesMax }
}

/// A sorted run on disk.
struct SpilledRun: ~Copyable {
  let file: TemporaryFile
  let records: Int
  /// How many merges it has been through.
  let level: Int
  let form: RunForm

  /// The file alone.
  consuming func takeFile() -> TemporaryFile { file }
}
