// The short labels seen recently, so that a label which comes again costs one comparison of words: no check of its
// UTF-8, no hash over its bytes, no table.
//
// In JSON a label is found with its closing quote, so that its end need not be searched first: that took as long as the
// rest of a row. In a table the field's end is known by then, and its length is part of the key.
//
// Not for: being complete. A slot keeps the last label that fell into it; the batch's table decides.

import BasicContainers

/// A direct-mapped cache from a short label, as it is in the input, to its record fields' index in the batch.
struct LabelCache: ~Copyable {
  /// The longest label that is kept: four words with its closing quote.
  static let labelBytesMax = 31
  /// The bytes from a label's first one on that must be in the window.
  static let windowBytes = 32
  /// Lists repeat few labels; 256 slots of 80 bytes stay in the first-level cache.
  fileprivate static let slotBits: UInt64 = 8

  private struct Slot: BitwiseCopyable {
    /// The label, and its quote if it has one; zeros after them.
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

  /// A label that was found.
  struct Label: BitwiseCopyable {
    /// Its bytes, without the quote.
    var count: Int
    /// Its record fields' index in the batch.
    var index: Int
  }

  /// A label whose length is known, as it is compared.
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

  /// How many batches are skipped after one whose labels were mostly new or long: searching those cost as much as
  /// reading them.
  private static let skippedBatchesMax = 15

  private var entries = RigidArray<Slot>(repeating: Slot(), count: 1 << Int(Self.slotBits))
  /// Batches count from 1, so that an unused slot belongs to none.
  private var batch: UInt64 = 1
  /// Labels that were not found since the batch began.
  private var misses = 0
  /// Batches that are still skipped, including this one.
  private var skippedBatches = 0

  /// Whether labels are worth looking for in this batch; if not, none is found and none need be kept.
  var isActive: Bool { skippedBatches == 0 }

  /// Forgets all labels: a batch of that many rows is over, another one begins.
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

  /// The label that the window has at `start`, followed by a quote; nil if it was not seen recently in this batch.
  ///
  /// Unsafe: the window holds ``windowBytes`` bytes from `start` on, which is not checked.
  @unsafe
  @inline(__always)
  borrowing func findQuoted(_ window: RawSpan, _ start: Int) -> Label? {
    let word0 = unsafe WordScan.knownWord(window, start)
    let word1 = unsafe WordScan.knownWord(window, start &+ 8)
    let word2 = unsafe WordScan.knownWord(window, start &+ 16)
    let word3 = unsafe WordScan.knownWord(window, start &+ 24)
    let entry = entries[Self.slot(word0)]
    let differs =
      ((entry.word0 ^ word0) & entry.mask0) | ((entry.word1 ^ word1) & entry.mask1)
      | ((entry.word2 ^ word2) & entry.mask2) | ((entry.word3 ^ word3) & entry.mask3)
      | (entry.batch ^ batch)
    return differs == 0 ? Label(count: Int(entry.count), index: Int(entry.index)) : nil
  }

  /// Keeps a label that the window has at `start`, followed by a quote.
  ///
  /// Unsafe: the window holds ``windowBytes`` bytes from `start` on, which is not checked.
  @unsafe
  mutating func keepQuoted(_ label: Label, _ window: RawSpan, _ start: Int) {
    misses += 1
    guard label.count <= Self.labelBytesMax else { return }
    let bytes = label.count + 1
    let (mask0, mask1) = (Self.mask(bytes), Self.mask(bytes - 8))
    let (mask2, mask3) = (Self.mask(bytes - 16), Self.mask(bytes - 24))
    let word0 = unsafe WordScan.knownWord(window, start)
    entries[Self.slot(word0)] = unsafe Slot(
      word0: word0 & mask0, word1: WordScan.knownWord(window, start + 8) & mask1,
      word2: WordScan.knownWord(window, start + 16) & mask2,
      word3: WordScan.knownWord(window, start + 24) & mask3, mask0: mask0, mask1: mask1, mask2: mask2,
      mask3: mask3, batch: batch, count: UInt32(label.count), index: UInt32(label.index))
  }

  /// The slot of a label that begins with these eight bytes, which are its own or what follows it.
  @inline(__always)
  private static func slot(_ word0: UInt64) -> Int {
    Int(truncatingIfNeeded: (word0 &* 0x9E37_79B9_7F4A_7C15) >> (64 - slotBits))
  }

  // MARK: Labels whose length is known

  /// The index of a label's record fields, or -1 if it was not seen recently in this batch.
  @inline(__always)
  borrowing func find(_ key: Key) -> Int {
    let entry = entries[key.slot]
    let differs =
      (entry.word0 ^ key.word0) | (entry.word1 ^ key.word1) | (entry.word2 ^ key.word2)
      | (entry.word3 ^ key.word3) | (entry.batch ^ batch)
      | UInt64(entry.count ^ UInt32(truncatingIfNeeded: key.count))
    return differs == 0 ? Int(entry.index) : -1
  }

  /// Keeps a label's index.
  mutating func keep(_ key: Key, index: Int) {
    misses += 1
    entries[key.slot] = Slot(
      word0: key.word0, word1: key.word1, word2: key.word2, word3: key.word3, batch: batch,
      count: UInt32(key.count), index: UInt32(index))
  }

  /// The bits of the first `count` bytes of a word: none below 1, all from 8 on.
  @inline(__always)
  fileprivate static func mask(_ count: Int) -> UInt64 {
    count >= 8 ? ~0 : count <= 0 ? 0 : (1 << UInt64(truncatingIfNeeded: count &* 8)) &- 1
  }
}
