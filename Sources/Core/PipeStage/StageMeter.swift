// What a stage has done so far, in numbers that another thread may read: for progress and for the accounts.

public import Synchronization

/// A number that one thread adds to and any thread reads.
@frozen
public struct Counter: ~Copyable, Sendable {
  @usableFromInline let count = Atomic<UInt64>(0)

  /// Makes a counter at zero.
  public init() {}

  /// What has been counted so far.
  @inlinable public var value: UInt64 { count.load(ordering: .relaxed) }

  /// Adds to what has been counted.
  @inlinable
  public func add(_ amount: Int) {
    count.add(UInt64(amount), ordering: .relaxed)
  }
}

/// One stage's counters. The stage adds once a batch; progress and the report read.
public final class StageMeter: Sendable {
  /// The stage.
  public let stage: StageName
  /// Bytes that came in (stages that read bytes).
  public let bytesIn = Counter()
  /// How many bytes there are to come in all, if that is known; 0 if not.
  public let bytesExpected = Counter()
  /// Rows or records that came in; for parse, rows that were found, good or bad.
  public let rowsIn = Counter()
  /// Rows or records that went out.
  public let rowsOut = Counter()
  /// Rows that were rejected.
  public let rejects = Counter()
  /// Records that were dropped because another one stands for their numbers.
  public let duplicates = Counter()
  /// Records that were left out though no other one stands for their numbers: a limit, or a threshold.
  public let leftOut = Counter()
  /// Records that went out within another one, since neighbours were joined.
  public let joined = Counter()
  /// Records of which nothing was left, because another list has their numbers, or lacks them.
  public let removed = Counter()
  /// Records that went out beyond one for each that was kept, because a range was cut into pieces.
  public let splits = Counter()
  /// Decisions that were written to the file of conflicts.
  public let conflicts = Counter()
  /// Bytes that were written to spill files.
  public let bytesSpilled = Counter()
  /// Whether the stage has finished.
  public var isFinished: Bool { finished.load(ordering: .relaxed) }
  private let finished = Atomic<Bool>(false)

  /// Makes counters at zero.
  public init(_ stage: StageName) {
    self.stage = stage
  }

  /// The stage has finished.
  public func finish() {
    finished.store(true, ordering: .relaxed)
  }
}
