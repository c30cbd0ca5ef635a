// Writes the shards of a database from its spilled rows, in several threads.
//
// Not for: the files of one group (ShardGroup), or the names that the directory has besides (LookupFolder).

import Records
import StoreWriting
import Synchronization
import SystemIO
import SystemPackage

/// The shards of one database.
struct ShardFiles {
  /// The maximum number of threads: each has 8 MiB of buffers.
  private static let threadsMax = 4

  /// The database.
  let use: LookupUse
  /// The function that chooses a number's shard.
  let function: ShardFunction
  /// The directory.
  let directory: FilePath
  /// The directory with files that may be the same.
  let baseline: LookupBaseline?
  let calls: any SystemCalls

  /// The number of groups: the shards of a group have the same low bits in their indices.
  private var groups: Int { min(function.shards, RowSpill.partitions) }

  /// Writes all shards. The groups are divided among the threads.
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

  /// Writes the shards of one group.
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
