// What `emit` can be told of a directory of shards.

/// What `emit` can be told of a directory of shards.
public struct ShardOptions: Equatable, Sendable {
  /// The most entries of a bootstrap store. They are held in memory, some 40 bytes each and their labels.
  public static let bootstrapMax = 100_000

  /// The most shards: an app has so many extensions; nil for ``EmitOptions/shardsMax``.
  public var shards: Int?
  /// How full a new shard is made, in percent of the most entries; nil for 100.
  public var fillPercent: Int?
  /// The manifest whose boundaries are kept and to which deltas lead from, or its directory; `none` for none.
  public var baseline: String?
  /// Further manifests to which deltas lead from, the newest first; their boundaries count for nothing. Of a state that
  /// `baseline` has too there are no two deltas.
  public var olderBaselines: [String] = []
  /// Whether a baseline only gives the boundaries.
  public var leavesOutDeltas = false
  /// How many of the strongest entries go into a store of their own; nil for no such store.
  public var bootstrap: Int?
  /// A date for the manifest.
  public var date: String?
  /// The most single numbers to add in one delta; nil for as many as a store takes.
  public var deltaEntries: UInt64?
  /// Whether a run leaves the hashes of its sources out of the manifest.
  public var leavesOutSourceHashes = false

  /// Makes options: no baseline, full shards, as many as there may be.
  public init() {}

  /// So many entries a shard has when it is made.
  func capacity(_ maxEntries: UInt64) -> UInt64 {
    guard let fillPercent else { return maxEntries }
    let percent = UInt64(clamping: fillPercent)
    return max(1, maxEntries / 100 * percent + maxEntries % 100 * percent / 100)
  }
}
