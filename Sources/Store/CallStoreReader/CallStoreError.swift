// Why a store can't be read. It carries data; whoever shows it makes the sentence.

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
  /// What a newer minor version added.
  case extensions
  /// A block, by its place in the index.
  case block(Int)
}

/// Why a store can't be read.
public enum CallStoreError: Error, Equatable, Sendable {
  /// The file can't be opened or mapped; the value is the `errno`. Pipes and directories can't be mapped.
  case cannotOpen(Int32)
  /// The file does not start as a store does.
  case notAStore
  /// A version of the format that this reader does not know.
  case unsupportedVersion(Int)
  /// The file starts as a store does and lacks its end.
  case truncated
  /// A checksum fails, or what it guards contradicts itself.
  case damaged(StoreSection)
}

/// What decoding a block throws; the caller knows which block it was.
struct BlockError: Error {}
