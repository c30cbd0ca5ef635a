// The ranges of an archive that members occupy, for detecting overlapping members before anything is unpacked. In a zip
// bomb, overlapping members make a small archive unpack to an enormous size (D. Fifield, "A better zip bomb", 2019).

/// The occupied ranges of a file in ascending order. Adjacent ranges are joined, so consecutive members form one range.
struct ZipLayout {
  private var starts: [UInt64] = []
  private var ends: [UInt64] = []

  enum ClaimResult { case claimed, overlaps, tooManyRanges }

  /// Adds a range.
  ///
  /// - Complexity: O(1) for ranges in ascending order; else O(n) for n ranges, at most
  ///   ``UnzipLimits/occupiedRangesMax``.
  mutating func claim(_ start: UInt64, _ end: UInt64) -> ClaimResult {
    // The first range that ends after the start.
    var low = 0
    var high = ends.count
    if let last = ends.last, start >= last { low = high }
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] > start { high = middle } else { low = middle + 1 }
    }
    if low < starts.count, starts[low] < end { return .overlaps }
    let joinsBefore = low > 0 && ends[low - 1] == start
    let joinsAfter = low < starts.count && starts[low] == end
    switch (joinsBefore, joinsAfter) {
    case (true, true):
      ends[low - 1] = ends[low]
      starts.remove(at: low)
      ends.remove(at: low)
    case (true, false): ends[low - 1] = end
    case (false, true): starts[low] = start
    case (false, false):
      guard starts.count < UnzipLimits.occupiedRangesMax else { return .tooManyRanges }
      starts.insert(start, at: low)
      ends.insert(end, at: low)
    }
    return .claimed
  }
}
