// Counts records by the block of numbers that contains them, in bounded memory, in any order, and without expanding
// ranges.
//
// A block is looked up only when the numbers leave the current one, which is rare in a sorted list; for other lists,
// the latest blocks are kept.

import BasicContainers
import NumberPlan
import Records

protocol CountedBlock: Sendable {
  /// The first number; greater than the last one if the block is empty.
  var first: UInt64 { get }
  var last: UInt64 { get }
  init()
  init(of number: UInt64)
}

/// What the counts of blocks are added to. A block may be added several times.
protocol BlockTotals {
  associatedtype Block: CountedBlock
  /// The number of latest blocks that are kept, as a power of two.
  static var slotBits: Int { get }
  /// The maximum number of blocks that a range is split into.
  static var piecesMax: Int { get }
  /// The same once ranges have been split into ``BlockTally/piecesBudget`` blocks, so that a list of ranges over all
  /// numbers does not keep the run busy for hours.
  static var laterPiecesMax: Int { get }
  init()
  mutating func add(_ count: RecordCounts.Count, of block: Block)
  /// Adds the end of a range that spans too many blocks to be split.
  mutating func add(unsplit entries: UInt64)
}

struct BlockTally<Totals: BlockTotals>: ~Copyable {
  /// The number of blocks that the ranges of a list may be split into without a tighter limit: a few seconds of work.
  static var piecesBudget: Int { 1 << 24 }
  /// The records that are compared with the current block one by one, before whole chunks are.
  private static var scannedRecords: Int { 32 }
  private static var chunkRecords: Int { 256 }

  private struct Slot {
    var block = Totals.Block()
    var count = RecordCounts.Count()
  }

  private var totals = Totals()
  /// The latest blocks, by the hash of a number's first digits; empty until the first record.
  private var slots: [Slot] = []
  /// The index of the slot of the current block. Its count is in `blockCount` meanwhile.
  private var slot = 0
  private var block = Totals.Block()
  private var blockCount = RecordCounts.Count()
  private var pieces = 0

  mutating func count(_ batch: borrowing RecordBatch) {
    var at = 0
    while at < batch.count {
      at = Self.count(batch, from: at, in: block, &blockCount)
      guard at < batch.count else { return }
      enter(batch.firsts[at])
      if batch.lasts[at] > block.last {
        split(batch.firsts[at], batch.lasts[at])
        at += 1
      }
    }
  }

  /// Counts records while they lie within a block; returns the index of the first that does not.
  private static func count(
    _ batch: borrowing RecordBatch, from start: Int, in block: Totals.Block, _ count: inout RecordCounts.Count
  ) -> Int {
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    let (first, last) = (block.first, block.last)
    // A batch has a few thousand records of at most 10^15 numbers, so this can't overflow.
    var beyondFirst: UInt64 = 0
    let scanned = min(start + scannedRecords, firsts.count)
    var at = scan(firsts, lasts, start..<scanned, first, last, &beyondFirst)
    if at == scanned {
      while at < firsts.count {
        let end = min(at + chunkRecords, firsts.count)
        let chunk = at..<end
        guard let sum = numbers(firsts.extracting(chunk), lasts.extracting(chunk), first, last) else { break }
        beyondFirst &+= sum
        at = end
      }
      at = scan(firsts, lasts, at..<firsts.count, first, last, &beyondFirst)
    }
    let records = UInt64(at - start)
    count.add(RecordCounts.Count(records: records, entries: beyondFirst &+ records))
    return at
  }

  /// Adds the numbers beyond the first one of each record up to the first record that does not lie within a block;
  /// returns the index of that record.
  @inline(__always)
  private static func scan(
    _ firsts: Span<UInt64>, _ lasts: Span<UInt64>, _ range: Range<Int>, _ first: UInt64, _ last: UInt64,
    _ beyondFirst: inout UInt64
  ) -> Int {
    var at = range.lowerBound
    while at < range.upperBound, firsts[at] >= first, lasts[at] <= last {
      beyondFirst &+= lasts[at] &- firsts[at]
      at &+= 1
    }
    return at
  }

  /// The numbers beyond the first one of each record, if all records lie within a block.
  @inline(__always)
  private static func numbers(
    _ firsts: Span<UInt64>, _ lasts: Span<UInt64>, _ first: UInt64, _ last: UInt64
  ) -> UInt64? {
    precondition(firsts.count == lasts.count)
    // All numbers are below 2^63, so the highest bit is set if and only if one of the differences is negative. Without
    // comparisons, the compiler can use vector instructions.
    var outside: UInt64 = 0
    var sum: UInt64 = 0
    for index in firsts.indices {
      outside |= (firsts[index] &- first) | (last &- lasts[index])
      sum &+= lasts[index] &- firsts[index]
    }
    return outside >> 63 == 0 ? sum : nil
  }

  /// Continues in the block that contains `number`.
  private mutating func enter(_ number: UInt64) {
    if slots.isEmpty { slots = Array(repeating: Slot(), count: 1 << Totals.slotBits) }
    slots[slot].count = blockCount
    slot = Self.slot(of: number)
    if number < slots[slot].block.first || number > slots[slot].block.last {
      close(slot)
      slots[slot] = Slot(block: Totals.Block(of: number))
    }
    block = slots[slot].block
    blockCount = slots[slot].count
  }

  /// The slot of the block that contains a number: by its first five digits and its length.
  private static func slot(of number: UInt64) -> Int {
    var rest = number
    var dropped: UInt64 = 0
    while rest >= 1_000_000_000 {
      rest /= 10_000
      dropped &+= 4
    }
    while rest >= 100_000 {
      rest /= 10
      dropped &+= 1
    }
    let hash = (rest &<< 5 | dropped) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: hash &>> UInt64(64 &- Totals.slotBits))
  }

  private mutating func close(_ slot: Int) {
    if !slots[slot].count.isZero { totals.add(slots[slot].count, of: slots[slot].block) }
  }

  /// Counts a range's numbers in the blocks that contain them; the record counts in the first block.
  private mutating func split(_ first: UInt64, _ last: UInt64) {
    blockCount.records &+= 1
    var start = first
    let piecesMax = pieces < Self.piecesBudget ? Totals.piecesMax : Totals.laterPiecesMax
    for _ in 0..<piecesMax {
      pieces &+= 1
      let end = min(last, block.last)
      blockCount.add(RecordCounts.Count(entries: end &- start &+ 1))
      if end == last { return }
      start = end + 1
      enter(start)
    }
    // Unlikely in a real list, but the numbers must still be counted.
    totals.add(unsplit: last &- start &+ 1)
  }

  mutating func take() -> Totals {
    if !slots.isEmpty { slots[slot].count = blockCount }
    for slot in slots.indices { close(slot) }
    let result = totals
    totals = Totals()
    slots = []
    slot = 0
    block = Totals.Block()
    blockCount = RecordCounts.Count()
    pieces = 0
    return result
  }
}

// MARK: - The numbers with the same first digits and the same number of digits

package struct PrefixBlock: Equatable {
  /// The first and the last number; an empty block has first > last.
  package private(set) var first: UInt64 = 1
  package private(set) var last: UInt64 = 0
  package private(set) var prefix: UInt64 = 0
  /// The calling code of the numbers; 0 for none.
  package private(set) var callingCode: UInt16 = 0

  package init() {}

  /// The maximum number of digits of a calling code.
  private static let codeDigitsMax = 3

  /// Creates the block that contains a number. Its prefix is the calling code and the next `count` digits; for a number
  /// without a known calling code, it has at least as many digits as the longest one.
  package init(of number: UInt64, digits count: Int) {
    callingCode = NumberPlan.callingCode(ofDigits: number) ?? 0
    let codeDigits =
      callingCode == 0 ? max(0, Self.codeDigitsMax - count) : callingCode < 10 ? 1 : callingCode < 100 ? 2 : 3
    var digits = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    // Numbers have at most 15 digits, so these powers can't overflow; longer ones are not split.
    var width: UInt64 = 1
    if digits <= PhoneNumber.digitsMax {
      for _ in 0..<max(0, digits - codeDigits - count) { width *= 10 }
    }
    prefix = number / width
    first = prefix * width
    last = first + (width - 1)
  }
}
