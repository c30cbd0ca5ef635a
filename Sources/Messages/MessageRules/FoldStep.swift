// The effect of a character on a text that is being folded, prepared so that it can be applied without examining the
// kind of the character: the symbol that is written, and the facts about the text that the character sets, keeps and
// does not allow.
//
// Not for: the rare characters that a step can't process, which FoldOutput processes one by one.

/// Facts about the end of a folded text, as bits.
enum FoldFacts {
  /// The current run of letters and digits contains a digit.
  static let digit: UInt8 = 1
  /// The run contains a letter that looks like a digit.
  static let lookAlike: UInt8 = 2
  /// The run contains another letter.
  static let letter: UInt8 = 4
  /// The text ends in a run of letters and digits.
  static let run = digit | lookAlike | letter
  /// The last symbol is a space.
  static let space: UInt8 = 8
  /// Only separators follow the last East Asian character.
  static let eastAsian: UInt8 = 16
  /// Always set.
  static let always: UInt8 = 32
}

/// The effect of a character on a folded text.
struct FoldStep {
  /// The symbol that is written.
  var symbol: UInt16
  /// The facts that it sets.
  var sets: UInt8
  /// The facts that it keeps.
  var keeps: UInt8
  /// The facts with which this step can't be applied.
  var stops: UInt8
  // Padding to eight bytes, so that a step's offset is its index shifted.
  private var free: UInt8 = 0
  private var moreFree: UInt16 = 0

  /// The index of the first step of a kind, after those of ASCII.
  static let kindsAt = 128
  /// The index of the step of spaces.
  static let spaceAt = kindsAt + 8

  /// The index of the step of a character that is not ASCII.
  @inline(__always)
  static func place(_ bits: UInt32) -> Int {
    let kind = Int(bits >> 16 & 7)
    return kind == Int(FoldKind.separator.rawValue) && bits >> 24 == FoldEntry.space
      ? spaceAt : kindsAt &+ kind
  }

  init(_ entry: FoldEntry) {
    symbol = entry.symbol
    let isSpace = entry.bits >> 24 == FoldEntry.space
    switch entry.kind {
    case .letter, .digit, .lookAlike:
      sets =
        entry.kind == .letter
        ? FoldFacts.letter : entry.kind == .digit ? FoldFacts.digit : FoldFacts.lookAlike
      keeps = FoldFacts.run | FoldFacts.always
      stops = 0
    case .separator:
      sets = isSpace ? FoldFacts.space : 0
      keeps = FoldFacts.eastAsian | FoldFacts.always
      // A number ends here, and its look-alikes become digits; a space after a space is dropped.
      stops = FoldFacts.digit | sets
    case .eastAsian:
      sets = FoldFacts.eastAsian
      keeps = FoldFacts.always
      // The separators between it and the previous East Asian character are dropped, which no step does.
      stops = FoldFacts.always
    case .other:
      sets = 0
      keeps = FoldFacts.always
      stops = FoldFacts.digit
    case .skip, .expansion:
      sets = 0
      keeps = 0
      stops = FoldFacts.always
    }
  }
}
