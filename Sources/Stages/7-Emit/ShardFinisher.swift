// Verifies a shard, writes the deltas that lead to it, and puts it in place, if wished in a thread of its own while the
// next shard is written.
//
// Reading back and syncing take about as long as writing. One shard at a time: a second one waits for the first.
// Not for: the manifest, which follows when all shards are in place.

import CallManifest
import PipeStage
import ShardDirectories
import SystemIO

/// Finishes shards, one after another.
final class ShardFinisher {
  /// A shard on its way through the thread.
  ///
  /// `@unchecked Sendable`: made before the thread starts, used by it alone until it is joined, and by whoever joined
  /// it afterwards.
  private final class Job: @unchecked Sendable {
    private var file: StoreFile?
    private let baselines: [ManifestStore]
    private let writer: DeltaFiles
    private let placed: PlacedFiles
    private(set) var shard: Manifest.Shard
    private(set) var failure: StageError?

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
      do throws(StageError) {
        try file.verify()
        for baseline in baselines {
          guard let deltas = try writer.write(from: baseline, to: file, shard) else { continue }
          shard.deltas = (shard.deltas ?? []) + deltas
        }
        let path = writer.path(of: shard.store.name)
        // On the list before it has its name, so that no signal can come between.
        placed.add(path)
        try file.publish(as: path)
      } catch {
        failure = error
      }
    }
  }

  private let hasThread: Bool
  private let writer: DeltaFiles
  private let placed: PlacedFiles
  private var running: (job: Job, thread: WorkerThread)?
  /// The shards that are in place, in their order.
  private(set) var finished: [Manifest.Shard] = []

  init(hasThread: Bool, writer: DeltaFiles, placed: PlacedFiles) {
    self.hasThread = hasThread
    self.writer = writer
    self.placed = placed
  }

  /// Verifies a sealed shard and gives it its name. Throws what the shard before failed with, or this one; with a
  /// thread, what this one fails with comes from the next call or from `wait`.
  func finish(
    _ file: consuming StoreFile, _ shard: Manifest.Shard, baselines: [ManifestStore]
  ) throws(StageError) {
    try wait()
    let job = Job(file, shard, baselines, writer, placed)
    guard hasThread else {
      job.execute()
      return try take(job)
    }
    let thread = try asStageError(.emit) { () throws(SystemError) in
      try WorkerThread(name: "shard") { job.execute() }
    }
    running = (job, thread)
  }

  /// Waits until no shard is under way.
  func wait() throws(StageError) {
    guard let (job, thread) = running else { return }
    running = nil
    thread.join()
    try take(job)
  }

  private func take(_ job: Job) throws(StageError) {
    if let failure = job.failure { throw failure }
    finished.append(job.shard)
  }
}
