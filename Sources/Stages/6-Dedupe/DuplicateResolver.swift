// The decision: of all records for a number, one stays.
//
// Single numbers, the usual case, are thinned out in the batch where they stand. The last number of a batch is held
// back, since the next batch may go on with it. Batches with ranges go through a sweep.
//
// Not for: which records come to be decided about (RecordFilter), or how many may go out (ScoreLimiter).

import BasicContainers
import CallRecord
import PipeStage

struct DuplicateResolver: ~Copyable {
  private let policy: KeepPolicy
  private let log: ConflictLog?
  private let meter: StageMeter
  private let downstream: any RecordSink
  private var output: SegmentWriter
  private var sweep = RangeSweep()
  /// The last records, held back because the next ones may be for the same numbers.
  private var group: DuplicateGroup
  /// Decides about a few records within a batch, where a look at them does not do.
  private var scratch: DuplicateGroup
  private var ordinal: UInt64 = 0

  init(
    _ options: DedupeOptions, _ context: StageContext, _ log: ConflictLog?, _ downstream: any RecordSink
  ) {
    policy = KeepPolicy(options)
    self.log = log
    meter = context.meter
    self.downstream = downstream
    output = SegmentWriter(policy, log, context.meter, downstream)
    group = DuplicateGroup(policy, options, context, log)
    scratch = DuplicateGroup(policy, options, context, log)
  }

  /// Takes records in ascending order; `isSingles` says that none of them is a range.
  mutating func receive(_ batch: inout RecordBatch, isSingles: Bool) throws(StageError) {
    guard !batch.isEmpty else { return }
    if isSingles, try advance(to: batch.firsts[0]) {
      try removeDuplicates(&batch)
    } else {
      try sweepRanges(batch)
    }
  }

  /// Passes all the numbers.
  mutating func finish() throws(StageError) {
    try resolveGroup()
    try sweep.advance(to: .max, &output)
    try output.flush()
  }

  /// Passes the numbers before `number`, and says whether nothing wider than a number is on its way any more.
  private mutating func advance(to number: UInt64) throws(StageError) -> Bool {
    if !group.isEmpty, group.first != number { try resolveGroup() }
    if !group.isEmpty { return !group.isRange && sweep.isEmpty }
    if !sweep.isEmpty { try sweep.advance(to: number, &output) }
    return sweep.isEmpty
  }

  /// Sends the record that stays of the group on its way.
  private mutating func resolveGroup() throws(StageError) {
    guard !group.isEmpty else { return }
    let record = try group.resolve()
    if record.first == record.last, sweep.isEmpty {
      return try output.write(first: record.first, last: record.last, record.recordFields.span)
    }
    try sweep.advance(to: record.first, &output)
    try sweep.insert(
      ActiveRecord(
        width: record.last - record.first, strength: policy.strength(record.recordFields.span),
        rank: policy.rank(ordinal: record.ordinal), last: record.last, recordFields: record.recordFields),
      &output)
  }

  // MARK: Single numbers, in place

  private mutating func removeDuplicates(_ batch: inout RecordBatch) throws(StageError) {
    var start = 0
    if !group.isEmpty {
      while start < batch.count, batch.firsts[start] == group.first {
        try group.add(batch[fieldsAt: start], ordinal: ordinal + UInt64(start) + 1)
        start += 1
      }
      if start == batch.count { return ordinal += UInt64(start) }
      try resolveGroup()
    }
    // Behind what is on its way come the records of this batch.
    try output.flush()
    var end = batch.count - 1
    while end > start, batch.firsts[end - 1] == batch.firsts[end] { end -= 1 }
    for index in end..<batch.count {
      let number = batch.firsts[index]
      let recordOrdinal = ordinal + UInt64(index) + 1
      if index == end {
        try group.begin(first: number, last: number, batch[fieldsAt: index], ordinal: recordOrdinal)
      } else {
        try group.add(batch[fieldsAt: index], ordinal: recordOrdinal)
      }
    }
    ordinal += UInt64(batch.count)
    let kept = try compact(&batch, start..<end)
    if kept < end {
      for index in 0..<kept { batch.lasts[index] = batch.firsts[index] }
    }
    batch.truncate(to: kept)
    if !batch.isEmpty { try downstream.receive(&batch) }
  }

  /// Moves the record that stays of each number in `range` to the front, and returns how many there are.
  private mutating func compact(
    _ batch: inout RecordBatch, _ range: Range<Int>
  ) throws(StageError) -> Int {
    if log == nil, policy.keep == .first || policy.keep == .last {
      let kept = Self.compact(
        &batch.firsts, &batch.fieldsIndices, range, keepLast: policy.keep == .last)
      meter.duplicates.add(range.count - kept)
      return kept
    }
    var kept = 0
    var index = range.lowerBound
    while index < range.upperBound {
      let start = index
      let number = batch.firsts[start]
      index += 1
      while index < range.upperBound, batch.firsts[index] == number { index += 1 }
      let winner = index - start == 1 ? start : try decide(batch, start..<index)
      batch.firsts[kept] = number
      batch.fieldsIndices[kept] = batch.fieldsIndices[winner]
      kept += 1
    }
    return kept
  }

  /// Which of the records for one number stays.
  private mutating func decide(
    _ batch: borrowing RecordBatch, _ range: Range<Int>
  ) throws(StageError) -> Int {
    // Of two, neither has more votes than the other: the first one stays, uncounted.
    if policy.keep == .mostFrequent, log == nil, range.count == 2 {
      meter.duplicates.add(1)
      return range.lowerBound
    }
    let number = batch.firsts[range.lowerBound]
    try scratch.begin(first: number, last: number, batch[fieldsAt: range.lowerBound], ordinal: 0)
    for index in range.dropFirst() { try scratch.add(batch[fieldsAt: index], ordinal: 0) }
    _ = try scratch.resolve()
    return range.lowerBound + scratch.winner
  }

  /// A record is written behind those that stay and stays there if its number is another one: there is no branch, which
  /// the processor would guess wrong at every duplicate.
  private static func compact(
    _ numbers: inout RigidArray<UInt64>, _ fieldsIndices: inout RigidArray<UInt32>, _ range: Range<Int>,
    keepLast: Bool
  ) -> Int {
    guard !range.isEmpty else { return 0 }
    var numbers = numbers.mutableSpan
    var fieldsIndices = fieldsIndices.mutableSpan
    // What the unchecked loop below relies on: `kept` is never above `index`.
    precondition(
      range.lowerBound >= 0 && range.upperBound <= numbers.count && range.upperBound <= fieldsIndices.count)
    // With the last one kept, a duplicate is written over the one before it.
    let step = keepLast ? 1 : 0
    var before = numbers[range.lowerBound]
    numbers[0] = before
    fieldsIndices[0] = fieldsIndices[range.lowerBound]
    var kept = 1
    for index in range.dropFirst() {
      let number = unsafe numbers[unchecked: index]
      let fieldsIndex = unsafe fieldsIndices[unchecked: index]
      let isNew = number == before ? 0 : 1
      unsafe numbers[unchecked: kept] = number
      unsafe fieldsIndices[unchecked: kept &- (step & (1 &- isNew))] = fieldsIndex
      kept &+= isNew
      before = number
    }
    return kept
  }

  // MARK: Ranges

  private mutating func sweepRanges(_ batch: borrowing RecordBatch) throws(StageError) {
    for index in 0..<batch.count {
      ordinal += 1
      let first = batch.firsts[index]
      let last = batch.lasts[index]
      if !group.isEmpty, group.first == first, group.last == last {
        try group.add(batch[fieldsAt: index], ordinal: ordinal)
      } else {
        try resolveGroup()
        try group.begin(first: first, last: last, batch[fieldsAt: index], ordinal: ordinal)
      }
    }
  }
}
