// Reads a store's records as batches, the form that all stages use.

import BasicContainers
package import Records
import CallStoreFormat
package import CallStoreReader

/// Reads a store sequentially. Both kinds of entries come in one ascending sequence, without sources, scores and kinds.
package struct StoreRecords: ~Copyable {
  private let store: CallStore
  private var cursor: StoreCursor
  private var records = StoreBatch()
  private var at = 0
  private var labels = LabelIndices()
  /// The batches read so far.
  private var batches = 0

  /// The batches after which the store's pages are released: about a mebibyte. Doing so costs as much as reading a few
  /// hundred records.
  private static let batchesResident = 64

  /// Opens the store at a path.
  ///
  /// - Complexity: O(blocks + bytes of the label table).
  package init(path: String) throws(CallStoreError) {
    try self.init(CallStore(path: path))
  }

  /// Opens a store by its descriptor. The caller keeps the descriptor and closes it.
  package init(descriptor: Int32) throws(CallStoreError) {
    try self.init(CallStore(descriptor: descriptor))
  }

  private init(_ store: consuming CallStore) {
    cursor = StoreCursor(store)
    self.store = store
  }

  /// The eight bytes that every store begins with.
  package static let magic: [UInt8] = (0..<8).map { UInt8(truncatingIfNeeded: HeadLayout.magic >> (8 * $0)) }

  /// Fills an empty batch; false if there are no more records. When it throws, the batch holds the records before the
  /// damage.
  package mutating func fill(_ batch: inout RecordBatch) throws(CallStoreError) -> Bool {
    labels.removeAll()
    while !batch.isFull {
      if at == records.count {
        at = 0
        guard try cursor.nextRecords(of: store, into: &records) else { return !batch.isEmpty }
        batches += 1
        // The store is read once, so its pages need not stay in memory.
        if batches % Self.batchesResident == 0 { store.releasePages() }
      }
      // The batch has no capacity left for another label.
      guard append(to: &batch) > 0 else { return true }
    }
    return true
  }

  /// Appends the next records, as many as fit; returns how many.
  private mutating func append(to batch: inout RecordBatch) -> Int {
    let end = min(records.count, at + RecordBatch.recordsMax - batch.count)
    let labelled = Self.appendLabels(records, at..<end, of: store, to: &batch, &labels)
    batch.firsts.append(copying: records.firsts.extracting(at..<labelled))
    batch.lasts.append(copying: records.lasts.extracting(at..<labelled))
    defer { at = labelled }
    return labelled - at
  }

  /// Appends the labels of records; returns the index of the first one whose label does not fit.
  private static func appendLabels(
    _ records: borrowing StoreBatch, _ range: Range<Int>, of store: borrowing CallStore,
    to batch: inout RecordBatch, _ indices: inout LabelIndices
  ) -> Int {
    let labels = records.labels
    for at in range {
      guard let index = indices.index(of: labels[at], store, &batch.fieldsTable) else { return at }
      batch.fieldsIndices.append(index)
    }
    return range.upperBound
  }
}

/// The indices of a store's labels in a batch.
private struct LabelIndices {
  private static let recentBits = 8

  /// A label and its index. Fewer comparisons than a dictionary needs, for most lists have few labels.
  private struct Recent {
    /// No label has this value, because no file is that long.
    static let none: UInt64 = .max
    var label = Recent.none
    var index: UInt32 = 0
  }

  private var recent = ContiguousArray(repeating: Recent(), count: 1 << recentBits)
  private var all: [UInt64: UInt32] = [:]

  mutating func removeAll() {
    guard !all.isEmpty else { return }
    for slot in recent.indices { recent[slot] = Recent() }
    all.removeAll(keepingCapacity: true)
  }

  /// The index of a label in the table, to which it is added if it is new; nil if the table is full.
  @inline(__always)
  mutating func index(
    of label: StoreLabel, _ store: borrowing CallStore, _ table: inout RecordFieldsTable
  ) -> UInt32? {
    let key = label.offsetAndCount
    let slot = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> UInt64(64 - Self.recentBits))
    if recent[slot].label == key { return recent[slot].index }
    return known(label, slot, store, &table)
  }

  /// The index of a label that is not among the recent ones.
  private mutating func known(
    _ label: StoreLabel, _ slot: Int, _ store: borrowing CallStore, _ table: inout RecordFieldsTable
  ) -> UInt32? {
    let key = label.offsetAndCount
    if let index = all[key] {
      recent[slot] = Recent(label: key, index: index)
      return index
    }
    let recordFields = RecordFields.bytes(RecordFields.Fields(label: store.text(of: label)))
    guard let added = table.intern(recordFields.span) else { return nil }
    let index = UInt32(added)
    all[key] = index
    recent[slot] = Recent(label: key, index: index)
    return index
  }
}
