// What `emit` reports without failing.

public import PipeStage

/// Something that the user should know about the outputs.
public enum EmitNotice: Equatable, StageNotice {
  /// Stores may have up to `limit` single numbers, but phones load at most `accepted`. `isDirectory`: the stores are
  /// shards of a directory.
  case maxEntriesTooHigh(limit: UInt64, accepted: UInt64, isDirectory: Bool)
}
