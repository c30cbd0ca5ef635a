// Walks a strictly ascending sequence from its start, and checks what lookups rely on.

import CallStoreFormat

/// Walks a sequence from its start, one value at a time. It also checks that the groups ascend.
struct SequenceWalker {
  private let reader: SequenceReader
  private var values: ContiguousArray<UInt64>
  private var group = 0
  private var at = 0
  private var loaded = 0
  private var previous: UInt64?

  init(_ reader: SequenceReader) {
    self.reader = reader
    values = ContiguousArray(repeating: 0, count: min(reader.count, SequenceLayout.groupCount))
  }

  private static func decode(
    _ reader: SequenceReader, _ bytes: RawSpan, _ group: Int, _ values: inout ContiguousArray<UInt64>
  ) throws(BlockError) -> Int {
    var target = values.mutableSpan
    return try reader.decode(bytes, group: group, into: &target)
  }

  /// The next value; nil after the last.
  mutating func next(_ bytes: RawSpan) throws(BlockError) -> UInt64? {
    if at == loaded {
      guard group < reader.groupCount else { return nil }
      loaded = try Self.decode(reader, bytes, group, &values)
      if let previous, values[0] <= previous { throw BlockError() }
      previous = values[loaded - 1]
      group += 1
      at = 0
    }
    at += 1
    return values[at - 1]
  }
}
