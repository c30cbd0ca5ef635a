// Verifies a shard, writes the deltas that lead to it, and publishes it, optionally in a separate thread
// while the next shard is written.
//
// Reading back and syncing take about as long as writing. One shard is finished at a time, or two if there
// are more threads; the next one waits.

import CallDeltaReader
import CallManifest
import CallStoreReader
import Hashing
import Records
import StoreWriting
import Synchronization
import SystemIO
import SystemPackage

/// Finishes shards, one after another.
final class ShardFinisher {
  /// The work on one shard.
  ///
  /// `@unchecked Sendable`: created before the thread starts, used only by the thread until it is joined, and only by
  /// the joining thread afterwards.
  private final class Job: @unchecked Sendable {
    private var file: StoreFile?
    private let baselines: [ManifestStore]
    private let writer: DeltaFiles
    private let placed: PlacedFiles
    private(set) var shard: Manifest.Shard
    private(set) var failure: Failure?

    init(
      _ file: consuming StoreFile, _ shard: Manifest.Shard, _ baselines: [ManifestStore],
      _ writer: DeltaFiles,
      _ placed: PlacedFiles
    ) {
      self.file = consume file
      self.shard = shard
      self.baselines = baselines
      self.writer = writer
      self.placed = placed
    }

    func execute() {
      guard let file = file.take() else { return }
      do throws(Failure) {
        try file.verify()
        for baseline in baselines {
          guard let deltas = try writer.write(from: baseline, to: file, shard) else { continue }
          shard.deltas = (shard.deltas ?? []) + deltas
        }
        let path = writer.path(of: shard.store.name)
        // Added before the file has its name, so that a signal between the two doesn't leave the file there.
        placed.add(path)
        try file.publish(as: path)
      } catch {
        failure = error
      }
    }
  }

  /// The number of shards that are finished in threads at the same time; 0 without threads.
  private let runningMax: Int
  private let writer: DeltaFiles
  private let placed: PlacedFiles
  /// The shards that are being finished, in order.
  private var running: [(job: Job, thread: WorkerThread)] = []
  private(set) var finished: [Manifest.Shard] = []

  init(threads: Int, writer: DeltaFiles, placed: PlacedFiles) {
    runningMax = threads == 1 ? 0 : threads <= 3 ? 1 : 2
    self.writer = writer
    self.placed = placed
  }

  /// Verifies and publishes a sealed shard. Throws the error of this shard or of an earlier one; with a thread, the error of
  /// this shard is thrown by a later call or by `wait`.
  func finish(
    _ file: consuming StoreFile, _ shard: Manifest.Shard, baselines: [ManifestStore]
  ) throws(Failure) {
    let job = Job(file, shard, baselines, writer, placed)
    guard runningMax > 0 else {
      job.execute()
      return try take(job)
    }
    if running.count == runningMax { try waitForFirst() }
    let thread = try asFailure(.emit) { () throws(SystemError) in
      try WorkerThread(name: "shard") { job.execute() }
    }
    running.append((job, thread))
  }

  /// Waits for all shards that are being finished. Throws the first error.
  func wait() throws(Failure) {
    var failure: Failure?
    while !running.isEmpty {
      do throws(Failure) {
        try waitForFirst()
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  private func waitForFirst() throws(Failure) {
    let (job, thread) = running.removeFirst()
    thread.join()
    try take(job)
  }

  private func take(_ job: Job) throws(Failure) {
    if let failure = job.failure { throw failure }
    finished.append(job.shard)
  }
}

// MARK: - Writes the deltas from a shard of the baseline to the new shard with the same id

struct DeltaFiles: Sendable {
  let directory: String
  /// The maximum number of single numbers that one delta adds.
  let entriesMax: UInt64
  let placed: PlacedFiles
  let calls: any SystemCalls

  func path(of name: String) -> String {
    directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }

  /// Writes and publishes the deltas to a sealed shard. Returns nil if nothing changed.
  func write(
    from baseline: ManifestStore, to file: borrowing StoreFile, _ shard: Manifest.Shard
  ) throws(Failure) -> [Manifest.Delta]? {
    let newHash = Hexadecimal.sha256(shard.store.contentHash) ?? []
    if newHash == baseline.contentHash { return nil }
    do throws(ShardDirectoryError) {
      try baseline.verify()
    } catch {
      throw Failure(.emit, error)
    }
    let newPath = path(of: shard.store.name)
    let old = try Self.open(baseline.path) { () throws(CallStoreError) in try CallStore(path: baseline.path) }
    let descriptor = file.descriptor
    let new = try Self.open(newPath) { () throws(CallStoreError) in try CallStore(descriptor: descriptor) }
    var maker: DeltaMaker
    do throws(Failure) {
      maker = try DeltaMaker(
        from: old, at: baseline.path, to: new, at: newPath, entriesMax: entriesMax)
    } catch {
      throw error.of(.emit)
    }
    var deltas: [Manifest.Delta] = []
    for step in 1...maker.steps {
      let name = ManifestNames.delta(shard.id, from: baseline.contentHash, to: newHash, step: step)
      var output = try asFailure(.emit) { () throws(SystemError) in
        try OutputFile(path(of: name), removesLeftovers: false, calls: calls)
      }
      let summary: DeltaSummary
      do throws(Failure) {
        summary = try maker.writeNext(from: old, to: new, into: &output)
      } catch {
        throw error.of(.emit)
      }
      do throws(DeltaVerificationError) {
        try DeltaVerification.verify(descriptor: output.descriptor.rawValue)
      } catch {
        throw .invalidDelta(error, path: path(of: name))
      }
      placed.add(path(of: name))
      do throws(SystemError) {
        try output.publish()
      } catch {
        throw Failure(.emit, error)
      }
      deltas.append(Manifest.Delta(name: name, summary))
    }
    return deltas
  }

  private static func open(
    _ path: String, _ body: () throws(CallStoreError) -> CallStore
  ) throws(Failure) -> CallStore {
    do throws(CallStoreError) {
      return try body()
    } catch {
      throw .unreadableStore(error, path: path, .emit)
    }
  }
}

// The files that were published before the manifest that names them. They are removed if the manifest is not
// written.
//
// UnpublishedFiles removes them after a signal, too.

/// Published files that no manifest names yet. Any thread may add files.
final class PlacedFiles: Sendable {
  private let calls: any SystemCalls
  private let files = Mutex<[(path: String, ticket: Int)]>([])

  init(calls: any SystemCalls) {
    self.calls = calls
  }

  /// Adds a file that is about to be published. A file that already exists is not added: it has the same content, and
  /// another manifest may name it.
  func add(_ path: String) {
    if Directory.holdsFile(path, calls: calls) { return }
    files.withLock { $0.append((path, UnpublishedFiles.shared.add(FilePath(path), calls: calls))) }
  }

  /// Removes the files: the manifest was not written.
  func removeAll() {
    files.withLock { files in
      for (path, ticket) in files {
        try? calls.unlink(FilePath(path))
        UnpublishedFiles.shared.remove(ticket)
      }
      files = []
    }
  }

  /// Keeps the files: the manifest names them now.
  func keep() {
    files.withLock { files in
      for (_, ticket) in files { UnpublishedFiles.shared.remove(ticket) }
      files = []
    }
  }
}
