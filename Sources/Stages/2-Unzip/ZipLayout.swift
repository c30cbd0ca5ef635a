// Which parts of an archive are taken by members, so that members that share bytes are found before anything is
// unpacked. Sharing bytes is how a small archive is made to load more than fits into the world (D. Fifield, "A better
// zip bomb", 2019).

/// The parts of a file that are taken, as pieces in ascending order. Neighbours are joined: members in a row are one
/// piece.
struct ZipLayout {
  private var starts: [UInt64] = []
  private var ends: [UInt64] = []

  enum ClaimResult { case claimed, overlaps, tooManyRanges }

  /// Takes a part.
  ///
  /// - Complexity: O(1) for parts that come in ascending order; else O(pieces), of which there are at most
  ///   ``UnzipLimits/occupiedRangesMax``.
  mutating func claim(_ start: UInt64, _ end: UInt64) -> ClaimResult {
    // The first piece that ends behind the start.
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
