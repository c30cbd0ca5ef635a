// The counters of a stage, which another thread may read: for progress and for reports.

package import Synchronization

/// A counter that one thread increases and any thread reads.
package struct Counter: ~Copyable, Sendable {
  @usableFromInline let count = Atomic<UInt64>(0)

  /// Creates a counter at zero.
  package init() {}

  /// The count so far.
  @inlinable package var value: UInt64 { count.load(ordering: .relaxed) }

  /// Increases the count.
  @inlinable
  package func add(_ amount: Int) {
    count.add(UInt64(amount), ordering: .relaxed)
  }

  /// Removes what was counted twice. Call it when nothing is counted any more.
  package func subtract(_ amount: UInt64) {
    count.store(value - min(value, amount), ordering: .relaxed)
  }
}

/// The counters of one stage. The stage updates them once per batch; progress and the report read them.
package final class StageMeter: Sendable {
  /// The name of the stage.
  package let stage: StageName
  /// Input bytes, in stages that read bytes.
  package let bytesIn = Counter()
  /// The total number of input bytes if it is known, else 0.
  package let bytesExpected = Counter()
  /// Input rows or records; for parse, rows found, valid or not.
  package let rowsIn = Counter()
  /// Output rows or records.
  package let rowsOut = Counter()
  /// The total number of output rows once a stage that writes nothing before it has read everything knows it, else 0.
  package let rowsExpected = Counter()
  /// Rows that were rejected.
  package let rejects = Counter()
  /// Records that were dropped because another record has the same numbers.
  package let duplicates = Counter()
  /// Records that were left out because of a limit or a minimum score, although no other record has their numbers.
  package let leftOut = Counter()
  /// Records that became part of another one because adjacent records were joined.
  package let joined = Counter()
  /// Records that were removed entirely because another list has their numbers, or lacks them.
  package let removed = Counter()
  /// Additional output records because ranges were split.
  package let splits = Counter()
  /// Rows that were patterns for ranges of numbers.
  package let patterns = Counter()
  /// The numbers that those patterns stand for.
  package let patternNumbers = Counter()
  /// Decisions that were written to the file of conflicts.
  package let conflicts = Counter()
  /// Bytes that were written to spill files.
  package let bytesSpilled = Counter()
  /// Whether the stage has finished.
  package var isFinished: Bool { finished.load(ordering: .relaxed) }
  private let finished = Atomic<Bool>(false)

  /// Creates counters at zero.
  package init(_ stage: StageName) {
    self.stage = stage
  }

  /// Adds the counts to another meter, and sets them to zero.
  package func move(to other: StageMeter) {
    Self.move(bytesIn, to: other.bytesIn)
    Self.move(bytesExpected, to: other.bytesExpected)
    Self.move(rowsIn, to: other.rowsIn)
    Self.move(rowsOut, to: other.rowsOut)
    Self.move(rowsExpected, to: other.rowsExpected)
    Self.move(rejects, to: other.rejects)
    Self.move(duplicates, to: other.duplicates)
    Self.move(leftOut, to: other.leftOut)
    Self.move(joined, to: other.joined)
    Self.move(removed, to: other.removed)
    Self.move(splits, to: other.splits)
    Self.move(patterns, to: other.patterns)
    Self.move(patternNumbers, to: other.patternNumbers)
    Self.move(conflicts, to: other.conflicts)
    Self.move(bytesSpilled, to: other.bytesSpilled)
  }

  private static func move(_ counter: borrowing Counter, to other: borrowing Counter) {
    let value = counter.value
    if value == 0 { return }
    counter.subtract(value)
    other.add(Int(truncatingIfNeeded: value))
  }

  /// Marks the stage as finished.
  package func finish() {
    finished.store(true, ordering: .relaxed)
  }
}
