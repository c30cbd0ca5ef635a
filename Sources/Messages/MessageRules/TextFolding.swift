// Folds texts, with one lookup per character.
//
// Characters that look the same to a reader become the same symbols. The compiler's table covers width, case,
// compatibility forms, marks and digits. Foldings that depend on the neighbouring characters are done here: separators
// between East Asian characters are dropped, and letters that look like digits become digits if they are among digits.
//
// Not for: the rare cases, which FoldOutput processes; both must have the same result.

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
