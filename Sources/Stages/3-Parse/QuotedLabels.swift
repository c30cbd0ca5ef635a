// The short labels seen of late, each with its closing quote: one comparison of words finds the label and its end.
//
// LabelCache wants to know how long a label is; to find that out took as long as the rest of a row.
// Not for: being complete. A slot keeps the last label that fell into it; the batch's table decides.

import BasicContainers

/// A direct-mapped cache from the words at a label's beginning to its length and its record fields' index in the batch.
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

  /// What is known of a label.
  struct Known: BitwiseCopyable {
    /// Its bytes, without the quote.
    var count: Int
    /// Its record fields' index in the batch.
    var index: Int
  }

  /// So many batches pass without being looked at behind one whose labels were mostly new: keeping them cost as much as
  /// reading them.
  private static let restsMax = 15

  private var entries = RigidArray<Entry>(repeating: Entry(), count: 1 << Int(Self.slotBits))
  /// Batches count from 1, so that an unused slot belongs to none.
  private var batch: UInt64 = 1
  /// Labels kept since the batch began.
  private var kept = 0
  /// Batches that are not looked at, this one included.
  private var rests = 0

  /// The slot of a label that begins with these eight bytes, be they its own or what follows it.
  @inline(__always)
  private static func slot(_ word0: UInt64) -> Int {
    Int(truncatingIfNeeded: (word0 &* 0x9E37_79B9_7F4A_7C15) >> (64 - slotBits))
  }

  /// Whether labels are worth looking for in this batch; if not, none is found or need be kept.
  var areKept: Bool { rests == 0 }

  /// The label that the window has here, with a quote behind it; nil if it was not seen of late in this batch.
  ///
  /// Unsafe: four words are there, which is not checked.
  @unsafe
  @inline(__always)
  borrowing func find(_ window: RawSpan, _ start: Int) -> Known? {
    let word0 = unsafe WordScan.knownWord(window, start)
    let word1 = unsafe WordScan.knownWord(window, start &+ 8)
    let word2 = unsafe WordScan.knownWord(window, start &+ 16)
    let word3 = unsafe WordScan.knownWord(window, start &+ 24)
    let entry = entries[Self.slot(word0)]
    let differs =
      ((entry.word0 ^ word0) & entry.mask0) | ((entry.word1 ^ word1) & entry.mask1)
      | ((entry.word2 ^ word2) & entry.mask2) | ((entry.word3 ^ word3) & entry.mask3)
      | (entry.batch ^ batch)
    return differs == 0 ? Known(count: Int(entry.count), index: Int(entry.index)) : nil
  }

  /// Keeps a label that the window has here, with a quote behind it.
  ///
  /// Unsafe: four words are there, which is not checked.
  @unsafe
  mutating func keep(_ label: Known, _ window: RawSpan, _ start: Int) {
    guard label.count <= Self.labelBytesMax else { return }
    kept += 1
    let bytes = label.count + 1
    let (mask0, mask1) = (Self.below(bytes), Self.below(bytes - 8))
    let (mask2, mask3) = (Self.below(bytes - 16), Self.below(bytes - 24))
    let word0 = unsafe WordScan.knownWord(window, start)
    entries[Self.slot(word0)] = unsafe Entry(
      word0: word0 & mask0, word1: WordScan.knownWord(window, start + 8) & mask1,
      word2: WordScan.knownWord(window, start + 16) & mask2,
      word3: WordScan.knownWord(window, start + 24) & mask3, mask0: mask0, mask1: mask1, mask2: mask2,
      mask3: mask3, batch: batch, count: UInt32(label.count), index: UInt32(label.index))
  }

  /// Forgets all: a batch of so many rows is over, another one begins.
  mutating func forget(rows: Int) {
    batch += 1
    if rests > 0 { rests -= 1 } else if kept > rows / 2 { rests = Self.restsMax }
    kept = 0
  }

  /// The bits of the first `count` bytes of a word: none below 1, all from 8 on.
  private static func below(_ count: Int) -> UInt64 {
    count <= 0 ? 0 : count >= 8 ? .max : (1 << UInt64(count * 8)) - 1
  }
}
