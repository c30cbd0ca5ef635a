// Walks digits through the shared automata. Not for building them: that is the generator's work.

enum Automaton {
  /// Whether the automaton accepts all of `digits`.
  @inline(__always)
  static func accepts(_ start: State, _ digits: Digits) -> Bool {
    var state = UInt(start)
    var word = digits.firstSixteen
    for _ in 0..<min(digits.count, 16) {
      state = Tables.next(state, word & 15)
      if state == Tables.dead { return false }
      word &>>= 4
    }
    var index = 16
    while index < digits.count {
      state = Tables.next(state, digits[index])
      if state == Tables.dead { return false }
      index &+= 1
    }
    return Tables.accepts(state)
  }

  /// How many digits Java's `lookingAt` takes for the pattern behind a prefix automaton; nil when it fails.
  @inline(__always)
  static func prefixLength(_ start: State, _ digits: Digits) -> Int? {
    var state = UInt(start)
    var length: Int? = Tables.accepts(state) ? 0 : nil
    var index = 0
    while index < digits.count {
      state = Tables.next(state, digits[index])
      if state == Tables.dead { break }
      index &+= 1
      if Tables.accepts(state) { length = index }
    }
    return length
  }
}
