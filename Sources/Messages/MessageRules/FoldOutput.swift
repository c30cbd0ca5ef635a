// A folded text on its way into a buffer, and what is rare in it: numbers with look-alikes that end, spaces after
// spaces, characters that are dropped or folded into several.
//
// Not for: the common characters (TextFolding), which use the same facts in FoldStep.

import CallStoreFormat

/// A folded text on its way into a buffer.
@safe
struct FoldOutput {
  let symbols: UnsafeMutablePointer<UInt16>
  let capacity: Int
  var count = 0
  /// What holds at the end of the text so far.
  var facts = FoldFacts.always
  /// Where the run of letters and digits began that goes on here; the end, if none does.
  var runStart = 0
  /// The number of symbols after the last East Asian character, if only separators came since.
  var eastAsianEnd = 0
  /// Whether a part of the last character did not fit.
  var isCut = false

  init(_ symbols: UnsafeMutablePointer<UInt16>, capacity: Int) {
    unsafe self.symbols = symbols
    self.capacity = capacity
  }

  /// Whether one more symbol fits.
  @inline(__always) var hasCapacity: Bool { count < capacity }
  /// Whether the run is a number but for its look-alikes.
  private var isNumber: Bool { facts & FoldFacts.run == FoldFacts.digit | FoldFacts.lookAlike }

  /// Adds the folding of one character that is not an expansion.
  ///
  /// - Precondition: the buffer has capacity.
  mutating func take(_ entry: FoldEntry, _ rules: borrowing CompiledRules) {
    switch entry.kind {
    case .skip, .expansion: return
    case .letter: goOn(entry, FoldFacts.letter)
    case .digit: goOn(entry, FoldFacts.digit)
    case .lookAlike: goOn(entry, FoldFacts.lookAlike)
    case .separator:
      endRun(rules)
      let isSpace = entry.bits >> 24 == FoldEntry.space
      // A space after a space is the same one.
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

  /// A run goes on, or begins.
  private mutating func goOn(_ entry: FoldEntry, _ fact: UInt8) {
    append(entry)
    facts = facts & FoldFacts.run | FoldFacts.always | fact
  }

  private mutating func append(_ entry: FoldEntry) {
    unsafe symbols[count] = entry.symbol
    count += 1
  }

  /// A run ends here, if there is one: if it is a number, its look-alikes become digits. Other letters are not in it, so
  /// a symbol suffices.
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
  borrowing func taking(
    _ bits: UInt32, _ output: FoldOutput, _ text: UnsafeBufferPointer<UInt8>, _ at: Int
  ) -> FoldOutput {
    var output = output
    let entry = FoldEntry(bits: bits)
    guard entry.kind == .expansion else {
      output.take(entry, self)
      return output
    }
    let starts = bytes(of: .expansionStarts)
    let parts = bytes(of: .expansions)
    let index = Int(entry.symbol)
    let range = Int(starts.u32(4 * index))..<Int(starts.u32(4 * index + 4))
    // A mark that stands alone is dropped where there is nothing for it to voice.
    if range.count == 1, unsafe !Kana.isVoiced(before: at, text) { return output }
    for part in range {
      guard output.hasCapacity else {
        output.isCut = true
        break
      }
      output.take(FoldEntry(bits: parts.u32(4 * part)), self)
    }
    return output
  }
}
