// A stable radix sort of words whose upper bits are the key.
//
// Only the bits in which keys differ are sorted: numbers of one country share their upper digits, and the dictionary
// ID in the lower bits is not part of the key. Many words are first partitioned by their most significant digit, in
// the only pass that does not fit into the caches; each bucket is then sorted within the caches. A bucket with evenly
// distributed keys is sorted in one pass (BucketSort), any other by an LSD radix sort.

import BasicContainers
import Records
import Synchronization

protocol RadixWord: BitwiseCopyable, Sendable {
  /// The key; bits that are not part of it are zero.
  var key: UInt64 { get }
}

enum RadixSort {
  /// The maximum bits of a digit: caches can hold 2,048 counters of 4 bytes and 2,048 open cache lines.
  static let digitBitsMax = 11
  /// The maximum number of words that are sorted without partitioning: with their scratch they fit into an L2 cache.
  static let lsdWordsMax = 1 << 15
  /// The typical number of words in a bucket, as bits: with its scratch it fits into an L1 cache.
  static let bucketBitsDefault = 10
  /// Up to this many words, insertion sort is faster than counting.
  private static let insertionMax = 24

  /// Sorts `words` by key, using `scratch`, which has the same capacity.
  ///
  /// - Complexity: O(n) for each 11 bits in which keys differ.
  static func sort<Word: RadixWord>(_ words: inout RigidArray<Word>, scratch: inout RigidArray<Word>) {
    let count = words.count
    guard count > 1 else { return }
    let differing = differing(words.span, 0..<count)
    guard differing != 0 else { return }
    if count <= lsdWordsMax {
      if bucketSort(&words, &scratch) { return }
      return sortLSD(&words, &scratch, differing)
    }
    let partition = Partition(of: count, differing)
    var offsets = RigidArray<UInt32>(repeating: 0, count: partition.digits)
    scatter(words.span, into: &scratch, shift: partition.shift, mask: partition.mask, counters: &offsets)
    // After the pass, the offset of a digit is the end of its bucket.
    var counters = RigidArray<UInt32>(repeating: 0, count: 1 << BucketSort.digitBitsMax)
    var target = words.mutableSpan
    var source = scratch.mutableSpan
    var start = 0
    for digit in 0..<offsets.count {
      let end = Int(offsets[digit])
      sortBucket(start..<end, &target, &source, &counters)
      start = end
    }
    scratch.removeAll()
  }

  /// The most significant digit, by which many words are partitioned.
  struct Partition {
    let shift: UInt64
    let mask: UInt64

    init(of count: Int, _ differing: UInt64) {
      let bits = 64 - differing.leadingZeroBitCount - differing.trailingZeroBitCount
      let countBits = Int.bitWidth - count.leadingZeroBitCount
      let partitionBits = min(bits, RadixSort.digitBitsMax, countBits - RadixSort.bucketBitsDefault)
      shift = UInt64(64 - differing.leadingZeroBitCount - partitionBits)
      mask = UInt64(1 << partitionBits) - 1
    }

    var digits: Int { Int(mask) + 1 }

    @inline(__always)
    func digit(of word: some RadixWord) -> Int { Int(truncatingIfNeeded: (word.key >> shift) & mask) }
  }

  static func differing<Word: RadixWord>(_ words: Span<Word>, _ range: Range<Int>) -> UInt64 {
    var differing: UInt64 = 0
    let first = words[range.lowerBound].key
    for index in range { differing |= words[index].key ^ first }
    return differing
  }

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
      // A digit in which no keys differ needs no pass.
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
      // Every element is written once, but not in ascending order, so they can't be appended.
      unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
        for index in 0..<words.count {
          let word = words[index]
          // A digit is at most `mask`, and `count` checked that there are that many offsets.
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

  /// Sets `offsets` to the start of each digit's bucket, for the digits 0 to `mask`, beginning at the range's lower
  /// bound.
  @inline(__always)
  private static func count<Word: RadixWord>(
    _ words: Span<Word>, _ range: Range<Int>, _ shift: UInt64, _ mask: UInt64,
    _ offsets: inout MutableSpan<UInt32>
  ) {
    let digits = Int(mask) + 1
    // The loops below and the callers' loops rely on this. Four bounds checks per word took a third of the time.
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

  // MARK: Evenly distributed keys

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
      // The pass writes every element once, or none at all.
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
    _ words: Span<Word>, _ range: Range<Int>, into target: inout MutableSpan<Word>,
    _ counters: inout RigidArray<UInt32>
  ) -> Bool {
    var offsets = counters.mutableSpan
    return BucketSort.sort(words, range, into: &target, &offsets)
  }

  // MARK: Buckets

  /// Sorts the words of a bucket, a range of `scratch`, into the same range of `words`.
  static func sortBucket<Word: RadixWord>(
    _ range: Range<Int>, _ words: inout MutableSpan<Word>, _ scratch: inout MutableSpan<Word>,
    _ counters: inout RigidArray<UInt32>
  ) {
    if range.count <= insertionMax { return insert(scratch.span, range, into: &words) }
    if bucketSort(scratch.span, range, into: &words, &counters) { return }
    let differing = differing(scratch.span, range)
    let lowest = differing.trailingZeroBitCount
    let bits = differing == 0 ? 0 : 64 - differing.leadingZeroBitCount - lowest
    // Digits not wider than the bucket is long, or the counters would cost more than the words.
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
    for index in range { words[index] = scratch[index] }
  }

  private static func move<Word: RadixWord>(
    _ words: Span<Word>, _ range: Range<Int>, into target: inout MutableSpan<Word>, _ shift: UInt64,
    _ mask: UInt64, _ counters: inout RigidArray<UInt32>
  ) {
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

  private static func insert<Word: RadixWord>(
    _ words: Span<Word>, _ range: Range<Int>, into target: inout MutableSpan<Word>
  ) {
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

// The radix sort of a long run by several threads.
//
// Each thread counts and distributes a part of the words, in their order, so that the sort stays stable; then each sorts
// some of the buckets.

extension RadixSort {
  /// The minimum number of words for which it is worth waking other threads.
  static let sharedWordsMin = 1 << 16
  /// The number of groups of buckets per thread: more than one, because threads are not equally fast.
  fileprivate static let bucketGroupsPerThread = 4

  /// Sorts `words` by key, using `scratch`, which has the same capacity, with the threads of a team if there is one. The
  /// result does not depend on their number.
  static func sort<Word: RadixWord>(
    _ words: inout RigidArray<Word>, scratch: inout RigidArray<Word>, _ team: WorkerTeam?
  ) {
    let count = words.count
    guard let team, team.size > 1, count >= sharedWordsMin else { return sort(&words, scratch: &scratch) }
    var span = words.mutableSpan
    unsafe span.withUnsafeMutableBufferPointer { words in
      scratch.append(addingCount: count) { output in
        unsafe output.withUnsafeMutableBufferPointer { scratch, initialized in
          let sort = unsafe SharedSort(
            words: words, scratch: UnsafeMutableBufferPointer(rebasing: scratch[0..<count]), team: team)
          sort.execute()
          // If there was nothing to sort, what is there is not read.
          initialized = count
        }
      }
    }
    scratch.removeAll()
  }
}

/// One sort by a team. Its threads write to disjoint parts of the words, of the scratch, and of the counters.
@safe
private struct SharedSort<Word: RadixWord>: @unchecked Sendable {
  let words: UnsafeMutableBufferPointer<Word>
  let scratch: UnsafeMutableBufferPointer<Word>
  let team: WorkerTeam

  private func range(of part: Int) -> Range<Int> {
    let count = unsafe words.count
    return count * part / team.size..<count * (part + 1) / team.size
  }

  /// Sorts the words; the scratch has the same words afterwards, unless all are equal.
  func execute() {
    let differing = differing()
    if differing == 0 { return }
    let partition = unsafe RadixSort.Partition(of: words.count, differing)
    let ends = distribute(partition)
    sortBuckets(ends)
  }

  private func differing() -> UInt64 {
    let all = Mutex<UInt64>(0)
    team.perform(parts: team.size) { part in
      let words = unsafe words.span
      let range = range(of: part)
      let bits = RadixSort.differing(words, range) | (words[range.lowerBound].key ^ words[0].key)
      all.withLock { $0 |= bits }
    }
    return all.withLock { $0 }
  }

  /// Distributes the words to buckets in the scratch, and returns the ends of the buckets.
  private func distribute(_ partition: RadixSort.Partition) -> [Int] {
    let digits = partition.digits
    let counters = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: team.size * digits)
    defer { unsafe counters.deallocate() }
    unsafe counters.initialize(repeating: 0)
    nonisolated(unsafe) let shared = unsafe counters
    team.perform(parts: team.size) { part in
      let words = unsafe words.span
      let counts = unsafe Self.counters(shared, of: part, digits)
      // A part is a range of the words, and a digit is less than the number of counters.
      for index in range(of: part) { unsafe counts[partition.digit(of: words[unchecked: index])] &+= 1 }
    }
    var ends: [Int] = []
    ends.reserveCapacity(digits)
    var sum = 0
    for digit in 0..<digits {
      for part in 0..<team.size {
        let at = part * digits + digit
        let count = unsafe Int(counters[at])
        unsafe counters[at] = UInt32(truncatingIfNeeded: sum)
        sum += count
      }
      ends.append(sum)
    }
    team.perform(parts: team.size) { part in
      let words = unsafe words.span
      let offsets = unsafe Self.counters(shared, of: part, digits)
      for index in range(of: part) {
        let word = unsafe words[unchecked: index]
        let digit = partition.digit(of: word)
        let offset = unsafe Int(offsets[digit])
        precondition(offset < words.count)
        unsafe scratch[offset] = word
        unsafe offsets[digit] = UInt32(truncatingIfNeeded: offset &+ 1)
      }
    }
    return ends
  }

  private static func counters(
    _ all: UnsafeMutableBufferPointer<UInt32>, of part: Int, _ digits: Int
  ) -> UnsafeMutableBufferPointer<UInt32> {
    unsafe UnsafeMutableBufferPointer(rebasing: all[part * digits..<(part + 1) * digits])
  }

  private func sortBuckets(_ ends: [Int]) {
    // The digits of each group have about as many words.
    let groups = team.size * RadixSort.bucketGroupsPerThread
    var digits: [Int] = [0]
    for (digit, end) in ends.enumerated() where unsafe end * groups >= words.count * digits.count {
      digits.append(digit + 1)
    }
    let starts = digits
    team.perform(parts: starts.count - 1) { group in
      var counters = RigidArray<UInt32>(repeating: 0, count: 1 << BucketSort.digitBitsMax)
      var target = unsafe words.mutableSpan
      var source = unsafe scratch.mutableSpan
      for digit in starts[group]..<starts[group + 1] {
        let start = digit == 0 ? 0 : ends[digit - 1]
        RadixSort.sortBucket(start..<ends[digit], &target, &source, &counters)
      }
    }
  }
}

// A stable bucket sort in one pass, for keys that are distributed about evenly between the lowest and the highest. The
// words are distributed to about as many buckets as there are words; each bucket is then sorted by insertion.
//
// It needs one pass where an LSD radix sort needs three.

enum BucketSort {
  /// The maximum bits of a digit: 8,192 counters of 4 bytes fit into an L1 cache with the words that are being moved.
  static let digitBitsMax = 13
  /// The maximum number of words in a bucket. Insertion is quadratic; evenly distributed keys seldom put 7 in a bucket.
  private static let bucketWordsMax = 16

  /// The bits of a digit for `count` words: one or two buckets per word.
  static func digitBits(of count: Int) -> Int { min(digitBitsMax, Int.bitWidth - count.leadingZeroBitCount) }

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
