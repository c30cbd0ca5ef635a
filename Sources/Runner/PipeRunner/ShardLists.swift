// Directories of shards as lists of a set operation: emit's stage knows manifests, the sets' stage reads stores, and no
// stage knows another.

import EmitStage
public import PipeStage
public import SetStage

/// Opens directories of shards for set operations.
public enum ShardLists {
  /// What gives a set operation the stores of a directory.
  public static func opening(_ context: StageContext) -> ShardOpening {
    let (stage, calls) = (context.stage, context.calls)
    return { (directory: String) throws(StageError) -> [String] in
      guard ShardStores.hasManifest(directory) else {
        throw StageError(stage, SetError.noManifest(directory: directory))
      }
      do throws(ManifestError) {
        return try ShardStores.checked(directory, calls: calls)
      } catch {
        throw StageError(stage, error)
      }
    }
  }
}
