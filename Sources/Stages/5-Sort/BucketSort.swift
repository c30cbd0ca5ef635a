// A stable sort in one pass for keys that lie about evenly between the lowest and the highest: they are dealt out to
// about as many offsets as there are words, and the few that met in a place are put into order by insertion.
//
// One pass where lowest significant digit first takes three. Not for crowded keys: it says so before it moves a word.

enum BucketSort {
  /// The widest digit: 8,192 counters of 4 bytes fit into a first-level cache beside the words that are being moved.
  static let digitBitsMax = 13
  /// The most words in one place. Insertion takes time by the square of it; even keys seldom put seven together.
  private static let bucketWordsMax = 16

  /// How wide a digit is for so many words: one place for each, or for two.
  static func digitBits(of count: Int) -> Int {
    min(digitBitsMax, Int.bitWidth - count.leadingZeroBitCount)
  }

  /// Sorts the words of `range` into the same range of `target`, or returns false and moves none, because too many of
  /// them crowd together. `offsets` has room for the widest digit of so many words.
  ///
  /// - Complexity: O(n), some forty instructions a word.
  static func sort<Word: RadixWord>(
    _ words: Span<Word>, _ range: Range<Int>, into target: inout MutableSpan<Word>,
    _ offsets: inout MutableSpan<UInt32>
  ) -> Bool {
    // What the unchecked loops below rely on.
    precondition(
      range.lowerBound >= 0 && range.upperBound <= words.count && range.upperBound <= target.count
        && range.count <= Int(UInt32.max) && !range.isEmpty)
    var lowest = UInt64.max
    var highest: UInt64 = 0
    for index in range {
      let key = unsafe words[unchecked: index].key
      lowest = min(lowest, key)
      highest = max(highest, key)
    }
    let keyBits = 64 - (highest - lowest).leadingZeroBitCount
    let digitBits = min(digitBits(of: range.count), keyBits)
    let shift = UInt64(keyBits - digitBits)
    let digits = 1 << digitBits
    precondition(digits <= offsets.count)
    for digit in 0..<digits { unsafe offsets[unchecked: digit] = 0 }
    for index in range {
      let digit = unsafe Int(truncatingIfNeeded: (words[unchecked: index].key &- lowest) &>> shift)
      unsafe offsets[unchecked: digit] &+= 1
    }
    var sum = UInt32(truncatingIfNeeded: range.lowerBound)
    var largestBucket: UInt32 = 0
    for digit in 0..<digits {
      let count = unsafe offsets[unchecked: digit]
      unsafe offsets[unchecked: digit] = sum
      sum &+= count
      largestBucket = max(largestBucket, count)
    }
    // Where a place is a key, all in it are equal.
    if shift > 0, largestBucket > bucketWordsMax { return false }
    for index in range {
      let word = unsafe words[unchecked: index]
      // Below `digits`: no key is greater than the highest. The offsets of all digits are those of the range.
      let digit = Int(truncatingIfNeeded: (word.key &- lowest) &>> shift)
      let offset = unsafe offsets[unchecked: digit]
      unsafe target[unchecked: Int(offset)] = word
      unsafe offsets[unchecked: digit] = offset &+ 1
    }
    if shift > 0 { insert(range, &target) }
    return true
  }

  /// Moves each word in front of the greater ones before it, of which there are few.
  private static func insert<Word: RadixWord>(_ range: Range<Int>, _ target: inout MutableSpan<Word>) {
    var before = unsafe target[unchecked: range.lowerBound].key
    for index in range.dropFirst() {
      let word = unsafe target[unchecked: index]
      let key = word.key
      if key >= before {
        before = key
        continue
      }
      var place = index
      while place > range.lowerBound, unsafe target[unchecked: place &- 1].key > key {
        unsafe target[unchecked: place] = target[unchecked: place &- 1]
        place &-= 1
      }
      unsafe target[unchecked: place] = word
    }
  }
}
