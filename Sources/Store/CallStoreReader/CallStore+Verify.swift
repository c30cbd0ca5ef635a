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
      for index in 0..<batch.count {
        guard batch.firsts[index] > previous else { throw .damaged(.index) }
        previous = batch.lasts[index]
        if batch.kinds[index] == .blocking { records.blocking += 1 } else { records.identification += 1 }
      }
    }
    guard records == (trailer.blockingRecords, trailer.identificationRecords), previous == trailer.lastNumber
    else {
      throw .damaged(.trailer)
    }
  }
}
