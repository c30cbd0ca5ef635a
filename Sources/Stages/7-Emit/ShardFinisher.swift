// Verifies a shard and puts it in place, if wished in a thread of its own while the next shard is written.
//
// Reading back and syncing take about as long as writing. One shard at a time: a second one waits for the first.
// Not for: the manifest, which follows when all shards are in place.

import PipeStage
import SystemIO

/// Finishes shards, one after another.
final class ShardFinisher {
  /// A shard on its way through the thread.
  ///
  /// `@unchecked Sendable`: made before the thread starts, used by it alone until it is joined, and by whoever joined
  /// it afterwards.
  private final class Job: @unchecked Sendable {
    private var shard: StoreFile?
    private let path: String
    private(set) var failure: PipeFailure?

    init(_ shard: consuming StoreFile, _ path: String) {
      self.shard = consume shard
      self.path = path
    }

    func carryOut() {
      guard let shard = shard.take() else { return }
      do throws(PipeFailure) {
        try shard.verify()
        try shard.publish(as: path)
      } catch {
        failure = error
      }
    }
  }

  private let hasThread: Bool
  private var running: (job: Job, thread: WorkerThread)?

  init(hasThread: Bool) {
    self.hasThread = hasThread
  }

  /// Verifies a sealed shard and gives it its name. Throws what the shard before failed with, or this one; with a
  /// thread, what this one fails with comes from the next call or from `wait`.
  func finish(_ shard: consuming StoreFile, as path: String) throws(PipeFailure) {
    try wait()
    let job = Job(shard, path)
    guard hasThread else {
      job.carryOut()
      if let failure = job.failure { throw failure }
      return
    }
    let thread = try asPipeFailure(.emit) { () throws(SystemFailure) in
      try WorkerThread(name: "shard") { job.carryOut() }
    }
    running = (job, thread)
  }

  /// Waits until no shard is under way.
  func wait() throws(PipeFailure) {
    guard let (job, thread) = running else { return }
    running = nil
    thread.join()
    if let failure = job.failure { throw failure }
  }
}
