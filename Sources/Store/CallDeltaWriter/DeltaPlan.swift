// How many steps lead from one store to another, and where each begins.
//
// Not for: writing them (DeltaMaker).

import CallDeltaReader
public import CallStoreReader

/// The steps from one store to another. A step has the differences that stand below a number and not in a step before.
///
/// It begins at the first number of a record to add, so what is left behind a step is a store: no record that was
/// added reaches as far as one that is still to be removed.
public struct DeltaPlan: Sendable {
  /// The number at which each step but the first begins.
  let cuts: [UInt64]

  /// The number of steps, 1 at least.
  public var steps: Int { cuts.count + 1 }

  /// Walks through both stores and finds the steps of at most `entriesMax` single numbers to add. A range with more
  /// numbers than that has a step of its own.
  ///
  /// - Complexity: O(records of both); ranges are not expanded.
  public init(
    from old: borrowing CallStore, at oldPath: String, to new: borrowing CallStore, at newPath: String,
    entriesMax: UInt64
  ) throws(DeltaError) {
    var cuts: [UInt64] = []
    var entries: UInt64 = 0
    var walk = StoreDifference(old, new)
    do throws(DifferenceError) {
      while let finding = try walk.finding(old, new) {
        if finding == .addition || finding == .change {
          let width = walk.new.last - walk.new.first + 1
          if entries > 0, width > entriesMax - min(entries, entriesMax) {
            cuts.append(walk.new.first)
            entries = 0
          }
          // Numbers have 15 digits: the sum stays below 2^51.
          entries += width
        }
        if cuts.count >= DeltaLimits.stepsMax { break }
        walk.pass(finding)
      }
    } catch {
      throw DeltaError(error, oldPath, newPath)
    }
    guard cuts.count < DeltaLimits.stepsMax else {
      throw .tooManySteps(limit: DeltaLimits.stepsMax, entries: entriesMax)
    }
    self.cuts = cuts
  }

  /// The numbers whose differences are in a step, counted from 0.
  func numbers(ofStep step: Int) -> Range<UInt64> {
    (step == 0 ? 0 : cuts[step - 1])..<(step == cuts.count ? .max : cuts[step])
  }
}

extension DeltaError {
  init(_ failure: DifferenceError, _ oldPath: String, _ newPath: String) {
    switch failure {
    case .old(let error): self = .unreadableStore(error, path: oldPath)
    case .new(let error): self = .unreadableStore(error, path: newPath)
    }
  }
}
