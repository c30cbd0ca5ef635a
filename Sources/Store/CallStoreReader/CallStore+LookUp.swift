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
  /// The label; `CallStore.bytes(of:)` has its bytes.
  public var label: StoreLabel
}

extension CallStore {
  /// The record that `number` is or lies in, or nil.
  ///
  /// - Complexity: O(log blocks), and one group of a block decoded; the first time in a block its checksum. The
  ///   label costs one group of label codes.
  public func record(of number: UInt64) throws(CallStoreError) -> StoreRecord? {
    for kind in StoreKind.allCases {
      if let found = try record(of: number, kind) { return found }
    }
    return nil
  }

  private func record(of number: UInt64, _ kind: StoreKind) throws(CallStoreError) -> StoreRecord? {
    let blocks = blocks(of: kind)
    var low = blocks.lowerBound
    var high = blocks.upperBound
    // The last block that starts at the number or before it.
    while low < high {
      let middle = (low + high) / 2
      if firstNumber(ofBlock: middle) <= number { low = middle + 1 } else { high = middle }
    }
    let block = low - 1
    guard block >= blocks.lowerBound else { return nil }
    let entry = entry(block)
    guard number <= entry.last else { return nil }
    let bytes = try blockBytes(block, entry)
    do throws(BlockDamage) {
      return try record(of: number, kind, bytes, entry)
    } catch {
      throw .damaged(.block(block))
    }
  }

  private func record(
    of number: UInt64, _ kind: StoreKind, _ bytes: RawSpan, _ entry: IndexEntry
  ) throws(BlockDamage) -> StoreRecord? {
    let header = try BlockHeader(bytes, entry)
    guard let (index, first) = try header.numbers(bytes, entry).floor(bytes, of: number) else { return nil }
    var last = first
    if header.ranges > 0 {
      let positions = try header.rangePositions(bytes)
      if let (place, position) = try positions.floor(bytes, of: UInt64(index)), position == UInt64(index) {
        let widths = try header.rangeWidths(bytes)
        let sum = try widths.value(bytes, at: place)
        let before = place == 0 ? 0 : try widths.value(bytes, at: place - 1)
        guard sum > before, sum - before <= entry.last, first <= entry.last - (sum - before) else {
          throw BlockDamage()
        }
        last = first + (sum - before)
      }
    }
    guard number <= last else { return nil }
    let rank = try LabelCode(bytes, header).rank(bytes, ofRecord: index)
    let label = try LabelTable.label(self, bytes, header, rank: rank, at: Int(entry.offset))
    return StoreRecord(kind: kind, first: first, last: last, label: label)
  }
}
