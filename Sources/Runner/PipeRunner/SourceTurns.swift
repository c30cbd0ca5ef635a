// Small sources are read at the same time, each by one thread. Their records enter the shared stages source by source, as
// if they were read one after another.

import BasicContainers
import Records
import Synchronization
import SystemIO

/// Whose records may enter the shared stages, and which source is read next.
///
/// `@unchecked Sendable`: the stored properties after `lock` are accessed only while it is held.
final class SourceTurns: @unchecked Sendable {
  enum Turn {
    case passes
    /// The run is to be repeated without a source that failed: records are dropped.
    case dropsRecords
    /// The run has failed: everything is dropped.
    case dropsAll
  }

  private let end: Int
  private let lock = ConditionLock()
  private var next: Int
  private var current: Int
  /// What became of the source whose turn it is; nil while it is being read.
  private var outcome: Result<Void, Failure>?
  private var turn: Turn

  init(_ sources: Range<Int>, drops: Bool) {
    turn = drops ? .dropsRecords : .passes
    end = sources.upperBound
    next = sources.lowerBound
    current = sources.lowerBound
  }

  // MARK: The threads that read sources

  /// Returns the next source, which the caller reads; nil if there is none.
  func take() -> Int? {
    lock.lock()
    defer { lock.unlock() }
    guard next < end else { return nil }
    defer { next += 1 }
    return next
  }

  func isTurn(of source: Int) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return current >= source
  }

  func wait(for source: Int) -> Turn {
    lock.lock()
    defer { lock.unlock() }
    while current < source { lock.wait() }
    return turn
  }

  /// Notes that a source, whose turn it is, has been read or has failed.
  func note(_ error: Failure?) {
    lock.lock()
    outcome = error.map { .failure($0) } ?? .success(())
    lock.broadcast()
    lock.unlock()
  }

  // MARK: The thread that runs the pipeline

  /// Waits until the source whose turn it is has been read, and throws its error.
  func result() throws(Failure) {
    lock.lock()
    while outcome == nil { lock.wait() }
    let found = outcome.take()
    lock.unlock()
    try found?.get()
  }

  func advance(drops: Bool) {
    lock.lock()
    turn = drops ? .dropsRecords : .passes
    current += 1
    lock.broadcast()
    lock.unlock()
  }

  /// Lets the threads end: sources that are being read are read to their end, and nothing enters the shared stages.
  func stop() {
    lock.lock()
    turn = .dropsAll
    next = end
    current = end
    lock.broadcast()
    lock.unlock()
  }
}

final class SourceThreads {
  /// The maximum number of threads. Each has the buffers of a source's stages, about 4 MiB.
  static let threadsMax = 8

  /// The shared stages, which only the thread whose source's turn it is uses.
  private struct SharedStages: @unchecked Sendable {
    let first: any RecordSink
  }

  private let turns: SourceTurns
  private var threads: [WorkerThread] = []

  /// Starts to read sources. `shared` may be used again after ``finish()``. With `drops`, the records of the first source
  /// are dropped.
  init(
    _ sources: Range<Int>, _ setup: RunSetup, into shared: any RecordSink, drops: Bool
  ) throws(Failure) {
    let turns = SourceTurns(sources, drops: drops)
    self.turns = turns
    let shared = SharedStages(first: shared)
    let count = min(setup.threads, sources.count, Self.threadsMax)
    var setup = setup
    // The stages of a source are all in its thread.
    setup.threads = 1
    for _ in 0..<count {
      do throws(SystemError) {
        threads.append(
          try WorkerThread(name: "source") { [setup] in
            Self.read(setup, TurnRecords(shared.first, turns, threads: count), turns)
          })
      } catch {
        // One thread is enough.
        if threads.isEmpty { throw Failure(nil, error) }
      }
    }
  }

  func result() throws(Failure) { try turns.result() }

  /// Lets the records of the source after it enter the shared stages.
  func advance(drops: Bool) { turns.advance(drops: drops) }

  func finish() {
    turns.stop()
    for thread in threads { thread.join() }
    threads = []
  }

  private static func read(_ setup: RunSetup, _ records: TurnRecords, _ turns: SourceTurns) {
    while let source = turns.take() {
      records.begin(source)
      let notices = setup.notify.map { TurnNotices($0, source, turns) }
      var setup = setup
      if let notices { setup.notify = { notices.add($0) } }
      var failure: Failure?
      do throws(Failure) {
        try setup.read(source, into: records, drops: false)
        try records.pass()
      } catch {
        failure = error
      }
      _ = turns.wait(for: source)
      notices?.pass()
      turns.note(failure)
    }
  }
}

private final class TurnRecords: RecordSink {
  /// The maximum number of batches that wait in all threads, about 8 MiB: with two threads, as many rows as most small
  /// sources have.
  private static let batchesMax = 64

  private let shared: any RecordSink
  private let turns: SourceTurns
  private var source = 0
  /// The batches, of which only the first `count` are in use.
  private var batches: RigidArray<RecordBatch>
  private var count = 0

  /// Makes the sink of one of several threads.
  init(_ shared: any RecordSink, _ turns: SourceTurns, threads: Int) {
    self.shared = shared
    self.turns = turns
    batches = RigidArray(capacity: Self.batchesMax / threads)
  }

  /// Begins another source. What still waits belongs to one that failed, and is dropped.
  func begin(_ source: Int) {
    self.source = source
    for index in 0..<count { batches[index].removeAll() }
    count = 0
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    if count == batches.capacity || turns.isTurn(of: source) {
      try pass()
      return try forward(&batch)
    }
    if count == batches.count { batches.append(RecordBatch()) }
    swap(&batches[count], &batch)
    count += 1
  }

  /// Waits for the source's turn and passes on what has come so far.
  func pass() throws(Failure) {
    for index in 0..<count { try forward(&batches[index]) }
    count = 0
  }

  func finish() {}

  private func forward(_ batch: inout RecordBatch) throws(Failure) {
    if turns.wait(for: source) == .passes { try shared.receive(&batch) }
    batch.removeAll()
  }
}

private final class TurnNotices: Sendable {
  /// The maximum number of notices that wait.
  private static let noticesMax = 64

  private let notify: @Sendable (any StageNotice) -> Void
  private let source: Int
  private let turns: SourceTurns
  private let waiting = Mutex<[any StageNotice]>([])

  init(_ notify: @escaping @Sendable (any StageNotice) -> Void, _ source: Int, _ turns: SourceTurns) {
    self.notify = notify
    self.source = source
    self.turns = turns
  }

  func add(_ notice: any StageNotice) {
    let count = waiting.withLock { waiting in
      waiting.append(notice)
      return waiting.count
    }
    if count > Self.noticesMax || turns.isTurn(of: source) { pass() }
  }

  /// Waits for the source's turn and passes on what has come so far.
  func pass() {
    let isWanted = turns.wait(for: source) != .dropsAll
    let notices = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    if isWanted { for notice in notices { notify(notice) } }
  }
}
