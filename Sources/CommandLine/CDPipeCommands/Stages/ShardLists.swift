// Directories of shards as lists of a set operation. The emit stage reads manifests, the sets' stage reads stores, and
// no stage imports another.

import EmitStage
import PipeStage
import SetStage

/// Opens directories of shards for set operations.
enum ShardLists {
  /// Returns a function that lists the stores of a directory.
  static func opening(_ context: StageContext) -> ShardOpening {
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

extension SetPlan {
  /// Makes a plan that opens directories of shards as well.
  init(_ operation: SetOptions.Operation, _ lists: [String]) {
    self.init(SetOptions(operation, lists: lists)) { ShardLists.opening($0) }
  }
}
