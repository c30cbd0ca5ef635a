// Resolves duplicates: of all records for a number, one is kept.
//
// Single numbers, the common case, are compacted in place in their batch. The last number of a batch is held back,
// because the next batch may continue with it. Batches with ranges go through a sweep.
//
// Not for: filtering records before this step (RecordFilter), or limiting the output (ScoreLimiter).

import BasicContainers
import Records

struct DuplicateResolver: ~Copyable {
  private let policy: KeepPolicy
  private let log: ConflictLog?
  private let meter: StageMeter
  private let downstream: any RecordSink
  private var output: SegmentWriter
  private var sweep = RangeSweep()
  /// The last records, held back because the next ones may have the same numbers.
  private var group: DuplicateGroup
  /// Resolves a few records within a batch when the policy needs to compare them.
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

  /// Processes records in ascending order; `isSingles` is true if none of them is a range.
  mutating func receive(_ batch: inout RecordBatch, isSingles: Bool) throws(Failure) {
    guard !batch.isEmpty else { return }
    if isSingles, try advance(to: batch.firsts[0]) {
      try removeDuplicates(&batch)
    } else {
      try sweepRanges(batch)
    }
  }

  /// Sends all remaining records.
  mutating func finish() throws(Failure) {
    try resolveGroup()
    try sweep.advance(to: .max, &output)
    try output.flush()
  }

  /// Sends the records for numbers below `number`, and returns whether no range is pending any more.
  private mutating func advance(to number: UInt64) throws(Failure) -> Bool {
    if !group.isEmpty, group.first != number { try resolveGroup() }
    if !group.isEmpty { return !group.isRange && sweep.isEmpty }
    if !sweep.isEmpty { try sweep.advance(to: number, &output) }
    return sweep.isEmpty
  }

  /// Sends the group's winner to the output or to the sweep.
  private mutating func resolveGroup() throws(Failure) {
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

  private mutating func removeDuplicates(_ batch: inout RecordBatch) throws(Failure) {
    var start = 0
    if !group.isEmpty {
      while start < batch.count, batch.firsts[start] == group.first {
        try group.add(batch[fieldsAt: start], ordinal: ordinal + UInt64(start) + 1)
        start += 1
      }
      if start == batch.count { return ordinal += UInt64(start) }
      try resolveGroup()
    }
    // The records of this batch come after the pending output.
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

  /// Moves the winning record of each number in `range` to the front of the batch, and returns their number.
  private mutating func compact(
    _ batch: inout RecordBatch, _ range: Range<Int>
  ) throws(Failure) -> Int {
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

  /// The index of the winning record for one number.
  private mutating func decide(
    _ batch: borrowing RecordBatch, _ range: Range<Int>
  ) throws(Failure) -> Int {
    // With two records neither label has more votes, so the first one wins without counting.
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

  /// Writes each record after those kept so far, and keeps it if its number is new. This avoids a branch that would be
  /// mispredicted at every duplicate.
  private static func compact(
    _ numbers: inout RigidArray<UInt64>, _ fieldsIndices: inout RigidArray<UInt32>, _ range: Range<Int>,
    keepLast: Bool
  ) -> Int {
    guard !range.isEmpty else { return 0 }
    var numbers = numbers.mutableSpan
    var fieldsIndices = fieldsIndices.mutableSpan
    // The unchecked loop below relies on this; `kept` is never greater than `index`.
    precondition(
      range.lowerBound >= 0 && range.upperBound <= numbers.count && range.upperBound <= fieldsIndices.count)
    // To keep the last record, a duplicate overwrites the previous one.
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

  private mutating func sweepRanges(_ batch: borrowing RecordBatch) throws(Failure) {
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
