// Writes the shards of a database from its spilled rows, in several threads.

import BasicContainers
import Hashing
import Records
import StoreWriting
import Synchronization
import SystemIO
import SystemPackage

struct ShardFiles {
  /// The maximum number of threads: each has 8 MiB of buffers.
  private static let threadsMax = 4

  let use: CallerIDUse
  let function: ShardFunction
  let directory: FilePath
  /// The directory with files that may be the same.
  let baseline: CallerIDBaseline?
  let calls: any SystemCalls

  /// The number of groups: the shards of a group have the same low bits in their indices.
  private var groups: Int { min(function.shards, RowSpill.partitions) }

  func write(_ rows: SpilledRows, threads: Int) throws(Failure) -> [WrittenShard] {
    let work = ShardWork(self, rows, threads: max(1, min(threads, Self.threadsMax, groups)))
    var started: [WorkerThread] = []
    var failure: Failure?
    for index in 0..<work.threads where index > 0 {
      do throws(SystemError) {
        started.append(try WorkerThread(name: "shards") { work.execute(index) })
      } catch {
        failure = Failure(.emit, error)
        break
      }
    }
    if failure == nil { work.execute(0) }
    for thread in started { thread.join() }
    if let failure = failure ?? work.failure { throw failure }
    return work.shards
  }

  fileprivate func writeGroup(
    _ group: Int, _ rows: SpilledRows, _ padding: PaddingRows
  ) throws(Failure) -> [WrittenShard] {
    let indices = Array(stride(from: group, to: function.shards, by: groups))
    var files = ShardGroup(indices.map { directory.appending(use.database($0)) }, calls: calls)
    try files.write(rows, partitions: Array(stride(from: group, to: RowSpill.partitions, by: groups)))
    try files.finish { (index, bytes) in
      padding.append(rowOf: indices[index], to: &bytes)
    } baseline: { (index, sha256) in
      baseline?.file(use, indices[index], of: function.shards, sha256: sha256)
    }
    return files.shards
  }

  /// The work of all threads.
  ///
  private final class ShardWork: Sendable {
    let threads: Int
    private let files: ShardFiles
    private let rows: SpilledRows
    private let padding: PaddingRows
    private let state: Mutex<(shards: [WrittenShard], failure: Failure?)>

    init(_ files: ShardFiles, _ rows: SpilledRows, threads: Int) {
      self.files = files
      self.rows = rows
      self.threads = threads
      padding = PaddingRows(files.use, files.function)
      state = Mutex((Array(repeating: WrittenShard(), count: files.function.shards), nil))
    }

    var shards: [WrittenShard] { state.withLock { $0.shards } }
    var failure: Failure? { state.withLock { $0.failure } }

    /// Writes the groups of a thread, until one fails.
    func execute(_ thread: Int) {
      for group in stride(from: thread, to: files.groups, by: threads) {
        if failure != nil { return }
        do throws(Failure) {
          let written = try files.writeGroup(group, rows, padding)
          state.withLock { state in
            for (index, shard) in written.enumerated() { state.shards[group + index * files.groups] = shard }
          }
        } catch {
          state.withLock { $0.failure = $0.failure ?? error }
        }
      }
    }
  }
}

// MARK: - Writes the files of some shards

struct WrittenShard: Sendable {
  var rows = 0
  var bytes: UInt64 = 0
  var tableBytes = 0
  var longestValue = 0
  var sha256: [UInt8] = []
}

/// The shards of a group: their indices have the same low bits. A row is written to the shard of its hash, in the order of
/// numbers.
struct ShardGroup: ~Copyable {
  /// The number of bytes that the shards of a group hold before they are written, all together.
  private static let pendingBytesMax = 4 << 20
  private static let shardBytesMax = 128 << 10

  private let calls: any SystemCalls
  private let paths: [FilePath]
  private let flushBytes: Int
  private var pending: UniqueArray<UniqueArray<UInt8>>
  private var hashers: [SHA256Hasher]
  private(set) var shards: [WrittenShard]

  init(_ paths: [FilePath], calls: any SystemCalls) {
    self.calls = calls
    self.paths = paths
    flushBytes = min(Self.shardBytesMax, Self.pendingBytesMax / paths.count)
    pending = UniqueArray(minimumCapacity: paths.count)
    for _ in paths { pending.append(UniqueArray(minimumCapacity: 0)) }
    hashers = Array(repeating: SHA256Hasher(), count: paths.count)
    shards = Array(repeating: WrittenShard(), count: paths.count)
  }

  mutating func write(_ rows: SpilledRows, partitions: [Int]) throws(Failure) {
    guard partitions.count == 1 else { return try merge(rows, partitions) }
    var reader = PartitionReader(rows, partitions[0])
    while try reader.advance() { try add(reader, to: Int(reader.selector) % paths.count) }
  }

  private mutating func merge(_ rows: SpilledRows, _ partitions: [Int]) throws(Failure) {
    var readers = UniqueArray<PartitionReader>(minimumCapacity: partitions.count)
    var tree = LoserTree(runs: partitions.count)
    for (index, partition) in partitions.enumerated() {
      readers.append(PartitionReader(rows, partition))
      if try readers[index].advance() { tree.set(index, first: readers[index].number, last: 0) }
    }
    tree.build()
    while !tree.isEmpty {
      let winner = tree.winner
      try add(readers[winner], to: 0)
      let isAtEnd = try !readers[winner].advance()
      tree.replaceWinner(first: isAtEnd ? .max : readers[winner].number, last: 0)
    }
  }

  private mutating func add(_ reader: borrowing PartitionReader, to index: Int) throws(Failure) {
    pending[index].append(copying: reader.span.extracting(reader.row))
    shards[index].rows += 1
    shards[index].tableBytes += CuckooTable.rowBytes + reader.valueBytes
    shards[index].longestValue = max(shards[index].longestValue, reader.valueBytes)
    if pending[index].count >= flushBytes { try flush(index) }
  }

  /// Appends to a shard's file. It is opened each time, because there may be more shards than a process may open files.
  private mutating func flush(_ index: Int) throws(Failure) {
    var bytes = UniqueArray<UInt8>(minimumCapacity: 0)
    swap(&bytes, &pending[index])
    do throws(Errno) {
      let file = try calls.open(
        paths[index], .writeOnly, [.create, .append], FilePermissions(rawValue: 0o666))
      defer { try? calls.close(file) }
      try calls.writeAll(file, bytes.span)
    } catch {
      throw Failure(.emit, SystemError(.writeOutput, paths[index].string, error))
    }
    hashers[index].update(bytes.span)
    shards[index].bytes += UInt64(bytes.count)
    bytes.removeAll(keepingCapacity: true)
    swap(&bytes, &pending[index])
  }

  /// Completes the shards. `pad` appends a row for a shard that has none; `baseline` returns a file with the same bytes as
  /// the shard with a hash.
  mutating func finish(
    pad: (Int, inout UniqueArray<UInt8>) -> Void, baseline: (Int, [UInt8]) -> FilePath?
  ) throws(Failure) {
    for index in paths.indices {
      if shards[index].rows == 0 { pad(index, &pending[index]) }
      if !pending[index].isEmpty { try flush(index) }
      pending[index] = UniqueArray(minimumCapacity: 0)
      shards[index].sha256 = hashers[index].digest
      if let file = baseline(index, shards[index].sha256) { try link(index, to: file) }
    }
  }

  /// Replaces a shard's file by a link to one with the same bytes. If the file system has no such links, the file stays.
  private func link(_ index: Int, to file: FilePath) throws(Failure) {
    let linked = FilePath(paths[index].string + ".linked")
    guard (try? calls.makeLink(linked, to: file)) != nil else { return }
    do throws(Errno) {
      try calls.rename(linked, to: paths[index])
    } catch {
      throw Failure(.emit, SystemError(.writeOutput, paths[index].string, error))
    }
  }
}
