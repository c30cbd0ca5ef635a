// The boundaries and the ids of shards: which shard a number belongs to.
//
// Without a baseline, a shard ends when it has reached its capacity, and the next one starts with the next
// number. With a baseline, each shard contains all numbers from its boundary up to the next; ShardTarget
// splits a shard that has become too full.

import CallManifest
import CallStoreFormat
import CallStoreReader
import Records
import StoreWriting
import SystemIO

/// The shards of an output, one after another.
struct ShardBoundaries {
  struct Slot {
    /// The shard's id, which is the number of the extension.
    var id: Int
    /// The first number that may be in the shard.
    var from: UInt64
    /// The last number that may be in the shard; `UInt64.max` for the last shard.
    var last: UInt64
    /// The number of entries at which the shard ends; `UInt64.max` with a baseline.
    var capacity: UInt64
    var baseline: ManifestStore?
  }

  let maxEntries: UInt64
  let capacity: UInt64
  let shardsMax: Int
  private let baseline: Baseline?
  /// The number of the baseline's shards that were returned.
  private var given = 0
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
      .emit, .badData, "too-many-shards",
      "the numbers need more than \(Figures.grouped(UInt64(shardsMax))) shards of \(Figures.grouped(capacity))"
        + (entries == 0 ? "" : ": stopped after \(Figures.grouped(entries)) numbers"),
      hint: shardsMax == EmitOptions.shardsMax
        ? "check the ranges: is one longer than intended?"
        : "allow more with \(option: "shards"); no file was replaced")
  }
}

// The published state that new shards and deltas build on: a manifest and its stores, checked before they are
// used.

/// A directory of shards whose boundaries are kept, and from which deltas start.
struct Baseline: Sendable {
  /// The identity of all shards together.
  let contentID: String
  /// The shards in the order of their numbers; the first one starts at 1.
  let shards: [ShardFolder.Shard]

  /// Reads the manifest of a directory of shards, named in any way that ``ListInput`` accepts, and checks the headers of
  /// its stores.
  init(_ path: String, calls: any SystemCalls) throws(Failure) {
    do throws(Failure) {
      let directory = try ListInput.directory(path, calls: calls, .baseline)
      try directory.checkHeaders()
      contentID = directory.contentID
      shards = directory.shards
    } catch {
      throw error.of(.emit)
    }
  }
}

// MARK: - Splits a shard that has become too full into several shards of the same size
//
// A shard is first written like any other. If its count at the end exceeds the maximum, it is read back from
// its unnamed file and written again in pieces. So nothing is held in memory, and shards that fit cost
// nothing extra.

/// Writes the pieces of a sealed shard that is too full.
struct ShardSplit: ~Copyable {
  private let source: CallStore
  private let path: String
  private var walk: RecordWalk
  /// The number of the current record's numbers that were already written.
  private var taken: UInt64 = 0
  /// The maximum number of labels counted by reference before their bytes are read.
  private static let referencesMax = 4096

  /// Starts at the first record. The path is for messages.
  init(_ source: consuming CallStore, path: String) {
    walk = RecordWalk(source)
    self.source = source
    self.path = path
  }

  static func open(_ file: borrowing StoreFile, path: String) throws(Failure) -> CallStore {
    do throws(CallStoreError) {
      return try CallStore(descriptor: file.descriptor)
    } catch {
      throw .invalidStore(.unreadable(error), path: path)
    }
  }

  /// The first number of the next piece; nil after the last piece.
  mutating func nextNumber() throws(Failure) -> UInt64? {
    try hasRecord() ? walk.first + taken : nil
  }

  /// Writes the next `count` numbers to a piece. Returns 1 if a range was cut at the piece's end, otherwise 0.
  mutating func write(
    _ count: UInt64, to piece: inout StoreFile, _ tally: inout ShardLabelCounter
  ) throws(Failure) -> Int {
    var left = count
    var counts: [StoreLabel: ShardLabelCounter.Count] = [:]
    while left > 0, try hasRecord() {
      let first = walk.first + taken
      let last = min(walk.last, first + (left - 1))
      let label = walk.label
      try piece.append(first: first, last: last, kind: walk.kind, label: label, of: source)
      let entries = last - first + 1
      counts[label, default: ShardLabelCounter.Count()].records += 1
      counts[label, default: ShardLabelCounter.Count()].entries += entries
      if counts.count >= Self.referencesMax { addCounts(&counts, to: &tally) }
      left -= entries
      if last == walk.last {
        walk.advance()
        taken = 0
      } else {
        taken += entries
      }
    }
    addCounts(&counts, to: &tally)
    return taken > 0 ? 1 : 0
  }

  /// Adds the counts by the labels' bytes, because a store may contain the same label several times.
  private func addCounts(
    _ counts: inout [StoreLabel: ShardLabelCounter.Count], to tally: inout ShardLabelCounter
  ) {
    for (label, count) in counts {
      let bytes = source.bytes(of: label)
      // UInt8 has no padding and no invalid values.
      let copy = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
      tally.add(copy, count)
    }
    counts = [:]
  }

  private mutating func hasRecord() throws(Failure) -> Bool {
    do throws(CallStoreError) {
      return try walk.hasRecord(source)
    } catch {
      throw .invalidStore(.unreadable(error), path: path)
    }
  }
}

extension StoreFile {
  /// Appends a record whose label is in another store.
  mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: StoreLabel, of store: borrowing CallStore
  ) throws(Failure) {
    let bytes = store.bytes(of: label)
    try append(first: first, last: last, kind: kind, label: Span<UInt8>(_bytes: bytes), row: 0)
  }
}
