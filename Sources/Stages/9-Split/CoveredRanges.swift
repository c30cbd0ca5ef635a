// The numbers that a list's ranges cover, merged, in bounded memory. No cut may be inside them.
//
// A cut is the first number of a part. The range A..B allows the cuts A and B + 1, and no other one from A to B. So
// ranges that share a number are merged, and ranges that only touch are not.

import Records

/// The merged ranges of a list, in ascending order.
///
/// If there are more than a limit, neighbours are merged, which is always safe: it only forbids more cuts. Of each group
/// of consecutive gaps, the one with the roundest number stays. Ranges are aligned to round numbers more often than
/// not, so the gaps that stay are the same in most lists.
struct CoveredRanges: Equatable, Sendable {
  /// Consecutive numbers that ranges cover.
  struct Run: Equatable, Sendable {
    /// The first number. A cut here is allowed.
    var first: UInt64
    /// The last number. A cut here is inside, unless it is the first number, too.
    var last: UInt64

    /// Whether a cut would be inside.
    func forbids(_ cut: UInt64) -> Bool { cut > first && cut <= last }
  }

  /// The ranges; each starts above the last number of the one before it.
  private(set) var runs: [Run] = []
  private let limit: Int
  /// The number of consecutive gaps of which one stays.
  private var stride = 1
  /// The number of gaps that the last group has so far.
  private var groupCount = 1

  /// Creates an empty value for at most `limit` ranges, which must be at least 2.
  init(limit: Int) {
    precondition(limit >= 2)
    self.limit = limit
  }

  /// Adds a record. Its first number must not be below that of the one before it.
  ///
  /// - Complexity: O(1), averaged over all records.
  @inline(__always)
  mutating func add(first: UInt64, last: UInt64) {
    if last > first { addRange(Run(first: first, last: last)) }
  }

  private mutating func addRange(_ range: Run) {
    guard let before = runs.last, range.first > before.last else {
      if runs.isEmpty { runs.append(range) } else { extend(to: range.last) }
      return
    }
    if groupCount == stride, runs.count == limit { coarsen() }
    if groupCount == stride || runs.count == 1 {
      runs.append(range)
      groupCount = 1
      return
    }
    // The last two ranges are those around the best gap of the group so far.
    groupCount += 1
    let index = runs.count - 1
    let best = Self.roundness(runs[index - 1], runs[index])
    if Self.roundness(runs[index], range) > best {
      runs[index - 1].last = runs[index].last
      runs[index] = range
    } else {
      runs[index].last = range.last
    }
  }

  private mutating func extend(to last: UInt64) {
    runs[runs.count - 1].last = max(runs[runs.count - 1].last, last)
  }

  /// Merges the gaps in pairs, and doubles the groups.
  private mutating func coarsen() {
    var kept = [runs[0]]
    var index = 1
    while index + 1 < runs.count {
      let (first, second) = (runs[index], runs[index + 1])
      if Self.roundness(runs[index - 1], first) >= Self.roundness(first, second) {
        kept.append(Run(first: first.first, last: second.last))
      } else {
        kept[kept.count - 1].last = first.last
        kept.append(second)
      }
      index += 2
    }
    // A last gap without a partner is the first half of a group.
    groupCount = index < runs.count ? stride : 2 * stride
    if index < runs.count { kept.append(runs[index]) }
    stride *= 2
    runs = kept
  }

  /// The roundness of the gap between two ranges: the number of zeros at the end of the roundest cut in it, then the
  /// number of cuts in it.
  private static func roundness(_ one: Run, _ other: Run) -> (Int, UInt64) {
    var zeros = 0
    var power: UInt64 = 10
    while zeros < PhoneNumber.digitsMax, other.first / power * power > one.last {
      zeros += 1
      power *= 10
    }
    return (zeros, other.first - one.last)
  }

  /// The range that forbids a cut; nil if the cut is allowed.
  ///
  /// - Complexity: O(log ranges).
  func run(forbidding cut: UInt64) -> Run? {
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].last < cut { low = middle + 1 } else { high = middle }
    }
    return low < runs.count && runs[low].forbids(cut) ? runs[low] : nil
  }
}
