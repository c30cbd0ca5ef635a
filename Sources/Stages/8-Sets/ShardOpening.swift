// Directories of shards as lists: whoever makes a set operation knows what a manifest is, and gives the stores.

public import PipeStage
import SystemIO
import SystemPackage

/// Gives the paths of the stores in a directory of shards, in the order of their numbers, once they were held against
/// their manifest.
public typealias ShardOpening = @Sendable (_ directory: String) throws(StageError) -> [String]

enum ShardFolder {
  /// Whether a directory stands at the path.
  static func isFolder(_ path: String) -> Bool { FileKind(of: FilePath(path)) == .directory }
}
