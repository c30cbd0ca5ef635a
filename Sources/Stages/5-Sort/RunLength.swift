// When a run is long enough to be spilled.
//
// The first one fills the memory: what fits into it is never written to disk. When that is past, shorter runs are
// better: at the end of the input the last one is sorted and written while the other threads have nothing left to do.
// A merge costs the same for a few runs more, so runs grow with what there is to merge.

/// How much a run should hold.
struct RunLength {
  /// The least that is worth a run of its own, in bytes of memory.
  static let bytesLeast = 8 << 20
  /// A run is at least this part of all runs before it, so that their number grows with the logarithm of the records
  /// until they are as long as the memory allows.
  static let part = 32

  private let shortens: Bool
  private var bytesBefore = 0
  /// With so many bytes a run is long enough.
  private(set) var bytesWanted = Int.max

  /// The length of the first run.
  init(_ budget: SortBudget) {
    // In a thread that does everything itself nobody waits for the last run.
    shortens = budget.overlaps
  }

  /// A run was ended with `bytes` in it.
  mutating func end(at bytes: Int) {
    guard shortens else { return }
    bytesBefore += bytes
    // Not at once: the next run is filled while this one is sorted, and should not have to wait for that.
    bytesWanted = max(bytes / 2, Self.bytesLeast, bytesBefore / Self.part)
  }
}
