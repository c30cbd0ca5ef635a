// Reads a store's records as batches, the form that all stages use.

public import CallRecord
import CallStoreFormat
public import CallStoreReader

/// Reads a store sequentially. Both kinds of entries come in one ascending sequence, without sources, scores and kinds.
public struct StoreRecords: ~Copyable {
  private let store: CallStore
  private var cursor: StoreCursor
  private var records = StoreBatch()
  private var at = 0
  /// The labels of the batch that is being filled, with their indices in it.
  private var known: [StoreLabel: Int] = [:]

  /// Opens the store at a path.
  ///
  /// - Complexity: O(blocks + bytes of the label table).
  public init(path: String) throws(CallStoreError) {
    try self.init(CallStore(path: path))
  }

  /// Opens a store by its descriptor. The caller keeps the descriptor and closes it.
  public init(descriptor: Int32) throws(CallStoreError) {
    try self.init(CallStore(descriptor: descriptor))
  }

  private init(_ store: consuming CallStore) {
    cursor = StoreCursor(store)
    self.store = store
  }

  /// The eight bytes that every store begins with.
  static let magic: [UInt8] = (0..<8).map { UInt8(truncatingIfNeeded: HeadLayout.magic >> (8 * $0)) }

  /// Fills an empty batch; false if there are no more records. When it throws, the batch holds the records before the
  /// damage.
  public mutating func fill(_ batch: inout RecordBatch) throws(CallStoreError) -> Bool {
    known.removeAll(keepingCapacity: true)
    while true {
      if at == records.count {
        at = 0
        guard try cursor.nextRecords(of: store, into: &records) else { return !batch.isEmpty }
        // The store is read once, so its pages need not stay in memory.
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
