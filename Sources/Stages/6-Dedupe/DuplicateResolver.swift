// Resolves duplicates: of all records for a number, one is kept.
//
// Single numbers, the common case, are compacted in place in their batch. The last number of a batch is held back,
// because the next batch may continue with it. Batches with ranges go through a sweep.

import BasicContainers
import Records
import SystemIO
import SystemPackage

struct DuplicateResolver: ~Copyable {
  private let policy: KeepPolicy
  private let log: ConflictLog?
  private let meter: StageMeter
  private let downstream: any RecordSink
  private var output: SegmentWriter
  private var sweep = RangeSweep()
  /// The last records, held back because the next ones may have the same numbers.
  private var group: DuplicateGroup
  /// Compares the records within a batch.
  private var keys: FieldKeys
  /// Resolves the records for one number within a batch if every decision is logged.
  private var scratch: DuplicateGroup
  /// Counts the votes of the group, or of the records within a batch; nil if no option asks for them.
  private var voting: VoteCounter?
  private var ordinal: UInt64 = 0

  init(
    _ options: DedupeOptions, _ context: StageContext, _ log: ConflictLog?, _ leftOut: LeftOutCounter,
    _ downstream: any RecordSink
  ) {
    policy = KeepPolicy(options)
    self.log = log
    meter = context.meter
    self.downstream = downstream
    output = SegmentWriter(options, policy, log, leftOut, context, downstream)
    group = DuplicateGroup(policy, options, context, log)
    keys = FieldKeys(policy)
    scratch = DuplicateGroup(policy, options, context, log)
    if options.countsVotes { voting = VoteCounter(options) }
  }

  /// Processes records in ascending order; `isSingles` is true if none of them is a range.
  mutating func receive(_ batch: inout RecordBatch, isSingles: Bool) throws(Failure) {
    guard !batch.isEmpty else { return }
    voting?.read(batch.fieldsTable)
    keys.begin()
    if isSingles, try advance(to: batch.firsts[0]) {
      try removeDuplicates(&batch)
    } else {
      try sweepRanges(batch)
    }
  }

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
    let votes = voting?.take()
    var record = try group.resolve(votes)
    if let votes {
      guard let combined = try output.combined(record, votes) else { return }
      record.recordFields = combined
    }
    if record.first == record.last, sweep.isEmpty {
      return try output.write(first: record.first, last: record.last, record.recordFields.span, votes)
    }
    try sweep.advance(to: record.first, &output)
    try sweep.insert(
      ActiveRecord(
        width: record.last - record.first, strength: policy.strength(record.recordFields.span),
        rank: policy.rank(ordinal: record.ordinal), last: record.last, recordFields: record.recordFields,
        votes: votes),
      &output)
  }

  // MARK: Single numbers, in place

  private mutating func removeDuplicates(_ batch: inout RecordBatch) throws(Failure) {
    var start = 0
    if !group.isEmpty {
      while start < batch.count, batch.firsts[start] == group.first {
        voting?.add(fieldsIndex: Int(batch.fieldsIndices[start]))
        start += 1
      }
      try group.add(batch, 0..<start, ordinal: ordinal)
      if start == batch.count { return ordinal += UInt64(start) }
      try resolveGroup()
    }
    // The records of this batch come after the pending output.
    try output.flush()
    var end = batch.count - 1
    while end > start, batch.firsts[end - 1] == batch.firsts[end] { end -= 1 }
    if voting != nil { try writeVotes(batch, start..<end) }
    let number = batch.firsts[end]
    try group.begin(first: number, last: number, batch[fieldsAt: end], ordinal: ordinal + UInt64(end) + 1)
    try group.add(batch, end + 1..<batch.count, ordinal: ordinal)
    for index in end..<batch.count { voting?.add(fieldsIndex: Int(batch.fieldsIndices[index])) }
    ordinal += UInt64(batch.count)
    if voting != nil { return }
    let kept = try compact(&batch, start..<end)
    if kept < end { for index in 0..<kept { batch.lasts[index] = batch.firsts[index] } }
    batch.truncate(to: kept)
    if !batch.isEmpty { try downstream.receive(&batch) }
  }

  /// Moves the winning record of each number in `range` to the front of the batch, and returns their number.
  private mutating func compact(_ batch: inout RecordBatch, _ range: Range<Int>) throws(Failure) -> Int {
    if log == nil, policy.keep == .first || policy.keep == .last {
      let kept = Self.compact(&batch.firsts, &batch.fieldsIndices, range, keepLast: policy.keep == .last)
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

  /// Writes the winning record of each number in `range`, with its votes.
  private mutating func writeVotes(_ batch: borrowing RecordBatch, _ range: Range<Int>) throws(Failure) {
    output.begin(batch.fieldsTable)
    var index = range.lowerBound
    while index < range.upperBound {
      let start = index
      let number = batch.firsts[start]
      repeat {
        voting?.add(fieldsIndex: Int(batch.fieldsIndices[index]))
        index += 1
      } while index < range.upperBound && batch.firsts[index] == number
      guard let votes = voting?.take() else { return }
      var winner = start
      if log == nil, policy.keep == .first || policy.keep == .last {
        if policy.keep == .last { winner = index - 1 }
        meter.duplicates.add(index - start - 1)
      } else if index - start > 1 {
        winner = try decide(batch, start..<index, votes)
      }
      try output.write(
        number, batch.fieldsTable, Int(batch.fieldsIndices[winner]), votes,
        ordinal: ordinal + UInt64(winner) + 1)
    }
    try output.flush()
  }

  /// The index of the winning record for one number.
  private mutating func decide(
    _ batch: borrowing RecordBatch, _ range: Range<Int>, _ votes: Votes? = nil
  ) throws(Failure) -> Int {
    if log == nil {
      meter.duplicates.add(range.count - 1)
      return keys.winner(batch, range)
    }
    let number = batch.firsts[range.lowerBound]
    try scratch.begin(first: number, last: number, batch[fieldsAt: range.lowerBound], ordinal: 0)
    for index in range.dropFirst() { try scratch.add(batch[fieldsAt: index], ordinal: 0) }
    _ = try scratch.resolve(votes)
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
      voting?.add(fieldsIndex: Int(batch.fieldsIndices[index]))
    }
  }
}

/// What the policy compares of each of a batch's record fields, by their index.
struct FieldKeys: ~Copyable {
  /// Up to this many records for a number, their labels are counted by comparing each with all.
  private static let fewMax = 16

  private let policy: KeepPolicy
  private let hashes = WideHash()
  /// The strengths, or the hashed labels if the most frequent one wins; empty until they are needed.
  private var keys: [Int64] = []

  init(_ policy: KeepPolicy) { self.policy = policy }

  /// Begins with another batch.
  mutating func begin() { keys.removeAll(keepingCapacity: true) }

  private mutating func read(_ table: borrowing RecordFieldsTable) {
    guard keys.isEmpty else { return }
    for index in 0..<table.count {
      let fields = table[index]
      keys.append(
        policy.keep == .mostFrequent
          ? Int64(bitPattern: hashes.of(fields.extracting(0..<RecordFields.labelLength(fields))))
          : policy.strength(fields))
    }
  }

  /// The index of the winning record of several for one number.
  mutating func winner(_ batch: borrowing RecordBatch, _ range: Range<Int>) -> Int {
    switch policy.keep {
    case .first: return range.lowerBound
    case .last: return range.upperBound - 1
    case .highestScore, .newest, .priority: break
    // Of two labels neither is more frequent.
    case .mostFrequent: if range.count == 2 { return range.lowerBound }
    }
    read(batch.fieldsTable)
    if policy.keep == .mostFrequent { return mostFrequent(batch, range) }
    var winner = range.lowerBound
    for index in range.dropFirst() where key(batch, index) < key(batch, winner) { winner = index }
    return winner
  }

  @inline(__always)
  private borrowing func key(_ batch: borrowing RecordBatch, _ index: Int) -> Int64 {
    keys[Int(batch.fieldsIndices[index])]
  }

  private borrowing func mostFrequent(_ batch: borrowing RecordBatch, _ range: Range<Int>) -> Int {
    var best = (winner: range.lowerBound, count: 0)
    if range.count <= Self.fewMax {
      for index in range {
        var count = 0
        for other in range where key(batch, other) == key(batch, index) { count += 1 }
        if count > best.count { best = (index, count) }
      }
      return best.winner
    }
    var counts: [Int64: Int] = [:]
    for index in range { counts[key(batch, index), default: 0] += 1 }
    for index in range {
      let count = counts[key(batch, index)] ?? 0
      if count > best.count { best = (index, count) }
    }
    return best.winner
  }
}

enum DecisionReason: String {
  case same
  case first, last, priority
  case higherScore = "higher-score"
  case newer
  case moreFrequent = "more-frequent"
  case moreSpecific = "more-specific"
  /// Nothing is dropped: the range is added.
  case inferred
}

struct KeepPolicy {
  let keep: DedupeOptions.Keep
  /// The rank of each listed source, by its escaped bytes.
  private var ranks: [[UInt8]: Int64] = [:]

  init(_ options: DedupeOptions) {
    keep = options.keep
    for source in options.priority {
      // Escaped like a label, as in record fields.
      let bytes = RecordFields.bytes(RecordFields.Fields(label: source))
      if ranks[bytes] == nil { ranks[bytes] = Int64(ranks.count) }
    }
  }

  /// The strength of a record by its fields; lower values win.
  func strength(_ recordFields: Span<UInt8>) -> Int64 {
    switch keep {
    case .first, .last, .mostFrequent: return 0
    // The complement reverses the order without overflow.
    case .highestScore: return ~RecordFields.score(recordFields)
    // A record without a day is older than all others.
    case .newest: return -Int64(RecordFields.day(recordFields)?.number ?? .min)
    case .priority: return ranks[Self.source(recordFields)] ?? Int64(ranks.count)
    }
  }

  /// The tie-break between records of the same strength: lower values win, and no two records have the same.
  func rank(ordinal: UInt64) -> Int64 { keep == .last ? -Int64(ordinal) : Int64(ordinal) }

  /// Why `kept` wins over `dropped`, which is equally wide.
  func decision(kept: Span<UInt8>, dropped: Span<UInt8>, hasMoreVotes: Bool = false) -> DecisionReason {
    if kept.hasSameBytes(as: dropped) { return .same }
    switch keep {
    case .first: return .first
    case .last: return .last
    case .highestScore: return strength(kept) < strength(dropped) ? .higherScore : .first
    case .newest: return strength(kept) < strength(dropped) ? .newer : .first
    case .priority: return strength(kept) < strength(dropped) ? .priority : .first
    case .mostFrequent: return hasMoreVotes ? .moreFrequent : .first
    }
  }

  /// The source in record fields, still escaped.
  static func source(_ recordFields: Span<UInt8>) -> [UInt8] {
    let range = RecordFields.parts(recordFields).source
    return [UInt8](copying: recordFields.extracting(range))
  }
}

// The records for exactly the same numbers, collected until the duplicate is resolved.
//
// In sorted input they are adjacent, and a group may continue in the next batch. Only the best record is held in
// memory; with a conflicts file the others are spooled, so that each can be logged against the one that is kept.

/// A record copied out of its batch.
struct HeldRecord {
  var first: UInt64
  var last: UInt64
  var recordFields: [UInt8]
  /// Its position in the stream, from 1.
  var ordinal: UInt64
}

struct DuplicateGroup: ~Copyable {
  private let policy: KeepPolicy
  private let log: ConflictLog?
  private let meter: StageMeter
  private var spool: RecordFieldsSpool?
  private var labelVotes = LabelVotes()

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
    spool = log == nil ? nil : RecordFieldsSpool(directory: options.temporaryDirectory, calls: context.calls)
  }

  var isEmpty: Bool { count == 0 }
  var isRange: Bool { first != last }

  /// Starts a group, which is empty, with its first record.
  mutating func begin(
    first: UInt64, last: UInt64, _ recordFields: Span<UInt8>, ordinal: UInt64
  ) throws(Failure) {
    self.first = first
    self.last = last
    setBest(recordFields, ordinal, policy.strength(recordFields))
    try count(recordFields, ordinal)
  }

  /// Adds a record, or several with the same fields, of which it is the first.
  mutating func add(_ recordFields: Span<UInt8>, ordinal: UInt64, records: Int = 1) throws(Failure) {
    switch policy.keep {
    case .first, .mostFrequent: break
    case .last: setBest(recordFields, ordinal, 0)
    case .highestScore, .newest, .priority:
      let strength = policy.strength(recordFields)
      if strength < self.strength { setBest(recordFields, ordinal, strength) }
    }
    try count(recordFields, ordinal, records)
  }

  /// Adds records of a batch for the same numbers; the first record of the batch comes after the one with `ordinal`.
  mutating func add(
    _ batch: borrowing RecordBatch, _ run: Range<Int>, ordinal: UInt64
  ) throws(Failure) {
    guard log == nil, policy.keep != .last, run.count > 1 else {
      for index in run { try add(batch[fieldsAt: index], ordinal: ordinal + UInt64(index) + 1) }
      return
    }
    if policy.keep == .first { return count += run.count }
    // Each of the record fields once, in the order of their first records.
    var records = [Int](repeating: 0, count: batch.fieldsTable.count)
    for index in run { records[Int(batch.fieldsIndices[index])] += 1 }
    let before = count
    for index in run where records[Int(batch.fieldsIndices[index])] > 0 {
      let fieldsIndex = Int(batch.fieldsIndices[index])
      count = before + (index - run.lowerBound)
      try add(
        batch.fieldsTable[fieldsIndex], ordinal: ordinal + UInt64(index) + 1, records: records[fieldsIndex])
      records[fieldsIndex] = 0
    }
    count = before + run.count
  }

  private mutating func setBest(_ recordFields: Span<UInt8>, _ ordinal: UInt64, _ strength: Int64) {
    self.recordFields.removeAll(keepingCapacity: true)
    self.recordFields.append(copying: recordFields)
    self.ordinal = ordinal
    self.strength = strength
    winner = count
  }

  private mutating func count(
    _ recordFields: Span<UInt8>, _ ordinal: UInt64, _ records: Int = 1
  ) throws(Failure) {
    if policy.keep == .mostFrequent,
      !labelVotes.add(recordFields, index: count, ordinal: ordinal, votes: records)
    {
      throw Failure(
        .dedupe, .badData, "labels-too-large",
        "the distinct labels of \(first) exceed \(Figures.bytes(LabelVotes.bytesMax)) in total",
        hint: "use another \(option: "keep"): only most-frequent counts labels")
    }
    if log != nil {
      do throws(SystemError) { try spool?.append(recordFields) } catch { throw Failure(.dedupe, error) }
    }
    count += 1
  }

  /// Returns the record to keep, counts and logs the others as duplicates, and empties the group.
  mutating func resolve(_ votes: Votes?) throws(Failure) -> HeldRecord {
    if policy.keep == .mostFrequent, count > 1, let candidate = labelVotes.winner {
      recordFields = candidate.recordFields
      ordinal = candidate.ordinal
      winner = candidate.index
    }
    if let log { try logDropped(to: log, votes) }
    meter.duplicates.add(count - 1)
    labelVotes.removeAll()
    count = 0
    return HeldRecord(first: first, last: last, recordFields: recordFields, ordinal: ordinal)
  }

  private mutating func logDropped(to log: ConflictLog, _ votes: Votes?) throws(Failure) {
    let kept = recordFields
    let written = votes?.written(to: kept) ?? kept
    let keptVotes = labelVotes.votes(kept.span)
    let (first, last, winner) = (first, last, winner)
    let (policy, labelVotes) = (policy, labelVotes)
    var index = 0
    try spool?.drain { (dropped) throws(Failure) in
      defer { index += 1 }
      guard index != winner else { return }
      let decision = policy.decision(
        kept: kept.span, dropped: dropped, hasMoreVotes: keptVotes > labelVotes.votes(dropped))
      try log.add(first: first, last: last, kept: written.span, dropped: dropped, decision, votes)
    }
  }
}

/// The labels of the records for the same numbers, each with its first record.
struct LabelVotes {
  /// The maximum bytes for the different labels of one number, each counted with its first record and the overhead of a
  /// dictionary entry. A number has a few dozen; this allows tens of thousands.
  static let bytesMax = 8 << 20
  /// The overhead of a candidate in addition to its bytes.
  private static let candidateBytes = 128

  struct Candidate {
    var votes: Int
    /// Its index among the counted records, from 0.
    let index: Int
    let ordinal: UInt64
    let recordFields: [UInt8]

    fileprivate mutating func vote(_ count: Int) { votes += count }
  }

  private var candidates: [[UInt8]: Candidate] = [:]
  private var bytes = 0

  /// Counts a record's votes; false if there is no capacity for its label.
  mutating func add(_ recordFields: Span<UInt8>, index: Int, ordinal: UInt64, votes: Int) -> Bool {
    let label = Self.label(recordFields)
    if candidates[label]?.vote(votes) != nil { return true }
    bytes += Self.candidateBytes + label.count + recordFields.count
    guard bytes <= Self.bytesMax else { return false }
    candidates[label] = Candidate(
      votes: votes, index: index, ordinal: ordinal, recordFields: [UInt8](copying: recordFields))
    return true
  }

  /// The candidate with the most votes; the first one in case of a tie.
  var winner: Candidate? { candidates.values.max { ($0.votes, $1.index) < ($1.votes, $0.index) } }

  func votes(_ recordFields: Span<UInt8>) -> Int { candidates[Self.label(recordFields)]?.votes ?? 0 }

  mutating func removeAll() {
    candidates.removeAll(keepingCapacity: candidates.count < 64)
    bytes = 0
  }

  private static func label(_ recordFields: Span<UInt8>) -> [UInt8] {
    [UInt8](copying: recordFields.extracting(0..<RecordFields.labelLength(recordFields)))
  }
}

/// Record fields in input order.
struct RecordFieldsSpool: ~Copyable {
  /// The maximum bytes in memory. A number has a few records; one with tens of thousands goes to disk.
  static let bytesMax = 1 << 20
  private static let lengthBytes = 2

  private let directory: String
  private let calls: any SystemCalls
  private var bytes: [UInt8] = []
  private var file: TemporaryFile?
  /// The sizes of the blocks written to the file; each holds whole entries.
  private var blocks: [Int] = []

  init(directory: String, calls: any SystemCalls) {
    self.directory = directory
    self.calls = calls
  }

  mutating func append(_ recordFields: Span<UInt8>) throws(SystemError) {
    if bytes.count + recordFields.count + Self.lengthBytes > Self.bytesMax { try spill() }
    // Record fields have at most 32 KiB, so two bytes are enough for the length.
    bytes.append(UInt8(truncatingIfNeeded: recordFields.count))
    bytes.append(UInt8(truncatingIfNeeded: recordFields.count >> 8))
    bytes.append(copying: recordFields)
  }

  private mutating func spill() throws(SystemError) {
    if file == nil { file = try TemporaryFile(in: directory, calls: calls) }
    let block = bytes
    try file?.append(block.span)
    blocks.append(bytes.count)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Calls `body` with all record fields in order, and empties the spool.
  mutating func drain(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
    if !blocks.isEmpty {
      var chunk = ByteChunk(capacity: Self.bytesMax)
      var offset: Int64 = 0
      for size in blocks {
        do throws(SystemError) { try read(size, at: offset, into: &chunk) } catch {
          throw Failure(.dedupe, error)
        }
        offset += Int64(size)
        try Self.forEachRecord(chunk.span, body)
      }
      file = nil
      blocks.removeAll()
    }
    let rest = bytes
    try Self.forEachRecord(rest.span, body)
    bytes.removeAll(keepingCapacity: true)
  }

  private borrowing func read(
    _ size: Int, at offset: Int64, into chunk: inout ByteChunk
  ) throws(SystemError) {
    chunk.removeAll()
    while chunk.count < size {
      let position = offset + Int64(chunk.count)
      let count = try file?.read(into: &chunk, at: position, limit: size - chunk.count) ?? 0
      // No other process can truncate an unnamed file, so missing data is a disk error.
      guard count > 0 else { throw SystemError(.readSpill, directory, .ioError) }
    }
  }

  private static func forEachRecord(
    _ bytes: Span<UInt8>, _ body: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    var at = 0
    while at + lengthBytes <= bytes.count {
      let start = at + lengthBytes
      let end = start + (Int(bytes[at]) | Int(bytes[at + 1]) << 8)
      try body(bytes.extracting(start..<end))
      at = end
    }
  }
}
