// The labels seen of late, so that a label which comes again costs one comparison of words: no check of its
// UTF-8, no hash over its bytes, no table.
//
// Not for: being complete. A slot keeps the last label that fell into it; the batch's table decides.

/// A direct-mapped cache from a short label, as it stood in the input, to its record fields' index in the batch.
struct LabelCache: ~Copyable {
  /// The longest label that is kept: four words. Longer ones go to the table each time.
  static let labelBytesMax = 32
  /// Lists repeat few labels; 256 slots of 48 bytes stay in the first-level cache.
  static let slotCount = 256

  struct Entry {
    var word0: UInt64 = 0
    var word1: UInt64 = 0
    var word2: UInt64 = 0
    var word3: UInt64 = 0
    /// The batch it belongs to.
    var batch: UInt64 = 0
    var count: UInt32 = 0
    var index: UInt32 = 0
  }

  private var entries = [Entry](repeating: Entry(), count: Self.slotCount)
  /// Batches count from 1, so that an unused slot belongs to none.
  private var batch: UInt64 = 1

  /// The slot of a label of `count` bytes, given as words with zeros behind it.
  @inline(__always)
  static func slot(_ word0: UInt64, _ word1: UInt64, _ word2: UInt64, _ word3: UInt64, _ count: Int) -> Int {
    let mixed = (word0 ^ (word1 &* 0x9E37_79B9_7F4A_7C15) ^ (word2 << 7) ^ (word3 << 13)) &+ UInt64(count)
    return Int(truncatingIfNeeded: (mixed &* 0xD6E8_FEB8_6659_FD93) >> 56)
  }

  /// The index of a label's record fields in the current batch, or -1.
  @inline(__always)
  func find(
    _ slot: Int, _ word0: UInt64, _ word1: UInt64, _ word2: UInt64, _ word3: UInt64, _ count: Int
  ) -> Int {
    let entry = entries[slot]
    let differs =
      (entry.word0 ^ word0) | (entry.word1 ^ word1) | (entry.word2 ^ word2) | (entry.word3 ^ word3)
      | (entry.batch ^ batch) | UInt64(entry.count ^ UInt32(truncatingIfNeeded: count))
    return differs == 0 ? Int(entry.index) : -1
  }

  /// Keeps a label's index.
  mutating func keep(
    _ slot: Int, _ word0: UInt64, _ word1: UInt64, _ word2: UInt64, _ word3: UInt64, _ count: Int, index: Int
  ) {
    entries[slot] = Entry(
      word0: word0, word1: word1, word2: word2, word3: word3, batch: batch, count: UInt32(count),
      index: UInt32(index))
  }

  /// Forgets all: another batch begins.
  mutating func forget() {
    batch += 1
  }
}
