// Runs digits through the shared automata. Not for building them, which the generator does.

enum Automaton {
  /// Whether the automaton accepts all of `digits`.
  @inline(__always)
  static func accepts(_ start: AutomatonState, _ digits: Digits, _ observer: inout some DigitObserver) -> Bool
  {
    var state = UInt(start)
    var word = digits.firstSixteen
    var left = digits.count
    if left > 16 {
      observer.examined(allButLast: 0)
      return accepts(state, digits)
    }
    // Most numbers end in digits that don't matter individually: from there on, counting them is enough.
    while !Tables.isIndifferent(state) {
      if left == 0 {
        observer.examined(allButLast: 0)
        return Tables.accepts(state)
      }
      state = Tables.next(state, word & 15)
      word &>>= 4
      left &-= 1
    }
    observer.examined(allButLast: left)
    return left < 32 && (Tables.lengths(state) &>> UInt32(truncatingIfNeeded: left)) & 1 == 1
  }

  @inline(never)
  private static func accepts(_ start: UInt, _ digits: Digits) -> Bool {
    var state = start
    for index in 0..<digits.count { state = Tables.next(state, digits[index]) }
    return Tables.accepts(state)
  }

  /// The number of digits that Java's `lookingAt` matches for the pattern of a prefix automaton; nil if it fails. No prefix
  /// has more than 16 digits.
  @inline(__always)
  static func prefixLength(_ start: AutomatonState, _ digits: Digits, _ observer: inout some DigitObserver)
    -> Int?
  {
    var state = UInt(start)
    var length: Int? = Tables.accepts(state) ? 0 : nil
    var word = digits.firstSixteen
    let end = min(digits.count, 16)
    var index = 0
    while index < end {
      state = Tables.next(state, word & 15)
      word &>>= 4
      observer.examined(allButLast: digits.count &- index &- 1)
      if state == Tables.dead { break }
      index &+= 1
      if Tables.accepts(state) { length = index }
    }
    return length
  }

  /// The result of an automaton of territories and types for all of `digits`.
  static func numberClass(_ start: AutomatonState, _ digits: Digits) -> UInt16? {
    var state = UInt(start)
    var index = 0
    while index < digits.count {
      state = Tables.nextClass(state, digits[index])
      if state == Tables.dead { return nil }
      index &+= 1
    }
    return Tables.numberClass(state)
  }
}
