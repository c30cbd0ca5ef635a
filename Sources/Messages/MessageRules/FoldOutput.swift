// The output of folding, and the processing of its rare cases: the ends of numbers with look-alikes, repeated spaces,
// and characters that are dropped or folded into several.
//
// Not for: the common characters (TextFolding), for which FoldStep uses the same facts.

import CallStoreFormat

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
