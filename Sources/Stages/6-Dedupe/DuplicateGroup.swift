// The records for exactly the same numbers, collected until the duplicate is resolved.
//
// In sorted input they are adjacent, and a group may continue in the next batch. Only the best record is held in
// memory; with a conflicts file the others are spooled, so that each can be logged against the one that is kept.

import Records
import SystemIO

/// A record copied out of its batch.
struct HeldRecord {
  var first: UInt64
  var last: UInt64
  var recordFields: [UInt8]
  /// Its position in the stream, from 1.
  var ordinal: UInt64
}

/// The records for the same numbers.
struct DuplicateGroup: ~Copyable {
  private let policy: KeepPolicy
  private let log: ConflictLog?
  private let meter: StageMeter
  private var spool: RecordFieldsSpool?
  private var labelVotes = LabelVotes()

  /// The number of records; 0 if the group is empty.
  private(set) var count = 0
  private(set) var first: UInt64 = 0
  private(set) var last: UInt64 = 0
  private var recordFields: [UInt8] = []
  private var ordinal: UInt64 = 0
  private var strength: Int64 = 0
  /// The index of the best record in the group, from 0.
  private(set) var winner = 0

  init(_ policy: KeepPolicy, _ options: DedupeOptions, _ context: StageContext, _ log: ConflictLog?) {
    self.policy = policy
    self.log = log
    meter = context.meter
    spool =
      log == nil ? nil : RecordFieldsSpool(directory: options.temporaryDirectory, calls: context.calls)
  }

  var isEmpty: Bool { count == 0 }
  var isRange: Bool { first != last }

  /// Starts a group with its first record.
  ///
  /// - Precondition: the group is empty.
  mutating func begin(
    first: UInt64, last: UInt64, _ recordFields: Span<UInt8>, ordinal: UInt64
  ) throws(Failure) {
    self.first = first
    self.last = last
    setBest(recordFields, ordinal, policy.strength(recordFields))
    try count(recordFields, ordinal)
  }

  /// Adds a record for the same numbers.
  mutating func add(_ recordFields: Span<UInt8>, ordinal: UInt64) throws(Failure) {
    switch policy.keep {
    case .first, .mostFrequent: break
    case .last: setBest(recordFields, ordinal, 0)
    case .highestScore, .priority:
      let strength = policy.strength(recordFields)
      if strength < self.strength { setBest(recordFields, ordinal, strength) }
    }
    try count(recordFields, ordinal)
  }

  private mutating func setBest(_ recordFields: Span<UInt8>, _ ordinal: UInt64, _ strength: Int64) {
    self.recordFields.removeAll(keepingCapacity: true)
    self.recordFields.append(copying: recordFields)
    self.ordinal = ordinal
    self.strength = strength
    winner = count
  }

  private mutating func count(_ recordFields: Span<UInt8>, _ ordinal: UInt64) throws(Failure) {
    if policy.keep == .mostFrequent, !labelVotes.add(recordFields, index: count, ordinal: ordinal) {
      throw Failure(.dedupe, DedupeError.labelsTooLarge(number: first, bytesMax: LabelVotes.bytesMax))
    }
    if log != nil {
      do throws(SystemError) {
        try spool?.append(recordFields)
      } catch {
        throw Failure(.dedupe, error)
      }
    }
    count += 1
  }

  /// Returns the record to keep, counts and logs the others as duplicates, and empties the group.
  mutating func resolve() throws(Failure) -> HeldRecord {
    if policy.keep == .mostFrequent, count > 1, let candidate = labelVotes.winner {
      recordFields = candidate.recordFields
      ordinal = candidate.ordinal
      winner = candidate.index
    }
    if let log { try logDropped(to: log) }
    meter.duplicates.add(count - 1)
    labelVotes.removeAll()
    count = 0
    return HeldRecord(first: first, last: last, recordFields: recordFields, ordinal: ordinal)
  }

  private mutating func logDropped(to log: ConflictLog) throws(Failure) {
    let kept = recordFields
    let keptVotes = labelVotes.votes(kept.span)
    let (first, last, winner) = (first, last, winner)
    let (policy, labelVotes) = (policy, labelVotes)
    var index = 0
    try spool?.drain { (dropped) throws(Failure) in
      defer { index += 1 }
      guard index != winner else { return }
      let decision = policy.decision(
        kept: kept.span, dropped: dropped, hasMoreVotes: keptVotes > labelVotes.votes(dropped))
      try log.add(first: first, last: last, kept: kept.span, dropped: dropped, decision)
    }
  }
}
