// `--limit N`: keeps the records with the highest scores, at most N single numbers.
//
// The records are written to one temporary file, their scores and widths to another. Passes over the second file
// determine what fits (ScoreSelection); then the records are read back in order, and those that fit are passed on.

import BasicContainers
import Records
import SystemIO
import SystemPackage

final class ScoreLimiter: RecordSink {
  private let limit: UInt64
  private let context: StageContext
  private let leftOut: LeftOutCounter
  private let downstream: any RecordSink
  private let text: SpooledText
  private let writer: RecordWriter
  private var scores: ScoreFile

  init(
    _ limit: UInt64, _ options: DedupeOptions, _ context: StageContext, _ leftOut: LeftOutCounter,
    _ downstream: any RecordSink
  ) throws(Failure) {
    let text = try SpooledText(options.temporaryDirectory, context)
    let scores = try asFailure(.dedupe) { () throws(SystemError) in
      try ScoreFile(in: options.temporaryDirectory, context)
    }
    self.limit = limit
    self.context = context
    self.leftOut = leftOut
    self.downstream = downstream
    self.text = text
    writer = RecordWriter(downstream: text)
    self.scores = scores
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    let keys = ScoreKey.all(of: batch.fieldsTable)
    try asFailure(.dedupe) { () throws(SystemError) in
      for index in 0..<batch.count {
        try scores.append(
          keys[Int(batch.fieldsIndices[index])], width: batch.lasts[index] - batch.firsts[index] + 1)
      }
    }
    try writer.write(batch)
  }

  func finish() throws(Failure) {
    try writer.finish()
    let selection = try asFailure(.dedupe) { () throws(SystemError) in
      try scores.flush()
      return scores.numbers > limit ? try ScoreSelection(limit: limit, &scores) : nil
    }
    let filter = ScoreFilter(selection, leftOut, downstream)
    try text.replay(to: RecordReader(context: context, downstream: filter))
  }

}

extension ScoreKey {
  fileprivate static func all(of table: borrowing RecordFieldsTable) -> [ScoreKey] {
    var keys: [ScoreKey] = []
    keys.reserveCapacity(table.count)
    for index in 0..<table.count { keys.append(ScoreKey(RecordFields.score(table[index]))) }
    return keys
  }
}

private final class ScoreFilter: RecordSink {
  private var selection: ScoreSelection?
  private let leftOut: LeftOutCounter
  private let downstream: any RecordSink

  init(_ selection: ScoreSelection?, _ leftOut: LeftOutCounter, _ downstream: any RecordSink) {
    self.selection = selection
    self.leftOut = leftOut
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    if var selection {
      let keys = ScoreKey.all(of: batch.fieldsTable)
      var kept = 0
      for index in 0..<batch.count {
        let first = batch.firsts[index]
        let last = batch.lasts[index]
        guard selection.accepts(keys[Int(batch.fieldsIndices[index])], width: last - first + 1) else {
          try leftOut.add(first: first, last: last, batch[fieldsAt: index], .limit)
          continue
        }
        batch.firsts[kept] = first
        batch.lasts[kept] = last
        batch.fieldsIndices[kept] = batch.fieldsIndices[index]
        kept += 1
      }
      batch.truncate(to: kept)
      self.selection = selection
    }
    if !batch.isEmpty { try downstream.receive(&batch) }
  }

  func finish() throws(Failure) { try downstream.finish() }
}

// The selection of the records that fit a limit, as a rule that needs no list of them.
//
// Records are tried in descending order of score, those with the same score by number, and each one that fits the
// remaining capacity is selected. Most scores are selected completely. So a round consists of: above a floor, all
// records not wider than the capacity at the start of the round; at the floor, those that fit one by one. The next
// round continues below the floor with the remaining capacity. Without ranges there is one round.
//
// The floor is found by radix passes: a histogram of the keys' upper sixteen bits weighted by widths, then of the next
// sixteen bits within the digit at which the capacity is exhausted, and so on.

struct ScoreRound: Equatable {
  /// The score that was not selected completely; nil if all were.
  let floor: ScoreKey?
  /// Wider records did not fit.
  let widthMax: UInt64
  /// The capacity for records at the floor, used in order.
  var remainingAtFloor: UInt64
}

struct ScoreSelection {
  /// Each round after the first needs a range that did not fit at a score where others did. Lists have few widths, and
  /// so few rounds; 64 limits the passes over a list that was crafted to need more. The rest is left out then.
  static let roundsMax = 64
  private static let digitBits = 16

  private(set) var rounds: [ScoreRound] = []

  /// Determines the rounds for `limit` numbers.
  ///
  /// - Complexity: at most six passes over the file per round: one to four for scores of 16 to 64 bits, and two for
  ///   sums.
  init(limit: UInt64, _ file: inout ScoreFile) throws(SystemError) {
    var capacity = limit
    var ceiling: ScoreKey?
    while capacity > 0, rounds.count < Self.roundsMax {
      let candidates = Candidates(ceiling: ceiling, widthMax: capacity)
      var sum: UInt64 = 0
      try file.forEach { key, width in if candidates.contains(key, width) { sum += width } }
      if sum == 0 { return }
      guard sum > capacity else {
        rounds.append(ScoreRound(floor: nil, widthMax: capacity, remainingAtFloor: 0))
        return
      }
      let (floor, above) = try Self.floor(candidates, capacity, &file)
      rounds.append(ScoreRound(floor: floor, widthMax: capacity, remainingAtFloor: capacity - above))
      var remaining = capacity - above
      try file.forEach { key, width in
        if key == floor, width <= remaining { remaining -= width }
      }
      capacity = remaining
      ceiling = floor
    }
  }

  /// Whether a record is selected. Call it once per record, in order.
  mutating func accepts(_ key: ScoreKey, width: UInt64) -> Bool {
    for index in rounds.indices {
      let round = rounds[index]
      guard let floor = round.floor, key <= floor else { return width <= round.widthMax }
      if key == floor {
        guard width <= round.remainingAtFloor else { return false }
        rounds[index].remainingAtFloor -= width
        return true
      }
    }
    return false
  }

  private struct Candidates {
    let ceiling: ScoreKey?
    let widthMax: UInt64

    func contains(_ key: ScoreKey, _ width: UInt64) -> Bool {
      width <= widthMax && (ceiling.map { key < $0 } ?? true)
    }
  }

  /// The highest key whose records do not all fit, and the total of the numbers above it.
  ///
  /// - Precondition: the candidates have more than `capacity` numbers.
  private static func floor(
    _ candidates: Candidates, _ capacity: UInt64, _ file: inout ScoreFile
  ) throws(SystemError) -> (ScoreKey, above: UInt64) {
    let (lowest, highest) = (file.lowest.bits, file.highest.bits)
    var prefix: UInt64 = 0
    var above: UInt64 = 0
    var sums = [UInt64](repeating: 0, count: 1 << digitBits)
    for shift in stride(from: UInt64(64 - digitBits), through: 0, by: -digitBits) {
      // All keys have the same upper bits.
      if lowest >> shift == highest >> shift {
        prefix = lowest >> shift
        continue
      }
      for digit in sums.indices { sums[digit] = 0 }
      let parent = prefix
      try file.forEach { key, width in
        let upper = key.bits >> shift
        if upper >> UInt64(digitBits) == parent, candidates.contains(key, width) {
          sums[Int(upper & 0xFFFF)] += width
        }
      }
      var digit = sums.count - 1
      while digit > 0, above + sums[digit] <= capacity {
        above += sums[digit]
        digit -= 1
      }
      prefix = parent << UInt64(digitBits) | UInt64(digit)
    }
    return (ScoreKey(bits: prefix), above)
  }
}

/// A score as an unsigned key with the same order, for a radix pass.
struct ScoreKey: Comparable, Hashable {
  let bits: UInt64

  init(_ score: Int64) { bits = UInt64(bitPattern: score) ^ (1 << 63) }

  init(bits: UInt64) { self.bits = bits }

  static func < (one: ScoreKey, other: ScoreKey) -> Bool { one.bits < other.bits }
}

struct ScoreFile: ~Copyable {
  private static let entryBytes = 16

  private let meter: StageMeter
  private var file: TemporaryFile
  private var chunk = ByteChunk()
  /// The lowest and the highest key so far; lowest > highest if there are none.
  private(set) var lowest = ScoreKey(bits: .max)
  private(set) var highest = ScoreKey(bits: 0)
  /// The number of single numbers in the records. They are disjoint, so it is less than 2^50.
  private(set) var numbers: UInt64 = 0

  init(in directory: String, _ context: StageContext) throws(SystemError) {
    let made = try TemporaryFile(in: directory, calls: context.calls)
    meter = context.meter
    file = made
  }

  mutating func append(_ key: ScoreKey, width: UInt64) throws(SystemError) {
    if chunk.freeCapacity < Self.entryBytes { try flush() }
    append(key.bits)
    append(width)
    lowest = min(lowest, key)
    highest = max(highest, key)
    numbers += width
  }

  private mutating func append(_ word: UInt64) {
    for index in 0..<8 { chunk.bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * index))) }
  }

  mutating func flush() throws(SystemError) {
    try file.append(chunk)
    meter.bytesSpilled.add(chunk.count)
    chunk.removeAll()
  }

  /// Calls `body` for all records in order.
  ///
  /// - Precondition: everything is flushed.
  mutating func forEach(_ body: (ScoreKey, _ width: UInt64) -> Void) throws(SystemError) {
    var offset: Int64 = 0
    while offset < file.size {
      chunk.removeAll()
      // Read whole entries: a read may return fewer bytes than requested.
      while chunk.isEmpty || chunk.count % Self.entryBytes != 0 {
        let count = try file.read(into: &chunk, at: offset)
        guard count > 0 else { throw SystemError(.readSpill, file.directory, .ioError) }
        offset += Int64(count)
      }
      let entries = chunk.span
      var at = 0
      while at < entries.count {
        body(
          ScoreKey(bits: SliceFormat.integer(entries, at: at, count: 8)),
          SliceFormat.integer(entries, at: at + 8, count: 8))
        at += Self.entryBytes
      }
    }
    chunk.removeAll()
  }
}
