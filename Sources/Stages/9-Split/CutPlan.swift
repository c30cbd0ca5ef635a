// Chooses cuts from samples: parts that are even by records, and no cut inside a range of any list.
//
// Not for: cutting (ListSplitter).

package import Records
package import SystemIO
import SystemPackage

/// Collects samples, and chooses cuts for all their lists.
package struct CutPlan: Sendable {
  /// The maximum number of parts.
  package static let partsMax = 9999
  /// The maximum number of numbers, and of covered ranges, that are held: 16 MiB each. If there are more, they are
  /// merged.
  private static let heldMax = 1 << 20

  private var marks: [ListSample.Mark] = []
  private var covered: [CoveredRanges.Run] = []
  private var records: UInt64 = 0

  /// A number at which a part may begin, and about how many records are below it.
  private struct Candidate {
    var cut: UInt64
    var below: UInt64
  }

  /// Creates a plan for one list.
  package init(_ sample: ListSample) {
    add(sample)
  }

  /// Samples a list that will be read again. Throws for standard input and for pipes.
  ///
  /// - Complexity: O(bytes).
  package init(
    list: String, parts: Int, calls: any SystemCalls = KernelCalls()
  ) throws(Failure) {
    let kind = list == InputFile.standardInput ? .other : FileKind(of: FilePath(list), calls: calls)
    if kind == .other { throw Failure(.split, SplitError.needsFile(list: list)) }
    self.init(try ListSample(of: list, .forParts(parts), stage: .split, calls: calls))
  }

  /// Reads the samples in files.
  ///
  /// - Complexity: O(n log n) for n lines.
  package init(
    samples files: [String], calls: any SystemCalls = KernelCalls()
  ) throws(Failure) {
    for file in files {
      try ListSample.read(file, calls: calls) { (sample) throws(Failure) in add(sample) }
    }
  }

  private mutating func add(_ sample: ListSample) {
    records += sample.records
    marks += sample.marks
    covered += sample.covered.runs
    if marks.count > Self.heldMax {
      marks.sort { $0.number < $1.number }
      while marks.count > Self.heldMax / 2 { marks = ListSample.merged(marks) }
    }
    if covered.count > Self.heldMax { covered = Self.united(covered, limit: Self.heldMax / 2).runs }
  }

  /// The union of covered ranges.
  private static func united(_ runs: [CoveredRanges.Run], limit: Int) -> CoveredRanges {
    var all = CoveredRanges(limit: limit)
    for run in runs.sorted(by: { $0.first < $1.first }) { all.add(first: run.first, last: run.last) }
    return all
  }

  /// The cuts for a number of parts, in ascending order: at most `parts - 1`. There are fewer if the lists have too few
  /// numbers that are outside of ranges. With these cuts, no part of all lists together is empty.
  ///
  /// - Complexity: O(n log n) for n numbers and covered ranges.
  package func cuts(parts: Int) -> [UInt64] {
    let candidates = candidates()
    var cuts: [UInt64] = []
    var index = 0
    for part in 1..<max(1, parts) {
      let target = Double(records) * Double(part) / Double(parts)
      while index + 1 < candidates.count, Double(candidates[index + 1].below) <= target { index += 1 }
      guard index < candidates.count else { break }
      var nearest = index
      if index + 1 < candidates.count,
        Double(candidates[index + 1].below) - target < target - Double(candidates[index].below)
      {
        nearest += 1
      }
      if candidates[nearest].cut > cuts.last ?? 0 { cuts.append(candidates[nearest].cut) }
    }
    return cuts
  }

  /// The numbers at which a part may begin, except the lowest number of all.
  private func candidates() -> [Candidate] {
    let marks = self.marks.sorted { $0.number < $1.number }
    let covered = Self.united(self.covered, limit: max(2, self.covered.count))
    guard let lowest = marks.first?.number else { return [] }
    var candidates: [Candidate] = []
    func add(_ cut: UInt64, below: UInt64) {
      if cut > lowest, cut > candidates.last?.cut ?? 0, covered.run(forbidding: cut) == nil {
        candidates.append(Candidate(cut: cut, below: below))
      }
    }
    var below: UInt64 = 0
    var run = 0
    for mark in marks {
      while run < covered.runs.count, covered.runs[run].first < mark.number {
        add(covered.runs[run].first, below: below)
        run += 1
      }
      add(mark.number, below: below)
      below += mark.records
    }
    for left in covered.runs[run...] { add(left.first, below: below) }
    return candidates
  }
}
