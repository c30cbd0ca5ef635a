// What label an identity stands for: one of the store's table, or one of the block's own.

import CallStoreFormat

enum LabelTable {
  /// An own label from the sequence's values: where a label ends in the text, plus how many are before it, so that
  /// the ends of empty labels ascend too.
  private static func ownLabel(
    _ header: BlockHeader, _ index: Int, _ before: UInt64?, _ end: UInt64, at offset: Int
  ) throws(BlockDamage) -> StoreLabel {
    let start = before.map { $0 &+ 1 } ?? 0
    guard end >= start, start >= UInt64(index), end - start <= UInt64(StoreLimits.labelBytesMax),
      end - UInt64(index) <= UInt64(header.ownLabelBytes)
    else { throw BlockDamage() }
    return StoreLabel(
      offset: offset + header.ownLabelText + Int(start) - index, count: Int(end - start))
  }

  /// The label of one identity.
  static func label(
    _ store: borrowing CallStore, _ bytes: RawSpan, _ header: BlockHeader, _ identity: Int, at offset: Int
  ) throws(BlockDamage) -> StoreLabel {
    guard LabelCode.isLabel(identity, labelCount: store.labelCount, ownLabels: header.ownLabels) else {
      throw BlockDamage()
    }
    if identity < StoreLimits.tableLabelsMax { return store.tableLabel(identity) }
    let index = identity - StoreLimits.tableLabelsMax
    let ends = try header.ownEnds(bytes)
    let end = try ends.value(bytes, at: index)
    let before = index == 0 ? nil : try ends.value(bytes, at: index - 1)
    return try ownLabel(header, index, before, end, at: offset)
  }

  /// The labels of the store's table by their identities, and empty ones up to the first identity of a block's own.
  static func ofTable(_ store: borrowing CallStore) -> ContiguousArray<StoreLabel> {
    var labels = ContiguousArray<StoreLabel>()
    labels.reserveCapacity(StoreLimits.tableLabelsMax)
    for index in 0..<store.labelCount { labels.append(store.tableLabel(index)) }
    while labels.count < StoreLimits.tableLabelsMax { labels.append(StoreLabel(offset: 0, count: 0)) }
    return labels
  }

  /// Makes the labels behind those of the table the block's own.
  static func setOwn(
    _ labels: inout ContiguousArray<StoreLabel>, _ bytes: RawSpan, _ header: BlockHeader, at offset: Int
  ) throws(BlockDamage) {
    labels.removeSubrange(StoreLimits.tableLabelsMax...)
    var walker = SequenceWalker(try header.ownEnds(bytes))
    var before: UInt64?
    for index in 0..<header.ownLabels {
      guard let end = try walker.next(bytes) else { throw BlockDamage() }
      labels.append(try ownLabel(header, index, before, end, at: offset))
      before = end
    }
    let total = before.map { $0 - UInt64(header.ownLabels - 1) } ?? 0
    guard total == UInt64(header.ownLabelBytes) else { throw BlockDamage() }
  }
}
