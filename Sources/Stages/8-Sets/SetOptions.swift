// The options of a set operation: which one, and over which lists.

import Records
import SystemIO

/// The options of a set operation.
package struct SetOptions: Equatable, Sendable {
  /// The operations that output records.
  package enum Operation: String, Sendable {
    /// All records of all lists in ascending order; a following dedupe resolves overlaps.
    case union
    /// All records of all lists in sort's order; each list must be in that order.
    case merge
    /// The first list without the numbers of the others.
    case subtract
    /// The numbers of the first list that are in every other list, too.
    case intersect
  }

  /// The maximum number of lists that are read at a time: all lists of `subtract` and `intersect`, and the fan-in of a
  /// merge. All of them stay within 24 MiB and far below the 256 files that a process may open on macOS.
  package static let listsMax = 64
  /// The memory for one list: its read buffer and its batch.
  static let listBytes = TextList.bufferBytes + RecordBatch.memoryBytes
  /// The memory besides the lists: the output's batch, and the write buffer of a spill file.
  static let fixedBytes = 2 << 20
  /// The name of standard input, which can be one of the lists.
  package static let standardInput = "-"

  /// The operation.
  package var operation: Operation
  /// The lists: files in the text form, stores, directories of shards; `-` is standard input.
  package var lists: [String]
  /// The index of the list that comes from the previous stage; nil if the stage reads all lists itself.
  package var fed: Int?
  /// The memory for the lists of a merge that are read at a time, in bytes.
  package var memory = 64 << 20
  /// The directory for the spill files of a merge of more lists than ``fanIn``.
  package var temporaryDirectory = TemporaryFile.defaultDirectory

  /// Creates options.
  package init(_ operation: Operation, lists: [String], fed: Int? = nil) {
    self.operation = operation
    self.lists = lists
    self.fed = fed
  }

  /// The number of lists that a merge reads at a time: as many as fit into ``memory``, at most ``listsMax``. If there are
  /// more, consecutive lists are merged into spill files first.
  package var fanIn: Int {
    // With less, a merge of two lists and a list from the previous stage would need no fewer levels than lists.
    max(3, min(Self.listsMax, (memory - Self.fixedBytes) / Self.listBytes))
  }
}
