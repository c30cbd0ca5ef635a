// Counts a run's records by label and prefix before the last stage, in bounded memory and without expanding ranges.
//
// Sorted numbers rarely change their prefix, so a prefix is looked up only when it changes, not for each number. Not
// for countries (CountryTally), for displaying the counts (the command layer), or for the labels of a shard (EmitStage).

import BasicContainers
import CallRecord
import NumberPlan
import SystemIO

/// The counts of a run's records.
public struct RecordCounts: Equatable, Sendable {
  /// A count of records and of the single numbers in them.
  public struct Count: Equatable, Sendable {
    /// Records; a range counts once.
    public var records: UInt64 = 0
    /// Single numbers.
    public var entries: UInt64 = 0

    /// Creates a count.
    public init(records: UInt64 = 0, entries: UInt64 = 0) {
      self.records = records
      self.entries = entries
    }

    mutating func add(_ other: Count) {
      records &+= other.records
      entries &+= other.entries
    }
  }

  /// Counts by label, without escapes.
  public var labels: [[UInt8]: Count] = [:]
  /// The count of labels beyond the maximum number.
  public var otherLabels = Count()
  /// Counts by prefix: the calling code and three more digits.
  public var prefixes: [UInt64: Count] = [:]
  /// The count of prefixes beyond the maximum number, and of ranges that span too many prefixes to be split.
  public var otherPrefixes = Count()
}

/// Counts records by label and prefix.
struct RecordTally: ~Copyable {
  /// The maximum number of distinct labels. Most lists have a few dozen; a list with millions has a distinct label per
  /// number, which is not worth counting.
  static let labelsMax = 4096
  /// The maximum size of a label that is counted separately, in bytes; longer ones are texts rather than labels.
  static let labelBytesMax = 1024
  /// The maximum number of distinct prefixes: about as many as are in use worldwide.
  static let prefixesMax = 1 << 16
  /// The maximum number of pieces that a range is split into; the rest counts as other.
  static let piecesMax = 1024
  /// The number of digits after the calling code in a prefix: an area code or an operator's code.
  static let prefixDigits = 3

  private var counts = RecordCounts()
  /// The counts of the current batch by index of the record fields: records, and numbers beyond the first of each
  /// record.
  private var records: [UInt32] = []
  private var extras: [UInt64] = []
  /// The buffer for the label that is being looked up.
  private var label: [UInt8] = []
  /// The block of the current prefix and its counts.
  private var block = PrefixBlock()
  private var blockCount = RecordCounts.Count()

  /// Counts a batch.
  ///
  /// - Complexity: O(records), plus a lookup for each distinct label and each change of prefix.
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
          // A range that extends past the block's end.
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

  /// Counts records while they lie within a block; returns the index of the first that does not.
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
      // A batch has a few thousand records, so this can't overflow.
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

  /// Closes the current block and begins the one that contains `number`.
  private mutating func enter(_ number: UInt64) {
    closeBlock()
    block = PrefixBlock(of: number, digits: Self.prefixDigits)
  }

  private mutating func closeBlock() {
    guard blockCount.records > 0 || blockCount.entries > 0 else { return }
    if counts.prefixes[block.prefix] != nil || counts.prefixes.count < Self.prefixesMax {
      counts.prefixes[block.prefix, default: RecordCounts.Count()].add(blockCount)
    } else {
      counts.otherPrefixes.add(blockCount)
    }
    blockCount = RecordCounts.Count()
  }

  /// Counts a range's numbers in the blocks that contain them; the record counts in the first block.
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
    // Unlikely in a real list, but the numbers must still be counted.
    let rest = RecordCounts.Count(records: 0, entries: last &- start &+ 1)
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

  /// Returns the counts and resets them.
  mutating func take() -> RecordCounts {
    closeBlock()
    block = PrefixBlock()
    defer { counts = RecordCounts() }
    var counts = counts
    counts.labels = [:]
    for (label, count) in self.counts.labels {
      // A label counts as the same with and without escapes.
      counts.labels[Array(RecordFields.fields(label.span).label.utf8), default: RecordCounts.Count()].add(
        count)
    }
    return counts
  }
}

/// The numbers with the same prefix and the same number of digits.
package struct PrefixBlock: Equatable {
  /// The first and the last number; an empty block has first > last.
  package private(set) var first: UInt64 = 1
  package private(set) var last: UInt64 = 0
  /// The prefix of the numbers.
  private(set) var prefix: UInt64 = 0
  /// The calling code of the numbers; 0 for none.
  package private(set) var callingCode: UInt16 = 0

  /// Creates an empty block.
  package init() {}

  /// The maximum number of digits of a calling code.
  private static let codeDigitsMax = 3

  /// Creates the block that contains a number. Its prefix is the calling code and the next `count` digits; for a number
  /// without a known calling code, it has at least as many digits as the longest one.
  ///
  /// - Complexity: O(digits).
  package init(of number: UInt64, digits count: Int) {
    callingCode = NumberPlan.callingCode(ofDigits: number) ?? 0
    let codeDigits =
      callingCode == 0 ? max(0, Self.codeDigitsMax - count) : callingCode < 10 ? 1 : callingCode < 100 ? 2 : 3
    var digits = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    // Numbers have at most 15 digits, so these powers can't overflow; longer ones are not split.
    var width: UInt64 = 1
    if digits <= PhoneNumber.digitsMax {
      for _ in 0..<max(0, digits - codeDigits - count) { width *= 10 }
    }
    prefix = number / width
    first = prefix * width
    last = first + (width - 1)
  }
}
