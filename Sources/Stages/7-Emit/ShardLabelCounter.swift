// The labels of a shard and their counts, for the manifest.

import CallManifest
import Records

/// Counts a shard's labels in bounded memory. Beyond its limits it only records that there are too many labels.
struct ShardLabelCounter: ~Copyable {
  /// The maximum number of distinct labels that are counted: that of a store's table.
  static let labelsMax = 4096
  /// The maximum total size of the counted labels in bytes.
  static let bytesMax = 256 * 1024
  /// The maximum number of labels that a manifest lists. Most lists have a few dozen; more would hide the rest of the
  /// manifest.
  static let listedMax = 50
  /// The maximum total size of the labels that a manifest lists for one shard, in bytes.
  static let listedBytesMax = 4096

  /// The records and the single numbers with a label.
  struct Count {
    var records: UInt64 = 0
    var entries: UInt64 = 0
  }

  private var counts: [[UInt8]: Count] = [:]
  private var bytes = 0
  private(set) var isOver = false
  /// The counts of the current batch, by the indices of its record fields. The counts after those, and all counts
  /// between batches, are 0.
  private var pending: ContiguousArray<Count> = []
  /// Counts like ``pending`` for single numbers, which nearly all records are.
  private var singles: ContiguousArray<UInt32> = []
  /// The number of record fields in the current batch.
  private var fieldsCount = 0

  /// Starts a batch with `count` record fields. The counts of the last batch were added to the totals.
  mutating func begin(count: Int) {
    fieldsCount = count
    let more = max(0, count - pending.count)
    pending.append(contentsOf: repeatElement(Count(), count: more))
    singles.append(contentsOf: repeatElement(0, count: more))
  }

  /// Counts a record with `entries` single numbers.
  mutating func add(_ recordFields: Int, entries: UInt64) {
    guard !isOver else { return }
    pending[recordFields].records += 1
    pending[recordFields].entries += entries
  }

  /// Counts single numbers by their record fields.
  mutating func add(singles fieldsTable: Span<UInt32>) {
    guard !isOver else { return }
    if fieldsCount == 1 {
      singles[0] += UInt32(fieldsTable.count)
      return
    }
    // A batch has a few thousand records: the counts can't overflow.
    var counts = singles.mutableSpan
    for index in 0..<fieldsTable.count { counts[Int(fieldsTable[index])] &+= 1 }
  }

  /// Adds the counts of the current batch to the totals of its labels, and resets them.
  mutating func addPending(_ labels: borrowing StoreLabels, _ table: borrowing RecordFieldsTable) {
    // After too many labels, nothing is counted.
    guard !isOver else { return }
    for index in 0..<fieldsCount where pending[index].records > 0 || singles[index] > 0 {
      var count = pending[index]
      count.records += UInt64(singles[index])
      count.entries += UInt64(singles[index])
      pending[index] = Count()
      singles[index] = 0
      if !isOver { add(labels.bytes(at: index, in: table), count) }
    }
  }

  /// Counts records of one label.
  mutating func add(_ label: [UInt8], _ count: Count) {
    guard !isOver else { return }
    if counts[label] == nil { bytes += label.count }
    counts[label, default: Count()].records += count.records
    counts[label, default: Count()].entries += count.entries
    guard counts.count > Self.labelsMax || bytes > Self.bytesMax else { return }
    isOver = true
    counts = [:]
  }

  /// Returns the labels for the manifest, and resets the totals.
  mutating func take() -> Manifest.Labels {
    defer {
      counts = [:]
      bytes = 0
      isOver = false
    }
    if isOver { return Manifest.Labels() }
    guard counts.count <= Self.listedMax, bytes <= Self.listedBytesMax else {
      return Manifest.Labels(count: counts.count)
    }
    let sorted = counts.sorted { one, other in
      if one.value.entries != other.value.entries { return one.value.entries > other.value.entries }
      return one.key.lexicographicallyPrecedes(other.key)
    }
    return Manifest.Labels(
      count: counts.count,
      list: sorted.map { label, count in
        Manifest.Labels.LabelCount(
          label: String(decoding: label, as: UTF8.self), records: count.records, entries: count.entries)
      })
  }
}
