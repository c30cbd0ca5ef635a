// A cache for number parsing. Numbers with the same prefix are parsed the same way: the result for one text of plain
// digits determines the result for every text of the same length that agrees in the digits that were examined. Most
// rows are answered by the cache, in a tenth of the time that the rules need.
//
// The cache starts empty and nothing is guessed: NumberReader parses the first text of each prefix, and reports which
// digits it did not examine (UnseenDigits).

import BasicContainers
import NumberPlan
import Records
import Synchronization

/// Maps texts of 8 to 15 ASCII digits, optionally after a plus sign, to their numbers under fixed options: for every
/// length and six-digit prefix, it holds the difference between the number and the digits.
///
/// For a given prefix and length, stripping leading digits and prepending a calling code always adds the same
/// difference.
struct PrefixCache: ~Copyable, Sendable {
  /// The key of a prefix: the group of its first three digits, and the other three.
  private struct Key {
    var group: Int
    var rest: Int
  }

  private static let lengthMin = Decimal.wholeDigitsMin
  private static let lengthMax = PhoneNumber.digitsMax
  /// The digits of a prefix: the calling code and the digits after it that determine the number type. A longer prefix
  /// would cover fewer texts per entry.
  private static let digits = 6
  private static let entriesPerGroup = 1000
  /// The groups per first three digits: one per length, with and without a plus sign.
  private static let groupsPerPrefix = 16
  /// The maximum number of groups with cached prefixes, 1,000 bytes each. One country's numbers need a few per length;
  /// in a worldwide list the rest is parsed by the rules.
  private static let groupsMax = 128
  /// The values of an entry that are not an index in `offsets`: not parsed yet, and not cacheable.
  private static let unknown: UInt8 = 0
  private static let uncacheable: UInt8 = 1
  /// The maximum number of different offsets; a region has one per length and notation.
  private static let offsetsMax = 250

  let reader: NumberReader
  /// By first three digits, plus sign and length: the group in `entries`; 0 for the empty group.
  private var groups = RigidArray<UInt8>(repeating: 0, count: entriesPerGroup * groupsPerPrefix)
  /// By group and second three digits: the index in `offsets`.
  private var entries = RigidArray<UInt8>(capacity: (groupsMax + 1) * entriesPerGroup)
  /// What is added to the digits, with wraparound.
  private var offsets = RigidArray<UInt64>(capacity: offsetsMax)
  /// By length, from ``lengthMin`` on.
  private var tails = RigidArray<Decimal.TailFactors>(capacity: lengthMax - lengthMin + 1)

  init(_ reader: NumberReader) {
    self.reader = reader
    // Group 0 is shared by all keys without a group, and stays unknown.
    for _ in 0..<Self.entriesPerGroup { entries.append(Self.unknown) }
    offsets.append(0)
    offsets.append(0)
    for length in Self.lengthMin...Self.lengthMax { tails.append(Decimal.TailFactors(count: length)) }
  }

  /// Creates a cache without memory, which must not be used.
  init(empty reader: NumberReader) {
    self.reader = reader
    groups = RigidArray(capacity: 0)
    entries = RigidArray(capacity: 0)
    offsets = RigidArray(capacity: 0)
    tails = RigidArray(capacity: 0)
  }

  /// Parses the texts of rows from `row` on, as long as their prefixes are cached, and appends their numbers. Returns
  /// the first row that was not parsed.
  ///
  /// - Complexity: O(rows parsed), about ninety instructions each.
  borrowing func read(
    _ rows: borrowing RawRowBatch, from row: Int, into numbers: inout RigidArray<UInt64>
  ) -> Int {
    precondition(row >= 0)
    let texts = unsafe rows.allTexts.bytes
    let ends = rows.allTextEnds
    let tails = tails.span
    let groups = groups.span
    let entries = entries.span
    let offsets = offsets.span
    var row = row
    var start = row == 0 ? 0 : Int(ends[row - 1])
    numbers.append(addingCount: ends.count - row) { output in
      while row < ends.count {
        let end = Int(ends[row])
        guard let (key, value) = Self.key(texts, start, end, tails) else { break }
        // Six digits are below a million, and `store` created a thousand entries per group and an offset per entry.
        let group = unsafe Int(groups[unchecked: key.group])
        let entry = unsafe entries[unchecked: group &* Self.entriesPerGroup &+ key.rest]
        if entry <= Self.uncacheable { break }
        output.append(unsafe value &+ offsets[unchecked: Int(entry)])
        start = end
        row &+= 1
      }
    }
    return row
  }

  /// Parses one text by the rules, and caches its prefix. Throws why there is no number.
  mutating func read(_ text: Span<UInt8>) throws(NormalizeReject) -> UInt64 {
    let texts = unsafe text.bytes
    guard let (key, value) = Self.key(texts, 0, text.count, tails.span) else { return try reader.read(text) }
    let entry = entries[Int(groups[key.group]) * Self.entriesPerGroup + key.rest]
    if entry == Self.uncacheable { return try reader.read(text) }
    if entry > Self.uncacheable { return value &+ offsets[Int(entry)] }
    guard hasCapacity(for: key) else { return try reader.read(text) }
    var unseen = UnseenDigits()
    let number = try reader.read(text, &unseen)
    let hasPlus = text[0] == UInt8(ascii: "+")
    let count = hasPlus ? text.count - 1 : text.count
    store(key, isCacheable: unseen.count >= count - Self.digits && number != 0, number &- value)
    return number
  }

  private func hasCapacity(for key: Key) -> Bool {
    groups[key.group] != 0 || entries.freeCapacity >= Self.entriesPerGroup
  }

  /// Keeps what is added to the digits of a prefix for which there is capacity.
  private mutating func store(_ key: Key, isCacheable: Bool, _ offset: UInt64) {
    if groups[key.group] == 0 {
      groups[key.group] = UInt8(entries.count / Self.entriesPerGroup)
      for _ in 0..<Self.entriesPerGroup { entries.append(Self.unknown) }
    }
    var entry = Self.uncacheable
    if isCacheable {
      var index = Int(Self.uncacheable) + 1
      while index < offsets.count, offsets[index] != offset { index += 1 }
      if index == offsets.count, offsets.freeCapacity > 0 { offsets.append(offset) }
      if index < offsets.count { entry = UInt8(index) }
    }
    entries[Int(groups[key.group]) * Self.entriesPerGroup + key.rest] = entry
  }

  /// The key of the text from `start` to `end`, and its digits as a number; nil if it does not consist of digits only.
  @inline(__always)
  private static func key(
    _ texts: RawSpan, _ start: Int, _ end: Int, _ tails: Span<Decimal.TailFactors>
  ) -> (key: Key, value: UInt64)? {
    // After this check every byte from `start` to `end` exists, and there are at least eight.
    guard start >= 0, end <= texts.byteCount, end &- start >= lengthMin else { return nil }
    let first = unsafe texts.unsafeLoad(fromUncheckedByteOffset: start, as: UInt8.self)
    let plus = first == UInt8(ascii: "+") ? 1 : 0
    let count = end &- start &- plus
    guard count >= lengthMin, count <= lengthMax,
      let (eight, all) = unsafe Decimal.readWhole(
        texts, from: start &+ plus, count: count, tails[unchecked: count &- lengthMin])
    else { return nil }
    // Eight digits fit into 32 bits, where a division is one multiplication.
    let prefix = Int(UInt32(truncatingIfNeeded: eight) / 100)
    let firstThree = Int(UInt32(truncatingIfNeeded: eight) / 100_000)
    let group = firstThree &* groupsPerPrefix &+ (count &- lengthMin) &* 2 &+ plus
    return (Key(group: group, rest: prefix &- firstThree &* entriesPerGroup), all)
  }
}

/// The caches of normalizers that have finished, for the next ones: a run with hundreds of short lists would parse the
/// first number of every prefix by the rules again in each. What a cache has learned holds for the same options.
enum PrefixCaches {
  /// The maximum number of caches, 145,000 bytes each: the sources of a pipeline have few different regions.
  private static let cachesMax = 8

  private static let caches = Mutex(RigidArray<PrefixCache>(capacity: cachesMax))

  /// Returns a cache for these options: one that was kept, or an empty one.
  static func take(_ options: NormalizeOptions) -> PrefixCache {
    let known = caches.withLock { caches -> PrefixCache? in
      for index in 0..<caches.count where caches[index].reader.options == options {
        return caches.remove(at: index)
      }
      return nil
    }
    return known ?? PrefixCache(NumberReader(options: options))
  }

  /// Keeps a cache, in place of the oldest one if there are too many.
  static func keep(_ cache: consuming PrefixCache) {
    let kept = Mutex<PrefixCache?>(cache)
    caches.withLock { caches in
      if caches.count == cachesMax { _ = caches.remove(at: 0) }
      if let cache = kept.withLock({ $0.take() }) { caches.append(cache) }
    }
  }
}
