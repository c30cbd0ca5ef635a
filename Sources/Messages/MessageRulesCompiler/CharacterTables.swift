// Access to the generated tables that stays within their bounds.

import CMessageTables
import MessageRules

/// Facts about characters. Source: the Unicode Character Database, by Sources/Tools/make-message-characters.py.
enum CharacterTables {
  enum Decomposition: UInt8 {
    case canonical = 0
    case width = 1
    case compatibility = 2
  }

  static func decomposition(of scalar: UInt32) -> (kind: Decomposition, targets: [UInt32])? {
    guard let index = find(scalar, cmt_decomposition_count, cmt_decomposition_scalar)
    else { return nil }
    let kind = Decomposition(rawValue: cmt_decomposition_kind(index)) ?? .compatibility
    let start = UInt32(cmt_decomposition_start(index))
    let end = UInt32(cmt_decomposition_start(index + 1))
    return (kind, (start..<end).map { cmt_decomposition_target($0) })
  }

  static func caseFolding(of scalar: UInt32) -> [UInt32]? {
    guard let index = find(scalar, cmt_folding_count, cmt_folding_scalar) else { return nil }
    let start = UInt32(cmt_folding_start(index))
    let end = UInt32(cmt_folding_start(index + 1))
    return (start..<end).map { cmt_folding_target($0) }
  }

  /// The number from 0 to 50 that a character represents; nil for ASCII digits and other characters.
  static func digit(of scalar: UInt32) -> Int? {
    guard let index = find(scalar, cmt_digit_count, cmt_digit_scalar) else { return nil }
    return Int(cmt_digit_value(index))
  }

  static var special: [UInt32] {
    (0..<cmt_decomposition_count).map { cmt_decomposition_scalar($0) }
      + (0..<cmt_folding_count).map { cmt_folding_scalar($0) }
      + (0..<cmt_digit_count).map { cmt_digit_scalar($0) }
  }

  struct Run {
    var start: UInt32
    var end: UInt32
    var kind: UInt8
    var script: UInt8
  }

  /// All runs in ascending order, which together cover all of Unicode.
  static let runs: ContiguousArray<Run> = {
    var runs: ContiguousArray<Run> = []
    let count = cmt_class_count
    for index in 0..<count {
      let packed = cmt_class_value(index)
      runs.append(
        Run(
          start: cmt_class_start(index),
          end: index + 1 < count ? cmt_class_start(index + 1) : 0x110000, kind: packed & 7,
          script: packed >> 3))
    }
    return runs
  }()

  static func run(of scalar: UInt32) -> Run {
    runs[firstIndex(0, runs.count) { runs[$0].start > scalar } - 1]
  }

  private static func find(_ scalar: UInt32, _ count: UInt32, _ entry: (UInt32) -> UInt32) -> UInt32? {
    let index = firstIndex(UInt32(0), count) { entry($0) >= scalar }
    return index < count && entry(index) == scalar ? index : nil
  }
}

/// The first index from `low` on for which a condition holds that holds for all after it; `high` if there is none.
///
/// - Complexity: O(log n).
@inline(__always)
func firstIndex<Index: BinaryInteger>(_ low: Index, _ high: Index, where holds: (Index) -> Bool) -> Index {
  var (low, high) = (low, high)
  while low < high {
    let middle = (low + high) / 2
    if holds(middle) { high = middle } else { low = middle + 1 }
  }
  return low
}

struct FoldMap {
  static let lookAlikes = Set(LookAlikes.zeros + LookAlikes.ones)
  private static let zero: UInt32 = 0x30
  private static let voicingMark: UInt32 = 0x3099
  private static let semiVoicingMark: UInt32 = 0x309A
  private static let ideographicStops: Set<UInt32> = [0x3002, 0xFF61]

  /// The letters a to z in parentheses, and capital letters in parentheses, in black circles and in black squares:
  /// Unicode has no decomposition for them, or one that contains the parentheses.
  private static let enclosedLetters: [ClosedRange<UInt32>] = [
    0x249C...0x24B5, 0x1F110...0x1F129, 0x1F150...0x1F169, 0x1F170...0x1F189,
  ]

  let options: FoldingOptions
  /// The foldings of the characters that don't stay the same.
  let special: [UInt32: [UInt32]]

  init(_ options: FoldingOptions) {
    self.options = options
    var special: [UInt32: [UInt32]] = [:]
    if options.compatibility {
      for range in Self.enclosedLetters {
        for scalar in range { special[scalar] = Self.fold(scalar, options) }
      }
    }
    for scalar in CharacterTables.special { special[scalar] = Self.fold(scalar, options) }
    if options.marks {
      for run in CharacterTables.runs where run.kind == FoldKind.skip.rawValue {
        for scalar in run.start..<run.end { special[scalar] = [] }
      }
      // The spacing marks are treated like the combining ones.
      special[0x309B] = [Self.voicingMark]
      special[0x309C] = [Self.semiVoicingMark]
    }
    if options.spacing {
      for range in ScalarSet.spaces.ranges {
        for scalar in range { special[scalar] = [0x20] }
      }
    }
    for (scalar, folded) in special where folded == [scalar] { special[scalar] = nil }
    self.special = special
  }

  /// The folding of a character: no character, one, or several.
  func fold(_ scalar: UInt32) -> [UInt32] { special[scalar] ?? [scalar] }

  /// Whether a character that is folded to `parts` is a mark that voices a Japanese syllable: after any other character
  /// it is dropped like other marks.
  func isVoicingMark(_ parts: [UInt32]) -> Bool {
    options.marks && (parts == [Self.voicingMark] || parts == [Self.semiVoicingMark])
  }

  /// The fold table's entry for the character `raw` that is folded to `folded`, or to several characters that include
  /// it.
  func entry(raw: UInt32, folded: UInt32, symbol: UInt16) -> FoldEntry {
    let run = CharacterTables.run(of: folded)
    var kind = FoldKind(rawValue: run.kind) ?? .other
    if kind == .skip { kind = .other }
    if !options.spacing, kind == .separator || kind == .eastAsian { kind = .other }
    if options.digits, kind == .letter, Self.lookAlikes.contains(raw) { kind = .lookAlike }
    let ascii = Self.ideographicStops.contains(raw) ? UInt8(ascii: ".") : folded < 0x80 ? UInt8(folded) : 0
    return FoldEntry(symbol: symbol, kind: kind, script: run.script, ascii: ascii)
  }

  private static func fold(_ scalar: UInt32, _ options: FoldingOptions) -> [UInt32] {
    if options.marks, isMark(scalar) { return [] }
    var folded: [UInt32] = []
    for part in decompose(scalar, options) {
      guard options.letterCase, let cases = CharacterTables.caseFolding(of: part) else {
        folded.append(part)
        continue
      }
      for part in cases { folded += decompose(part, options) }
    }
    return folded
  }

  /// A character's parts, without marks, and with digits replaced by ASCII digits.
  private static func decompose(_ scalar: UInt32, _ options: FoldingOptions) -> [UInt32] {
    if options.marks, isMark(scalar) { return [] }
    if options.digits, let value = CharacterTables.digit(of: scalar) {
      return value < 10 ? [zero + UInt32(value)] : [zero + UInt32(value / 10), zero + UInt32(value % 10)]
    }
    if options.compatibility, let range = enclosedLetters.first(where: { $0.contains(scalar) }) {
      return [(range == enclosedLetters[0] ? 0x61 : 0x41) + scalar - range.lowerBound]
    }
    guard let (kind, targets) = CharacterTables.decomposition(of: scalar) else { return [scalar] }
    let isSelected =
      switch kind {
      case .canonical: true
      case .width: options.width
      case .compatibility: options.compatibility
      }
    return isSelected ? targets.flatMap { decompose($0, options) } : [scalar]
  }

  private static func isMark(_ scalar: UInt32) -> Bool {
    CharacterTables.run(of: scalar).kind == FoldKind.skip.rawValue
  }
}

/// A set of characters as ascending ranges that are not adjacent.
package struct ScalarSet: Hashable, Sendable {
  private(set) var ranges: [ClosedRange<UInt32>] = []

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
    let index = firstIndex(0, ranges.count) { ranges[$0].upperBound >= scalar }
    return index < ranges.count && ranges[index].lowerBound <= scalar
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
