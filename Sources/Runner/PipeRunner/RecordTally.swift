// How a run's records are spread over labels, calling codes and prefixes: counted where they leave the pipeline, a
// range at a time, in bounded memory.
//
// Sorted numbers stay in one prefix for long, so a prefix is looked up when it changes and not for each number.
// Not for: how it is shown (the command layer), or the labels of a shard (EmitStage).

import BasicContainers
import CallRecord
import NumberPlan
import SystemIO

/// What was counted.
public struct RecordCounts: Equatable, Sendable {
  /// Records, and the single numbers in them.
  public struct Count: Equatable, Sendable {
    /// Records; a range is one.
    public var records: UInt64 = 0
    /// Single numbers.
    public var entries: UInt64 = 0

    mutating func add(_ other: Count) {
      records &+= other.records
      entries &+= other.entries
    }
  }

  /// By label, without escapes.
  public var labels: [[UInt8]: Count] = [:]
  /// Of labels over the maximum number.
  public var otherLabels = Count()
  /// By calling code; 0 stands for digits that begin with nobody's.
  public var callingCodes: [UInt16: Count] = [:]
  /// Of ranges over more prefixes than they are split into.
  public var otherCallingCodes = Count()
  /// By the first digits: the calling code and three more.
  public var prefixes: [UInt64: Count] = [:]
  /// Of prefixes over the maximum number.
  public var otherPrefixes = Count()
}

/// Counts records.
struct RecordTally: ~Copyable {
  /// The maximum number of distinct labels: lists have some dozens, and those that have millions have one for each
  /// number, which is not worth counting.
  static let labelsMax = 4096
  /// The most bytes of a label that is counted by itself; longer ones are text, not labels.
  static let labelBytesMax = 1024
  /// The most different prefixes: about as many as are in use in the world.
  static let prefixesMax = 1 << 16
  /// The maximum number of pieces that a range is split into; the rest of it counts as other.
  static let piecesMax = 1024
  /// The number of digits after the calling code that belong to a prefix: an area code, or an operator's.
  static let prefixDigits = 3

  private var counts = RecordCounts()
  /// What the batch at hand has counted, by the places of its record fields: records, and numbers beyond one each.
  private var records: [UInt32] = []
  private var extras: [UInt64] = []
  /// The label that is being looked up.
  private var label: [UInt8] = []
  /// The numbers with the prefix at hand, and what was counted of them.
  private var block = PrefixBlock()
  private var blockCount = RecordCounts.Count()

  /// Counts a batch.
  ///
  /// - Complexity: O(records), and a lookup for each different label and each change of prefix.
  mutating func count(_ batch: borrowing RecordBatch) {
    records.removeAll(keepingCapacity: true)
    records.append(contentsOf: repeatElement(0, count: batch.fieldsTable.count))
    extras.removeAll(keepingCapacity: true)
    extras.append(contentsOf: repeatElement(0, count: batch.fieldsTable.count))
    var at = 0
    while at < batch.count {
      at = Self.count(batch, from: at, block, &blockCount, &records, &extras)
      if at < batch.count {
        enter(batch.firsts[at])
        if batch.lasts[at] > block.last {
          // A range that continues past the block's end.
          let recordFields = Int(batch.fieldsIndices[at])
          records[recordFields] += 1
          extras[recordFields] &+= batch.lasts[at] &- batch.firsts[at]
          cut(batch.firsts[at], batch.lasts[at])
          at += 1
        }
      }
    }
    countLabels(batch.fieldsTable)
  }

  /// Counts records as long as they lie within a block, and returns the place of the first that does not.
  private static func count(
    _ batch: borrowing RecordBatch, from start: Int, _ block: PrefixBlock,
    _ blockCount: inout RecordCounts.Count, _ records: inout [UInt32], _ extras: inout [UInt64]
  ) -> Int {
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    let fieldsTable = batch.fieldsIndices.span
    var records = records.mutableSpan
    var extras = extras.mutableSpan
    var entries: UInt64 = 0
    var at = start
    while at < firsts.count {
      let first = firsts[at]
      let last = lasts[at]
      guard first >= block.first, last <= block.last else { break }
      let recordFields = Int(fieldsTable[at])
      // A batch has some thousand records: this can't overflow.
      records[recordFields] &+= 1
      if last != first {
        extras[recordFields] &+= last &- first
        entries &+= last &- first
      }
      at += 1
    }
    blockCount.records &+= UInt64(at - start)
    blockCount.entries &+= entries &+ UInt64(at - start)
    return at
  }

  /// Closes the block at hand and begins the one that has `number`.
  private mutating func enter(_ number: UInt64) {
    closeBlock()
    block = PrefixBlock(of: number)
  }

  private mutating func closeBlock() {
    guard blockCount.records > 0 || blockCount.entries > 0 else { return }
    counts.callingCodes[block.callingCode, default: RecordCounts.Count()].add(blockCount)
    if counts.prefixes[block.prefix] != nil || counts.prefixes.count < Self.prefixesMax {
      counts.prefixes[block.prefix, default: RecordCounts.Count()].add(blockCount)
    } else {
      counts.otherPrefixes.add(blockCount)
    }
    blockCount = RecordCounts.Count()
  }

  /// Counts the numbers of a range in the blocks that they lie in; the record is that of the first one.
  private mutating func cut(_ first: UInt64, _ last: UInt64) {
    blockCount.records += 1
    var start = first
    for _ in 0..<Self.piecesMax {
      let end = min(last, block.last)
      blockCount.entries &+= end &- start &+ 1
      if end == last { return }
      start = end + 1
      enter(start)
    }
    // Nobody has a list like that; the numbers are counted all the same.
    let rest = RecordCounts.Count(records: 0, entries: last &- start &+ 1)
    counts.otherCallingCodes.add(rest)
    counts.otherPrefixes.add(rest)
  }

  private mutating func countLabels(_ table: borrowing RecordFieldsTable) {
    for index in 0..<records.count where records[index] > 0 {
      let count = RecordCounts.Count(
        records: UInt64(records[index]), entries: extras[index] &+ UInt64(records[index]))
      let recordFields = table[index]
      let length = RecordFields.labelLength(recordFields)
      label.removeAll(keepingCapacity: true)
      guard length <= Self.labelBytesMax else {
        counts.otherLabels.add(count)
        continue
      }
      label.append(copying: recordFields.extracting(0..<length))
      if let place = counts.labels.index(forKey: label) {
        counts.labels.values[place].add(count)
      } else if counts.labels.count < Self.labelsMax {
        counts.labels[label] = count
      } else {
        counts.otherLabels.add(count)
      }
    }
  }

  /// What was counted, and nothing is any more.
  mutating func take() -> RecordCounts {
    closeBlock()
    block = PrefixBlock()
    defer { counts = RecordCounts() }
    var counts = counts
    counts.labels = [:]
    for (label, count) in self.counts.labels {
      // Escaped and not, a label is one and the same.
      counts.labels[Array(RecordFields.fields(label.span).label.utf8), default: RecordCounts.Count()].add(
        count)
    }
    return counts
  }
}

/// All numbers with the same first digits and as many digits.
struct PrefixBlock: Equatable {
  /// The first and the last number; none is in the empty block.
  private(set) var first: UInt64 = 1
  private(set) var last: UInt64 = 0
  /// The digits that they begin with.
  private(set) var prefix: UInt64 = 0
  /// The calling code that they have; 0 for none.
  private(set) var callingCode: UInt16 = 0

  /// The empty block.
  init() {}

  /// The block of a number.
  ///
  /// - Complexity: O(digits).
  init(of number: UInt64) {
    callingCode = NumberPlan.callingCode(ofDigits: number) ?? 0
    let codeDigits = callingCode == 0 ? 0 : callingCode < 10 ? 1 : callingCode < 100 ? 2 : 3
    var digits = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    // Numbers have up to 15 digits, so these powers are far from overflowing; others are not cut at all.
    var width: UInt64 = 1
    if digits <= PhoneNumber.digitsMax {
      for _ in 0..<max(0, digits - codeDigits - RecordTally.prefixDigits) { width *= 10 }
    }
    prefix = number / width
    first = prefix * width
    last = first + (width - 1)
  }
}
