// A stable bucket sort in one pass, for keys that are distributed about evenly between the lowest and the highest. The
// words are distributed to about as many buckets as there are words; each bucket is then sorted by insertion.
//
// It needs one pass where an LSD radix sort needs three. Not for clustered keys: it returns false before moving a word.

enum BucketSort {
  /// The maximum bits of a digit: 8,192 counters of 4 bytes fit into an L1 cache with the words that are being moved.
  static let digitBitsMax = 13
  /// The maximum number of words in a bucket. Insertion is quadratic; evenly distributed keys seldom put 7 in a bucket.
  private static let bucketWordsMax = 16

  /// The bits of a digit for `count` words: one or two buckets per word.
  static func digitBits(of count: Int) -> Int {
    min(digitBitsMax, Int.bitWidth - count.leadingZeroBitCount)
  }

  /// Sorts the words of `range` into the same range of `target`, or returns false and moves nothing if a bucket would
  /// have too many of them. `offsets` must have capacity for the widest digit of `range.count` words.
  ///
  /// - Complexity: O(n), about forty instructions per word.
  static func sort<Word: RadixWord>(
    _ words: Span<Word>, _ range: Range<Int>, into target: inout MutableSpan<Word>,
    _ offsets: inout MutableSpan<UInt32>
  ) -> Bool {
    // The unchecked loops below rely on this.
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
    // With a shift of 0 all words in a bucket have the same key.
    if shift > 0, largestBucket > bucketWordsMax { return false }
    for index in range {
      let word = unsafe words[unchecked: index]
      // Less than `digits`, because no key exceeds `highest`. The offsets of all buckets lie within the range.
      let digit = Int(truncatingIfNeeded: (word.key &- lowest) &>> shift)
      let offset = unsafe offsets[unchecked: digit]
      unsafe target[unchecked: Int(offset)] = word
      unsafe offsets[unchecked: digit] = offset &+ 1
    }
    if shift > 0 { insert(range, &target) }
    return true
  }

  /// Moves each word before the greater ones that precede it, which are few.
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
