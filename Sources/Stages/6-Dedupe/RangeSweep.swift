// Overlapping ranges and numbers cut into disjoint pieces, the most specific record winning each number.
//
// A line sweeps over the numbers. Between two records' starts the winner is the narrowest of the active ones,
// which a heap knows, until it ends and the next narrowest takes over. A single number is a range of width one.
//
// Not for: the common stream of single numbers only, which Deduper handles in place.

import CallRecord
import HeapModule
import PipeStage

/// A record whose numbers are being passed.
struct ActiveRecord: Comparable {
  let width: UInt64
  /// Lower wins among equal widths: the ordinal, negated where the last one stays.
  let rank: Int64
  let last: UInt64
  let annotation: [UInt8]
  /// Whether some number is its own already.
  var hasPiece = false

  static func < (one: ActiveRecord, other: ActiveRecord) -> Bool {
    (one.width, one.rank) < (other.width, other.rank)
  }
  static func == (one: ActiveRecord, other: ActiveRecord) -> Bool {
    one.width == other.width && one.rank == other.rank
  }
}

/// A stretch of numbers and the record that has them.
struct Piece {
  var first: UInt64
  var last: UInt64
  var rank: Int64
  var annotation: [UInt8]
}

/// What a sweep gives.
protocol PieceTaker: ~Copyable {
  /// Whether `takeDecision` is of any use.
  var wantsDecisions: Bool { get }
  mutating func take(_ piece: Piece, isFirstOfRecord: Bool) throws(PipeFailure)
  /// A record got no number at all.
  mutating func takeDuplicate() throws(PipeFailure)
  /// The numbers from `first` to `last` of one record go to another. Every number that a record loses comes once.
  mutating func takeDecision(
    first: UInt64, last: UInt64, kept: ActiveRecord, dropped: ActiveRecord
  ) throws(PipeFailure)
}

/// The sweep over records in ascending order of their first numbers.
struct RangeSweep: ~Copyable {
  /// The most records that may be active at once. Lists nest a few levels; tens of thousands of staggered ranges
  /// are a mistake that must not take the memory.
  static let activeMax = 1 << 16

  /// The most bytes that the labels of all active records may take.
  static let activeBytesMax = 8 << 20

  private var active = Heap<ActiveRecord>()
  private var activeBytes = 0
  /// The next number that no piece has been decided for.
  private var position: UInt64 = 0
  /// The last piece, held back because its record may win the next numbers too.
  private var open: (piece: Piece, isFirst: Bool)?
  /// Up to which number a record's losses have been told, by its rank; only while decisions are wanted.
  private var toldUpTo: [Int64: UInt64] = [:]

  var isEmpty: Bool { active.isEmpty && open == nil }

  /// Passes the numbers before `number`.
  mutating func advance(to number: UInt64, _ taker: inout some PieceTaker & ~Copyable) throws(PipeFailure) {
    while let best = active.min {
      if best.last < position {
        try removeMin(&taker)
        try tellLosses(&taker)
        continue
      }
      guard position < number else { return }
      let last = min(best.last, number - 1)
      try give(best, first: position, last: last, &taker)
      position = last + 1
    }
    position = max(position, number)
    try close(&taker)
  }

  /// Adds a record that starts at the sweep's position.
  ///
  /// One that can win no number any more is dropped at once and takes no memory.
  mutating func insert(
    _ record: ActiveRecord, _ taker: inout some PieceTaker & ~Copyable
  ) throws(PipeFailure) {
    if let best = active.min, best < record, record.last <= best.last {
      if taker.wantsDecisions {
        try taker.takeDecision(first: position, last: record.last, kept: best, dropped: record)
      }
      return try taker.takeDuplicate()
    }
    // The other way round: the winner ends within the record that beats it, and will not win again.
    while let best = active.min, record < best, best.last <= record.last {
      try tell(best, loses: best.last, to: record, &taker)
      try removeMin(&taker)
    }
    guard active.count < Self.activeMax else {
      throw PipeFailure(.dedupe, DedupeFailure.tooManyOverlaps(number: position, limit: Self.activeMax))
    }
    activeBytes += record.annotation.count
    guard activeBytes <= Self.activeBytesMax else {
      throw PipeFailure(
        .dedupe, DedupeFailure.overlapsTooLarge(number: position, bytesMax: Self.activeBytesMax))
    }
    active.insert(record)
    try tellLosses(&taker)
  }

  private mutating func removeMin(_ taker: inout some PieceTaker & ~Copyable) throws(PipeFailure) {
    let gone = active.removeMin()
    activeBytes -= gone.annotation.count
    toldUpTo[gone.rank] = nil
    if !gone.hasPiece { try taker.takeDuplicate() }
  }

  /// Tells what the others lose to the record that wins from here on, as far as that was not told before.
  private mutating func tellLosses(_ taker: inout some PieceTaker & ~Copyable) throws(PipeFailure) {
    guard taker.wantsDecisions, let best = active.min else { return }
    for loser in active.unordered.sorted() where loser != best {
      try tell(loser, loses: min(best.last, loser.last), to: best, &taker)
    }
  }

  /// Tells that a record loses its numbers from the sweep's position up to `last`, but for those told before.
  private mutating func tell(
    _ loser: ActiveRecord, loses last: UInt64, to winner: ActiveRecord,
    _ taker: inout some PieceTaker & ~Copyable
  ) throws(PipeFailure) {
    guard taker.wantsDecisions else { return }
    let first = max(position, toldUpTo[loser.rank].map { $0 + 1 } ?? position)
    guard first <= last else { return }
    try taker.takeDecision(first: first, last: last, kept: winner, dropped: loser)
    toldUpTo[loser.rank] = last
  }

  private mutating func give(
    _ best: ActiveRecord, first: UInt64, last: UInt64, _ taker: inout some PieceTaker & ~Copyable
  ) throws(PipeFailure) {
    if let held = open, held.piece.rank == best.rank, held.piece.last + 1 == first {
      open!.piece.last = last
      return
    }
    try close(&taker)
    open = (Piece(first: first, last: last, rank: best.rank, annotation: best.annotation), !best.hasPiece)
    if !best.hasPiece {
      var marked = best
      marked.hasPiece = true
      active.replaceMin(with: marked)
    }
  }

  private mutating func close(_ taker: inout some PieceTaker & ~Copyable) throws(PipeFailure) {
    guard let held = open else { return }
    open = nil
    try taker.take(held.piece, isFirstOfRecord: held.isFirst)
  }
}
