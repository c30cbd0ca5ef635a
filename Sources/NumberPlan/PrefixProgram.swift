// Executes the backtracking programs of national prefixes with captures, with exactly Java's choices.
// The patterns are a few digits long with bounded repeats, so backtracking is bounded, too.
// Not for patterns without groups (Automaton).

struct PrefixMatch {
  /// The number of digits matched.
  var length = 0
  /// The start and end of both groups; -1 if a group did not participate.
  var bounds: (Int8, Int8, Int8, Int8) = (-1, -1, -1, -1)

  /// The range of digits in group 1 or 2, or nil.
  func group(_ number: Int) -> Range<Int>? {
    let (start, end) = number == 1 ? (bounds.0, bounds.1) : (bounds.2, bounds.3)
    return start >= 0 && end >= start ? Int(start)..<Int(end) : nil
  }
}

enum PrefixProgram {
  // Operations, in the four high bits of a word; see the generator's PrefixProgramCompiler.swift.
  private static let split: UInt16 = 1
  private static let jump: UInt16 = 2
  private static let save: UInt16 = 3
  private static let end: UInt16 = 4
  private static let match: UInt16 = 5

  /// Matches the program at `start` with a prefix of `digits`.
  static func run(_ start: Int, _ digits: Digits) -> PrefixMatch? {
    var result = PrefixMatch()
    return run(start, start, 0, digits, &result) ? result : nil
  }

  private static func run(
    _ start: Int, _ entry: Int, _ position: Int, _ digits: Digits, _ result: inout PrefixMatch
  ) -> Bool {
    var counter = entry
    var position = position
    while true {
      let word = Tables.programWord(counter)
      let operand = word & 0x0FFF
      counter += 1
      switch word >> 12 {
      case split:
        let saved = result
        if run(start, counter, position, digits, &result) { return true }
        result = saved
        counter = start + Int(operand)
      case jump:
        counter = start + Int(operand)
      case save:
        let place = Int8(truncatingIfNeeded: position)
        switch operand {
        case 0: result.bounds.0 = place
        case 1: result.bounds.1 = place
        case 2: result.bounds.2 = place
        default: result.bounds.3 = place
        }
      case end:
        if position != digits.count { return false }
      case match:
        result.length = position
        return true
      default:
        guard position < digits.count, position < Digits.capacity,
          operand >> UInt16(truncatingIfNeeded: digits[position]) & 1 == 1
        else { return false }
        position += 1
      }
    }
  }
}
