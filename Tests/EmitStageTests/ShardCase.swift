// A directory of shards as the tests read it, and the naive model of its expected contents.
//
// The model expands every range and has no streams: a shard of the baseline gets the records between its boundary and
// the next one, cut there; one with too many numbers is cut into pieces of the same size.

import CallDeltaReader
import CallStoreFormat
import CallStoreReader
import FoundationEssentials
import RecordStages
import Records
import StoreWriting
import SystemIO
import SystemPackage
import TestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A record of a store.
struct ShardEntry: Equatable {
  var first: UInt64
  var last: UInt64
  var label: String
  var kind: StoreKind
  var count: UInt64 { last - first + 1 }
}

/// A shard of the model, or one that was read from a directory.
struct ShardState: Equatable {
  var id: Int
  var from: UInt64
  var entries: [ShardEntry]
  var count: UInt64 { entries.reduce(0) { $0 + $1.count } }
}

/// The parts of a manifest that the tests read.
struct ReadManifest: Decodable {
  struct ByKind: Decodable, Equatable {
    var blocking: UInt64
    var identification: UInt64
  }
  struct Delta: Decodable {
    var name: String
    var bytes: Int
    var step: Int
    var from: String
    var to: String
    var removals: UInt64
    var additions: UInt64
  }
  struct Labels: Decodable {
    struct Use: Decodable {
      var label: String
      var records: UInt64
      var entries: UInt64
    }
    var count: Int?
    var list: [Use]?
  }
  struct Shard: Decodable {
    var id: Int
    var from: UInt64
    var first: UInt64?
    var last: UInt64?
    var name: String
    var bytes: Int
    var contentHash: String
    var records: ByKind
    var entries: ByKind
    var labels: Labels
    var deltas: [Delta]?
  }
  struct Store: Decodable {
    var name: String
    var entries: ByKind
  }
  struct Source: Decodable {
    var name: String
    var bytes: UInt64?
    var sha256: String?
  }
  var contentID: String
  var date: String?
  var shards: [Shard]
  var bootstrap: Store?
  var sources: [Source]?

  init(_ directory: String) throws {
    let bytes = try fileBytes(directory + "/manifest.json")
    self = try JSONDecoder().decode(ReadManifest.self, from: Data(bytes))
  }
}

/// Reads a file.
func fileBytes(_ path: String) throws -> [UInt8] {
  var file = try InputFile(path)
  var chunk = ByteChunk()
  var bytes: [UInt8] = []
  while try file.read(into: &chunk) > 0 {
    bytes.append(copying: chunk.span)
    chunk.removeAll()
  }
  return bytes
}

/// Reads the records of a store.
func entries(of path: String) throws -> [ShardEntry] {
  let store = try CallStore(path: path)
  var cursor = StoreCursor(store)
  var batch = StoreBatch(capacity: 64)
  var entries: [ShardEntry] = []
  while try cursor.nextRecords(of: store, into: &batch) {
    for index in 0..<batch.count {
      entries.append(
        ShardEntry(
          first: batch.firsts[index], last: batch.lasts[index], label: store.text(of: batch.labels[index]),
          kind: batch.kinds[index]))
    }
  }
  return entries
}

/// Reads the shards that a directory's manifest names.
func shards(in directory: String) throws -> [ShardState] {
  try ReadManifest(directory).shards.map { shard in
    ShardState(id: shard.id, from: shard.from, entries: try entries(of: directory + "/" + shard.name))
  }
}

/// Removes a directory that has no directories in it.
func removeDirectory(_ path: String) {
  for name in (try? Directory.names(path)) ?? [] {
    try? KernelCalls().unlink(FilePath(path + "/" + name))
  }
  _ = unsafe rmdir(path)
}

/// The expected shards for records.
struct ShardModel {
  var maxEntries: UInt64
  var fillPercent: UInt64?
  var capacity: UInt64 { fillPercent.map { max(1, maxEntries * $0 / 100) } ?? maxEntries }

  /// Cuts records into pieces with the given counts of numbers.
  static func cut(_ entries: [ShardEntry], _ sizes: [UInt64]) -> [[ShardEntry]] {
    var pieces: [[ShardEntry]] = []
    var rest = entries[...]
    for size in sizes {
      var left = size
      var piece: [ShardEntry] = []
      while left > 0, let entry = rest.popFirst() {
        var head = entry
        if entry.count > left {
          head.last = entry.first + left - 1
          var tail = entry
          tail.first = head.last + 1
          rest = [tail] + rest
        }
        piece.append(head)
        left -= head.count
      }
      pieces.append(piece)
    }
    return pieces
  }

  /// The expected shards without a baseline.
  func shards(of entries: [ShardEntry]) -> [ShardState] {
    let count = entries.reduce(0) { $0 + $1.count }
    let sizes = [UInt64](repeating: capacity, count: Int((count + capacity - 1) / capacity))
    return Self.cut(entries, sizes).enumerated().map { index, piece in
      ShardState(id: index + 1, from: index == 0 ? 1 : piece[0].first, entries: piece)
    }
  }

  /// The expected shards with the boundaries of a baseline.
  func shards(of entries: [ShardEntry], keeping old: [ShardState]) -> [ShardState] {
    guard !old.isEmpty else { return shards(of: entries) }
    var result: [ShardState] = []
    var nextID = (old.map(\.id).max() ?? 0) + 1
    for (index, shard) in old.enumerated() {
      let end = index + 1 < old.count ? old[index + 1].from - 1 : UInt64.max
      let own = entries.compactMap { entry -> ShardEntry? in
        guard entry.last >= shard.from, entry.first <= end else { return nil }
        var own = entry
        own.first = max(entry.first, shard.from)
        own.last = min(entry.last, end)
        return own
      }
      let count = own.reduce(0) { $0 + $1.count }
      guard count > maxEntries else {
        result.append(ShardState(id: shard.id, from: shard.from, entries: own))
        continue
      }
      let pieces = (count + capacity - 1) / capacity
      let sizes = (0..<pieces).map { count / pieces + ($0 < count % pieces ? 1 : 0) }
      for (at, piece) in Self.cut(own, sizes).enumerated() {
        if at == 0 {
          result.append(ShardState(id: shard.id, from: shard.from, entries: piece))
        } else {
          result.append(ShardState(id: nextID, from: piece[0].first, entries: piece))
          nextID += 1
        }
      }
    }
    return result
  }
}
