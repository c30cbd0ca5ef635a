// The policy for when a run is long enough to be spilled.
//
// The first run fills the memory: input that fits is never written to disk. After that, or if the input is certain not
// to fit, shorter runs are better: at the beginning nothing is sorted until the first run is full, and at the end the
// last run is sorted and written while the other threads have nothing left to do. A few more runs don't make a merge
// slower, so run length grows with the amount of data to be merged.

/// The target length of a run.
struct RunLengthPolicy {
  /// The minimum length of a run that is worth spilling, in bytes of memory.
  static let bytesMin = 8 << 20
  /// A run is at least 1/32 of all earlier runs together, so that their number grows only logarithmically until they
  /// are as long as the memory allows.
  static let part = 32

  private let allowsShortRuns: Bool
  private let runBytes: Int
  private var bytesInEarlierRuns = 0
  /// Whether the total amount of input was estimated.
  private(set) var isEstimated = false
  /// The run is long enough when its records take this many bytes.
  private(set) var targetBytes = Int.max

  /// Starts with the length of the first run.
  init(_ budget: SortBudget) {
    // With a single thread nothing waits for the last run.
    allowsShortRuns = budget.overlaps
    runBytes = budget.runBytes
  }

  /// Estimates the total from the `bytes` read so far and their `share` of the input, which may be unknown (nil).
  ///
  /// Input that certainly won't fit need not fill the memory before the first spill, since only reading could be done
  /// meanwhile. The share is an estimate, so the total must exceed the memory by half.
  mutating func estimate(_ bytes: Int, share: Double?) {
    isEstimated = true
    guard allowsShortRuns, targetBytes == .max, let share, share > 0 else { return }
    if Double(bytes) / share > 1.5 * Double(runBytes) { targetBytes = Self.bytesMin }
  }

  /// Records that a run was ended with `bytes` in it.
  mutating func end(at bytes: Int) {
    guard allowsShortRuns else { return }
    bytesInEarlierRuns += bytes
    // Half of it first: the next run fills while this one is sorted, and should not have to wait for that.
    targetBytes = max(bytes / 2, Self.bytesMin, bytesInEarlierRuns / Self.part)
  }
}
