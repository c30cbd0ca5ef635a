// Selects members: those whose names match one of the patterns, or all except the files that a Mac adds to archives. Each
// pattern must match a member.

import Records
import SystemIO

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
    var isSelected = patterns.isEmpty && !Self.isFromMac(name)
    for (index, pattern) in patterns.enumerated() where FilePattern.matches(name, pattern) {
      isMatched[index] = true
      isSelected = true
    }
    return isSelected
  }

  /// Whether a name is one of the files that macOS adds: data about files and folders for the Finder, not lists.
  ///
  /// Sources: Apple's AppleSingle/AppleDouble formats (`._NAME`, which Archive Utility puts into `__MACOSX`); the Finder's
  /// `.DS_Store`.
  static func isFromMac(_ name: String) -> Bool {
    let parts = name.split(separator: "/")
    return parts.dropLast().contains("__MACOSX") || parts.last == ".DS_Store"
  }

  /// Call after all members: throws if a pattern matched none.
  func check(_ stage: StageName) throws(Failure) {
    let unmatched = zip(patterns, isMatched).filter { !$0.1 }.map(\.0)
    if !unmatched.isEmpty {
      throw Failure(
        stage, UnzipError.noSuchEntry(patterns: unmatched, available: names, count: count))
    }
  }
}
