// Which members are wanted: those whose names fit one of the patterns, or all. And each pattern has to fit some member.

import PipeStage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The wanted members, and which patterns have fitted so far.
struct WantedMembers {
  private let patterns: [String]
  private var fits: [Bool]
  private var names: [String] = []
  private var count = 0

  init(_ patterns: [String]) {
    self.patterns = patterns
    fits = [Bool](repeating: false, count: patterns.count)
  }

  /// Whether a member is wanted.
  mutating func contains(_ name: String) -> Bool {
    count += 1
    if names.count < UnzipLimits.namesShownMax { names.append(name) }
    var isWanted = patterns.isEmpty
    for (index, pattern) in patterns.enumerated() where unsafe fnmatch(pattern, name, 0) == 0 {
      fits[index] = true
      isWanted = true
    }
    return isWanted
  }

  /// Once all have been asked for: throws if a pattern fitted none.
  func check(_ stage: StageName) throws(StageError) {
    let unfit = zip(patterns, fits).filter { !$0.1 }.map(\.0)
    if !unfit.isEmpty {
      throw StageError(
        stage, UnzipError.noSuchEntry(patterns: unfit, available: names, count: count))
    }
  }
}
