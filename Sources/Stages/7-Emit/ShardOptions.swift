// The options for a directory of shards.

/// The options for a directory of shards.
package struct ShardOptions: Equatable, Sendable {
  /// The maximum number of entries in a bootstrap store. They are held in memory: about 40 bytes each, and their
  /// labels.
  package static let bootstrapMax = 100_000

  /// The baseline that means "no baseline", so that a first run can say so explicitly.
  package static let noBaseline = "none"

  /// The maximum number of shards, which is the number of the app's extensions; nil for ``EmitOptions/shardsMax``.
  package var shards: Int?
  /// The number of entries in a new shard, in percent of the maximum; nil for 100.
  package var fillPercent: Int?
  /// The directory of shards whose boundaries are kept and from which deltas start, named in any way that ``ListInput``
  /// accepts; `none` for none.
  package var baseline: String?
  /// More manifests from which deltas start, the newest first. Their shard boundaries are ignored. A state that is also
  /// in `baseline` gets one delta.
  package var olderBaselines: [String] = []
  /// Whether only the shard boundaries of the baseline are used, and no deltas are written.
  package var leavesOutDeltas = false
  /// The number of the strongest entries that are also written to a bootstrap store; nil for no bootstrap store.
  package var bootstrap: Int?
  /// The date in the manifest.
  package var date: String?
  /// The maximum number of single numbers that one delta adds; nil for the maximum of a store.
  package var deltaEntries: UInt64?
  /// Whether the manifest is written without the hashes of the run's sources.
  package var leavesOutSourceHashes = false

  /// Makes the default options: no baseline, full shards, the maximum number of shards.
  package init() {}

  /// The number of entries in a new shard.
  func capacity(_ maxEntries: UInt64) -> UInt64 {
    guard let fillPercent else { return maxEntries }
    let percent = UInt64(clamping: fillPercent)
    return max(1, maxEntries / 100 * percent + maxEntries % 100 * percent / 100)
  }
}
