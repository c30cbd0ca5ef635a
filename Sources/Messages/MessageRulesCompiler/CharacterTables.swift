// Access to the generated tables that stays within their bounds. Not for: folding (FoldMap).

import CMessageTables

/// Facts about characters. Source: the Unicode Character Database, by Sources/Tools/make-message-characters.py.
enum CharacterTables {
  /// The kind of a character's decomposition.
  enum Decomposition: UInt8 {
    case canonical = 0
    case width = 1
    case compatibility = 2
  }

  /// One step of a character's decomposition.
  static func decomposition(of scalar: UInt32) -> (kind: Decomposition, targets: [UInt32])? {
    guard let index = find(scalar, cmt_decomposition_count, cmt_decomposition_scalar)
    else { return nil }
    let kind = Decomposition(rawValue: cmt_decomposition_kind(index)) ?? .compatibility
    let start = UInt32(cmt_decomposition_start(index))
    let end = UInt32(cmt_decomposition_start(index + 1))
    return (kind, (start..<end).map { cmt_decomposition_target($0) })
  }

  /// A character's full case folding.
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

  /// All characters that have a decomposition or a case folding, or represent a number.
  static var special: [UInt32] {
    let scalars =
      (0..<cmt_decomposition_count).map { cmt_decomposition_scalar($0) }
      + (0..<cmt_folding_count).map { cmt_folding_scalar($0) }
      + (0..<cmt_digit_count).map { cmt_digit_scalar($0) }
    return scalars
  }

  /// A run of characters of one class.
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

  /// The run that contains a character.
  static func run(of scalar: UInt32) -> Run {
    var low = 0
    var high = runs.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if runs[middle].start <= scalar { low = middle } else { high = middle - 1 }
    }
    return runs[low]
  }

  private static func find(_ scalar: UInt32, _ count: UInt32, _ entry: (UInt32) -> UInt32) -> UInt32? {
    var low: UInt32 = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if entry(middle) < scalar { low = middle + 1 } else { high = middle }
    }
    return low < count && entry(low) == scalar ? low : nil
  }
}
