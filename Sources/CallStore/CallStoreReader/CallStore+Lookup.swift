// Finds the record that a number belongs to.

public import CallStoreFormat

/// A record of a store.
public struct StoreRecord: Equatable, Sendable {
  /// What a phone does with the numbers.
  public var kind: StoreKind
  /// The first number.
  public var first: UInt64
  /// The last number; equal to the first when it is a single number.
  public var last: UInt64
  /// The label. `CallStore.bytes(of:)` returns its bytes.
  public var label: StoreLabel
}

extension CallStore {
  /// The record that contains `number`, or nil.
  ///
  /// - Complexity: O(log blocks). One group of numbers and one group of label codes are decoded. The first lookup in a
  ///   block also computes the block's checksum.
  public func record(of number: UInt64) throws(CallStoreError) -> StoreRecord? {
    // Both kinds are searched together, so that their memory accesses overlap.
    let blockingStart = try start(of: number, .blocking)
    let identificationStart = try start(of: number, .identification)
    let blocking = try position(of: number, from: blockingStart)
    guard let identification = try position(of: number, from: identificationStart) else {
      guard let blocking else { return nil }
      return try record(of: number, .blocking, blocking)
    }
    if let blocking {
      // At most one of the two contains the number, so only the numbers are read first: no block header, no labels.
      let floor = try floor(of: number, blocking)
      if floor.value == number || floor.hasRanges,
        let found = try record(of: number, .blocking, blocking, floor)
      {
        return found
      }
    }
    return try record(of: number, .identification, identification)
  }

  /// The block and the group that contain a number if the store does. The value is small: the block's header is read
  /// again.
  private struct NumberPosition {
    let block: Int
    let group: SequenceReader.GroupPosition
  }

  /// The block that contains a number if the store does, and the group in which to start the search.
  private struct SearchStart {
    let block: Int
    let numbers: SequenceReader
    let guess: SequenceReader.Guess
  }

  @inline(__always)
  private func start(of number: UInt64, _ kind: StoreKind) throws(CallStoreError) -> SearchStart? {
    guard let block = block(of: number, kind) else { return nil }
    let entry = entry(block)
    guard number <= entry.last else { return nil }
    let bytes = try blockBytes(block, entry)
    do throws(BlockError) {
      let numbers = try numbers(bytes, entry)
      guard let guess = numbers.guess(bytes, of: number) else { return nil }
      return SearchStart(block: block, numbers: numbers, guess: guess)
    } catch {
      throw .damaged(.block(block))
    }
  }

  @inline(__always)
  private func position(
    of number: UInt64, from start: SearchStart?
  ) throws(CallStoreError) -> NumberPosition? {
    guard let start else { return nil }
    do throws(BlockError) {
      return NumberPosition(
        block: start.block,
        group: try start.numbers.position(bytes(ofBlock: start.block), of: number, around: start.guess))
    } catch {
      throw .damaged(.block(start.block))
    }
  }

  /// The bytes of a block whose checksum was verified.
  @inline(__always) @_lifetime(borrow self)
  private func bytes(ofBlock block: Int) -> RawSpan {
    let entry = entry(block)
    let offset = Int(entry.offset)
    return mapping.bytes.extracting(offset..<(offset + entry.length))
  }

  /// The last record of a block whose first number is at most the number searched for.
  private struct Floor {
    let index: Int
    let value: UInt64
    /// Whether the block has ranges, so that the record may contain the number.
    let hasRanges: Bool
  }

  @inline(__always)
  private func floor(of number: UInt64, _ position: NumberPosition) throws(CallStoreError) -> Floor {
    let entry = entry(position.block)
    let bytes = bytes(ofBlock: position.block)
    do throws(BlockError) {
      let (index, value) = try numbers(bytes, entry).floor(bytes, of: number, at: position.group)
      return Floor(index: index, value: value, hasRanges: bytes.u16(BlockLayout.ranges) > 0)
    } catch {
      throw .damaged(.block(position.block))
    }
  }

  /// The numbers of a block whose checksum was verified.
  @inline(__always)
  private func numbers(_ bytes: RawSpan, _ entry: IndexEntry) throws(BlockError) -> SequenceReader {
    let positions = Int(bytes.u32(BlockLayout.positions))
    guard positions >= BlockLayout.bytes, positions <= bytes.byteCount else { throw BlockError() }
    return try SequenceReader(
      bytes, from: BlockLayout.bytes, to: positions, count: entry.records, base: entry.first)
  }

  private func record(
    of number: UInt64, _ kind: StoreKind, _ position: NumberPosition, _ floor: Floor? = nil
  ) throws(CallStoreError) -> StoreRecord? {
    let entry = entry(position.block)
    let bytes = bytes(ofBlock: position.block)
    do throws(BlockError) {
      return try record(of: number, kind, position.group, floor, bytes, entry)
    } catch {
      throw .damaged(.block(position.block))
    }
  }

  private func record(
    of number: UInt64, _ kind: StoreKind, _ group: SequenceReader.GroupPosition, _ floor: Floor?,
    _ bytes: RawSpan, _ entry: IndexEntry
  ) throws(BlockError) -> StoreRecord? {
    let header = try BlockHeader(bytes, entry, minor: trailer.minorVersion)
    let code = try LabelCode(header, labelCount: labelCount)
    // A group of labels covers several groups of numbers, so its start is known before the record is.
    let labels = try code.position(bytes, ofRecord: group.group * SequenceLayout.groupCount)
    let (index, first) =
      if let floor { (floor.index, floor.value) } else {
        try header.numbers(bytes, entry).floor(bytes, of: number, at: group)
      }
    var last = first
    if header.ranges > 0, let width = try rangeWidth(of: index, bytes, header) {
      guard width <= entry.last, first <= entry.last - width else { throw BlockError() }
      last = first + width
    }
    guard number <= last else { return nil }
    let identity: Int
    if header.hasSharedCode {
      guard header.code < codes.count else { throw BlockError() }
      identity = try code.identity(bytes, ofRecord: index, at: labels, codes[header.code])
    } else {
      identity = try code.identity(bytes, ofRecord: index, at: labels, header.symbolKeys(bytes))
    }
    let label = try LabelTable.label(self, bytes, header, identity, at: Int(entry.offset))
    return StoreRecord(kind: kind, first: first, last: last, label: label)
  }

  /// The distance from a record's first number to its last; nil for a single number.
  private func rangeWidth(
    of index: Int, _ bytes: RawSpan, _ header: BlockHeader
  ) throws(BlockError) -> UInt64? {
    let positions = try header.rangePositions(bytes)
    guard let group = try positions.position(bytes, of: UInt64(index)) else { return nil }
    let (range, position) = try positions.floor(bytes, of: UInt64(index), at: group)
    guard position == UInt64(index) else { return nil }
    let widths = try header.rangeWidths(bytes)
    let sum = try widths.value(bytes, at: range)
    let before = range == 0 ? 0 : try widths.value(bytes, at: range - 1)
    guard sum > before else { throw BlockError() }
    return sum - before
  }
}
