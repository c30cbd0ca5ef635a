// Checks a whole store except its content hash, which needs SHA-256 (StoreVerification in CallStoreWriter).

import CallStoreFormat

extension CallStore {
  /// The number of records in about 1 MiB of the file. Pages are released after this number.
  var recordsResident: Int {
    let records = trailer.blockingRecords + trailer.identificationRecords
    return max(1, Int(clamping: records / UInt64(byteCount / (1 << 20) + 1)))
  }

  /// Verifies every checksum, decodes every record, and checks that the records ascend, are disjoint, and match the
  /// counts in the trailer.
  ///
  /// - Complexity: O(records); ranges are not expanded.
  public func verify() throws(CallStoreError) {
    var blocking = KindCursor(self, .blocking, isEmpty: false)
    var identification = KindCursor(self, .identification, isEmpty: false)
    var order = RecordOrder()
    var records = (blocking: 0, identification: 0)
    var resident = 0
    while true {
      let blockingFront = try blocking.front(self)
      let identificationFront = try identification.front(self)
      if blockingFront == UInt64.max, identificationFront == UInt64.max { break }
      let before = (blocking.at, identification.at)
      if blocking.isBefore(identificationFront) {
        order.check(&blocking)
      } else if identification.isBefore(blockingFront) {
        order.check(&identification)
      } else {
        order.checkMerged(&blocking, &identification)
      }
      guard order.isAscending else { throw .damaged(.index) }
      let checked = (blocking.at - before.0, identification.at - before.1)
      records.blocking += checked.0
      records.identification += checked.1
      resident += checked.0 + checked.1
      if resident >= recordsResident {
        releasePages()
        resident = 0
      }
    }
    guard UInt64(records.blocking) == trailer.blockingRecords,
      UInt64(records.identification) == trailer.identificationRecords, order.last == trailer.lastNumber
    else {
      throw .damaged(.trailer)
    }
  }
}

extension KindCursor {
  /// Whether there are decoded records and all of them start before a number.
  @inline(__always)
  fileprivate borrowing func isBefore(_ number: UInt64) -> Bool { at < count && firsts[count - 1] < number }
}

/// Checks that the records of both kinds together ascend and are disjoint. A cursor checks those of one kind.
private struct RecordOrder {
  /// The last number so far.
  private(set) var last: UInt64 = 0
  /// Whether each record so far starts after the end of the one before it.
  private(set) var isAscending = true

  /// Checks the decoded records of one kind, all of which come before the next of the other kind.
  mutating func check(_ records: inout KindCursor) {
    isAscending = isAscending && records.firsts[records.at] > last
    last = records.lasts[records.count - 1]
    records.at = records.count
  }

  /// Checks the decoded records of both kinds until one kind has no more. The kinds may alternate at random, so nothing
  /// branches on which of the two comes first.
  mutating func checkMerged(_ one: inout KindCursor, _ other: inout KindCursor) {
    (one.at, other.at) = endOfMerged(one, other)
  }

  private mutating func endOfMerged(
    _ one: borrowing KindCursor, _ other: borrowing KindCursor
  ) -> (Int, Int) {
    let oneFirsts = one.firsts.span.extracting(0..<one.count)
    let otherFirsts = other.firsts.span.extracting(0..<other.count)
    let oneLasts = one.lasts.span.extracting(0..<one.count)
    let otherLasts = other.lasts.span.extracting(0..<other.count)
    var oneAt = one.at
    var otherAt = other.at
    while oneAt < oneFirsts.count, otherAt < otherFirsts.count {
      let oneFirst = oneFirsts[oneAt]
      let otherFirst = otherFirsts[otherAt]
      let oneLast = oneLasts[oneAt]
      let otherLast = otherLasts[otherAt]
      let isOne = oneFirst <= otherFirst
      let isAfterLast = (isOne ? oneFirst : otherFirst) > last
      isAscending = isAscending && isAfterLast
      last = isOne ? oneLast : otherLast
      let step = isOne ? 1 : 0
      oneAt &+= step
      otherAt &+= 1 &- step
    }
    return (oneAt, otherAt)
  }
}
