// The boundaries and the ids of shards: which shard a number belongs to.
//
// Without a baseline, a shard ends when it has reached its capacity, and the next one starts with the next number. With
// a baseline, each shard contains all numbers from its boundary up to the next; ShardTarget splits a shard that has
// become too full.

import CallManifest
import CallStoreFormat
import Records
import StoreWriting

/// The shards of an output, one after another.
struct ShardBoundaries {
  /// The plan of one shard.
  struct Slot {
    /// The shard's id, which is the number of the extension.
    var id: Int
    /// The first number that may be in the shard.
    var from: UInt64
    /// The last number that may be in the shard; `UInt64.max` for the last shard.
    var last: UInt64
    /// The number of entries at which the shard ends; `UInt64.max` with a baseline.
    var capacity: UInt64
    /// The shard's store in the baseline.
    var baseline: ManifestStore?
  }

  let maxEntries: UInt64
  /// The number of entries in a new shard.
  let capacity: UInt64
  /// The maximum number of shards.
  let shardsMax: Int
  private let baseline: Baseline?
  /// The number of the baseline's shards that were returned.
  private var given = 0
  /// The number of new shards.
  private var made = 0
  private var idLast: Int

  init(_ options: EmitOptions, _ baseline: Baseline?) throws(Failure) {
    maxEntries = options.maxEntries
    capacity = options.shards.capacity(options.maxEntries)
    shardsMax = options.shards.shards ?? EmitOptions.shardsMax
    // A baseline without shards has no boundaries to keep.
    self.baseline = baseline.flatMap { $0.shards.isEmpty ? nil : $0 }
    idLast = baseline?.shards.map(\.id).max() ?? 0
    guard (baseline?.shards.count ?? 0) <= shardsMax else { throw tooMany(entries: 0) }
  }

  /// Whether the shard boundaries of a baseline are kept.
  var isKept: Bool { baseline != nil }

  /// The number of shards so far: those of the baseline and the new ones.
  private var count: Int { (baseline?.shards.count ?? 0) + made }

  /// The next shard of the baseline; nil after the last.
  mutating func nextKept() -> Slot? {
    guard let shards = baseline?.shards, given < shards.count else { return nil }
    let shard = shards[given]
    given += 1
    return Slot(
      id: shard.id, from: shard.from,
      last: given < shards.count ? shards[given].from - 1 : .max, capacity: .max,
      baseline: shard.store)
  }

  /// A new shard that starts at a number. `entries` is the number of entries in the shards so far, for messages.
  mutating func next(from number: UInt64, entries: UInt64) throws(Failure) -> Slot {
    let isFirst = count == 0
    let id = try nextID(entries: entries)
    return Slot(
      id: id, from: isFirst ? StoreLimits.numberMin : number, last: .max, capacity: capacity)
  }

  /// The id of a new shard. `entries` is the number of entries in the shards so far, for messages.
  mutating func nextID(entries: UInt64) throws(Failure) -> Int {
    guard count < shardsMax, idLast < Manifest.idMax else { throw tooMany(entries: entries) }
    made += 1
    idLast += 1
    return idLast
  }

  /// The number of shards into which a shard with `entries` entries is split; 1 if it fits.
  func pieces(of entries: UInt64) -> UInt64 {
    if entries <= maxEntries { return 1 }
    return entries / capacity + (entries % capacity == 0 ? 0 : 1)
  }

  /// The maximum number of entries in the current shard: with more, splitting it would exceed the maximum number of
  /// shards.
  var entriesMax: UInt64 {
    let (splitCapacity, isOver) = capacity.multipliedReportingOverflow(by: UInt64(shardsMax - count + 1))
    return isOver ? .max : max(maxEntries, splitCapacity)
  }

  /// The error that the shards exceed their maximum number.
  func tooMany(entries: UInt64) -> Failure {
    Failure(
      .emit, EmitError.tooManyShards(limit: shardsMax, maxEntries: capacity, entries: entries))
  }
}
