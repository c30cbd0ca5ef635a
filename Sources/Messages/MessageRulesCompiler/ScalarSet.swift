// Sets of characters, for the classes of regular expressions.

import MessageRules

/// A set of characters as ascending ranges that are not adjacent.
package struct ScalarSet: Hashable, Sendable {
  package private(set) var ranges: [ClosedRange<UInt32>] = []

  static let all = ScalarSet([0...0x10FFFF])

  init(_ ranges: [ClosedRange<UInt32>] = []) {
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = self.ranges.last, range.lowerBound <= last.upperBound + 1 {
        self.ranges[self.ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        self.ranges.append(range)
      }
    }
  }

  var isEmpty: Bool { ranges.isEmpty }

  func union(_ other: ScalarSet) -> ScalarSet { ScalarSet(ranges + other.ranges) }

  var inverted: ScalarSet {
    var result: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in ranges {
      if range.lowerBound > next { result.append(next...range.lowerBound - 1) }
      next = range.upperBound + 1
    }
    if next <= 0x10FFFF { result.append(next...0x10FFFF) }
    return ScalarSet(result)
  }

  func contains(_ scalar: UInt32) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].lowerBound <= scalar
  }

  /// The corresponding set of characters in folded texts: what the characters become, if each becomes a single one.
  func folded(_ map: FoldMap) -> ScalarSet {
    var changed: [ClosedRange<UInt32>] = []
    var dropped: [ClosedRange<UInt32>] = []
    for (scalar, parts) in map.special where contains(scalar) {
      dropped.append(scalar...scalar)
      // A letter that is a space with marks, which are dropped, must not turn a space into a letter.
      let isLost = parts == [0x20] && CharacterTables.run(of: scalar).kind != FoldKind.separator.rawValue
      if parts.count == 1, !isLost { changed.append(parts[0]...parts[0]) }
    }
    // Dropped characters don't occur in a folded text; they are removed from the set so that a negated class is exact.
    let kept = dropped.isEmpty ? self : inverted.union(ScalarSet(dropped)).inverted
    return kept.union(ScalarSet(changed))
  }

  /// `\d`: ASCII digits, to which all other digits are folded.
  static let digits = ScalarSet([0x30...0x39])
  /// `\s`
  static let spaces = ScalarSet([
    0x09...0x0D, 0x20...0x20, 0x85...0x85, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
    0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000,
  ])
  /// `\w`: letters of any script, digits, `_`.
  static let words: ScalarSet = {
    var ranges: [ClosedRange<UInt32>] = [0x5F...0x5F]
    for run in CharacterTables.runs where run.script != 0 || run.kind == 2 || run.kind == 1 || run.kind == 7 {
      ranges.append(run.start...run.end - 1)
    }
    return ScalarSet(ranges)
  }()

  /// `\p{Han}`: the letters of a script; `\p{L}`: the letters of all scripts.
  static func letters(script: UInt8?) -> ScalarSet {
    ScalarSet(
      CharacterTables.runs.filter { script == nil ? $0.script != 0 : $0.script == script }
        .map { $0.start...$0.end - 1 })
  }
}
