// A stable radix sort, least significant digit first, over words whose upper bits are the key.
//
// Only the bits that differ are sorted: numbers of one country share their upper digits, and the annotation in
// the lower bits is no key at all.

import BasicContainers

/// A word that can be sorted by its key.
protocol RadixWord: BitwiseCopyable {
  /// The key; what is not key is zero.
  var key: UInt64 { get }
}

enum RadixSort {
  /// The widest digit: 2,048 counters of 4 bytes and 2,048 open cache lines are what the caches bear.
  static let digitBitsMax = 11

  /// Sorts `words` by key, with `scratch` of the same capacity to work in.
  ///
  /// - Complexity: O(n) for each 11 bits of key that differ.
  static func sort<Word: RadixWord>(_ words: inout RigidArray<Word>, scratch: inout RigidArray<Word>) {
    let count = words.count
    guard count > 1 else { return }
    var differing: UInt64 = 0
    do {
      let all = words.span
      let first = all[0].key
      for index in 1..<count { differing |= all[index].key ^ first }
    }
    guard differing != 0 else { return }
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
    var places = counters.mutableSpan
    for digit in 0..<places.count { places[digit] = 0 }
    for index in 0..<words.count { places[Int((words[index].key >> shift) & mask)] &+= 1 }
    var sum: UInt32 = 0
    for digit in 0..<places.count {
      let here = places[digit]
      places[digit] = sum
      sum += here
    }
    scratch.append(addingCount: words.count) { output in
      // Every place is written once, in an order that no append can follow.
      unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
        for index in 0..<words.count {
          let word = words[index]
          let digit = Int((word.key >> shift) & mask)
          let place = Int(places[digit])
          precondition(place < buffer.count)
          unsafe buffer[place] = word
          places[digit] = UInt32(truncatingIfNeeded: place + 1)
        }
        initialized = words.count
      }
    }
  }
}
