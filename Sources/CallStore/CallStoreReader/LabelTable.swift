// Finds the label with an identity: one of the store's table, or one of the block's own.

import CallStoreFormat

enum LabelTable {
  /// One of a block's own labels. The values of the sequence are the end of each label in the text plus its index, so
  /// that the ends of empty labels ascend, too.
  private static func ownLabel(
    _ header: BlockHeader, _ index: Int, _ before: UInt64?, _ end: UInt64, at offset: Int
  ) throws(BlockError) -> StoreLabel {
    let start = before.map { $0 &+ 1 } ?? 0
    guard end >= start, start >= UInt64(index), end - start <= UInt64(StoreLimits.labelBytesMax),
      end - UInt64(index) <= UInt64(header.ownLabelBytes)
    else { throw BlockError() }
    return StoreLabel(
      offset: offset + header.ownLabelText + Int(start) - index, count: Int(end - start))
  }

  /// The label with an identity.
  static func label(
    _ store: borrowing CallStore, _ bytes: RawSpan, _ header: BlockHeader, _ identity: Int, at offset: Int
  ) throws(BlockError) -> StoreLabel {
    guard LabelCode.isLabel(identity, labelCount: store.labelCount, ownLabels: header.ownLabels) else {
      throw BlockError()
    }
    if identity < StoreLimits.tableLabelsMax { return store.tableLabel(identity) }
    let index = identity - StoreLimits.tableLabelsMax
    let ends = try header.ownEnds(bytes)
    let end = try ends.value(bytes, at: index)
    let before = index == 0 ? nil : try ends.value(bytes, at: index - 1)
    return try ownLabel(header, index, before, end, at: offset)
  }

  /// The labels of the store's table by their identities, filled up with empty labels to the first identity of a
  /// block's own labels.
  static func ofTable(_ store: borrowing CallStore) -> ContiguousArray<StoreLabel> {
    var labels = ContiguousArray<StoreLabel>()
    labels.reserveCapacity(StoreLimits.tableLabelsMax)
    for index in 0..<store.labelCount { labels.append(store.tableLabel(index)) }
    while labels.count < StoreLimits.tableLabelsMax { labels.append(StoreLabel(offset: 0, count: 0)) }
    return labels
  }

  /// Replaces the labels after those of the table with a block's own.
  static func setOwn(
    _ labels: inout ContiguousArray<StoreLabel>, _ bytes: RawSpan, _ header: BlockHeader, at offset: Int
  ) throws(BlockError) {
    let ends = try header.ownEnds(bytes)
    let end = StoreLimits.tableLabelsMax + header.ownLabels
    if labels.count > end { labels.removeSubrange(end...) }
    labels.append(
      contentsOf: repeatElement(StoreLabel(offset: 0, count: 0), count: end - labels.count))
    guard header.ownLabels > 0 else {
      guard header.ownLabelBytes == 0 else { throw BlockError() }
      return
    }
    var all = labels.mutableSpan
    try setOwn(&all, bytes, ends, header, at: offset + header.ownLabelText)
  }

  /// Sets the labels after those of the table from the sequence of their ends; their text starts at `text`. The
  /// sequence ascends, so no label ends after the last one, and that must end where the block's text does.
  private static func setOwn(
    _ labels: inout MutableSpan<StoreLabel>, _ bytes: RawSpan, _ ends: SequenceReader, _ header: BlockHeader,
    at text: Int
  ) throws(BlockError) {
    var values = ContiguousArray<UInt64>(repeating: 0, count: SequenceLayout.groupCount)
    // The start of the next label plus its index.
    var start: UInt64 = 0
    var longest: UInt64 = 0
    var index = 0
    for group in 0..<ends.groupCount {
      let count = try decode(ends, bytes, group, &values)
      let values = values.span.extracting(0..<count)
      guard values[0] >= start else { throw BlockError() }
      for valueIndex in 0..<count {
        let end = values[valueIndex]
        let length = end &- start
        longest = max(longest, length)
        labels[StoreLimits.tableLabelsMax &+ index] = StoreLabel(
          offset: text &+ Int(truncatingIfNeeded: start) &- index, count: Int(truncatingIfNeeded: length))
        start = end &+ 1
        index &+= 1
      }
    }
    guard longest <= UInt64(StoreLimits.labelBytesMax),
      start &- UInt64(index) == UInt64(header.ownLabelBytes)
    else { throw BlockError() }
  }

  private static func decode(
    _ ends: SequenceReader, _ bytes: RawSpan, _ group: Int, _ values: inout ContiguousArray<UInt64>
  ) throws(BlockError) -> Int {
    var target = values.mutableSpan
    return try ends.decode(bytes, group: group, into: &target)
  }
}
