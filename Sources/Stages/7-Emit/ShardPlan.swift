// Where shards begin and end, and what they are called: which shard a number belongs to.
//
// Without a baseline a shard ends when it is as full as shards are made, and the next one begins with the next number.
// With one, each of its shards has the numbers from its boundary up to the next, as many as there are; whoever writes
// them splits a shard that has become too full.

import CallManifest
import CallStoreFormat
import PipeStage
import ShardDirectories

/// The shards of an output, one after another.
struct ShardPlan {
  /// A shard while it is written.
  struct Slot {
    /// The extension's number.
    var id: Int
    /// The numbers that are its own; the last shard has all there are from its boundary on.
    var from: UInt64
    var last: UInt64
    /// So many entries end it; with a baseline none does.
    var capacity: UInt64
    /// Its state in the baseline.
    var baseline: ManifestStore?
  }

  let maxEntries: UInt64
  /// So many entries a new shard is given.
  let capacity: UInt64
  /// The most shards.
  let shardsMax: Int
  private let baseline: Baseline?
  /// How many slots were given out.
  private var given = 0
  /// How many shards there are besides those of the baseline, or in all.
  private var made = 0
  private var idLast: Int

  init(_ options: EmitOptions, _ baseline: Baseline?) throws(StageError) {
    maxEntries = options.maxEntries
    capacity = options.shards.capacity(options.maxEntries)
    shardsMax = options.shards.shards ?? EmitOptions.shardsMax
    // A baseline without shards gives no boundary to keep.
    self.baseline = baseline.flatMap { $0.shards.isEmpty ? nil : $0 }
    idLast = baseline?.shards.map(\.id).max() ?? 0
    guard (baseline?.shards.count ?? 0) <= shardsMax else { throw tooMany(entries: 0) }
  }

  /// Whether the boundaries are a baseline's.
  var isKept: Bool { baseline != nil }

  /// The number of shards that must be there: those of the baseline, and those made besides.
  private var count: Int { (baseline?.shards.count ?? 0) + made }

  /// The next shard of the baseline; nil when all of them were given out.
  mutating func nextKept() -> Slot? {
    guard let shards = baseline?.shards, given < shards.count else { return nil }
    let shard = shards[given]
    given += 1
    return Slot(
      id: shard.id, from: shard.from,
      last: given < shards.count ? shards[given].from - 1 : .max, capacity: .max,
      baseline: shard.store)
  }

  /// A new shard that begins at a number; `entries` are in shards already.
  mutating func next(from number: UInt64, entries: UInt64) throws(StageError) -> Slot {
    let isFirst = count == 0
    let id = try nextID(entries: entries)
    return Slot(
      id: id, from: isFirst ? StoreLimits.numberMin : number, last: .max, capacity: capacity)
  }

  /// The id of a shard that is made besides those there are.
  mutating func nextID(entries: UInt64) throws(StageError) -> Int {
    guard count < shardsMax, idLast < Manifest.idMax else { throw tooMany(entries: entries) }
    made += 1
    idLast += 1
    return idLast
  }

  /// Into how many shards one with so many entries is split; 1 when it fits as it is.
  func pieces(of entries: UInt64) -> UInt64 {
    if entries <= maxEntries { return 1 }
    return entries / capacity + (entries % capacity == 0 ? 0 : 1)
  }

  /// So many entries in the shard at hand are more than the shards that may still be made can take.
  var entriesMax: UInt64 {
    let (room, isOver) = capacity.multipliedReportingOverflow(by: UInt64(shardsMax - count + 1))
    return isOver ? .max : max(maxEntries, room)
  }

  func tooMany(entries: UInt64) -> StageError {
    StageError(
      .emit, EmitError.tooManyShards(limit: shardsMax, maxEntries: capacity, entries: entries))
  }
}
