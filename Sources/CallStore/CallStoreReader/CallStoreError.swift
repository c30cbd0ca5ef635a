// Why a store can't be read. The error carries data; the caller writes the message.

/// A part of a store file.
public enum StoreSection: Equatable, Sendable {
  /// The first 16 bytes.
  case head
  /// The fixed-size trailer at the end.
  case trailer
  /// The label table.
  case labels
  /// The label codes that blocks share.
  case codes
  /// The block index.
  case index
  /// The section for additions of newer minor versions.
  case extensions
  /// A block, by its index.
  case block(Int)
}

/// Why a store can't be read.
public enum CallStoreError: Error, Equatable, Sendable {
  /// The file can't be opened or mapped; the value is the `errno`. Pipes and directories can't be mapped.
  case cannotOpen(Int32)
  /// The file does not start like a store.
  case notAStore
  /// The file has a version of the format that this reader does not support.
  case unsupportedVersion(Int)
  /// The file starts like a store, but its end is missing.
  case truncated
  /// A checksum is wrong, or the section's fields contradict each other.
  case damaged(StoreSection)
}

/// A block or a label code is damaged. The caller adds which one.
struct BlockError: Error {}
