// The short labels seen recently, so that a repeated label costs one comparison of words: no UTF-8 check, no hash of
// its bytes, no table lookup.
//
// In JSON a label is found together with its closing quote, and in the text form record fields are found together with
// the line feed, so that their end need not be searched for first: that search took as long as the rest of a row. In a
// table the end of the field is already known, and its length is part of the key.
//
// A slot keeps only the last label with its hash; the batch's table is complete.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import BasicContainers

/// A direct-mapped cache that maps a short label, as it is in the input, to the index of its record fields in the
/// batch.
public struct LabelCache: ~Copyable {
  /// The maximum size of a cached label in bytes: four words with the byte that ends it.
  public static let labelBytesMax = 31
  /// The maximum size of a label whose length is known. Of one with more than ``labelBytesMax`` bytes, the cache compares
  /// only the first and last ones, so that the label that is found may be another one.
  public static let keyedBytesMax = 255
  /// The number of bytes, from a label's first one on, that must be in the window.
  public static let windowBytes = 32
  /// Lists repeat few labels; 256 slots of 80 bytes stay in the first-level cache.
  @usableFromInline static let slotBits: UInt64 = 8

  @usableFromInline
  struct Slot: BitwiseCopyable {
    /// The label, and the byte that ends it if it was looked up with it, followed by zeros.
    @usableFromInline var word0: UInt64 = 0
    @usableFromInline var word1: UInt64 = 0
    @usableFromInline var word2: UInt64 = 0
    @usableFromInline var word3: UInt64 = 0
    /// Masks with all bits set in the bytes of a word that belong to the label or the byte that ends it.
    @usableFromInline var mask0: UInt64 = 0
    @usableFromInline var mask1: UInt64 = 0
    @usableFromInline var mask2: UInt64 = 0
    @usableFromInline var mask3: UInt64 = 0
    @usableFromInline var batch: UInt64 = 0
    /// The number of the label's bytes, without the byte that ends it.
    @usableFromInline var count: UInt32 = 0
    @usableFromInline var index: UInt32 = 0
  }

  public struct Label: BitwiseCopyable {
    /// The number of its bytes, without the byte that ends it.
    public var count: Int
    /// The index of its record fields in the batch.
    public var index: Int

    @inlinable
    public init(count: Int, index: Int) {
      self.count = count
      self.index = index
    }
  }

  /// The key of a label whose length is known, and of the day in its record fields.
  public struct Key: BitwiseCopyable {
    @usableFromInline let word0: UInt64
    @usableFromInline let word1: UInt64
    @usableFromInline let word2: UInt64
    @usableFromInline let word3: UInt64
    /// The number of the label's bytes, and above it the day.
    @usableFromInline let count: Int

    /// The key of the label of `count` bytes at `start`.
    ///
    /// Unsafe: the window holds ``windowBytes`` bytes from `start` on, which is not checked.
    @unsafe @inlinable @inline(__always)
    public init(_ window: RawSpan, _ start: Int, count: Int, day: CalendarDay? = nil) {
      word0 = unsafe LabelCache.word(window, start) & LabelCache.mask(count)
      word1 = unsafe LabelCache.word(window, start &+ 8) & LabelCache.mask(count &- 8)
      word2 = unsafe LabelCache.word(window, start &+ 16) & LabelCache.mask(count &- 16)
      // The last bytes of a long label.
      let last = max(24, count &- 8)
      word3 = unsafe LabelCache.word(window, start &+ last) & LabelCache.mask(count &- last)
      // A day is above 0, so that it differs from none.
      self.count = count | (day.map { Int($0.number) &+ 1 << 20 } ?? 0) &<< 8
    }

    @inlinable @inline(__always)
    var slot: Int {
      let mixed =
        (word0 ^ (word1 &* 0x9E37_79B9_7F4A_7C15) ^ (word2 &<< 7) ^ (word3 &<< 13))
        &+ UInt64(truncatingIfNeeded: count)
      return Int(truncatingIfNeeded: (mixed &* 0xD6E8_FEB8_6659_FD93) &>> (64 &- LabelCache.slotBits))
    }
  }

  /// The number of batches without lookups after a batch whose labels were mostly new or long: looking those up costs
  /// as much as reading them.
  private static let skippedBatchesMax = 15

  @usableFromInline var entries = RigidArray<Slot>(repeating: Slot(), count: 1 << Int(Self.slotBits))
  /// The number of the current batch, from 1, so that an unused slot belongs to no batch.
  @usableFromInline var batch: UInt64 = 1
  /// The number of labels that were not found in the current batch.
  @usableFromInline var misses = 0
  /// The number of batches without lookups that remain, including the current one.
  @usableFromInline var skippedBatches = 0

  public init() {}

  /// Whether labels are looked up in this batch; if not, none is found, and none needs to be stored.
  @inlinable public var isActive: Bool { skippedBatches == 0 }

  /// Removes all labels, because the batch has ended; `rows` is the number of its rows.
  public mutating func removeAll(rows: Int) {
    batch += 1
    if skippedBatches > 0 {
      skippedBatches -= 1
    } else if misses > rows / 2 {
      skippedBatches = Self.skippedBatchesMax
    }
    misses = 0
  }

  // MARK: Labels with the byte that ends them

  /// Looks up the label at `start` of the window, which a byte that no label contains ends; nil if it was not seen
  /// recently in this batch. `key` is the same as when it was stored.
  ///
  /// Unsafe: the window holds ``windowBytes`` bytes from `start` on, which is not checked.
  @unsafe @inlinable @inline(__always)
  public borrowing func find(_ window: RawSpan, _ start: Int, key: UInt64) -> Label? {
    let word0 = unsafe Self.word(window, start)
    let word1 = unsafe Self.word(window, start &+ 8)
    let word2 = unsafe Self.word(window, start &+ 16)
    let word3 = unsafe Self.word(window, start &+ 24)
    let entry = entries[Self.slot(key)]
    let differs =
      ((entry.word0 ^ word0) & entry.mask0) | ((entry.word1 ^ word1) & entry.mask1)
      | ((entry.word2 ^ word2) & entry.mask2) | ((entry.word3 ^ word3) & entry.mask3)
      | (entry.batch ^ batch)
    return differs == 0
      ? Label(count: Int(truncatingIfNeeded: entry.count), index: Int(truncatingIfNeeded: entry.index)) : nil
  }

  /// Stores the label at `start` of the window with the byte that ends it. `key` selects its slot: a function of the
  /// label and that byte, such as the first eight bytes.
  ///
  /// Unsafe: the window holds ``windowBytes`` bytes from `start` on, which is not checked.
  @unsafe
  public mutating func keep(_ label: Label, _ window: RawSpan, _ start: Int, key: UInt64) {
    misses += 1
    guard label.count <= Self.labelBytesMax else { return }
    let bytes = label.count + 1
    let (mask0, mask1) = (Self.mask(bytes), Self.mask(bytes - 8))
    let (mask2, mask3) = (Self.mask(bytes - 16), Self.mask(bytes - 24))
    entries[Self.slot(key)] = unsafe Slot(
      word0: Self.word(window, start) & mask0, word1: Self.word(window, start + 8) & mask1,
      word2: Self.word(window, start + 16) & mask2, word3: Self.word(window, start + 24) & mask3,
      mask0: mask0, mask1: mask1, mask2: mask2, mask3: mask3, batch: batch, count: UInt32(label.count),
      index: UInt32(label.index))
  }

  @inlinable @inline(__always)
  static func slot(_ key: UInt64) -> Int {
    Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> (64 &- slotBits))
  }

  // MARK: Labels whose length is known

  /// Looks up the index of a label's record fields; -1 if the label was not seen recently in this batch.
  @inlinable @inline(__always)
  public borrowing func find(_ key: Key) -> Int {
    let entry = entries[key.slot]
    let differs =
      (entry.word0 ^ key.word0) | (entry.word1 ^ key.word1) | (entry.word2 ^ key.word2)
      | (entry.word3 ^ key.word3) | (entry.batch ^ batch)
      | UInt64(entry.count ^ UInt32(truncatingIfNeeded: key.count))
    return differs == 0 ? Int(truncatingIfNeeded: entry.index) : -1
  }

  /// Stores a label's index.
  public mutating func keep(_ key: Key, index: Int) {
    misses += 1
    entries[key.slot] = Slot(
      word0: key.word0, word1: key.word1, word2: key.word2, word3: key.word3, batch: batch,
      count: UInt32(key.count), index: UInt32(index))
  }

  // MARK: Words

  /// The mask of the first `count` bytes of a word: empty if `count` is less than 1, full if it is 8 or more.
  @inlinable @inline(__always)
  static func mask(_ count: Int) -> UInt64 {
    count >= 8 ? ~0 : count <= 0 ? 0 : (1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1
  }

  /// The word at `offset`. Unsafe: the caller guarantees that all eight bytes are in the span.
  @unsafe @inlinable @inline(__always)
  static func word(_ bytes: RawSpan, _ offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }
}
