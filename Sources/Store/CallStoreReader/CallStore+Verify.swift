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
        order.pass(&blocking)
      } else if identification.isBefore(blockingFront) {
        order.pass(&identification)
      } else {
        order.passMerged(&blocking, &identification)
      }
      guard order.isKept else { throw .damaged(.index) }
      let taken = (blocking.at - before.0, identification.at - before.1)
      records.blocking += taken.0
      records.identification += taken.1
      resident += taken.0 + taken.1
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
  /// Whether all records that stand ready begin before a number; there are some.
  @inline(__always)
  fileprivate borrowing func isBefore(_ number: UInt64) -> Bool { at < count && firsts[count - 1] < number }
}

/// Whether records of both kinds together ascend and are disjoint. Those of one kind are, or its cursor says so.
private struct RecordOrder {
  /// The last number so far.
  private(set) var last: UInt64 = 0
  /// Whether each record begins behind the one before it.
  private(set) var isKept = true

  /// Goes on to behind what stands ready of a kind, where nothing of the other comes between.
  mutating func pass(_ records: inout KindCursor) {
    isKept = isKept && records.firsts[records.at] > last
    last = records.lasts[records.count - 1]
    records.at = records.count
  }

  /// Goes on until one of the kinds has no record ready any more; both have some. Kinds may take turns at random, so
  /// nothing branches on which of the two comes first.
  mutating func passMerged(_ one: inout KindCursor, _ other: inout KindCursor) {
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
      let isBehind = (isOne ? oneFirst : otherFirst) > last
      isKept = isKept && isBehind
      last = isOne ? oneLast : otherLast
      let step = isOne ? 1 : 0
      oneAt &+= step
      otherAt &+= 1 &- step
    }
    return (oneAt, otherAt)
  }
}
