// Selects the N strongest entries of a stream in memory, for a bootstrap store.
//
// Entries are ranked by score, which is 0 for a record without one, then by number, smaller numbers first. A range
// counts as many entries as it has numbers; the weakest selected range is cut to those that fit.

import BasicContainers
import Records
import CallStoreFormat
import HeapModule

/// Selects the strongest entries. It holds at most one record for each of them, about 40 bytes each.
struct StrongestEntries {
  /// The maximum total size of the distinct labels in bytes. Labels usually repeat; a list of distinct labels of a
  /// kilobyte each must not fill the memory.
  static let labelBytesMax = 16 << 20

  /// A selected record. The weakest comes first in the heap.
  private struct Candidate: Comparable {
    var score: Int64
    var first: UInt64
    var last: UInt64
    var label: Int
    var entries: UInt64 { last - first + 1 }

    static func < (one: Candidate, other: Candidate) -> Bool {
      one.score != other.score ? one.score < other.score : one.first > other.first
    }
  }

  /// A label with its kind, and the number of selected records that have it.
  private struct Label {
    var bytes: [UInt8]
    var kind: StoreKind
    var uses = 0
    /// The serial number of the label: its index is used again after it was dropped.
    var serial: UInt64
  }

  /// A label and its kind.
  private struct LabelKey: Hashable {
    var bytes: [UInt8]
    var kind: StoreKind
  }

  /// A record of the result.
  struct Record {
    var first: UInt64
    var last: UInt64
    var kind: StoreKind
    var label: [UInt8]
  }

  private let count: UInt64
  private var heap = Heap<Candidate>()
  private var entries: UInt64 = 0
  private var labels: [Label] = []
  private var indices: [LabelKey: Int] = [:]
  private var free: [Int] = []
  private var labelBytes = 0
  /// The scores of the current batch, by the indices of its record fields.
  private var scores: [Int64] = []
  /// The indices and the serial numbers of the current batch's labels, by the indices of its record fields.
  private var held: [(index: Int, serial: UInt64)?] = []
  private var serial: UInt64 = 0

  init(count: Int) {
    self.count = UInt64(clamping: count)
  }

  /// Selects from a batch. `storeLabels` was prepared with the batch's record fields.
  ///
  /// - Complexity: O(records), and O(log count) for each record that is selected, even if it is dropped later.
  mutating func select(
    from batch: borrowing RecordBatch, _ storeLabels: borrowing StoreLabels
  ) throws(Failure) {
    scores.removeAll(keepingCapacity: true)
    held.removeAll(keepingCapacity: true)
    for index in 0..<batch.fieldsTable.count {
      scores.append(RecordFields.fields(batch.fieldsTable[index]).score ?? 0)
      held.append(nil)
    }
    for index in 0..<batch.count {
      let recordFields = Int(batch.fieldsIndices[index])
      // Numbers ascend, so among equal scores the records already selected are stronger.
      if entries >= count, let weakest = heap.min, scores[recordFields] <= weakest.score { continue }
      let label = try labelIndex(of: recordFields, batch.fieldsTable, storeLabels)
      labels[label].uses += 1
      let candidate = Candidate(
        score: scores[recordFields], first: batch.firsts[index], last: batch.lasts[index], label: label)
      heap.insert(candidate)
      entries += candidate.entries
      while let weakest = heap.min, entries - weakest.entries >= count { drop(heap.removeMin()) }
    }
  }

  /// Returns the selected records in ascending order, and releases them.
  mutating func takeRecords() -> [Record] {
    var records: [Record] = []
    records.reserveCapacity(heap.count)
    let weakest = heap.min
    for candidate in heap.unordered {
      var last = candidate.last
      if let weakest, weakest == candidate, entries > count { last -= entries - count }
      let label = labels[candidate.label]
      records.append(Record(first: candidate.first, last: last, kind: label.kind, label: label.bytes))
    }
    heap = Heap()
    entries = 0
    labels = []
    indices = [:]
    return records.sorted { $0.first < $1.first }
  }

  private mutating func drop(_ candidate: Candidate) {
    entries -= candidate.entries
    labels[candidate.label].uses -= 1
    guard labels[candidate.label].uses == 0 else { return }
    let label = labels[candidate.label]
    indices[LabelKey(bytes: label.bytes, kind: label.kind)] = nil
    labelBytes -= label.bytes.count
    // The current batch may still refer to the label, with a serial number that is not used any more.
    labels[candidate.label].serial = 0
    labels[candidate.label].bytes = []
    free.append(candidate.label)
  }

  private mutating func labelIndex(
    of recordFields: Int, _ table: borrowing RecordFieldsTable, _ storeLabels: borrowing StoreLabels
  ) throws(Failure) -> Int {
    if let known = held[recordFields], labels[known.index].serial == known.serial { return known.index }
    let key = LabelKey(
      bytes: storeLabels.bytes(at: recordFields, in: table), kind: storeLabels.kind(at: recordFields))
    if let index = indices[key] {
      held[recordFields] = (index, labels[index].serial)
      return index
    }
    labelBytes += key.bytes.count
    guard labelBytes <= Self.labelBytesMax else {
      throw Failure(.emit, EmitError.bootstrapLabelsTooLarge(limit: Self.labelBytesMax))
    }
    serial += 1
    let label = Label(bytes: key.bytes, kind: key.kind, serial: serial)
    let index: Int
    if let last = free.popLast() {
      labels[last] = label
      index = last
    } else {
      labels.append(label)
      index = labels.count - 1
    }
    indices[key] = index
    held[recordFields] = (index, serial)
    return index
  }
}
