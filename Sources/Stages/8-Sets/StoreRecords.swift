// A store's records as batches, the way all stages take them.

public import CallRecord
import CallStoreFormat
public import CallStoreReader

/// A store, read from front to back. Both kinds of entries come in one ascending sequence; sources, scores and the
/// kinds are not in it.
public struct StoreRecords: ~Copyable {
  private let store: CallStore
  private var cursor: StoreCursor
  private var records = StoreBatch()
  private var at = 0
  /// The labels of the batch that is being filled, and their indices in it.
  private var known: [StoreLabel: Int] = [:]

  /// Opens a store.
  ///
  /// - Complexity: O(blocks + bytes of the label table).
  public init(path: String) throws(CallStoreError) {
    try self.init(CallStore(path: path))
  }

  /// Opens the store that a descriptor names, which stays the caller's.
  public init(descriptor: Int32) throws(CallStoreError) {
    try self.init(CallStore(descriptor: descriptor))
  }

  private init(_ store: consuming CallStore) {
    cursor = StoreCursor(store)
    self.store = store
  }

  /// Whether a file that begins with these eight bytes is a store.
  static let magic: [UInt8] = (0..<8).map { UInt8(truncatingIfNeeded: HeadLayout.magic >> (8 * $0)) }

  /// Fills an empty batch; false when there are no more records. When it throws, what was read before the damage
  /// stands in the batch.
  public mutating func fill(_ batch: inout RecordBatch) throws(CallStoreError) -> Bool {
    known.removeAll(keepingCapacity: true)
    while true {
      if at == records.count {
        at = 0
        guard try cursor.nextRecords(of: store, into: &records) else { return !batch.isEmpty }
        // It goes through once: what was read need not stay.
        store.releasePages()
      }
      while at < records.count {
        let first = records.firsts[at]
        let last = records.lasts[at]
        let label = records.labels[at]
        guard append(first, last, label, to: &batch) else { return true }
        at += 1
      }
    }
  }

  private mutating func append(
    _ first: UInt64, _ last: UInt64, _ label: StoreLabel, to batch: inout RecordBatch
  ) -> Bool {
    if batch.isFull { return false }
    if let index = known[label] {
      batch.append(first: first, last: last, fieldsIndex: index)
      return true
    }
    let recordFields = RecordFields.bytes(RecordFields.Fields(label: store.text(of: label)))
    guard let index = batch.fieldsTable.intern(recordFields.span) else { return false }
    known[label] = index
    batch.append(first: first, last: last, fieldsIndex: index)
    return true
  }
}
