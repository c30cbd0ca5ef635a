// Finds the characters of a number text that are wildcards for digits: the trailing ones of `33162######`,
// `070-XXXX-XXXX` and `+33162*`; not the x of an extension, the letters of 1-800-FOXX, or stars before a number.
//
// Not for: the notations of other systems (MaskReader), the numbers that wildcards match (NumberPattern).

import Records

/// The wildcards of a text, and the bytes before them.
struct NumberMask {
  enum Extent: Equatable {
    /// A fixed number of digits, one per wildcard. The first one may be limited to some digits, as in `[2-9]XXX`.
    case digits(Int, first: ClosedRange<UInt8>)
    /// Any number of digits: one star.
    case anyLength
    /// Wildcards of another system that stand for any number of digits; or `dots` dots, of which each may be a digit.
    case open(dots: Int?)
    /// Single wildcards before or between digits, which may be punctuation: `*212-555-0123`, `212*555*0123`.
    case doubtful
    /// Invalid: digits, letters or a second star follow, or letters precede.
    case invalid
  }

  /// The maximum number of digits that wildcards can stand for.
  static let wildcardsMax = 15

  /// The bytes before the first wildcard.
  let prefix: [UInt8]
  private let elements: [MaskElement]
  /// What the wildcards match.
  let extent: Extent
  /// Whether there is only one wildcard, which may be a typing error after a complete number.
  let mayBeTypo: Bool

  /// Returns nil if the text has no wildcards after a digit.
  ///
  /// A single `#` or `x` between digits is not a wildcard: it marks an extension.
  init?(_ written: Span<UInt8>) {
    let elements = MaskReader.elements(of: written)
    var scan = Scan()
    var index = 0
    while index < elements.count {
      if case .byte(let byte) = elements[index] {
        scan.add(byte)
        index += 1
        continue
      }
      var end = index + 1
      while end < elements.count, elements[end].isWildcard { end += 1 }
      scan.add(elements, wildcardsAt: index..<end)
      index = end
    }
    if let start = scan.start, let extent = scan.extent {
      self.extent = scan.isDoubtful ? .invalid : extent
      mayBeTypo = scan.wildcards.count == 1 && !scan.wildcards[0].isClass
      prefix = elements[..<start].map(\.byte)
    } else {
      guard scan.isDoubtful else { return nil }
      extent = .doubtful
      mayBeTypo = true
      prefix = []
    }
    self.elements = elements
  }

  /// The text with a digit in place of each wildcard.
  func filled(with digit: UInt8) -> [UInt8] {
    elements.map { $0.isWildcard ? UInt8(ascii: "0") + digit : $0.byte }
  }

  /// The state of the scan.
  private struct Scan {
    var hasDigit = false
    var hasLettersBefore = false
    /// The index of the first wildcard.
    var start: Int?
    var wildcards: [MaskElement] = []
    var singleStars = 0
    var hasTextAfter = false
    /// Whether wildcards precede the first digit, as in `____5678`.
    var isPrefixMasked = false
    /// Whether wildcards before or between digits may be punctuation.
    var isDoubtful = false

    /// What the wildcards stand for; nil if they are not wildcards.
    var extent: Extent? {
      if isPrefixMasked || wildcards.contains(.invalid) { return .invalid }
      if hasTextAfter || hasLettersBefore {
        return wildcards.count > 1 || wildcards[0].isCertain ? .invalid : nil
      }
      if wildcards.contains(where: \.isOpen) {
        return if case .dots(let count) = wildcards[0] { .open(dots: count) } else { .open(dots: nil) }
      }
      if singleStars > 0 { return wildcards.count == 1 ? .anyLength : .invalid }
      // Where a later wildcard is limited to some digits, the numbers are not one range.
      guard wildcards.count <= NumberMask.wildcardsMax,
        wildcards.dropFirst().allSatisfy({ $0.digits == 0...9 })
      else { return .invalid }
      return .digits(wildcards.count, first: wildcards[0].digits)
    }

    mutating func add(_ byte: UInt8) {
      if start != nil {
        if !NumberMask.isSeparator(byte) { hasTextAfter = true }
      } else if byte.isDigit {
        hasDigit = true
      } else if byte.isLetter {
        if hasDigit { hasLettersBefore = true }
      } else if byte >= 0x80 {
        // Possibly a digit of another script.
        hasDigit = true
      }
    }

    /// Adds adjacent wildcards.
    mutating func add(_ elements: [MaskElement], wildcardsAt run: Range<Int>) {
      let next = run.upperBound < elements.count ? elements[run.upperBound].byte : 0
      guard hasDigit else {
        // `____5678`, `%5678` and `[2-9]XXXXXX` are not numbers; `XXX 212-555-0123` and `*2125550123` may be.
        let isBeforeDigit = next.isDigit && (run.count > 1 || elements[run.lowerBound].isCertain)
        if isBeforeDigit || elements[run].contains(where: \.isClass) {
          addAll(elements, run, isPrefix: true)
        } else if next.isDigit || run.count > 1, !isWord(elements, run) {
          isDoubtful = true
        }
        return
      }
      if isWord(elements, run) {
        for index in run { add(elements[index].byte) }
        return
      }
      if run.count == 1, start == nil, !elements[run.lowerBound].isCertain {
        var index = run.upperBound
        while index < elements.count, NumberMask.isSeparator(elements[index].byte) { index += 1 }
        let isInside = index < elements.count && elements[index].byte.isDigit
        if isInside || hasLettersBefore {
          if elements[run.lowerBound].isLetter { hasLettersBefore = true }
          if isInside, elements[run.lowerBound].isDoubtfulInside { isDoubtful = true }
          return
        }
      }
      addAll(elements, run, isPrefix: false)
    }

    /// Whether wildcards are letters of a word.
    private func isWord(_ elements: [MaskElement], _ run: Range<Int>) -> Bool {
      let last = run.lowerBound > 0 ? elements[run.lowerBound - 1].byte : 0
      let next = run.upperBound < elements.count ? elements[run.upperBound].byte : 0
      return (last.isLetter || next.isLetter) && elements[run].contains(where: \.isLetter)
    }

    private mutating func addAll(_ elements: [MaskElement], _ run: Range<Int>, isPrefix: Bool) {
      if isPrefix { isPrefixMasked = true }
      if start == nil { start = run.lowerBound }
      wildcards += elements[run]
      // Two or more stars are one digit each; a single one, or some among other wildcards, could be any number of
      // digits.
      let stars = elements[run].count { $0 == .star }
      if stars > 0, run.count == 1 || stars < run.count { singleStars += 1 }
    }
  }

  /// Whether the byte may occur between and after wildcards: ASCII that is neither a letter nor a digit.
  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte < 0x80 && !byte.isDigit && !byte.isLetter
  }

  // MARK: Quick check

  /// Whether the text has a character that can be a wildcard, or `..`. It may be the text of a whole batch, so eight
  /// bytes are checked at a time.
  static func mayHaveWildcards(_ text: Span<UInt8>) -> Bool {
    let raw = unsafe text.bytes
    var index = 0
    while index + 8 <= text.count {
      let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      // Most texts are all digits, and no digit is a wildcard. The upper half of a byte separates 0 to 9 and six more
      // characters from all others; after adding six, it separates those six, too.
      let upper: UInt64 = 0xF0F0_F0F0_F0F0_F0F0
      let digits: UInt64 = 0x3030_3030_3030_3030
      let areDigits = word & upper == digits && (word &+ 0x0606_0606_0606_0606) & upper == digits
      if !areDigits, mayHaveWildcards(text, from: index, to: index + 8) { return true }
      index += 8
    }
    return mayHaveWildcards(text, from: index, to: text.count)
  }

  private static func mayHaveWildcards(_ text: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    for index in start..<end where isSuspect(text[index]) || isSuspectPair(text, at: index) { return true }
    return false
  }

  /// Whether a wildcard can start with the byte, in any notation or script.
  @inline(__always)
  private static func isSuspect(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "%"), UInt8(ascii: "*"), UInt8(ascii: "?"): true
    case UInt8(ascii: "N"), UInt8(ascii: "X"), UInt8(ascii: "n"), UInt8(ascii: "x"), UInt8(ascii: "["),
      UInt8(ascii: "Z"), UInt8(ascii: "z"), Byte.backslash, UInt8(ascii: "^"), UInt8(ascii: "_"),
      UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    // The first bytes of U+00B7, of U+00D7, of Greek and Cyrillic, of U+2000 to U+30FF, and of full-width forms.
    case 0xC2, 0xC3, 0xCE, 0xCF, 0xD0, 0xD1, 0xE2, 0xE3, 0xEF: true
    default: false
    }
  }

  /// Whether `..`, `.+` or `(0-` starts at `index`.
  @inline(__always)
  private static func isSuspectPair(_ text: Span<UInt8>, at index: Int) -> Bool {
    switch text[index] {
    case UInt8(ascii: "."):
      index + 1 < text.count
        && (text[index + 1] == UInt8(ascii: ".") || text[index + 1] == UInt8(ascii: "+"))
    case UInt8(ascii: "("):
      index + 2 < text.count && text[index + 1].isDigit && text[index + 2] == UInt8(ascii: "-")
    default: false
    }
  }

  /// Whether `..` starts at `index`.
  static func isTwoDots(_ text: Span<UInt8>, at index: Int) -> Bool {
    text[index] == UInt8(ascii: ".") && index + 1 < text.count && text[index + 1] == UInt8(ascii: ".")
  }
}
