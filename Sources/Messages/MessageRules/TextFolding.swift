// Folds texts, with one lookup per character.
//
// Characters that look the same to a reader become the same symbols. The compiler's table covers width, case,
// compatibility forms, marks and digits. Foldings that depend on the neighbouring characters are done here: separators
// between East Asian characters are dropped, and letters that look like digits become digits if they are among digits.

import CallStoreFormat

/// Letters that are treated as 0 or 1 among digits: the Latin, Greek, Cyrillic and Armenian O, and l and I.
package enum LookAlikes {
  package static let zeros: [UInt32] = [0x4F, 0x6F, 0xFF2F, 0xFF4F, 0x39F, 0x3BF, 0x41E, 0x43E, 0x555, 0x585]
  package static let ones: [UInt32] = [0x6C, 0x49, 0xFF4C, 0xFF29]
}

extension CompiledRules {
  /// Folds a text.
  ///
  /// If a text exceeds the capacity of the buffer, only its start is folded.
  ///
  /// In a sender that is a number, punctuation is omitted: `+86 170-1234` and `+861701234` are the same sender.
  ///
  /// - Complexity: O(bytes).
  package borrowing func fold(_ text: Span<UInt8>, as field: MessageField, into buffer: inout SymbolBuffer) {
    let isNumber = field == .sender && SenderNumber.isWrittenAsNumber(text)
    unsafe buffer.fill { symbols, capacity in
      unsafe text.withUnsafeBufferPointer { text in
        let output = unsafe FoldOutput(symbols, capacity: capacity)
        return unsafe isNumber ? foldNumber(text, output) : fold(text, output)
      }
    }
  }

  /// Folds an ASCII sender, and omits the characters that separate its digits.
  private borrowing func foldNumber(
    _ text: UnsafeBufferPointer<UInt8>, _ start: FoldOutput
  ) -> (count: Int, isCut: Bool) {
    let pages = bytes(of: .pages)
    let blocks = bytes(of: .blocks)
    var output = start
    var at = 0
    while at < text.count, output.hasCapacity {
      let byte = unsafe text[at]
      at += 1
      if SenderNumber.isPunctuation(byte) { continue }
      output = unsafe processingRareCase(Self.entry(of: UInt32(byte), pages, blocks).bits, output, text, at)
    }
    output.endRun(self)
    return (output.count, output.isCut || at < text.count)
  }

  /// Folds any text.
  ///
  /// A common character is one step of the table, without a test of its kind; one that its step can't process is
  /// processed by FoldOutput. Everything that changes is in a local variable, so that all of it stays in registers; it
  /// is only combined into a FoldOutput for the slow path.
  private borrowing func fold(
    _ text: UnsafeBufferPointer<UInt8>, _ start: FoldOutput
  ) -> (count: Int, isCut: Bool) {
    unsafe shortcuts.withPointers { steps, threes in
      guard let bytes = text.baseAddress else { return (0, false) }
      // Unchecked: there is a step for every byte of ASCII and every kind, and an index of the fold table is a
      // character, or a page that was checked when the file was opened.
      let pages = unsafe pointer(to: .pages).assumingMemoryBound(to: UInt16.self)
      let blocks = unsafe pointer(to: .blocks).assumingMemoryBound(to: UInt32.self)
      let symbols = unsafe start.symbols
      let end = text.count
      var output = start
      var at = 0
      while at < end, output.hasCapacity {
        // Only rare characters have more symbols than bytes, so the capacity suffices up to here.
        let limit = min(end, at &+ (output.capacity &- output.count))
        // Up to here, four bytes can be loaded.
        let wordLimit = min(limit, end &- 3)
        var count = output.count
        var facts = output.facts
        var runStart = output.runStart
        var eastAsianEnd = output.eastAsianEnd
        var rare: UInt32?
        while at < limit {
          let lead = unsafe bytes[at]
          var place = Int(lead)
          var symbol: UInt16
          if lead < 0x80 {
            at &+= 1
            symbol = unsafe steps[place].symbol
            if unsafe steps[place].stops & facts != 0 {
              rare = unsafe Self.bits(of: UInt32(lead), pages, blocks)
              break
            }
          } else {
            var bits: UInt32
            if at < wordLimit, let three = unsafe Self.bits(ofThree: bytes + at, threes, blocks) {
              bits = three
              at &+= 3
            } else {
              var next = at
              bits = unsafe Self.bits(of: Scalars.next(Span(_unsafeElements: text), &next), pages, blocks)
              at = next
            }
            symbol = UInt16(truncatingIfNeeded: bits)
            if Self.isEastAsian(bits), facts & FoldFacts.digit == 0 {
              if facts & FoldFacts.eastAsian != 0 { count = eastAsianEnd }
              // East Asian characters come in runs: continue here as long as they can be decoded.
              var isDecoded = true
              repeat {
                unsafe symbols[count] = UInt16(truncatingIfNeeded: bits)
                count &+= 1
                guard at < wordLimit, let next = unsafe Self.bits(ofThree: bytes + at, threes, blocks) else {
                  isDecoded = false
                  break
                }
                bits = next
                at &+= 3
              } while Self.isEastAsian(bits)
              facts = FoldFacts.eastAsian | FoldFacts.always
              eastAsianEnd = count
              runStart = count
              if !isDecoded { continue }
              symbol = UInt16(truncatingIfNeeded: bits)
            }
            place = FoldStep.place(bits)
            if unsafe steps[place].stops & facts != 0 {
              rare = bits
              break
            }
          }
          unsafe symbols[count] = symbol
          count &+= 1
          facts = unsafe facts & steps[place].keeps | steps[place].sets
          if facts & FoldFacts.run == 0 { runStart = count }
        }
        output.count = count
        output.facts = facts
        output.runStart = runStart
        output.eastAsianEnd = eastAsianEnd
        if let rare { output = unsafe processingRareCase(rare, output, text, at) }
      }
      output.endRun(self)
      return (output.count, output.isCut || at < end)
    }
  }

  /// The fold table's entry for a character, as bits.
  @inline(__always)
  private static func bits(
    of scalar: UInt32, _ pages: UnsafePointer<UInt16>, _ blocks: UnsafePointer<UInt32>
  ) -> UInt32 {
    let block = unsafe Int(UInt16(littleEndian: pages[Int(scalar >> 7)]))
    return unsafe UInt32(littleEndian: blocks[block << 7 | Int(scalar & 127)])
  }

  /// The entry's bits for a character of three bytes that is followed by a fourth byte; nil if the fold table must be
  /// used.
  @inline(__always)
  private static func bits(
    ofThree bytes: UnsafePointer<UInt8>, _ threes: UnsafePointer<Int32>, _ blocks: UnsafePointer<UInt32>
  ) -> UInt32? {
    let word = unsafe UInt32(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self))
    guard word & 0x00C0_C0F0 == 0x0080_80E0 else { return nil }
    let start = unsafe threes[FoldShortcuts.place(word)]
    guard start >= 0 else { return nil }
    return unsafe UInt32(littleEndian: blocks[Int(start) &+ Int(word >> 16 & 0x3F)])
  }

  @inline(__always)
  private static func isEastAsian(_ bits: UInt32) -> Bool {
    bits & FoldEntry.eastAsian != 0
  }

  /// The fold table's entry for a character.
  @inline(__always)
  static func entry(of scalar: UInt32, _ pages: RawSpan, _ blocks: RawSpan) -> FoldEntry {
    let block = pages.u16(2 &* Int(scalar >> 7))
    return FoldEntry(bits: blocks.u32(4 &* (block << 7 | Int(scalar & 127))))
  }

  /// The symbols to which some characters are folded.
  static func symbols(of scalars: [UInt32], _ pages: RawSpan, _ blocks: RawSpan) -> ContiguousArray<UInt16> {
    var symbols: ContiguousArray<UInt16> = []
    for scalar in scalars {
      let entry = entry(of: scalar, pages, blocks)
      if entry.kind == .lookAlike { symbols.append(entry.symbol) }
    }
    return symbols
  }
}

// The output of folding, and the processing of its rare cases: the ends of numbers with look-alikes, repeated spaces,
// and characters that are dropped or folded into several.

/// The folded text while it is written to a buffer.
@safe
struct FoldOutput {
  let symbols: UnsafeMutablePointer<UInt16>
  let capacity: Int
  var count = 0
  /// The facts about the end of the text so far.
  var facts = FoldFacts.always
  /// The start of the run of letters and digits at the end of the text; the text's end if there is no run.
  var runStart = 0
  /// The number of symbols up to the last East Asian character, if only separators follow it.
  var eastAsianEnd = 0
  /// Whether a part of the last character did not fit.
  var isCut = false

  init(_ symbols: UnsafeMutablePointer<UInt16>, capacity: Int) {
    unsafe self.symbols = symbols
    self.capacity = capacity
  }

  /// Whether one more symbol fits.
  @inline(__always) var hasCapacity: Bool { count < capacity }
  /// Whether the run is a number, apart from its look-alikes.
  private var isNumber: Bool { facts & FoldFacts.run == FoldFacts.digit | FoldFacts.lookAlike }

  /// Adds the folding of one character that is not an expansion.
  ///
  /// - Precondition: the buffer has capacity.
  mutating func add(_ entry: FoldEntry, _ rules: borrowing CompiledRules) {
    switch entry.kind {
    case .skip, .expansion: return
    case .letter: extendRun(entry, FoldFacts.letter)
    case .digit: extendRun(entry, FoldFacts.digit)
    case .lookAlike: extendRun(entry, FoldFacts.lookAlike)
    case .separator:
      endRun(rules)
      let isSpace = entry.bits >> 24 == FoldEntry.space
      // A space after a space is dropped.
      if isSpace, facts & FoldFacts.space != 0 { return }
      append(entry)
      facts =
        facts & FoldFacts.eastAsian | FoldFacts.always | (isSpace ? FoldFacts.space : 0)
      runStart = count
    case .eastAsian:
      endRun(rules)
      if facts & FoldFacts.eastAsian != 0 { count = eastAsianEnd }
      append(entry)
      facts = FoldFacts.eastAsian | FoldFacts.always
      eastAsianEnd = count
      runStart = count
    case .other:
      endRun(rules)
      append(entry)
      facts = FoldFacts.always
      runStart = count
    }
  }

  /// Continues or starts a run.
  private mutating func extendRun(_ entry: FoldEntry, _ fact: UInt8) {
    append(entry)
    facts = facts & FoldFacts.run | FoldFacts.always | fact
  }

  private mutating func append(_ entry: FoldEntry) {
    unsafe symbols[count] = entry.symbol
    count += 1
  }

  /// Ends the run: if it is a number, its look-alikes become digits. A run that is a number has no other letters, so
  /// comparing symbols suffices.
  mutating func endRun(_ rules: borrowing CompiledRules) {
    guard isNumber else { return }
    for index in runStart..<count {
      let symbol = unsafe symbols[index]
      if rules.zeroLookAlikes.contains(symbol) { unsafe symbols[index] = rules.header.zeroSymbol }
      if rules.oneLookAlikes.contains(symbol) { unsafe symbols[index] = rules.header.oneSymbol }
    }
  }
}

extension CompiledRules {
  /// Processes the rare cases, outside of the loop. The character ends before `at`.
  @inline(never)
  borrowing func processingRareCase(
    _ bits: UInt32, _ output: FoldOutput, _ text: UnsafeBufferPointer<UInt8>, _ at: Int
  ) -> FoldOutput {
    var output = output
    let entry = FoldEntry(bits: bits)
    guard entry.kind == .expansion else {
      output.add(entry, self)
      return output
    }
    let starts = bytes(of: .expansionStarts)
    let parts = bytes(of: .expansions)
    let index = Int(entry.symbol)
    let range = Int(starts.u32(4 * index))..<Int(starts.u32(4 * index + 4))
    // A single mark is dropped if it has nothing to voice.
    if range.count == 1, unsafe !Kana.isVoiced(before: at, text) { return output }
    for part in range {
      guard output.hasCapacity else {
        output.isCut = true
        break
      }
      output.add(FoldEntry(bits: parts.u32(4 * part)), self)
    }
    return output
  }
}

// The effect of a character on a text that is being folded, prepared so that it can be applied without examining the
// kind of the character: the symbol that is written, and the facts about the text that the character sets, keeps and
// does not allow.

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

// The part of the fold table that is prepared when rules are opened, so that a common character needs few steps: 64
// KiB.

/// Shortcuts through the fold table for the most common characters.
struct FoldShortcuts: Sendable {
  /// The steps of the ASCII characters, followed by those of the kinds of characters, whose symbols are not used.
  private let steps: ContiguousArray<FoldStep>
  /// The index of the first of the 64 entries of the characters of three bytes that have the same first two bytes, by
  /// ``place(_:)``; -1 if they need the fold table. There are gaps, so that an index is computed in one step; the
  /// values that are used lie in 64 cache lines.
  private let threes: ContiguousArray<Int32>

  /// Makes the shortcuts for a fold table that was checked.
  init(_ pages: RawSpan, _ blocks: RawSpan) {
    var steps: ContiguousArray<FoldStep> = []
    steps.reserveCapacity(FoldStep.spaceAt + 1)
    for scalar in 0..<UInt32(FoldStep.kindsAt) {
      steps.append(FoldStep(CompiledRules.entry(of: scalar, pages, blocks)))
    }
    for kind in 0..<UInt32(8) { steps.append(FoldStep(FoldEntry(bits: kind << 16))) }
    steps.append(FoldStep(FoldEntry(bits: UInt32(FoldKind.separator.rawValue) << 16 | FoldEntry.space << 24)))
    self.steps = steps

    var threes = ContiguousArray<Int32>(repeating: -1, count: Self.bits + 1)
    for first in stride(from: UInt32(0x800), to: 0x10000, by: 64) {
      // Neither surrogates nor Korean letters that may start a syllable.
      if first & 0xF800 == 0xD800 || first == 0x1100 { continue }
      let place = Self.place(first >> 12 | (first >> 6 & 0x3F) << 8)
      threes[place] = Int32(pages.u16(2 * Int(first >> 7)) << 7 | Int(first & 127))
    }
    self.threes = threes
  }

  /// The bits that distinguish the first two bytes of a character of three bytes, the first byte in the lowest bits.
  private static let bits = 0x3F0F

  /// The index for the first two bytes of a word.
  @inline(__always)
  static func place(_ word: UInt32) -> Int { Int(word) & bits }

  /// Calls `body` with pointers to the steps and the indices.
  @inline(__always)
  func withPointers<Result>(
    _ body: (_ steps: UnsafePointer<FoldStep>, _ threes: UnsafePointer<Int32>) -> Result
  ) -> Result {
    unsafe steps.withUnsafeBufferPointer { steps in
      unsafe threes.withUnsafeBufferPointer { threes in
        // Neither array is empty.
        guard let steps = steps.baseAddress, let threes = threes.baseAddress else {
          preconditionFailure("a fold table without shortcuts")
        }
        return unsafe body(steps, threes)
      }
    }
  }
}

/// Japanese syllables, and the two marks that turn them into others: `か` and U+3099 are `が`, `は` and U+309A are `ぱ`.
enum Kana {
  /// The size of a syllable or a mark in bytes.
  private static let bytes = 3
  /// Hiragana that can be voiced, except those that can also be half-voiced: the rows of k, s and t, and three single
  /// ones. Source: the Unicode Character Database, canonical decompositions with U+3099.
  private static let voiced: Set<UInt32> = [
    0x3046, 0x304B, 0x304D, 0x304F, 0x3051, 0x3053, 0x3055, 0x3057, 0x3059, 0x305B, 0x305D, 0x305F, 0x3061,
    0x3064,
    0x3066, 0x3068, 0x309D,
  ]
  /// The row of h, which both marks can follow.
  private static let halfVoiced: Set<UInt32> = [0x306F, 0x3072, 0x3075, 0x3078, 0x307B]
  /// Katakana that can be voiced although their hiragana can't: the row of w.
  private static let voicedKatakana: Set<UInt32> = [0x30EF, 0x30F0, 0x30F1, 0x30F2]

  /// Whether the mark that ends before `at` turns the preceding character into another syllable.
  static func isVoiced(before at: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard at >= 2 * bytes, let mark = unsafe Scalars.eastAsian(text, at - bytes),
      let syllable = unsafe Scalars.eastAsian(text, at - 2 * bytes)
    else { return false }
    let isHalf = mark == 0x309A || mark == 0x309C || mark == 0xFF9F
    return canBeVoiced(syllable, half: isHalf)
  }

  /// Whether a mark can follow a syllable, in hiragana, katakana or half-width katakana.
  static func canBeVoiced(_ syllable: UInt32, half: Bool) -> Bool {
    switch syllable {
    // Half-width: h; u, k, s, t, w and o of the row of w.
    case 0xFF8A...0xFF8E: return true
    case 0xFF66, 0xFF73, 0xFF76...0xFF84, 0xFF9C: return !half
    default: break
    }
    let isKatakana = syllable >= 0x30A1 && syllable <= 0x30FE
    let hiragana = isKatakana ? syllable - 0x60 : syllable
    if halfVoiced.contains(hiragana) { return true }
    return !half && (voiced.contains(hiragana) || voicedKatakana.contains(syllable))
  }
}

/// Decodes characters of UTF-8 text.
package enum Scalars {
  static let replacement: UInt32 = 0xFFFD

  /// A character of three bytes, like nearly all of East Asia's; nil if it must be decoded in full.
  @inline(__always)
  static func eastAsian(_ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> UInt32? {
    guard at &+ 2 < text.count else { return nil }
    let lead = unsafe UInt32(text[at])
    let second = unsafe UInt32(text[at &+ 1])
    let third = unsafe UInt32(text[at &+ 2])
    // From U+2000 on, without surrogates: leads E2 to EC, EE, EF.
    guard lead &- 0xE2 < 14, lead != 0xED, (second & 0xC0) == 0x80, (third & 0xC0) == 0x80 else { return nil }
    return (lead & 0x0F) << 12 | (second & 0x3F) << 6 | third & 0x3F
  }

  /// The next scalar of a text. An invalid UTF-8 byte becomes U+FFFD. Conjoining Korean letters are combined into the
  /// syllable that they form.
  @inline(__always)
  package static func next(_ text: Span<UInt8>, _ at: inout Int) -> UInt32 {
    let first = decode(text, &at)
    if first &- 0x1100 < 19 { return syllable(first, text, &at) }
    return first
  }

  @inline(__always)
  private static func decode(_ text: Span<UInt8>, _ at: inout Int) -> UInt32 {
    let lead = UInt32(text[at])
    if lead < 0x80 {
      at &+= 1
      return lead
    }
    if lead & 0xF0 == 0xE0, at &+ 2 < text.count {
      let second = UInt32(text[at &+ 1])
      let third = UInt32(text[at &+ 2])
      let scalar = (lead & 0x0F) << 12 | (second & 0x3F) << 6 | third & 0x3F
      if second & 0xC0 == 0x80, third & 0xC0 == 0x80, scalar >= 0x800, scalar &- 0xD800 >= 0x800 {
        at &+= 3
        return scalar
      }
    } else if lead & 0xE0 == 0xC0, at &+ 1 < text.count {
      let second = UInt32(text[at &+ 1])
      if second & 0xC0 == 0x80, lead >= 0xC2 {
        at &+= 2
        return (lead & 0x1F) << 6 | second & 0x3F
      }
    } else if lead & 0xF8 == 0xF0, at &+ 3 < text.count {
      let second = UInt32(text[at &+ 1])
      let third = UInt32(text[at &+ 2])
      let fourth = UInt32(text[at &+ 3])
      let scalar = (lead & 0x07) << 18 | (second & 0x3F) << 12 | (third & 0x3F) << 6 | fourth & 0x3F
      if second & 0xC0 == 0x80, third & 0xC0 == 0x80, fourth & 0xC0 == 0x80, scalar >= 0x10000,
        scalar < 0x110000
      {
        at &+= 4
        return scalar
      }
    }
    at &+= 1
    return replacement
  }

  /// Combines Korean letters into a syllable. Source: The Unicode Standard, section 3.12.
  @inline(never)
  private static func syllable(_ lead: UInt32, _ text: Span<UInt8>, _ at: inout Int) -> UInt32 {
    var next = at
    guard next < text.count else { return lead }
    let vowel = decode(text, &next) &- 0x1161
    guard vowel < 21 else { return lead }
    at = next
    var scalar = 0xAC00 + ((lead - 0x1100) * 21 + vowel) * 28
    guard next < text.count else { return scalar }
    let trail = decode(text, &next) &- 0x11A7
    if trail > 0, trail < 28 {
      at = next
      scalar += trail
    }
    return scalar
  }
}

/// The symbols of a folded text. Symbols that don't fit are omitted, which the buffer records; the limits are those of
/// real texts.
@safe
package struct SymbolBuffer: ~Copyable {
  /// The number of zeros after the last symbol, for loops that look ahead.
  package static let padding = KeywordPrefixes.symbols - 1

  private let start: UnsafeMutablePointer<UInt16>
  package let capacity: Int
  package private(set) var count = 0
  /// Whether symbols were omitted, so that the text continues after the last one.
  package private(set) var isCut = false

  package init(capacity: Int) {
    unsafe start = .allocate(capacity: capacity + Self.padding)
    unsafe start.initialize(repeating: 0, count: capacity + Self.padding)
    self.capacity = capacity
  }

  deinit {
    unsafe start.deallocate()
  }

  /// The symbols, and the padding after them, for loops that respect the count.
  @inline(__always)
  var pointer: UnsafePointer<UInt16> { unsafe UnsafePointer(start) }

  /// Lets `fill` replace the symbols. It receives the capacity, and returns the number of symbols that it wrote and
  /// whether there were more.
  @inline(__always)
  package mutating func fill(
    _ fill: (UnsafeMutablePointer<UInt16>, _ capacity: Int) -> (count: Int, isCut: Bool)
  ) {
    let (written, isCut) = unsafe fill(start, capacity)
    precondition(written >= 0 && written <= capacity, "more symbols were written than the capacity")
    count = written
    self.isCut = isCut
    // A loop that looks ahead finds zeros.
    for index in 0..<Self.padding { unsafe start[written + index] = 0 }
  }

  package var symbols: Span<UInt16> {
    @_lifetime(borrow self)
    borrowing get {
      let symbols = unsafe Span(_unsafeStart: UnsafePointer(start), count: count)
      return unsafe _overrideLifetime(symbols, borrowing: self)
    }
  }
}
