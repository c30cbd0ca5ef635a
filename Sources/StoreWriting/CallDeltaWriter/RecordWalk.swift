// Walks through a store's records, one at a time, both kinds in one ascending order.

import CallStoreFormat
import CallStoreReader

/// A position in a store's records.
struct RecordWalk: ~Copyable {
  /// The number of records read from the cursor at once, 25 bytes each.
  private static let batchRecords = 2048
  /// Pages are released after this number of batches, a few hundred KiB of a typical store.
  private static let batchesResident = 64

  private var cursor: StoreCursor
  private var batch = StoreBatch(capacity: batchRecords)
  private var at = 0
  private var batches = 0

  /// Starts at the first record.
  init(_ store: borrowing CallStore) {
    cursor = StoreCursor(store)
  }

  /// Whether there is a current record. Call it before reading the record's fields.
  mutating func hasRecord(_ store: borrowing CallStore) throws(CallStoreError) -> Bool {
    if at < batch.count { return true }
    at = 0
    batches += 1
    if batches % Self.batchesResident == 0 { store.releasePages() }
    return try cursor.nextRecords(of: store, into: &batch)
  }

  /// Like ``hasRecord(_:)``, with an error that names the store's path.
  mutating func hasRecord(_ store: borrowing CallStore, at path: String) throws(DeltaError) -> Bool {
    do throws(CallStoreError) {
      return try hasRecord(store)
    } catch {
      throw .unreadableStore(error, path: path)
    }
  }

  var first: UInt64 { batch.firsts[at] }
  var last: UInt64 { batch.lasts[at] }
  var kind: StoreKind { batch.kinds[at] }
  var label: StoreLabel { batch.labels[at] }

  /// Advances past the current record.
  mutating func advance() { at += 1 }

  /// Appends the current record to a store.
  func append(from store: borrowing CallStore, to encoder: inout StoreEncoder) throws(StoreEncodingError) {
    let bytes = store.bytes(of: label)
    try encoder.append(first: first, last: last, kind: kind, label: Span<UInt8>(_bytes: bytes))
  }
}

extension CallStore {
  /// Whether a label of this store has the same bytes as a label of another.
  borrowing func hasSame(_ label: StoreLabel, as other: StoreLabel, of store: borrowing CallStore) -> Bool {
    let one = bytes(of: label)
    let two = store.bytes(of: other)
    guard one.byteCount == two.byteCount else { return false }
    for index in 0..<one.byteCount where one.byte(index) != two.byte(index) { return false }
    return true
  }
}
