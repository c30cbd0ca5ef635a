// Verifies a shard, writes the deltas that lead to it, and publishes it, optionally in a separate thread while the next
// shard is written.
//
// Reading back and syncing take about as long as writing. One shard is finished at a time, or two if there are more
// threads; the next one waits.
// Not for: the manifest, which is written after all shards were published.

import CallManifest
import Records
import StoreWriting
import SystemIO

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
  /// The published shards, in order.
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
