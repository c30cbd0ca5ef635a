// Checks a whole store, except for its content hash: that needs SHA-256, which the writer's side has.

import CallStoreFormat

extension CallStore {
  /// So many records take about a mebibyte of the file, after which its pages are given back.
  private var recordsResident: Int {
    let records = trailer.blockingRecords + trailer.identificationRecords
    return max(1, Int(clamping: records / UInt64(byteCount / (1 << 20) + 1)))
  }

  /// Checks every checksum, decodes every record, and checks that the records ascend, are disjoint, and are as many
  /// as the store says.
  ///
  /// - Complexity: O(records); ranges are not expanded.
  public func verify() throws(CallStoreError) {
    var cursor = StoreCursor(self)
    var batch = StoreBatch()
    var previous: UInt64 = 0
    var records = (blocking: UInt64(0), identification: UInt64(0))
    var resident = 0
    while try cursor.nextRecords(of: self, into: &batch) {
      resident += batch.count
      if resident >= recordsResident {
        releasePages()
        resident = 0
      }
      guard let last = Self.ascendingEnd(batch, after: previous) else { throw .damaged(.index) }
      previous = last
      let blocking = Self.count(batch.kinds, .blocking)
      records.blocking += UInt64(blocking)
      records.identification += UInt64(batch.count - blocking)
    }
    guard records == (trailer.blockingRecords, trailer.identificationRecords), previous == trailer.lastNumber
    else {
      throw .damaged(.trailer)
    }
  }

  /// The last number of a batch's records; nil unless each begins behind the one before it, and the first behind
  /// `previous`.
  private static func ascendingEnd(_ batch: borrowing StoreBatch, after previous: UInt64) -> UInt64? {
    let firsts = batch.firsts
    let lasts = batch.lasts
    var previous = previous
    for index in firsts.indices {
      guard firsts[index] > previous else { return nil }
      previous = lasts[index]
    }
    return previous
  }

  private static func count(_ kinds: Span<StoreKind>, _ kind: StoreKind) -> Int {
    var count = 0
    for index in kinds.indices where kinds[index] == kind { count &+= 1 }
    return count
  }
}
