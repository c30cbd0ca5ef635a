// The short labels seen of late, each with its closing quote: one comparison of words finds the label and its end.
//
// LabelCache wants to know how long a label is; to find that out took as long as the rest of a row.
// Not for: being complete. A slot keeps the last label that fell into it; the batch's table decides.

import BasicContainers

/// A direct-mapped cache from the words at a label's beginning to its length and its annotation's index in the batch.
struct QuotedLabels: ~Copyable {
  /// The longest label that is kept: four words with the quote.
  static let labelBytesMax = 31
  /// Lists repeat few labels; 256 slots of 80 bytes stay in the first-level cache.
  static let slotBits: UInt64 = 8

  struct Entry: BitwiseCopyable {
    /// The label and the quote, zeros behind them.
    var word0: UInt64 = 0
    var word1: UInt64 = 0
    var word2: UInt64 = 0
    var word3: UInt64 = 0
    /// All bits set where a word has bytes of the label or the quote.
    var mask0: UInt64 = 0
    var mask1: UInt64 = 0
    var mask2: UInt64 = 0
    var mask3: UInt64 = 0
    /// The batch it belongs to.
    var batch: UInt64 = 0
    /// The label's bytes, without the quote.
    var count: UInt32 = 0
    var index: UInt32 = 0
  }

  private var entries = RigidArray<Entry>(repeating: Entry(), count: 1 << Int(Self.slotBits))
  /// Batches count from 1, so that an unused slot belongs to none.
  private var batch: UInt64 = 1

  /// The slot of a label that begins with these eight bytes, be they its own or what follows it.
  @inline(__always)
  private static func slot(_ word0: UInt64) -> Int {
    Int(truncatingIfNeeded: (word0 &* 0x9E37_79B9_7F4A_7C15) >> (64 - slotBits))
  }

  /// The label that the window has here, with a quote behind it; nil if it was not seen of late in this batch.
  @inline(__always)
  borrowing func find(
    _ word0: UInt64, _ word1: UInt64, _ word2: UInt64, _ word3: UInt64
  ) -> (count: Int, index: Int)? {
    let entry = entries[Self.slot(word0)]
    let differs =
      ((entry.word0 ^ word0) & entry.mask0) | ((entry.word1 ^ word1) & entry.mask1)
      | ((entry.word2 ^ word2) & entry.mask2) | ((entry.word3 ^ word3) & entry.mask3)
      | (entry.batch ^ batch)
    return differs == 0 ? (Int(entry.count), Int(entry.index)) : nil
  }

  /// Keeps a label of `count` bytes that the window has here, with a quote behind it.
  mutating func keep(
    _ word0: UInt64, _ word1: UInt64, _ word2: UInt64, _ word3: UInt64, count: Int, index: Int
  ) {
    guard count <= Self.labelBytesMax else { return }
    let bytes = count + 1
    let (mask0, mask1) = (Self.below(bytes), Self.below(bytes - 8))
    let (mask2, mask3) = (Self.below(bytes - 16), Self.below(bytes - 24))
    entries[Self.slot(word0)] = Entry(
      word0: word0 & mask0, word1: word1 & mask1, word2: word2 & mask2, word3: word3 & mask3, mask0: mask0,
      mask1: mask1, mask2: mask2, mask3: mask3, batch: batch, count: UInt32(count), index: UInt32(index))
  }

  /// Forgets all: another batch begins.
  mutating func forget() {
    batch += 1
  }

  /// The bits of the first `count` bytes of a word: none below 1, all from 8 on.
  private static func below(_ count: Int) -> UInt64 {
    count <= 0 ? 0 : count >= 8 ? .max : (1 << UInt64(count * 8)) - 1
  }
}
