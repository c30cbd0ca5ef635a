// What label a rank of a block stands for: one of the store's table, or one of the block's own.

import CallStoreFormat

enum LabelTable {
  /// The label that an identity stands for. `own` are the ends of the block's own labels.
  @inline(__always)
  private static func label(
    _ store: borrowing CallStore, _ bytes: RawSpan, _ header: BlockHeader, _ identity: Int,
    _ own: SequenceReader, at offset: Int
  ) throws(BlockDamage) -> StoreLabel {
    if identity < StoreLimits.tableLabelsMax {
      guard identity < store.labelCount else { throw BlockDamage() }
      return store.tableLabel(identity)
    }
    let index = identity - StoreLimits.tableLabelsMax
    guard index < header.ownLabels else { throw BlockDamage() }
    let end = try own.value(bytes, at: index)
    let before = index == 0 ? nil : try own.value(bytes, at: index - 1)
    return try ownLabel(header, index, before, end, at: offset)
  }

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

  /// The label of one rank.
  static func label(
    _ store: borrowing CallStore, _ bytes: RawSpan, _ header: BlockHeader, rank: Int, at offset: Int
  ) throws(BlockDamage) -> StoreLabel {
    let own = try header.ownEnds(bytes)
    let identity: Int
    if header.labelMode == LabelLayout.modeEach {
      identity = StoreLimits.tableLabelsMax + rank - 1
    } else if rank == 0 {
      identity = header.dominant
    } else {
      identity = Self.identity(try header.symbolKeys(bytes).value(bytes, at: rank - 1))
    }
    return try label(store, bytes, header, identity, own, at: offset)
  }

  private static func identity(_ key: UInt64) -> Int {
    Int(key & (1 << UInt64(LabelLayout.identityWidth) - 1))
  }

  /// The labels of all ranks of a block. Rank 0 has an empty one in a block without a dominant label; no record
  /// has that rank.
  static func fill(
    _ labels: inout ContiguousArray<StoreLabel>, _ store: borrowing CallStore, _ bytes: RawSpan,
    _ header: BlockHeader, at offset: Int
  ) throws(BlockDamage) {
    labels.removeAll(keepingCapacity: true)
    let isEach = header.labelMode == LabelLayout.modeEach
    labels.reserveCapacity((isEach ? header.ownLabels : header.symbols) + 1)
    let ends = try header.ownEnds(bytes)
    if header.dominant == LabelLayout.noIdentity {
      labels.append(StoreLabel(offset: 0, count: 0))
    } else {
      labels.append(try label(store, bytes, header, header.dominant, ends, at: offset))
    }
    if isEach {
      try appendOwn(&labels, bytes, header, ends, at: offset)
      return
    }
    var own: ContiguousArray<StoreLabel> = []
    own.reserveCapacity(header.ownLabels)
    try appendOwn(&own, bytes, header, ends, at: offset)
    var keys = SequenceWalker(try header.symbolKeys(bytes))
    while let key = try keys.next(bytes) {
      let identity = identity(key)
      if identity < StoreLimits.tableLabelsMax {
        guard identity < store.labelCount else { throw BlockDamage() }
        labels.append(store.tableLabel(identity))
      } else {
        guard identity - StoreLimits.tableLabelsMax < own.count else { throw BlockDamage() }
        labels.append(own[identity - StoreLimits.tableLabelsMax])
      }
    }
  }

  private static func appendOwn(
    _ labels: inout ContiguousArray<StoreLabel>, _ bytes: RawSpan, _ header: BlockHeader,
    _ ends: SequenceReader,
    at offset: Int
  ) throws(BlockDamage) {
    var walker = SequenceWalker(ends)
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
