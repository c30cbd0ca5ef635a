// The short labels seen recently, so that a repeated label costs one comparison of words: no UTF-8 check, no hash of
// its bytes, no table lookup.
//
// In JSON a label is found together with its closing quote, so that its end need not be searched for first: that search
// took as long as the rest of a row. In a table the end of the field is already known, and its length is part of the
// key.
//
// Not for: finding every repeated label. A slot keeps only the last label with its hash; the batch's table is complete.

import BasicContainers

/// A direct-mapped cache that maps a short label, as it is in the input, to the index of its record fields in the
/// batch.
struct LabelCache: ~Copyable {
  /// The maximum size of a cached label in bytes: four words with its closing quote.
  static let labelBytesMax = 31
  /// The number of bytes, from a label's first one on, that must be in the window.
  static let windowBytes = 32
  /// Lists repeat few labels; 256 slots of 80 bytes stay in the first-level cache.
  fileprivate static let slotBits: UInt64 = 8

  private struct Slot: BitwiseCopyable {
    /// The label, and its quote if it has one, followed by zeros.
    var word0: UInt64 = 0
    var word1: UInt64 = 0
    var word2: UInt64 = 0
    var word3: UInt64 = 0
    /// Masks with all bits set in the bytes of a word that belong to the label or the quote.
    var mask0: UInt64 = 0
    var mask1: UInt64 = 0
    var mask2: UInt64 = 0
    var mask3: UInt64 = 0
    /// The number of the batch that it belongs to.
    var batch: UInt64 = 0
    /// The number of the label's bytes, without the quote.
    var count: UInt32 = 0
    var index: UInt32 = 0
  }

  /// A cached label.
  struct Label: BitwiseCopyable {
    /// The number of its bytes, without the quote.
    var count: Int
    /// The index of its record fields in the batch.
    var index: Int
  }

  /// The key of a label whose length is known.
  struct Key: BitwiseCopyable {
    fileprivate let word0: UInt64
    fileprivate let word1: UInt64
    fileprivate let word2: UInt64
    fileprivate let word3: UInt64
    fileprivate let count: Int

    /// The key of the label of `count` bytes at `start`; ``windowBytes`` bytes must be in the window.
    @inline(__always)
    init(_ window: RawSpan, _ start: Int, count: Int) {
      word0 = WordScan.word(window, start) & LabelCache.mask(count)
      word1 = WordScan.word(window, start + 8) & LabelCache.mask(count - 8)
      word2 = WordScan.word(window, start + 16) & LabelCache.mask(count - 16)
      word3 = WordScan.word(window, start + 24) & LabelCache.mask(count - 24)
      self.count = count
    }

    @inline(__always)
    fileprivate var slot: Int {
      let mixed = (word0 ^ (word1 &* 0x9E37_79B9_7F4A_7C15) ^ (word2 << 7) ^ (word3 << 13)) &+ UInt64(count)
      return Int(truncatingIfNeeded: (mixed &* 0xD6E8_FEB8_6659_FD93) >> (64 - LabelCache.slotBits))
    }
  }

  /// The number of batches without lookups after a batch whose labels were mostly new or long: looking those up costs
  /// as much as reading them.
  private static let skippedBatchesMax = 15

  private var entries = RigidArray<Slot>(repeating: Slot(), count: 1 << Int(Self.slotBits))
  /// The number of the current batch, from 1, so that an unused slot belongs to no batch.
  private var batch: UInt64 = 1
  /// The number of labels that were not found in the current batch.
  private var misses = 0
  /// The number of batches without lookups that remain, including the current one.
  private var skippedBatches = 0

  /// Whether labels are looked up in this batch; if not, none is found, and none needs to be stored.
  var isActive: Bool { skippedBatches == 0 }

  /// Removes all labels, because the batch has ended; `rows` is the number of its rows.
  mutating func removeAll(rows: Int) {
    batch += 1
    if skippedBatches > 0 {
      skippedBatches -= 1
    } else if misses > rows / 2 {
      skippedBatches = Self.skippedBatchesMax
    }
    misses = 0
  }

  // MARK: Labels with a quote

  /// Looks up the label at `start` of the window, before a quote; nil if it was not seen recently in this batch.
  ///
  /// Unsafe: the window holds ``windowBytes`` bytes from `start` on, which is not checked.
  @unsafe
  @inline(__always)
  borrowing func findQuoted(_ window: RawSpan, _ start: Int) -> Label? {
    let word0 = unsafe WordScan.uncheckedWord(window, start)
    let word1 = unsafe WordScan.uncheckedWord(window, start &+ 8)
    let word2 = unsafe WordScan.uncheckedWord(window, start &+ 16)
    let word3 = unsafe WordScan.uncheckedWord(window, start &+ 24)
    let entry = entries[Self.slot(word0)]
    let differs =
      ((entry.word0 ^ word0) & entry.mask0) | ((entry.word1 ^ word1) & entry.mask1)
      | ((entry.word2 ^ word2) & entry.mask2) | ((entry.word3 ^ word3) & entry.mask3)
      | (entry.batch ^ batch)
    return differs == 0 ? Label(count: Int(entry.count), index: Int(entry.index)) : nil
  }

  /// Stores the label at `start` of the window, before a quote.
  ///
  /// Unsafe: the window holds ``windowBytes`` bytes from `start` on, which is not checked.
  @unsafe
  mutating func keepQuoted(_ label: Label, _ window: RawSpan, _ start: Int) {
    misses += 1
    guard label.count <= Self.labelBytesMax else { return }
    let bytes = label.count + 1
    let (mask0, mask1) = (Self.mask(bytes), Self.mask(bytes - 8))
    let (mask2, mask3) = (Self.mask(bytes - 16), Self.mask(bytes - 24))
    let word0 = unsafe WordScan.uncheckedWord(window, start)
    entries[Self.slot(word0)] = unsafe Slot(
      word0: word0 & mask0, word1: WordScan.uncheckedWord(window, start + 8) & mask1,
      word2: WordScan.uncheckedWord(window, start + 16) & mask2,
      word3: WordScan.uncheckedWord(window, start + 24) & mask3, mask0: mask0, mask1: mask1, mask2: mask2,
      mask3: mask3, batch: batch, count: UInt32(label.count), index: UInt32(label.index))
  }

  /// The slot of a label that starts with these eight bytes, including the bytes after a shorter label.
  @inline(__always)
  private static func slot(_ word0: UInt64) -> Int {
    Int(truncatingIfNeeded: (word0 &* 0x9E37_79B9_7F4A_7C15) >> (64 - slotBits))
  }

  // MARK: Labels whose length is known

  /// Looks up the index of a label's record fields; -1 if the label was not seen recently in this batch.
  @inline(__always)
  borrowing func find(_ key: Key) -> Int {
    let entry = entries[key.slot]
    let differs =
      (entry.word0 ^ key.word0) | (entry.word1 ^ key.word1) | (entry.word2 ^ key.word2)
      | (entry.word3 ^ key.word3) | (entry.batch ^ batch)
      | UInt64(entry.count ^ UInt32(truncatingIfNeeded: key.count))
    return differs == 0 ? Int(entry.index) : -1
  }

  /// Stores a label's index.
  mutating func keep(_ key: Key, index: Int) {
    misses += 1
    entries[key.slot] = Slot(
      word0: key.word0, word1: key.word1, word2: key.word2, word3: key.word3, batch: batch,
      count: UInt32(key.count), index: UInt32(index))
  }

  /// The mask of the first `count` bytes of a word: empty if `count` is less than 1, full if it is 8 or more.
  @inline(__always)
  fileprivate static func mask(_ count: Int) -> UInt64 {
    count >= 8 ? ~0 : count <= 0 ? 0 : (1 << UInt64(truncatingIfNeeded: count &* 8)) &- 1
  }
}
