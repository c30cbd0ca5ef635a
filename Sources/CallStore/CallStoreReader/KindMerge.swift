// Merges the decoded records of both kinds into a batch.
//
// Where the kinds alternate at random, a branch would be mispredicted for every other record, so nothing here branches
// on which of the two comes first.

import CallStoreFormat

enum KindMerge {
  /// Copies records in ascending order until one of the cursors has no more decoded records or the batch is full.
  /// Ranges are not expanded. Throws if records of both kinds start at the same number: then the store is damaged.
  static func merge(
    _ one: inout KindCursor, _ other: inout KindCursor, into batch: inout StoreBatch
  ) throws(BlockError) {
    let filled = batch.count
    let (oneAt, otherAt, isClash) = merge(
      one, other, from: filled, &batch.firstColumn, &batch.lastColumn, &batch.labelColumn, &batch.kindColumn)
    guard !isClash else { throw BlockError() }
    batch.count = filled + (oneAt - one.at) + (otherAt - other.at)
    one.at = oneAt
    other.at = otherAt
  }

  private static func merge(
    _ one: borrowing KindCursor, _ other: borrowing KindCursor, from filled: Int,
    _ firstColumn: inout ContiguousArray<UInt64>, _ lastColumn: inout ContiguousArray<UInt64>,
    _ labelColumn: inout ContiguousArray<StoreLabel>, _ kindColumn: inout ContiguousArray<StoreKind>
  ) -> (Int, Int, isClash: Bool) {
    let oneKind = one.kind
    let otherKind = other.kind
    let oneFirsts = one.firsts.span.extracting(0..<one.count)
    let otherFirsts = other.firsts.span.extracting(0..<other.count)
    let oneLasts = one.lasts.span.extracting(0..<one.count)
    let otherLasts = other.lasts.span.extracting(0..<other.count)
    let oneNames = one.identities.span.extracting(one.start..<(one.start + one.count))
    let otherNames = other.identities.span.extracting(other.start..<(other.start + other.count))
    let oneLabels = one.labels.span
    let otherLabels = other.labels.span
    var oneAt = one.at
    var otherAt = other.at
    var at = filled
    var firsts = firstColumn.mutableSpan
    var lasts = lastColumn.mutableSpan
    var labels = labelColumn.mutableSpan
    var kinds = kindColumn.mutableSpan
    let end = firsts.count
    var isClash = false
    while at < end, oneAt < oneFirsts.count, otherAt < otherFirsts.count {
      let oneFirst = oneFirsts[oneAt]
      let otherFirst = otherFirsts[otherAt]
      let oneLast = oneLasts[oneAt]
      let otherLast = otherLasts[otherAt]
      let oneLabel = oneLabels[Int(oneNames[oneAt])]
      let otherLabel = otherLabels[Int(otherNames[otherAt])]
      isClash = isClash || oneFirst == otherFirst
      let isOne = oneFirst <= otherFirst
      firsts[at] = isOne ? oneFirst : otherFirst
      lasts[at] = isOne ? oneLast : otherLast
      labels[at] = isOne ? oneLabel : otherLabel
      kinds[at] = isOne ? oneKind : otherKind
      let step = isOne ? 1 : 0
      oneAt &+= step
      otherAt &+= 1 &- step
      at &+= 1
    }
    return (oneAt, otherAt, isClash)
  }
}
