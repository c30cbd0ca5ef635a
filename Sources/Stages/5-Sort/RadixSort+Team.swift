// The radix sort of a long run by several threads.
//
// Each thread counts and distributes a part of the words, in their order, so that the sort stays stable; then each sorts
// some of the buckets.

import BasicContainers
import Records
import Synchronization

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

  /// The words of a part.
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
      for index in range(of: part) {
        unsafe counts[partition.digit(of: words[unchecked: index])] &+= 1
      }
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

  /// The counters of a part.
  private static func counters(
    _ all: UnsafeMutableBufferPointer<UInt32>, of part: Int, _ digits: Int
  ) -> UnsafeMutableBufferPointer<UInt32> {
    unsafe UnsafeMutableBufferPointer(rebasing: all[part * digits..<(part + 1) * digits])
  }

  /// Sorts the buckets in the scratch into the words.
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
