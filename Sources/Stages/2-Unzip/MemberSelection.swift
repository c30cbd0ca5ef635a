// Selects members: those whose names match one of the patterns, or all. Each pattern must match a member.

import PipeStage
import SystemIO
import ZipArchive

/// The selection, and which patterns have matched so far.
struct MemberSelection {
  private let patterns: [String]
  private var isMatched: [Bool]
  private var names: [String] = []
  private var count = 0

  init(_ patterns: [String]) {
    self.patterns = patterns
    isMatched = [Bool](repeating: false, count: patterns.count)
  }

  /// Whether a member is selected.
  mutating func contains(_ name: String) -> Bool {
    count += 1
    if names.count < UnzipLimits.suggestedNamesMax { names.append(name) }
    var isSelected = patterns.isEmpty
    for (index, pattern) in patterns.enumerated() where FilePattern.matches(name, pattern) {
      isMatched[index] = true
      isSelected = true
    }
    return isSelected
  }

  /// Call after all members: throws if a pattern matched none.
  func check(_ stage: StageName) throws(StageError) {
    let unmatched = zip(patterns, isMatched).filter { !$0.1 }.map(\.0)
    if !unmatched.isEmpty {
      throw StageError(
        stage, UnzipError.noSuchEntry(patterns: unmatched, available: names, count: count))
    }
  }
}
