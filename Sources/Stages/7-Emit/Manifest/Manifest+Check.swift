// Everything that a manifest must fulfil before anything in it is believed: each value, and what the values say of each
// other. The stores beside it are held against it by NamedStore.
//
// Not for: what no file here tells, as how many records have a label, where the sources came from, and the date.

import CallStoreFormat
import ContentHash

extension Manifest {
  /// Throws the first value that is not as it should be, by its place.
  func check(_ path: String) throws(ManifestError) {
    func demand(_ isRight: Bool, _ defect: ManifestErrorReason, _ key: String) throws(ManifestError) {
      if !isRight { throw .defect(defect, path: path, key: key) }
    }
    try demand(maxEntries >= 1, .outOfRange, "maxEntries")
    try demand(shards.count <= EmitOptions.shardsMax, .outOfRange, "shards")
    var ids: Set<Int> = []
    var previous: UInt64 = 0
    for (index, shard) in shards.enumerated() {
      let key = "shards[\(index)]"
      // An id grows by one a split at the most, and names a file.
      try demand((1...Self.idMax).contains(shard.id), .outOfRange, "\(key).id")
      try demand(ids.insert(shard.id).inserted, .notInOrder, "\(key).id")
      try demand((1...StoreLimits.numberMax).contains(shard.from), .outOfRange, "\(key).from")
      try demand(index > 0 || shard.from == 1, .outOfRange, "\(key).from")
      try demand(shard.from > previous, .notInOrder, "\(key).from")
      previous = shard.from
    }
    for (index, shard) in shards.enumerated() {
      let key = "shards[\(index)]"
      try shard.store.check(key, in: path) { ManifestNames.shard(shard.id, $0) }
      try demand(shard.store.first.map { $0 >= shard.from } ?? true, .outOfRange, "\(key).first")
      let end = index + 1 < shards.count ? shards[index + 1].from : .max
      try demand(shard.store.last.map { $0 < end } ?? true, .outOfRange, "\(key).last")
      try demand(shard.store.entries.sum <= maxEntries, .outOfRange, "\(key).entries")
      try shard.checkLabels(key, in: path)
      try shard.checkDeltas(key, in: path)
      try demand(shard.deltas?.isEmpty ?? true || baseline != nil, .missing, "baseline")
    }
    try bootstrap?.check("bootstrap", in: path) { ManifestNames.bootstrap($0) }
    if let baseline {
      try demand(Hexadecimal.sha256(baseline.contentID) != nil, .notAHash, "baseline.contentID")
    }
    for (index, source) in (sources ?? []).enumerated() {
      let isRight = source.sha256.map { Hexadecimal.sha256($0) != nil } ?? true
      try demand(isRight, .notAHash, "sources[\(index)].sha256")
    }
    try demand(contentID == Self.contentID(of: shards), .contradiction, "contentID")
    let sums = Manifest(shards: shards, maxEntries: maxEntries)
    try demand(entries == sums.entries, .contradiction, "entries")
    try demand(records == sums.records, .contradiction, "records")
  }

  /// The highest id of a shard: far beyond what splits can reach, and short enough for a file's name.
  static let idMax = 999_999
}

extension Manifest.Store {
  /// Throws what can't be of a store; `named` gives the name that goes with a content hash.
  fileprivate func check(
    _ key: String, in path: String, named: ([UInt8]) -> String
  ) throws(ManifestError) {
    func demand(_ isRight: Bool, _ defect: ManifestErrorReason, _ part: String) throws(ManifestError) {
      if !isRight { throw .defect(defect, path: path, key: "\(key).\(part)") }
    }
    guard let hash = Hexadecimal.sha256(contentHash) else {
      throw .defect(.notAHash, path: path, key: "\(key).contentHash")
    }
    try demand(Hexadecimal.sha256(sha256) != nil, .notAHash, "sha256")
    try demand(ManifestNames.isOurs(name), .notAName, "name")
    try demand(name == named(hash), .contradiction, "name")
    try demand(bytes > 0, .outOfRange, "bytes")
    for (records, entries) in [
      (records.blocking, entries.blocking), (records.identification, entries.identification),
    ] {
      // Not one without a number, nor more of them than there are numbers.
      try demand(entries <= StoreLimits.numberMax, .outOfRange, "entries")
      try demand(records <= entries && (records > 0) == (entries > 0), .contradiction, "records")
    }
    try demand((first == nil) == (entries.sum == 0), .contradiction, "first")
    try demand((last == nil) == (first == nil), .contradiction, "last")
    guard let first, let last else { return }
    try demand((1...StoreLimits.numberMax).contains(first), .outOfRange, "first")
    try demand((first...StoreLimits.numberMax).contains(last), .outOfRange, "last")
    try demand(entries.sum <= last - first + 1, .contradiction, "entries")
  }
}

extension Manifest.Shard {
  /// What is counted must add up to what the shard has.
  fileprivate func checkLabels(_ key: String, in path: String) throws(ManifestError) {
    func demand(_ isRight: Bool, _ part: String) throws(ManifestError) {
      if !isRight { throw .defect(.contradiction, path: path, key: "\(key).labels.\(part)") }
    }
    if let count = labels.count {
      try demand(
        count >= 0 && UInt64(clamping: count) <= store.records.sum && (count > 0) == (store.records.sum > 0),
        "count")
    }
    guard let list = labels.list else { return }
    try demand(list.count == labels.count, "list")
    try demand(Set(list.map { Array($0.label.utf8) }).count == list.count, "list")
    try demand(list.reduce(UInt64(0)) { $0.addingSaturated($1.records) } == store.records.sum, "list")
    try demand(list.reduce(UInt64(0)) { $0.addingSaturated($1.entries) } == store.entries.sum, "list")
  }

  /// Steps stand one behind the other, and what the last one leads to is the shard. Each way begins with a step 1.
  fileprivate func checkDeltas(_ key: String, in path: String) throws(ManifestError) {
    var start: [UInt8] = []
    var previous: Manifest.Delta?
    let deltas = deltas ?? []
    for (place, delta) in deltas.enumerated() {
      let key = "\(key).deltas[\(place)]"
      func demand(_ isRight: Bool, _ defect: ManifestErrorReason, _ part: String) throws(ManifestError) {
        if !isRight { throw .defect(defect, path: path, key: "\(key).\(part)") }
      }
      guard let from = Hexadecimal.sha256(delta.from) else {
        throw .defect(.notAHash, path: path, key: "\(key).from")
      }
      try demand(Hexadecimal.sha256(delta.to) != nil, .notAHash, "to")
      try demand(Hexadecimal.sha256(delta.sha256) != nil, .notAHash, "sha256")
      try demand(delta.bytes > 0, .outOfRange, "bytes")
      try demand(delta.step == 1 || delta.step == (previous?.step ?? 0) + 1, .notInOrder, "step")
      if delta.step == 1 {
        start = from
      } else {
        try demand(delta.from == previous?.to, .contradiction, "from")
      }
      try demand(ManifestNames.isOurs(delta.name), .notAName, "name")
      let name = ManifestNames.delta(
        id, from: start, to: Hexadecimal.sha256(store.contentHash) ?? [], step: delta.step)
      try demand(delta.name == name, .contradiction, "name")
      let isLast = place + 1 == deltas.count || deltas[place + 1].step == 1
      try demand(!isLast || delta.to == store.contentHash, .contradiction, "to")
      previous = delta
    }
  }
}
