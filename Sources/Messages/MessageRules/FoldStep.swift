// What a character does to a text that is being folded, ready to be done without asking what kind of character it is:
// a symbol to write, and which facts about the text so far it makes, keeps and can't stand.
//
// Not for: the rare characters that a step stops at, which FoldOutput processes one by one.

/// Facts about the end of a folded text, as bits.
enum FoldFacts {
  /// The run of letters and digits that goes on here has a digit.
  static let digit: UInt8 = 1
  /// It has a letter that looks like a digit.
  static let lookAlike: UInt8 = 2
  /// It has another letter.
  static let letter: UInt8 = 4
  /// A run goes on.
  static let run = digit | lookAlike | letter
  /// The last symbol is a space.
  static let space: UInt8 = 8
  /// Only separators came since the last East Asian character.
  static let eastAsian: UInt8 = 16
  /// What is always so.
  static let always: UInt8 = 32
}

/// What a character does to a folded text.
struct FoldStep {
  /// The symbol that is written.
  var symbol: UInt16
  /// The facts that hold after it.
  var makes: UInt8
  /// The facts that go on holding.
  var keeps: UInt8
  /// The facts that need more than this step.
  var stops: UInt8
  // A step is eight bytes, so that its place is its number shifted.
  private var free: UInt8 = 0
  private var moreFree: UInt16 = 0

  /// Where the steps of kinds begin: after ASCII.
  static let kindsAt = 128
  /// Where the step of spaces is.
  static let spaceAt = kindsAt + 8

  /// The place of the step of a character that is not in ASCII.
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
      makes =
        entry.kind == .letter
        ? FoldFacts.letter : entry.kind == .digit ? FoldFacts.digit : FoldFacts.lookAlike
      keeps = FoldFacts.run | FoldFacts.always
      stops = 0
    case .separator:
      makes = isSpace ? FoldFacts.space : 0
      keeps = FoldFacts.eastAsian | FoldFacts.always
      // A number ends here, whose look-alikes become digits; a space after a space is the same one.
      stops = FoldFacts.digit | makes
    case .eastAsian:
      makes = FoldFacts.eastAsian
      keeps = FoldFacts.always
      // What stands between it and another one before is dropped, which no step does.
      stops = FoldFacts.always
    case .other:
      makes = 0
      keeps = FoldFacts.always
      stops = FoldFacts.digit
    case .skip, .expansion:
      makes = 0
      keeps = 0
      stops = FoldFacts.always
    }
  }
}
