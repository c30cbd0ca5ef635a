// Validates a manifest's values, each by itself and against the others, before any of them is used.
//
// Not for: the stores next to it (ManifestStore in ShardDirectories), and what no file can confirm: records per label,
// sources, date.

import CallStoreFormat
import Hashing

extension Manifest {
  /// Throws the first invalid value.
  func check() throws(ManifestError) {
    try require(maxEntries >= 1, .outOfRange, "maxEntries")
    try require(shards.count <= Self.shardsMax, .outOfRange, "shards")
    try checkOrder()
    for index in shards.indices { try checkShard(index) }
    try bootstrap?.check("bootstrap") { ManifestNames.bootstrap($0) }
    if let baseline {
      try require(Hexadecimal.sha256(baseline.contentID) != nil, .notAHash, "baseline.contentID")
    }
    for (index, source) in (sources ?? []).enumerated() {
      let isValid = source.sha256.map { Hexadecimal.sha256($0) != nil } ?? true
      try require(isValid, .notAHash, "sources[\(index)].sha256")
    }
    try require(contentID == Self.contentID(of: shards), .contradiction, "contentID")
    let sums = Manifest(shards: shards, maxEntries: maxEntries)
    try require(entries == sums.entries, .contradiction, "entries")
    try require(records == sums.records, .contradiction, "records")
  }

  /// Ids are distinct, and first numbers ascend from 1.
  private func checkOrder() throws(ManifestError) {
    var ids: Set<Int> = []
    var previous: UInt64 = 0
    for (index, shard) in shards.enumerated() {
      let key = "shards[\(index)]"
      // An id is part of a file's name, and grows by at most one per split.
      try require((1...Self.idMax).contains(shard.id), .outOfRange, "\(key).id")
      try require(ids.insert(shard.id).inserted, .notInOrder, "\(key).id")
      try require((1...StoreLimits.numberMax).contains(shard.from), .outOfRange, "\(key).from")
      try require(index > 0 || shard.from == 1, .outOfRange, "\(key).from")
      try require(shard.from > previous, .notInOrder, "\(key).from")
      previous = shard.from
    }
  }

  private func checkShard(_ index: Int) throws(ManifestError) {
    let shard = shards[index]
    let key = "shards[\(index)]"
    try shard.store.check(key) { ManifestNames.shard(shard.id, $0) }
    try require(shard.store.first.map { $0 >= shard.from } ?? true, .outOfRange, "\(key).first")
    let end = index + 1 < shards.count ? shards[index + 1].from : .max
    try require(shard.store.last.map { $0 < end } ?? true, .outOfRange, "\(key).last")
    try require(shard.store.entries.sum <= maxEntries, .outOfRange, "\(key).entries")
    try shard.checkLabels(key)
    try shard.checkDeltas(key)
    try require(shard.deltas?.isEmpty ?? true || baseline != nil, .missing, "baseline")
  }
}

/// Throws unless a value is valid.
private func require(
  _ isValid: Bool, _ reason: ManifestError.Reason, _ key: @autoclosure () -> String
) throws(ManifestError) {
  if !isValid { throw .invalid(reason, key: key()) }
}

extension Manifest.Store {
  /// Throws the first value that a store can't have. `expectedName` returns the file name for a content hash.
  fileprivate func check(
    _ key: String, _ expectedName: ([UInt8]) -> String
  ) throws(ManifestError) {
    guard let hash = Hexadecimal.sha256(contentHash) else {
      throw .invalid(.notAHash, key: "\(key).contentHash")
    }
    try require(Hexadecimal.sha256(sha256) != nil, .notAHash, "\(key).sha256")
    try require(ManifestNames.isGenerated(name), .notAName, "\(key).name")
    try require(name == expectedName(hash), .contradiction, "\(key).name")
    try require(bytes > 0, .outOfRange, "\(key).bytes")
    for kind in StoreKind.allCases {
      let (records, entries) = (records[kind], entries[kind])
      // Every record has at least one number, and there are no more entries than numbers.
      try require(entries <= StoreLimits.numberMax, .outOfRange, "\(key).entries")
      try require(
        records <= entries && (records > 0) == (entries > 0), .contradiction, "\(key).records")
    }
    try require((first == nil) == (entries.sum == 0), .contradiction, "\(key).first")
    try require((last == nil) == (first == nil), .contradiction, "\(key).last")
    guard let first, let last else { return }
    try require((1...StoreLimits.numberMax).contains(first), .outOfRange, "\(key).first")
    try require((first...StoreLimits.numberMax).contains(last), .outOfRange, "\(key).last")
    try require(entries.sum <= last - first + 1, .contradiction, "\(key).entries")
  }
}

extension Manifest.Shard {
  /// The labels' counts must add up to the shard's.
  fileprivate func checkLabels(_ key: String) throws(ManifestError) {
    if let count = labels.count {
      let isPossible =
        count >= 0 && UInt64(clamping: count) <= store.records.sum && (count > 0) == (store.records.sum > 0)
      try require(isPossible, .contradiction, "\(key).labels.count")
    }
    guard let list = labels.list else { return }
    let isConsistent =
      list.count == labels.count
      && Set(list.map { Array($0.label.utf8) }).count == list.count
      && Self.sum(list.map(\.records)) == store.records.sum
      && Self.sum(list.map(\.entries)) == store.entries.sum
    try require(isConsistent, .contradiction, "\(key).labels.list")
  }

  /// The sum, or the largest number: a manifest may hold any numbers.
  private static func sum(_ counts: [UInt64]) -> UInt64 {
    counts.reduce(0) { sum, count in
      let (sum, isOver) = sum.addingReportingOverflow(count)
      return isOver ? .max : sum
    }
  }

  /// Each chain starts with a step 1, each step applies to the result of the one before it, and the last one leads to
  /// the shard.
  fileprivate func checkDeltas(_ key: String) throws(ManifestError) {
    var start: [UInt8] = []
    var previous: Manifest.Delta?
    let deltas = deltas ?? []
    for (index, delta) in deltas.enumerated() {
      let key = "\(key).deltas[\(index)]"
      guard let from = Hexadecimal.sha256(delta.from) else { throw .invalid(.notAHash, key: "\(key).from") }
      try require(Hexadecimal.sha256(delta.to) != nil, .notAHash, "\(key).to")
      try require(Hexadecimal.sha256(delta.sha256) != nil, .notAHash, "\(key).sha256")
      try require(delta.bytes > 0, .outOfRange, "\(key).bytes")
      try require(delta.step == 1 || delta.step == (previous?.step ?? 0) + 1, .notInOrder, "\(key).step")
      if delta.step == 1 {
        start = from
      } else {
        try require(delta.from == previous?.to, .contradiction, "\(key).from")
      }
      try require(ManifestNames.isGenerated(delta.name), .notAName, "\(key).name")
      let name = ManifestNames.delta(
        id, from: start, to: Hexadecimal.sha256(store.contentHash) ?? [], step: delta.step)
      try require(delta.name == name, .contradiction, "\(key).name")
      let isLast = index + 1 == deltas.count || deltas[index + 1].step == 1
      try require(!isLast || delta.to == store.contentHash, .contradiction, "\(key).to")
      previous = delta
    }
  }
}
