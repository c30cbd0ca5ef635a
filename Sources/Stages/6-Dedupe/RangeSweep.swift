// An interval sweep: splits overlapping ranges and numbers into disjoint segments; the most specific record wins each
// number.
//
// A sweep line moves over the numbers. Of the records that it intersects, one can only win a number if it ends after
// all stronger ones. These form a staircase, the strongest and shortest first; a record that ends before a stronger
// one does is dropped as soon as that is detected. So only records that overlap and can still win are held.

import DequeModule
import Records

/// A record that the sweep line intersects.
struct ActiveRecord {
  let width: UInt64
  /// The policy's order among equal widths; lower values win.
  let strength: Int64
  /// The tie-break among equal strengths; lower values win. No two records have the same.
  let rank: Int64
  let last: UInt64
  let recordFields: [UInt8]
  let votes: Votes?
  var hasSegment = false
  /// The last number up to which its losses have been logged.
  var loggedUpTo: UInt64 = 0

  func wins(over other: ActiveRecord) -> Bool {
    (width, strength, rank) < (other.width, other.strength, other.rank)
  }
}

/// A range of numbers and the record that won it.
struct Segment {
  var first: UInt64
  var last: UInt64
  var rank: Int64
  var recordFields: [UInt8]
  var votes: Votes?
}

/// The sweep over records in ascending order of their first numbers.
struct RangeSweep: ~Copyable {
  /// The maximum number of overlapping records that can still win a number. Lists nest a few levels; tens of thousands
  /// of staggered ranges are a mistake, and must not exhaust the memory.
  static let activeMax = 1 << 16

  /// The maximum bytes for the labels of all active records.
  static let activeBytesMax = 8 << 20

  /// The staircase: each record is weaker than the previous one, and ends after it.
  private var active = Deque<ActiveRecord>()
  private var activeBytes = 0
  /// The first number that no segment has been assigned to.
  private var position: UInt64 = 0
  /// The last segment, held back because its record may win the next numbers, too.
  private var pending: (segment: Segment, isFirst: Bool)?

  var isEmpty: Bool { active.isEmpty && pending == nil }

  /// Moves the sweep line to `number`, and sends the segments before it.
  mutating func advance(to number: UInt64, _ sink: inout SegmentWriter) throws(Failure) {
    while let best = active.first {
      if best.last < position {
        active.removeFirst()
        drop(best, &sink)
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
  /// - Complexity: O(log a) to find its index among a active records, and O(a) to insert it in the worst case; O(1) at
  ///   either end of the staircase, where nearly all insertions are.
  mutating func insert(_ new: ActiveRecord, _ sink: inout SegmentWriter) throws(Failure) {
    var record = new
    let index = insertionIndex(for: record)
    if index > 0 {
      let stronger = active[index - 1]
      try sink.receiveConflict(
        first: position, last: min(stronger.last, record.last), kept: stronger, dropped: record)
      // It ends before a stronger one does, and can't win anything.
      if record.last <= stronger.last { return sink.receiveDuplicate() }
      record.loggedUpTo = stronger.last
    }
    var end = index
    while end < active.count, active[end].last <= record.last {
      // Conversely, this record ends before the new one does, and can't win anything any more.
      try logLoss(of: active[end], upTo: active[end].last, to: record, &sink)
      drop(active[end], &sink)
      end += 1
    }
    active.removeSubrange(index..<end)
    if index < active.count {
      try logLoss(of: active[index], upTo: record.last, to: record, &sink)
      active[index].loggedUpTo = max(active[index].loggedUpTo, record.last)
    }
    guard active.count < Self.activeMax else { throw Failure.tooManyOverlaps(at: position) }
    activeBytes += record.recordFields.count
    guard activeBytes <= Self.activeBytesMax else { throw Failure.overlapsTooLarge(at: position) }
    active.insert(record, at: index)
  }

  private func insertionIndex(for record: ActiveRecord) -> Int {
    var low = 0
    var high = active.count
    while low < high {
      let middle = (low + high) / 2
      if active[middle].wins(over: record) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func drop(_ record: ActiveRecord, _ sink: inout SegmentWriter) {
    activeBytes -= record.recordFields.count
    if !record.hasSegment { sink.receiveDuplicate() }
  }

  /// Logs that a record loses its numbers from the sweep's position up to `last`, except those logged before.
  private func logLoss(
    of loser: ActiveRecord, upTo last: UInt64, to winner: ActiveRecord,
    _ sink: inout SegmentWriter
  ) throws(Failure) {
    let first = max(position, loser.loggedUpTo + 1)
    guard first <= last else { return }
    try sink.receiveConflict(first: first, last: last, kept: winner, dropped: loser)
  }

  private mutating func assign(
    _ best: ActiveRecord, first: UInt64, last: UInt64, _ sink: inout SegmentWriter
  ) throws(Failure) {
    if let held = pending, held.segment.rank == best.rank, held.segment.last + 1 == first {
      pending?.segment.last = last
      return
    }
    try flushPending(&sink)
    pending = (
      Segment(
        first: first, last: last, rank: best.rank, recordFields: best.recordFields, votes: best.votes),
      !best.hasSegment
    )
    active[0].hasSegment = true
  }

  private mutating func flushPending(_ sink: inout SegmentWriter) throws(Failure) {
    guard let held = pending else { return }
    pending = nil
    try sink.receive(held.segment, isFirstOfRecord: held.isFirst)
  }
}

extension Failure {
  fileprivate static func tooManyOverlaps(at number: UInt64) -> Failure {
    Failure(
      .dedupe, .badData, "too-many-overlaps",
      "more than \(Figures.grouped(UInt64(RangeSweep.activeMax))) ranges overlap at \(number)")
  }

  fileprivate static func overlapsTooLarge(at number: UInt64) -> Failure {
    Failure(
      .dedupe, .badData, "overlaps-too-large",
      "the labels of the ranges that overlap at \(number) exceed "
        + "\(Figures.bytes(RangeSweep.activeBytesMax)) in total")
  }
}
