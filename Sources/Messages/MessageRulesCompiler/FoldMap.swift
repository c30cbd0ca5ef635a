// The folding of each character, with the foldings that a rule file enables.
//
// Not for: folding a text, which the reader does with the table that SymbolTable makes from this.

import MessageRules

/// The folding of single characters.
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
