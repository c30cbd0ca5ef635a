// A way through a store's records, one at a time, both kinds in one ascending order.

import CallStoreFormat
import CallStoreReader
import CallStoreWriter

/// A place in a store's records, with the record at the front at hand.
struct RecordWalk: ~Copyable {
  /// So many records are taken from the cursor at once, 25 bytes each.
  private static let batchRecords = 2048
  /// After so many batches the pages read are given back: some hundred KiB of a usual store.
  private static let batchesResident = 64

  private var cursor: StoreCursor
  private var batch = StoreBatch(capacity: batchRecords)
  private var at = 0
  private var batches = 0

  /// In front of the first record.
  init(_ store: borrowing CallStore) {
    cursor = StoreCursor(store)
  }

  /// Whether there is a record at the front. Ask before looking at it.
  mutating func hasRecord(_ store: borrowing CallStore) throws(CallStoreError) -> Bool {
    if at < batch.count { return true }
    at = 0
    batches += 1
    if batches % Self.batchesResident == 0 { store.releasePages() }
    return try cursor.nextRecords(of: store, into: &batch)
  }

  var first: UInt64 { batch.firsts[at] }
  var last: UInt64 { batch.lasts[at] }
  var kind: StoreKind { batch.kinds[at] }
  var label: StoreLabel { batch.labels[at] }

  /// Goes behind the record at the front.
  mutating func advance() { at += 1 }

  /// Appends the record at the front to a store.
  func append(from store: borrowing CallStore, to encoder: inout StoreEncoder) throws(StoreEncodingError) {
    try encoder.append(first: first, last: last, kind: kind, label: label, of: store)
  }
}

extension StoreEncoder {
  /// Appends a record whose label stands in another store.
  mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: StoreLabel, of store: borrowing CallStore
  ) throws(StoreEncodingError) {
    let bytes = store.bytes(of: label)
    try append(first: first, last: last, kind: kind, label: Span<UInt8>(_bytes: bytes))
  }
}

extension CallStore {
  /// Whether a label of this store and one of another have the same bytes.
  borrowing func hasSame(_ label: StoreLabel, as other: StoreLabel, of store: borrowing CallStore) -> Bool {
    let one = bytes(of: label)
    let two = store.bytes(of: other)
    guard one.byteCount == two.byteCount else { return false }
    for index in 0..<one.byteCount where one.byte(index) != two.byte(index) { return false }
    return true
  }
}
