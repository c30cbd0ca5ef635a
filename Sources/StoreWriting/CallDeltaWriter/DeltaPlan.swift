// How many steps lead from one store to another, and where each of them starts.
//
// Not for: writing them (DeltaMaker).

import CallDeltaReader
package import CallStoreReader

/// The steps from one store to another. A step contains the differences in a range of numbers.
///
/// A step starts at the first number of a record to add. This way the result of each step is a valid store: no added
/// record overlaps one that a later step removes.
package struct DeltaPlan: Sendable {
  /// The number at which each step after the first starts.
  let cuts: [UInt64]

  /// The number of steps, at least 1.
  package var steps: Int { cuts.count + 1 }

  /// Walks through both stores and plans steps that add at most `entriesMax` single numbers each. A range with more
  /// numbers is a separate step. The paths are for messages.
  ///
  /// - Complexity: O(records of both); ranges are not expanded.
  package init(
    from old: borrowing CallStore, at oldPath: String, to new: borrowing CallStore, at newPath: String,
    entriesMax: UInt64
  ) throws(DeltaError) {
    var cuts: [UInt64] = []
    var entries: UInt64 = 0
    var walk = StoreDifference(old, at: oldPath, new, at: newPath)
    while let finding = try walk.finding(old, new) {
      if finding == .addition || finding == .change {
        let width = walk.new.last - walk.new.first + 1
        if entries > 0, width > entriesMax - min(entries, entriesMax) {
          cuts.append(walk.new.first)
          entries = 0
        }
        // Numbers have at most 15 digits: the sum stays below 2^51.
        entries += width
      }
      if cuts.count >= DeltaLimits.stepsMax { break }
      walk.advance(past: finding)
    }
    guard cuts.count < DeltaLimits.stepsMax else {
      throw .tooManySteps(limit: DeltaLimits.stepsMax, entries: entriesMax)
    }
    self.cuts = cuts
  }

  /// The range of numbers whose differences are in a step. Steps count from 0.
  func numbers(ofStep step: Int) -> Range<UInt64> {
    (step == 0 ? 0 : cuts[step - 1])..<(step == cuts.count ? .max : cuts[step])
  }
}
