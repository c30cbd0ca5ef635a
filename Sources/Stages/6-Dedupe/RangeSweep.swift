// Overlapping ranges and numbers cut into disjoint pieces, the most specific record winning each number.
//
// A line sweeps over the numbers. Of the records that it stands on, one can still win a number only if it ends behind
// all that are stronger. Those form stairs, the strongest and shortest first; whatever ends under a stronger one is
// dropped when that is seen. So what is held are the records that overlap and matter, and no others.
//
// Not for: the common stream of single numbers only, which Deduper handles in index.

import CallRecord
import DequeModule
import PipeStage

/// A record whose numbers are being passed.
struct ActiveRecord {
  let width: UInt64
  /// Among equal widths, the policy's answer; lower wins.
  let strength: Int64
  /// Among equal strengths; lower wins. No two records have the same.
  let rank: Int64
  let last: UInt64
  let recordFields: [UInt8]
  /// Whether some number is its own already.
  var hasSegment = false
  /// Up to which number its losses have been told.
  var loggedUpTo: UInt64 = 0

  /// Whether this one wins over another one.
  func beats(_ other: ActiveRecord) -> Bool {
    (width, strength, rank) < (other.width, other.strength, other.rank)
  }
}

/// A stretch of numbers and the record that has them.
struct Segment {
  var first: UInt64
  var last: UInt64
  var rank: Int64
  var recordFields: [UInt8]
}

/// What a sweep gives.
protocol SegmentSink: ~Copyable {
  mutating func receive(_ segment: Segment, isFirstOfRecord: Bool) throws(StageError)
  /// A record got no number at all.
  mutating func receiveDuplicate() throws(StageError)
  /// The numbers from `first` to `last` of one record go to a stronger one. Every number that a record loses comes
  /// once; the stronger one may lose it in turn.
  mutating func receiveConflict(
    first: UInt64, last: UInt64, kept: ActiveRecord, dropped: ActiveRecord
  ) throws(StageError)
}

/// The sweep over records in ascending order of their first numbers.
struct RangeSweep: ~Copyable {
  /// The most records that may overlap at a number and each still win one. Lists nest a few levels; tens of thousands
  /// of staggered ranges are a mistake that must not take the memory.
  static let activeMax = 1 << 16

  /// The most bytes that the labels of all active records may take.
  static let activeBytesMax = 8 << 20

  /// The stairs: each record is weaker than the one before it, and ends behind it.
  private var active = Deque<ActiveRecord>()
  private var activeBytes = 0
  /// The next number that no segment has been decided for.
  private var position: UInt64 = 0
  /// The last segment, held back because its record may win the next numbers too.
  private var pending: (segment: Segment, isFirst: Bool)?

  var isEmpty: Bool { active.isEmpty && pending == nil }

  /// Passes the numbers before `number`.
  mutating func advance(to number: UInt64, _ sink: inout some SegmentSink & ~Copyable) throws(StageError) {
    while let best = active.first {
      if best.last < position {
        active.removeFirst()
        try drop(best, &sink)
        continue
      }
      guard position < number else { return }
      let last = min(best.last, number - 1)
      try assign(best, first: position, last: last, &sink)
      position = last + 1
    }
    position = max(position, number)
    try flushPending(&sink)
  }

  /// Adds a record that starts at the sweep's position.
  ///
  /// - Complexity: O(log a) to find its index among a active records, and O(a) at worst to make room for it; at either
  ///   end of the stairs, where nearly all go, that is O(1).
  mutating func insert(
    _ new: ActiveRecord, _ sink: inout some SegmentSink & ~Copyable
  ) throws(StageError) {
    var record = new
    let index = insertionIndex(for: record)
    if index > 0 {
      let stronger = active[index - 1]
      try sink.receiveConflict(
        first: position, last: min(stronger.last, record.last), kept: stronger, dropped: record)
      // It ends under a stronger one and can win nothing.
      if record.last <= stronger.last { return try sink.receiveDuplicate() }
      record.loggedUpTo = stronger.last
    }
    var end = index
    while end < active.count, active[end].last <= record.last {
      // The other way round: this one ends under the new one, and wins nothing any more.
      try logLoss(of: active[end], upTo: active[end].last, to: record, &sink)
      try drop(active[end], &sink)
      end += 1
    }
    active.removeSubrange(index..<end)
    if index < active.count {
      try logLoss(of: active[index], upTo: record.last, to: record, &sink)
      active[index].loggedUpTo = max(active[index].loggedUpTo, record.last)
    }
    guard active.count < Self.activeMax else {
      throw StageError(.dedupe, DedupeError.tooManyOverlaps(number: position, limit: Self.activeMax))
    }
    activeBytes += record.recordFields.count
    guard activeBytes <= Self.activeBytesMax else {
      throw StageError(
        .dedupe, DedupeError.overlapsTooLarge(number: position, bytesMax: Self.activeBytesMax))
    }
    active.insert(record, at: index)
  }

  /// How many active records are stronger.
  private func insertionIndex(for record: ActiveRecord) -> Int {
    var low = 0
    var high = active.count
    while low < high {
      let middle = (low + high) / 2
      if active[middle].beats(record) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func drop(
    _ record: ActiveRecord, _ sink: inout some SegmentSink & ~Copyable
  ) throws(StageError) {
    activeBytes -= record.recordFields.count
    if !record.hasSegment { try sink.receiveDuplicate() }
  }

  /// Tells that a record loses its numbers from the sweep's position up to `last`, but for those told before.
  private func logLoss(
    of loser: ActiveRecord, upTo last: UInt64, to winner: ActiveRecord,
    _ sink: inout some SegmentSink & ~Copyable
  ) throws(StageError) {
    let first = max(position, loser.loggedUpTo + 1)
    guard first <= last else { return }
    try sink.receiveConflict(first: first, last: last, kept: winner, dropped: loser)
  }

  private mutating func assign(
    _ best: ActiveRecord, first: UInt64, last: UInt64, _ sink: inout some SegmentSink & ~Copyable
  ) throws(StageError) {
    if let held = pending, held.segment.rank == best.rank, held.segment.last + 1 == first {
      pending?.segment.last = last
      return
    }
    try flushPending(&sink)
    pending = (
      Segment(first: first, last: last, rank: best.rank, recordFields: best.recordFields), !best.hasSegment
    )
    active[0].hasSegment = true
  }

  private mutating func flushPending(_ sink: inout some SegmentSink & ~Copyable) throws(StageError) {
    guard let held = pending else { return }
    pending = nil
    try sink.receive(held.segment, isFirstOfRecord: held.isFirst)
  }
}
