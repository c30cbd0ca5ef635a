// A text folded into symbols by the table that the compiled rules have of their own: one look-up a character.
//
// What looks the same to a reader becomes the same symbols: the compiler's table does width, case, compatibility
// forms, marks and digits; what needs the neighbours is done here: separators between East Asian characters are
// dropped, and letters that look like digits become digits among digits.

import CallStoreFormat

/// Letters that are taken for a 0 or a 1 in the midst of digits: Latin, Greek, Cyrillic and Armenian O, and l and I.
package enum LookAlikes {
  package static let zeros: [UInt32] = [0x4F, 0x6F, 0xFF2F, 0xFF4F, 0x39F, 0x3BF, 0x41E, 0x43E, 0x555, 0x585]
  package static let ones: [UInt32] = [0x6C, 0x49, 0xFF4C, 0xFF29]
}

/// A folded text on its way into a buffer.
///
/// Plain fields and no calls that are not inlined on the usual way, so that all of it stays in registers.
@safe
private struct FoldOutput {
  private static let digit: UInt8 = 1
  private static let lookAlike: UInt8 = 2
  private static let letter: UInt8 = 4

  private let symbols: UnsafeMutablePointer<UInt16>
  private let capacity: Int
  private(set) var count = 0
  /// What the run of letters and digits has that goes on here.
  private var seen: UInt8 = 0
  private var runStart = 0
  /// How many symbols there were behind the last East Asian character, if only separators came since; else -1.
  private var behindEastAsian = -1
  /// How many symbols there were behind the last space; -1 when it was dropped.
  private var behindSpace = -1
  /// Whether a part of the last character found no room.
  var isCut = false

  init(_ symbols: UnsafeMutablePointer<UInt16>, capacity: Int) {
    unsafe self.symbols = symbols
    self.capacity = capacity
  }

  /// Whether one more symbol fits.
  @inline(__always) var hasRoom: Bool { count < capacity }
  /// Whether the run is a number but for its look-alikes.
  @inline(__always) private var isNumber: Bool { seen == Self.digit | Self.lookAlike }

  /// The bits of `seen` for letters, digits and look-alikes, a byte for each kind.
  private static let seenBits: UInt32 = 0x0201_0400

  /// Takes a usual character: one that goes into a run, or another while no number is under way that it could end.
  /// False when it is none of them, and nothing was done.
  @inline(__always)
  mutating func takeUsual(_ bits: UInt32) -> Bool {
    let kind = bits >> 16 & 7
    if kind &- 1 < 3 {
      if seen == 0 { runStart = count }
      seen |= UInt8(truncatingIfNeeded: Self.seenBits &>> (kind &* 8))
      behindEastAsian = -1
    } else if isNumber || kind & 4 == 0 || kind &- 5 < 2 {
      return false
    } else {
      seen = 0
      if kind == UInt32(FoldKind.eastAsian.rawValue) {
        if behindEastAsian >= 0 { count = behindEastAsian }
        behindEastAsian = count &+ 1
        behindSpace = -1
      } else if bits >> 24 == FoldEntry.space {
        // A space behind a space is the same one.
        if behindSpace == count { return true }
        behindSpace = count &+ 1
      }
    }
    // There is room, as whoever calls has asked.
    unsafe symbols[count] = UInt16(truncatingIfNeeded: bits)
    count &+= 1
    return true
  }

  /// Takes the folding of one character that is no expansion.
  @inline(__always)
  mutating func take(_ bits: UInt32, _ rules: borrowing CompiledRules) {
    // There is room, as whoever calls has asked.
    unsafe symbols[count] = UInt16(truncatingIfNeeded: bits)
    let kind = UInt8(truncatingIfNeeded: bits >> 16) & 7
    if kind == FoldKind.letter.rawValue {
      seen |= Self.letter
      behindEastAsian = -1
      count &+= 1
    } else if kind == FoldKind.eastAsian.rawValue {
      if isNumber { replaceLookAlikes(rules) }
      seen = 0
      if behindEastAsian >= 0 {
        count = behindEastAsian
        unsafe symbols[count] = UInt16(truncatingIfNeeded: bits)
      }
      count &+= 1
      behindEastAsian = count
      behindSpace = -1
    } else if kind == FoldKind.separator.rawValue {
      if isNumber { replaceLookAlikes(rules) }
      seen = 0
      let isSpace = bits >> 24 == FoldEntry.space
      if isSpace, behindSpace == count { return }
      count &+= 1
      if isSpace { behindSpace = count }
    } else if kind == FoldKind.digit.rawValue || kind == FoldKind.lookAlike.rawValue {
      if seen == 0 { runStart = count }
      seen |= kind == FoldKind.digit.rawValue ? Self.digit : Self.lookAlike
      behindEastAsian = -1
      count &+= 1
    } else if kind != FoldKind.skip.rawValue {
      if isNumber { replaceLookAlikes(rules) }
      seen = 0
      behindEastAsian = -1
      count &+= 1
    }
  }

  /// The text ends.
  mutating func end(_ rules: borrowing CompiledRules) {
    if isNumber { replaceLookAlikes(rules) }
  }

  /// Makes digits of the letters among the digits of a run. Other letters are not in it, so a symbol says enough.
  @inline(never)
  private func replaceLookAlikes(_ rules: borrowing CompiledRules) {
    for index in runStart..<count {
      let symbol = unsafe symbols[index]
      if rules.zeroLookAlikes.contains(symbol) { unsafe symbols[index] = rules.header.zeroSymbol }
      if rules.oneLookAlikes.contains(symbol) { unsafe symbols[index] = rules.header.oneSymbol }
    }
  }
}

extension CompiledRules {
  /// Folds a text.
  ///
  /// Of a text that is longer than the buffer only the beginning is folded.
  ///
  /// Of a sender that is a number the punctuation is left out: `+86 170-1234` and `+861701234` are one sender.
  ///
  /// - Complexity: O(bytes).
  package borrowing func fold(_ text: Span<UInt8>, as field: MessageField, into buffer: inout SymbolBuffer) {
    let isNumber = field == .sender && SenderNumber.isWrittenAsNumber(text)
    unsafe buffer.fill { symbols, capacity in
      unsafe text.withUnsafeBufferPointer { text in
        let output = unsafe FoldOutput(symbols, capacity: capacity)
        return unsafe text.isEmpty ? (0, false) : fold(text, isNumber, output)
      }
    }
  }

  /// Unchecked: an index of the table is a character, or a page that was checked when the file was opened.
  private borrowing func fold(
    _ text: UnsafeBufferPointer<UInt8>, _ isNumber: Bool, _ start: FoldOutput
  ) -> (count: Int, isCut: Bool) {
    var output = start
    let pages = unsafe pointer(to: .pages).assumingMemoryBound(to: UInt16.self)
    let blocks = unsafe pointer(to: .blocks).assumingMemoryBound(to: UInt32.self)
    let ascii = unsafe blocks + 128 &* Int(UInt16(littleEndian: pages[0]))
    var at = 0
    let end = text.count
    while at < end, output.hasRoom {
      let lead = unsafe text[at]
      if lead < 0x80 {
        at &+= 1
        if isNumber, SenderNumber.isPunctuation(lead) { continue }
        let bits = unsafe UInt32(littleEndian: ascii[Int(lead)])
        if !output.takeUsual(bits) { output = unsafe taking(bits, output, text, at) }
        continue
      }
      let scalar: UInt32
      if let usual = unsafe Scalars.eastAsian(text, at) {
        scalar = usual
        at &+= 3
      } else {
        scalar = unsafe Scalars.next(Span(_unsafeElements: text), &at)
      }
      let block = unsafe Int(UInt16(littleEndian: pages[Int(scalar >> 7)]))
      let bits = unsafe UInt32(littleEndian: blocks[block << 7 | Int(scalar & 127)])
      if !output.takeUsual(bits) { output = unsafe taking(bits, output, text, at) }
    }
    output.end(self)
    return (output.count, output.isCut || at < end)
  }

  /// What is rare, out of the way of the loop. The character ends before `at`.
  @inline(never)
  private borrowing func taking(
    _ bits: UInt32, _ output: FoldOutput, _ text: UnsafeBufferPointer<UInt8>, _ at: Int
  ) -> FoldOutput {
    var output = output
    if bits >> 16 & 7 == FoldKind.expansion.rawValue { return unsafe expanded(bits, output, text, at) }
    output.take(bits, self)
    return output
  }

  @inline(never)
  private borrowing func expanded(
    _ bits: UInt32, _ output: FoldOutput, _ text: UnsafeBufferPointer<UInt8>, _ at: Int
  ) -> FoldOutput {
    let starts = bytes(of: .expansionStarts)
    let parts = bytes(of: .expansions)
    let index = Int(FoldEntry(bits: bits).symbol)
    let range = Int(starts.u32(4 * index))..<Int(starts.u32(4 * index + 4))
    var output = output
    // A mark that stands alone is dropped where there is nothing for it to voice.
    if range.count == 1, unsafe !Kana.isVoiced(before: at, text) { return output }
    for part in range {
      guard output.hasRoom else {
        output.isCut = true
        break
      }
      output.take(parts.u32(4 * part), self)
    }
    return output
  }

  /// How a character is folded.
  @inline(__always)
  static func entry(of scalar: UInt32, _ pages: RawSpan, _ blocks: RawSpan) -> FoldEntry {
    let block = pages.u16(2 &* Int(scalar >> 7))
    return FoldEntry(bits: blocks.u32(4 &* (block << 7 | Int(scalar & 127))))
  }

  /// The symbols that some characters are folded to.
  static func symbols(of scalars: [UInt32], _ pages: RawSpan, _ blocks: RawSpan) -> ContiguousArray<UInt16> {
    var symbols: ContiguousArray<UInt16> = []
    for scalar in scalars {
      let entry = entry(of: scalar, pages, blocks)
      if entry.kind == .lookAlike { symbols.append(entry.symbol) }
    }
    return symbols
  }
}

/// Characters of UTF-8 text.
package enum Scalars {
  static let replacement: UInt32 = 0xFFFD

  /// A character of three bytes, as nearly all of East Asia's are; nil for what needs a closer look.
  @inline(__always)
  static func eastAsian(_ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> UInt32? {
    guard at &+ 2 < text.count else { return nil }
    let lead = unsafe UInt32(text[at])
    let second = unsafe UInt32(text[at &+ 1])
    let third = unsafe UInt32(text[at &+ 2])
    // From U+2000 on, and no surrogate: leads E2 to EC, EE, EF.
    guard lead &- 0xE2 < 14, lead != 0xED, (second & 0xC0) == 0x80, (third & 0xC0) == 0x80 else { return nil }
    return (lead & 0x0F) << 12 | (second & 0x3F) << 6 | third & 0x3F
  }

  /// The next scalar of a text. A byte that is no UTF-8 is U+FFFD. Conjoining Korean letters come as the
  /// syllable that they make.
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

  /// Korean letters put together. Source: The Unicode Standard, section 3.12.
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
