// The N strongest entries of a stream, held in memory: what a bootstrap store is made of.
//
// By score, a record without one having 0; of equal ones those with the smaller numbers. A range counts by its numbers,
// and the last one that is taken is cut to those that still fit.

import BasicContainers
import CallRecord
import CallStoreFormat
import HeapModule
import PipeStage

/// Picks the strongest entries. It holds at most as many records as entries are asked for, some 40 bytes each.
struct StrongestEntries {
  /// The most bytes of their labels, each counted once. Labels repeat; a list in which every one has a kilobyte must
  /// not fill the memory.
  static let labelBytesMax = 16 << 20

  /// A record that is held. The weakest comes first in the heap.
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

  /// A label with its kind, and how many records have it.
  private struct Label {
    var bytes: [UInt8]
    var kind: StoreKind
    var uses = 0
    /// Which of the labels that ever stood at its place this is.
    var serial: UInt64
  }

  /// A label and its kind: with `--block`, both go by the label, but nothing here knows that.
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
  private var places: [LabelKey: Int] = [:]
  private var free: [Int] = []
  private var labelBytes = 0
  /// The scores of the batch at hand, and where its labels are held, by the places of its record fields.
  private var scores: [Int64] = []
  private var held: [(place: Int, serial: UInt64)?] = []
  private var serial: UInt64 = 0

  init(count: Int) {
    self.count = UInt64(clamping: count)
  }

  /// Takes what is strong enough of a batch whose record fields `look` has looked at.
  ///
  /// - Complexity: O(records), and O(log count) for each that is held for a while.
  mutating func take(
    _ batch: borrowing RecordBatch, _ look: borrowing StoreLabels
  ) throws(StageError) {
    scores.removeAll(keepingCapacity: true)
    held.removeAll(keepingCapacity: true)
    for index in 0..<batch.fieldsTable.count {
      scores.append(RecordFields.fields(batch.fieldsTable[index]).score ?? 0)
      held.append(nil)
    }
    for index in 0..<batch.count {
      let recordFields = Int(batch.fieldsIndices[index])
      // Numbers ascend, so among equals whoever is held already is stronger.
      if entries >= count, let weakest = heap.min, scores[recordFields] <= weakest.score { continue }
      let label = try place(of: recordFields, batch.fieldsTable, look)
      labels[label].uses += 1
      let candidate = Candidate(
        score: scores[recordFields], first: batch.firsts[index], last: batch.lasts[index], label: label)
      heap.insert(candidate)
      entries += candidate.entries
      while let weakest = heap.min, entries - weakest.entries >= count { drop(heap.removeMin()) }
    }
  }

  /// The records, ascending; nothing is held any more.
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
    places = [:]
    return records.sorted { $0.first < $1.first }
  }

  private mutating func drop(_ candidate: Candidate) {
    entries -= candidate.entries
    labels[candidate.label].uses -= 1
    guard labels[candidate.label].uses == 0 else { return }
    let label = labels[candidate.label]
    places[LabelKey(bytes: label.bytes, kind: label.kind)] = nil
    labelBytes -= label.bytes.count
    // The batch at hand may name it still, by a serial that is nobody's now.
    labels[candidate.label].serial = 0
    labels[candidate.label].bytes = []
    free.append(candidate.label)
  }

  private mutating func place(
    of recordFields: Int, _ table: borrowing RecordFieldsTable, _ look: borrowing StoreLabels
  ) throws(StageError) -> Int {
    if let known = held[recordFields], labels[known.place].serial == known.serial { return known.place }
    let key = LabelKey(bytes: look.bytes(at: recordFields, in: table), kind: look.kind(at: recordFields))
    if let place = places[key] {
      held[recordFields] = (place, labels[place].serial)
      return place
    }
    labelBytes += key.bytes.count
    guard labelBytes <= Self.labelBytesMax else {
      throw StageError(.emit, EmitError.bootstrapLabelsTooLarge(limit: Self.labelBytesMax))
    }
    serial += 1
    let label = Label(bytes: key.bytes, kind: key.kind, serial: serial)
    let place: Int
    if let last = free.popLast() {
      labels[last] = label
      place = last
    } else {
      labels.append(label)
      place = labels.count - 1
    }
    places[key] = place
    held[recordFields] = (place, serial)
    return place
  }
}
