// Numbers that begin alike are read alike: what the rules made of one text of plain digits tells what they make of the
// next that agrees with it in length and in the digits that decided. Most rows of a list are read here, in a tenth of the
// time that the rules take.
//
// Nothing is known beforehand, and nothing is guessed: NumberReader reads the first text of each prefix, and says
// which digits it did not look at (UnseenDigits). Not for anything but digits, nor for rejects.

import BasicContainers
import CallRecord
import NumberPlan

/// What texts of 8 to 15 ASCII digits, perhaps tails a plus sign, are read as under fixed options: for every length
/// and every prefix of six digits what the number is more or less than the digits.
///
/// To take digits off in front and to put a calling code there is to add, for a given prefix and length, always
/// the same.
struct PrefixCache: ~Copyable {
  /// A prefix's key: the group of its first three digits, and the other three.
  private struct Key {
    var group: Int
    var rest: Int
  }

  private static let lengthMin = Decimal.wholeDigitsMin
  private static let lengthMax = PhoneNumber.digitsMax
  /// The digits of a prefix: calling code and what tells a kind of number tails it. More would be known of fewer
  /// texts at a time.
  private static let digits = 6
  private static let entriesPerGroup = 1000
  /// Groups for each three digits: one for each length, twice, with and without a plus sign.
  private static let groupsPerPrefix = 16
  /// Groups that can have known beginnings, 1,000 bytes each. One country's numbers need a few for each length; of a list
  /// from all over the world the rest is read by the rules.
  private static let groupsMax = 128
  /// What an entry can be besides a key in `offsets`: not read yet, or to be read each time.
  private static let unknown: UInt8 = 0
  private static let uncacheable: UInt8 = 1
  /// Different offsets; a region has one for each length and way of writing a number.
  private static let shiftsMax = 250

  private let reader: NumberReader
  /// By first three digits, plus sign and length: which thousand of `entries` is theirs; 0 for the empty one.
  private var groups = RigidArray<UInt8>(repeating: 0, count: entriesPerGroup * groupsPerPrefix)
  /// By group and second three digits: the offset's key.
  private var entries = RigidArray<UInt8>(capacity: (groupsMax + 1) * entriesPerGroup)
  /// What is added to the digits, wrapping around.
  private var offsets = RigidArray<UInt64>(capacity: shiftsMax)
  /// By length, from ``lengthMin`` on.
  private var tails = RigidArray<Decimal.TailFactors>(capacity: lengthMax - lengthMin + 1)

  init(_ reader: NumberReader) {
    self.reader = reader
    // The first thousand is everybody's who has none, and stays unknown.
    for _ in 0..<Self.entriesPerGroup { entries.append(Self.unknown) }
    offsets.append(0)
    offsets.append(0)
    for length in Self.lengthMin...Self.lengthMax { tails.append(Decimal.TailFactors(count: length)) }
  }

  /// Reads the texts of rows from `row` on, as many as begin in a known way, and appends their numbers. Returns the first
  /// row that it did not read.
  ///
  /// - Complexity: O(rows read), some ninety instructions each.
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
        // Six digits are below a million, `store` gives a group its thousand entries, and an entry its offset.
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

  /// Reads one text by the rules, and remembers how it begins. Throws why it is no number.
  mutating func read(_ text: Span<UInt8>) throws(NormalizeReject) -> UInt64 {
    let texts = unsafe text.bytes
    guard let (key, value) = Self.key(texts, 0, text.count, tails.span) else {
      return try reader.read(text)
    }
    let entry = entries[Int(groups[key.group]) * Self.entriesPerGroup + key.rest]
    if entry == Self.uncacheable { return try reader.read(text) }
    if entry > Self.uncacheable { return value &+ offsets[Int(entry)] }
    var unseen = UnseenDigits()
    let number = try reader.read(text, &unseen)
    let hasPlus = text[0] == UInt8(ascii: "+")
    let count = hasPlus ? text.count - 1 : text.count
    store(key, isCacheable: unseen.count >= count - Self.digits && number != 0, number &- value)
    return number
  }

  private mutating func store(_ key: Key, isCacheable: Bool, _ offset: UInt64) {
    if groups[key.group] == 0 {
      guard entries.freeCapacity >= Self.entriesPerGroup else { return }
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

  /// The key of the text from `start` to `end`, and its digits as a number; nil when it is not of the usual form.
  @inline(__always)
  private static func key(
    _ texts: RawSpan, _ start: Int, _ end: Int, _ tails: Span<Decimal.TailFactors>
  ) -> (key: Key, value: UInt64)? {
    // From here on every byte from `start` to `end` is known to be there, and eight of them at least.
    guard start >= 0, end <= texts.byteCount, end &- start >= lengthMin else { return nil }
    let first = unsafe texts.unsafeLoad(fromUncheckedByteOffset: start, as: UInt8.self)
    let plus = first == UInt8(ascii: "+") ? 1 : 0
    let count = end &- start &- plus
    guard count >= lengthMin, count <= lengthMax,
      let (eight, all) = unsafe Decimal.readWhole(
        texts, from: start &+ plus, count: count, tails[unchecked: count &- lengthMin])
    else { return nil }
    // Eight digits fit 32 bits, in which dividing is one multiplication.
    let prefix = Int(UInt32(truncatingIfNeeded: eight) / 100)
    let firstThree = Int(UInt32(truncatingIfNeeded: eight) / 100_000)
    let group = firstThree &* groupsPerPrefix &+ (count &- lengthMin) &* 2 &+ plus
    return (Key(group: group, rest: prefix &- firstThree &* entriesPerGroup), all)
  }
}
