// Which labels a shard has and how often, as far as that is worth saying in a manifest.

import CallManifest
import CallRecord

/// Counts a shard's labels, in bounded memory: with more labels than it holds it only knows that they are many.
struct ShardLabelCounter: ~Copyable {
  /// The most different labels that are counted: as many as a store's own table has.
  static let labelsMax = 4096
  /// The most bytes of the labels that are counted.
  static let bytesMax = 256 * 1024
  /// The most labels that a manifest lists. Lists have some dozens; one with more would hide the rest of the manifest.
  static let listedMax = 50
  /// The most bytes of the labels that a manifest lists for one shard.
  static let listedBytesMax = 4096

  struct Count {
    var records: UInt64 = 0
    var entries: UInt64 = 0
  }

  private var counts: [[UInt8]: Count] = [:]
  private var bytes = 0
  private(set) var isOver = false
  /// What the batch at hand has counted, by the places of its record fields. Behind those, and between batches, nothing
  /// is counted.
  private var pending: ContiguousArray<Count> = []
  /// The same of single numbers, which are nearly all there is.
  private var singles: ContiguousArray<UInt32> = []
  /// How many record fields the batch at hand has.
  private var fieldsCount = 0

  /// A batch begins whose table has so many record fields; what the last one counted was taken over.
  mutating func begin(count: Int) {
    fieldsCount = count
    let more = max(0, count - pending.count)
    pending.append(contentsOf: repeatElement(Count(), count: more))
    singles.append(contentsOf: repeatElement(0, count: more))
  }

  /// Counts a record with so many numbers.
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
    // A batch has some thousand records: the counts can't overflow.
    var counts = singles.mutableSpan
    for index in 0..<fieldsTable.count { counts[Int(fieldsTable[index])] &+= 1 }
  }

  /// Takes over what the batch has counted, by its labels, and counts from nothing.
  mutating func takeOver(_ labels: borrowing StoreLabels, _ table: borrowing RecordFieldsTable) {
    // Since there are too many labels, nothing was counted.
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

  /// What a manifest says, and nothing is counted any more.
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
