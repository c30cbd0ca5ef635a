// When a run is long enough to be spilled.
//
// The first one fills the memory: what fits into it is never written to disk. When that is past, or sure to come, shorter
// runs are better: at the beginning nothing is sorted before the first is full, and at the end the last one is sorted and
// written while the other threads have nothing left to do.
// A merge costs the same for a few runs more, so runs grow with what there is to merge.

/// How much a run should hold.
struct RunLengthPolicy {
  /// The least that is worth a run of its own, in bytes of memory.
  static let bytesMin = 8 << 20
  /// A run is at least this part of all runs before it, so that their number grows with the logarithm of the records
  /// until they are as long as the memory allows.
  static let part = 32

  private let allowsShortRuns: Bool
  private let runBytes: Int
  private var bytesInEarlierRuns = 0
  /// Whether it was asked how much there will be.
  private(set) var isEstimated = false
  /// With so many bytes a run is long enough.
  private(set) var targetBytes = Int.max

  /// The length of the first run.
  init(_ budget: SortBudget) {
    // In a thread that does everything itself nobody waits for the last run.
    allowsShortRuns = budget.overlaps
    runBytes = budget.runBytes
  }

  /// `bytes` are there, which are this share of all that will come; nil when nobody knows.
  ///
  /// What is sure not to fit need not fill the memory first, in which nothing else could be done than to read. A share
  /// is a guess, so it must be half as much again.
  mutating func estimate(_ bytes: Int, share: Double?) {
    isEstimated = true
    guard allowsShortRuns, targetBytes == .max, let share, share > 0 else { return }
    if Double(bytes) / share > 1.5 * Double(runBytes) { targetBytes = Self.bytesMin }
  }

  /// A run was ended with `bytes` in it.
  mutating func end(at bytes: Int) {
    guard allowsShortRuns else { return }
    bytesInEarlierRuns += bytes
    // Not at once: the next run is filled while this one is sorted, and should not have to wait for that.
    targetBytes = max(bytes / 2, Self.bytesMin, bytesInEarlierRuns / Self.part)
  }
}
