// The number of columns that a text fills on a terminal, and text padded and cut by it: East Asian characters fill two,
// combining marks none.
//
// Not for: making control characters printable (PrintableText, TerminalText). They count as no columns here.

/// Measures text in terminal columns.
package enum DisplayWidth {
  /// The columns that one character fills: 0, 1 or 2.
  package static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value < 0x20 || (0x7F..<0xA0).contains(value) ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control, .surrogate: return 0
    default: break
    }
    // The vowels and final consonants of a Hangul syllable are drawn in the columns of its first consonant.
    if (0x1160...0x11FF).contains(value) { return 0 }
    return isWide(value) ? 2 : 1
  }

  private static func isWide(_ value: UInt32) -> Bool {
    guard value >= wideRanges[0].lowerBound else { return false }
    var (low, high) = (0, wideRanges.count)
    while low < high {
      let middle = (low + high) / 2
      if wideRanges[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < wideRanges.count && wideRanges[low].contains(value)
  }

  /// The characters that are wide or full-width in EastAsianWidth.txt of Unicode 16, with the unassigned ones of their
  /// blocks. In the blocks of pictographs from U+1F300 on, the few narrow ones are counted as wide, as most terminals
  /// draw them.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3,
    0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F, 0x2693...0x2693, 0x26A1...0x26A1,
    0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA,
    0x26F2...0x26F3, 0x26F5...0x26F5, 0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B,
    0x2728...0x2728, 0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
    0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55, 0x2E80...0x303E,
    0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
    0x1F004...0x1F004, 0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F265,
    0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F7E0...0x1F7F0, 0x1F90C...0x1F9FF, 0x1FA70...0x1FAFF,
    0x20000...0x3FFFD,
  ]
}

extension StringProtocol {
  /// The number of terminal columns that the text fills.
  package var displayWidth: Int { unicodeScalars.reduce(0) { $0 + DisplayWidth.of($1) } }
}

extension String {
  /// The text cut to a number of columns. A text that is cut ends in `…`.
  package func cut(toWidth width: Int) -> String {
    if displayWidth <= width { return self }
    if width < 1 { return "" }
    var cut = String.UnicodeScalarView()
    var used = 0
    for scalar in unicodeScalars {
      used += DisplayWidth.of(scalar)
      if used > width - 1 { break }
      cut.append(scalar)
    }
    return String(cut) + "…"
  }

  /// The text as lines of at most `width` characters, broken at its spaces. A longer word has a line of its own.
  package func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    for word in split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  /// Pads the text with spaces at its end to a width, with at least one space.
  package func padding(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(1, width - displayWidth))
  }

  /// Pads the text with spaces at its start to a width, with at least one space.
  package func paddingStart(to width: Int) -> String {
    String(repeating: " ", count: Swift.max(1, width - displayWidth)) + self
  }
}
