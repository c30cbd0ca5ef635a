// A stable radix sort over words whose upper bits are the key.
//
// Only the bits that differ are sorted: numbers of one country share their upper digits, and the record fields in
// the lower bits is no key at all. Many words are first dealt out by their uppermost digit, which is the one pass
// that the caches can't hold; each of the buckets is then sorted where it fits into them. Keys that lie evenly are
// sorted there in one pass (BucketSort); others least significant digit first.

import BasicContainers

/// A word that can be sorted by its key.
protocol RadixWord: BitwiseCopyable {
  /// The key; what is not key is zero.
  var key: UInt64 { get }
}

enum RadixSort {
  /// The digitBitsLimit digit: 2,048 counters of 4 bytes and 2,048 open cache lines are what the caches bear.
  static let digitBitsMax = 11
  /// Up to so many words are sorted without being dealt out: with their scratch they fit into a second-level cache.
  static let lsdWordsMax = 1 << 15
  /// The usual number of words in a bucket: with its scratch it fits into a first-level cache.
  private static let bucketBitsDefault = 10
  /// Below this insertion beats counting.
  private static let insertionMax = 24

  /// Sorts `words` by key, with `scratch` of the same capacity to work in.
  ///
  /// - Complexity: O(n) for each 11 bits of key that differ.
  static func sort<Word: RadixWord>(_ words: inout RigidArray<Word>, scratch: inout RigidArray<Word>) {
    let count = words.count
    guard count > 1 else { return }
    let differing = differing(words.span, 0..<count)
    guard differing != 0 else { return }
    if count <= lsdWordsMax {
      if bucketSort(&words, &scratch) { return }
      return sortLSD(&words, &scratch, differing)
    }
    let bits = 64 - differing.leadingZeroBitCount - differing.trailingZeroBitCount
    let countBits = Int.bitWidth - count.leadingZeroBitCount
    let partitionBits = min(bits, digitBitsMax, countBits - bucketBitsDefault)
    let shift = UInt64(64 - differing.leadingZeroBitCount - partitionBits)
    var offsets = RigidArray<UInt32>(repeating: 0, count: 1 << partitionBits)
    scatter(
      words.span, into: &scratch, shift: shift, mask: UInt64(1 << partitionBits) - 1, counters: &offsets)
    // After the pass, a digit's place is where its bucket ends.
    var counters = RigidArray<UInt32>(repeating: 0, count: 1 << BucketSort.digitBitsMax)
    var start = 0
    for digit in 0..<offsets.count {
      let end = Int(offsets[digit])
      sortBucket(start..<end, &words, &scratch, &counters)
      start = end
    }
    scratch.removeAll()
  }

  /// The bits in which the keys of a range differ.
  private static func differing<Word: RadixWord>(_ words: Span<Word>, _ range: Range<Int>) -> UInt64 {
    var differing: UInt64 = 0
    let first = words[range.lowerBound].key
    for index in range { differing |= words[index].key ^ first }
    return differing
  }

  /// All words at once, least significant digit first.
  private static func sortLSD<Word: RadixWord>(
    _ words: inout RigidArray<Word>, _ scratch: inout RigidArray<Word>, _ differing: UInt64
  ) {
    let lowest = differing.trailingZeroBitCount
    let bits = 64 - differing.leadingZeroBitCount - lowest
    let passes = (bits + digitBitsMax - 1) / digitBitsMax
    let digitBits = (bits + passes - 1) / passes
    var counters = RigidArray<UInt32>(repeating: 0, count: 1 << digitBits)
    for pass in 0..<passes {
      let shift = UInt64(lowest + pass * digitBits)
      let mask = UInt64(1 << digitBits) - 1
      // A digit in which nothing differs needs no pass.
      if (differing >> shift) & mask == 0 { continue }
      scatter(words.span, into: &scratch, shift: shift, mask: mask, counters: &counters)
      swap(&words, &scratch)
      scratch.removeAll()
    }
  }

  private static func scatter<Word: RadixWord>(
    _ words: Span<Word>, into scratch: inout RigidArray<Word>, shift: UInt64, mask: UInt64,
    counters: inout RigidArray<UInt32>
  ) {
    var offsets = counters.mutableSpan
    count(words, 0..<words.count, shift, mask, &offsets)
    scratch.append(addingCount: words.count) { output in
      // Every place is written once, in an order that no append can follow.
      unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
        for index in 0..<words.count {
          let word = words[index]
          // A digit is at most `mask`, and `count` saw that there are as many offsets.
          let digit = Int(truncatingIfNeeded: (word.key >> shift) & mask)
          let offset = unsafe Int(offsets[unchecked: digit])
          precondition(offset < buffer.count)
          unsafe buffer[offset] = word
          unsafe offsets[unchecked: digit] = UInt32(truncatingIfNeeded: offset &+ 1)
        }
        initialized = words.count
      }
    }
  }

  /// Sets the first offsets of the digits up to `mask`: how many words have lesser ones, from the range's start on.
  @inline(__always)
  private static func count<Word: RadixWord>(
    _ words: Span<Word>, _ range: Range<Int>, _ shift: UInt64, _ mask: UInt64,
    _ offsets: inout MutableSpan<UInt32>
  ) {
    let digits = Int(mask) + 1
    // What the loops below and those of the callers rely on. Their checks, four for a word, took a third of the time.
    precondition(range.lowerBound >= 0 && range.upperBound <= words.count && digits <= offsets.count)
    for digit in 0..<digits { unsafe offsets[unchecked: digit] = 0 }
    for index in range {
      let digit = unsafe Int(truncatingIfNeeded: (words[unchecked: index].key >> shift) & mask)
      unsafe offsets[unchecked: digit] &+= 1
    }
    var sum = UInt32(truncatingIfNeeded: range.lowerBound)
    for digit in 0..<digits {
      let count = unsafe offsets[unchecked: digit]
      unsafe offsets[unchecked: digit] = sum
      sum &+= count
    }
  }

  // MARK: Even keys

  private static func bucketSort<Word: RadixWord>(
    _ words: inout RigidArray<Word>, _ scratch: inout RigidArray<Word>
  ) -> Bool {
    guard bucketSort(words.span, to: &scratch) else { return false }
    swap(&words, &scratch)
    scratch.removeAll()
    return true
  }

  private static func bucketSort<Word: RadixWord>(_ words: Span<Word>, to sorted: inout RigidArray<Word>)
    -> Bool
  {
    var counters = RigidArray<UInt32>(repeating: 0, count: 1 << BucketSort.digitBits(of: words.count))
    var isDone = false
    sorted.append(addingCount: words.count) { output in
      // The pass writes every place once, or none at all.
      unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
        var target = unsafe buffer.mutableSpan
        var offsets = counters.mutableSpan
        isDone = BucketSort.sort(words, 0..<words.count, into: &target, &offsets)
        initialized = isDone ? words.count : 0
      }
    }
    return isDone
  }

  private static func bucketSort<Word: RadixWord>(
    _ words: Span<Word>, _ range: Range<Int>, into target: inout RigidArray<Word>,
    _ counters: inout RigidArray<UInt32>
  ) -> Bool {
    var target = target.mutableSpan
    var offsets = counters.mutableSpan
    return BucketSort.sort(words, range, into: &target, &offsets)
  }

  // MARK: Buckets

  /// Sorts the words that were dealt out to a range of `scratch` into the same range of `words`.
  private static func sortBucket<Word: RadixWord>(
    _ range: Range<Int>, _ words: inout RigidArray<Word>, _ scratch: inout RigidArray<Word>,
    _ counters: inout RigidArray<UInt32>
  ) {
    if range.count <= insertionMax { return insert(scratch.span, range, into: &words) }
    if bucketSort(scratch.span, range, into: &words, &counters) { return }
    let differing = differing(scratch.span, range)
    let lowest = differing.trailingZeroBitCount
    let bits = differing == 0 ? 0 : 64 - differing.leadingZeroBitCount - lowest
    // Digits no wider than the bucket is long, or the counters would take longer than the words.
    let digitBitsLimit = min(digitBitsMax, Int.bitWidth - range.count.leadingZeroBitCount)
    let passes = (bits + digitBitsLimit - 1) / digitBitsLimit
    let digitBits = passes == 0 ? 0 : (bits + passes - 1) / passes
    let mask = UInt64(1 << digitBits) - 1
    var isInScratch = true
    for pass in 0..<passes {
      let shift = UInt64(lowest + pass * digitBits)
      if (differing >> shift) & mask == 0 { continue }
      if isInScratch {
        move(scratch.span, range, into: &words, shift, mask, &counters)
      } else {
        move(words.span, range, into: &scratch, shift, mask, &counters)
      }
      isInScratch.toggle()
    }
    guard isInScratch else { return }
    var target = words.mutableSpan
    let source = scratch.span
    for index in range { target[index] = source[index] }
  }

  private static func move<Word: RadixWord>(
    _ words: Span<Word>, _ range: Range<Int>, into target: inout RigidArray<Word>, _ shift: UInt64,
    _ mask: UInt64, _ counters: inout RigidArray<UInt32>
  ) {
    var target = target.mutableSpan
    var offsets = counters.mutableSpan
    count(words, range, shift, mask, &offsets)
    for index in range {
      let word = unsafe words[unchecked: index]
      let digit = Int(truncatingIfNeeded: (word.key >> shift) & mask)
      let offset = unsafe offsets[unchecked: digit]
      target[Int(offset)] = word
      unsafe offsets[unchecked: digit] = offset &+ 1
    }
  }

  /// Few words, put into their offsets one by one; equal ones stay in their order.
  private static func insert<Word: RadixWord>(
    _ words: Span<Word>, _ range: Range<Int>, into target: inout RigidArray<Word>
  ) {
    var target = target.mutableSpan
    for index in range {
      let word = words[index]
      var place = index
      while place > range.lowerBound, target[place - 1].key > word.key {
        target[place] = target[place - 1]
        place -= 1
      }
      target[place] = word
    }
  }
}
