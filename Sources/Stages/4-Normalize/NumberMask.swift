// Finds the characters of a number text that are wildcards for digits: the trailing ones of `33162######`,
// `070-XXXX-XXXX` and `+33162*`; not the x of an extension, the letters of 1-800-FOXX, or stars before a number.

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
    /// Two wildcards after a trunk zero, which may stand for any carrier's code: `(0xx11) 3333-4444`.
    case carrier
    /// Invalid: digits, letters or a second star follow, or letters precede.
    case invalid
  }

  /// The maximum number of digits that wildcards can stand for.
  static let wildcardsMax = 15

  let prefix: [UInt8]
  private let elements: [MaskElement]
  let extent: Extent
  /// Whether there is only one wildcard, which may be a typing error after a complete number.
  let mayBeTypo: Bool
  /// Whether that wildcard may also express a doubt, or end a number that is dialled: `?`, `#`.
  var endsInSign: Bool { elements.last.map { $0 == .hash || $0 == .sign } ?? false }

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
      let mayHaveCarrier =
        extent == .invalid && scan.mayHaveCarrier && Self.endsWithTrunkZero(elements[..<start])
      self.extent = mayHaveCarrier ? .carrier : scan.isDoubtful ? .invalid : extent
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

  /// The text with digits in place of the wildcards: `digit` and `next` by turns.
  func filled(with digit: UInt8, _ next: UInt8) -> [UInt8] {
    var digits = (digit, next)
    return elements.map { element in
      guard element.isWildcard else { return element.byte }
      defer { swap(&digits.0, &digits.1) }
      return UInt8(ascii: "0") + digits.0
    }
  }

  /// Whether the digits are a zero, optionally after a calling code.
  private static func endsWithTrunkZero(_ elements: ArraySlice<MaskElement>) -> Bool {
    let digits = elements.map(\.byte).filter(\.isDigit)
    return digits.last == UInt8(ascii: "0") && digits.count <= trunkDigitsMax
  }

  /// An international prefix, a calling code and a zero.
  private static let trunkDigitsMax = 6

  /// Whether one or two of the same sign are on both sides of a text without other wildcards: `?2125550123?`, once
  /// marks of direction, and `**030 1234567**`.
  static func isMarked(_ written: Span<UInt8>) -> Bool {
    let text = MaskReader.undecorated(MaskReader.folded(written))
    guard let mark = text.first, "?*_#".utf8.contains(mark) else { return false }
    let count = text.prefix { $0 == mark }.count
    guard count <= 2, count == 2 || mark != UInt8(ascii: "*"), text.count > 2 * count,
      text.suffix(count).allSatisfy({ $0 == mark })
    else { return false }
    return NumberMask(Array(text.dropFirst(count).dropLast(count)).span) == nil
  }

  private struct Scan {
    var hasDigit = false
    var hasLettersBefore = false
    var start: Int?
    var wildcards: [MaskElement] = []
    var singleStars = 0
    var hasTextAfter = false
    /// Whether wildcards precede the first digit, as in `____5678`.
    var isPrefixMasked = false
    /// Whether wildcards before or between digits may be punctuation.
    var isDoubtful = false

    /// Whether the wildcards are two of the same sign, with digits after them.
    var mayHaveCarrier: Bool {
      hasTextAfter && !isPrefixMasked && !isDoubtful && !hasLettersBefore
        && wildcards.count == 2 && wildcards[0] == wildcards[1] && !wildcards[0].isCertain
    }

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
  private static func isSeparator(_ byte: UInt8) -> Bool { byte < 0x80 && !byte.isDigit && !byte.isLetter }

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
      if !areDigits, mayHaveWildcards(word), mayHaveWildcards(text, from: index, to: index + 8) {
        return true
      }
      index += 8
    }
    return mayHaveWildcards(text, from: index, to: text.count)
  }

  /// Whether one of eight bytes is a letter, of another script, or one of the signs that may be or begin a wildcard.
  @inline(__always)
  private static func mayHaveWildcards(_ word: UInt64) -> Bool {
    if word & 0xC0C0_C0C0_C0C0_C0C0 != 0 { return true }
    // A bit for each byte from 0 to 63: ! # $ % ( * . ?
    let signs: UInt64 =
      1 << 0x21 | 1 << 0x23 | 1 << 0x24 | 1 << 0x25 | 1 << 0x28 | 1 << 0x2A | 1 << 0x2E | 1 << 0x3F
    var found: UInt64 = 0
    var rest = word
    for _ in 0..<8 {
      found |= 1 &<< rest
      rest &>>= 8
    }
    return found & signs != 0
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
      index + 1 < text.count && (text[index + 1] == UInt8(ascii: ".") || text[index + 1] == UInt8(ascii: "+"))
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

// Splits a number text into wildcards and other bytes, in the notations of several systems: cdpipe's own, SQL LIKE (`_`,
// `%`), dial plans (`_49301234NXX.`, `!`), globs and regular expressions (`[2-9]`, `\d{4}`, `.+`), and signs of other
// scripts (`□`, `•`, `…`, Cyrillic kha).

enum MaskElement: Equatable {
  /// Not a wildcard.
  case byte(UInt8)
  /// One digit, written as a sign: `?`, `_`.
  case sign
  /// One digit, written as `#`, which also marks an extension.
  case hash
  /// One digit, written as a letter, which may also be part of a word: `X`, and `N` and `Z` of dial plans.
  case letter(UInt8)
  case star
  /// One of some digits, in a notation that has no other meaning: `[2-9]`, `\d`.
  case digit(ClosedRange<UInt8>)
  case open
  /// Two or more dots at the end, of which each may be a digit.
  case dots(Int)
  /// Syntax of a pattern that does not describe one range.
  case invalid

  /// The digits that a wildcard for one digit stands for.
  var digits: ClosedRange<UInt8> {
    switch self {
    case .digit(let digits): digits
    case .letter(let letter) where letter | 0x20 == UInt8(ascii: "n"): 2...9
    case .letter(let letter) where letter | 0x20 == UInt8(ascii: "z"): 1...9
    default: 0...9
    }
  }

  /// The byte, if it is not a wildcard or may be a letter; else 0.
  var byte: UInt8 {
    switch self {
    case .byte(let byte), .letter(let byte): byte
    default: 0
    }
  }

  var isWildcard: Bool { if case .byte = self { false } else { true } }
  var isLetter: Bool { if case .letter = self { true } else { false } }

  var isClass: Bool {
    switch self {
    case .digit, .invalid: true
    default: false
    }
  }

  var isOpen: Bool {
    switch self {
    case .open, .dots: true
    default: false
    }
  }

  /// Whether a single wildcard between digits is not an extension.
  var isDoubtfulInside: Bool { self == .sign || self == .star }

  /// Whether the element has no meaning outside a pattern.
  var isCertain: Bool { isClass || isOpen }
}

struct MaskReader {
  private let text: [UInt8]
  /// Whether the text has anchors or escapes, so that `.` is a wildcard and letters are not.
  private let isRegularExpression: Bool
  /// Whether the text starts with `_`, so that `N`, `Z`, `.` and `!` are wildcards.
  private let isDialPattern: Bool
  private var index = 0
  private var elements: [MaskElement] = []
  private var hasDigit = false

  static func elements(of text: Span<UInt8>) -> [MaskElement] {
    var reader = MaskReader(folded(text))
    reader.readAll()
    return reader.elements
  }

  /// The text without white space, quotes and separators around it.
  static func undecorated(_ text: [UInt8]) -> ArraySlice<UInt8> {
    let isDecoration: (UInt8) -> Bool = { " \t\"',;".utf8.contains($0) }
    let end = text.lastIndex { !isDecoration($0) }.map { $0 + 1 } ?? 0
    let start = text.firstIndex { !isDecoration($0) } ?? 0
    return text[start..<max(start, end)]
  }

  private init(_ folded: [UInt8]) {
    var core = Self.undecorated(folded)
    let (start, end) = (core.startIndex, core.endIndex)
    // Some programs put regular expressions between slashes.
    if core.count > 2, core.first == UInt8(ascii: "/"), core.last == UInt8(ascii: "/"),
      core[start + 1] == UInt8(ascii: "^") || core[end - 2] == UInt8(ascii: "$")
    {
      core = core.dropFirst().dropLast()
    }
    let characters = Array(core)
    text = characters
    let hasEscape = characters.indices.dropLast().contains {
      characters[$0] == Byte.backslash && #"+dDsSwb.()-/[]"#.utf8.contains(characters[$0 + 1])
    }
    let hasEndAnchor =
      characters.count > 1 && characters.last == UInt8(ascii: "$") && characters[characters.count - 2] != 0x20
    isRegularExpression = hasEscape || hasEndAnchor || characters.first == UInt8(ascii: "^")
    isDialPattern =
      characters.count > 1 && characters[0] == UInt8(ascii: "_")
      && (characters[1].isDigit || "+NXZnxz[".utf8.contains(characters[1]))
    if isDialPattern { index = 1 }
  }

  private mutating func readAll() {
    if isRegularExpression { return readRegularExpression() }
    while index < text.count {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "#"): addWildcard(.hash)
      case UInt8(ascii: "?"), UInt8(ascii: "_"): addWildcard(.sign)
      case UInt8(ascii: "x"), UInt8(ascii: "X"): addWildcard(.letter(byte))
      case UInt8(ascii: "*"): addWildcard(.star)
      case UInt8(ascii: "%"): addWildcard(.open)
      case UInt8(ascii: "["), UInt8(ascii: "("): if !readClass(), !readBrokenClass() { add(byte) }
      case UInt8(ascii: "{"): if hasDigit { addWildcard(.invalid) } else { add(byte) }
      case UInt8(ascii: "."): readDots()
      case UInt8(ascii: "!"):
        if isLast, isDialPattern || isOnlyNumber { addWildcard(.open) } else { add(byte) }
      case UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "z"), UInt8(ascii: "Z"):
        if isDialPattern || isInWildcardLetters { addWildcard(.letter(byte)) } else { add(byte) }
      default: add(byte)
      }
    }
  }

  private mutating func add(_ byte: UInt8) {
    if byte.isDigit || byte >= 0x80 { hasDigit = true }
    elements.append(.byte(byte))
    index += 1
  }

  /// Adds the wildcard at `index`, and repeats it if `{4}` follows.
  private mutating func addWildcard(_ element: MaskElement, length: Int = 1) {
    elements.append(element)
    index += length
    readQuantifier(after: element)
  }

  // MARK: Signs

  /// Whether nothing but dots and spaces follows.
  private var isLast: Bool { text[(index + 1)...].allSatisfy { $0 == 0x20 || $0 == UInt8(ascii: ".") } }

  /// Whether a digit or a wildcard precedes directly, and there are no words.
  private var isOnlyNumber: Bool {
    guard hasDigit, let last = elements.last, last.isWildcard || last.byte.isDigit else { return false }
    return !text.contains(where: \.isLetter)
  }

  /// Reads dots: punctuation, unless they are at the end (two or more, or one of a dial plan), or have a quantifier.
  private mutating func readDots() {
    var end = index
    while end < text.count, text[end] == UInt8(ascii: ".") { end += 1 }
    let next = end < text.count ? text[end] : 0
    let isAtEnd = text[end...].allSatisfy {
      !$0.isDigit && !$0.isLetter && $0 < 0x80 && $0 != UInt8(ascii: "*")
    }
    if hasDigit, next == UInt8(ascii: "+") || next == UInt8(ascii: "{"), end == index + 1 {
      addWildcard(.digit(0...9))
    } else if !hasDigit, end > index + 1, next.isDigit {
      // The dots of `...5678` hide digits.
      elements.append(.dots(end - index))
      index = end
    } else if hasDigit, isAtEnd, isDialPattern || end > index + 1 {
      elements.append(end > index + 1 ? .dots(end - index) : .open)
      index = end
    } else {
      for _ in index..<end { add(UInt8(ascii: ".")) }
    }
  }

  /// Whether the letters around `index` are only N, Z and X, at least two of them, as in `1-900-NXX-XXXX`.
  private var isInWildcardLetters: Bool {
    guard hasDigit else { return false }
    var start = index
    while start > 0, text[start - 1].isLetter { start -= 1 }
    var end = index
    while end < text.count, text[end].isLetter { end += 1 }
    return end - start > 1 && text[start..<end].allSatisfy { "nxz".utf8.contains($0 | 0x20) }
  }

  // MARK: Classes and quantifiers

  /// Reads a class such as `[2-9]` or `[[:digit:]]`. Returns false if the brackets are punctuation, as in
  /// `+49 [030] 1234567`.
  private mutating func readClass() -> Bool {
    guard text[index] == UInt8(ascii: "["), let close = text[index...].firstIndex(of: UInt8(ascii: "]"))
    else {
      return false
    }
    if text[index...].starts(with: "[[:digit:]]".utf8) {
      addWildcard(.digit(0...9), length: 11)
      return true
    }
    let isNegated = index + 1 < close && "^!".utf8.contains(text[index + 1])
    guard let (digits, isRange) = Self.digits(of: text[(index + (isNegated ? 2 : 1))..<close]) else {
      if isRegularExpression { addWildcard(.invalid, length: close + 1 - index) }
      return isRegularExpression
    }
    // After a blank, digits in brackets are a count or an extension.
    let isAtEnd = text[(close + 1)...].allSatisfy { !$0.isDigit } && (index == 0 || text[index - 1] != 0x20)
    guard isRegularExpression || isDialPattern || isNegated || isRange || (isAtEnd && digits.count > 1) else {
      return false
    }
    let isContiguous = digits.count == Int(digits[digits.count - 1] - digits[0]) + 1
    let element: MaskElement =
      isContiguous && !isNegated ? .digit(digits[0]...digits[digits.count - 1]) : .invalid
    addWildcard(element, length: close + 1 - index)
    return true
  }

  /// Reads `(0-9)` after digits, or `[0-9` without its end.
  private mutating func readBrokenClass() -> Bool {
    let rest = text[(index + 1)...]
    guard hasDigit, rest.count >= 3, rest[rest.startIndex].isDigit,
      rest[rest.startIndex + 1] == UInt8(ascii: "-"),
      rest[rest.startIndex + 2].isDigit, !(rest.dropFirst(3).first?.isDigit ?? false)
    else { return false }
    addWildcard(.invalid, length: 4)
    index = min(index, text.count)
    return true
  }

  /// The digits of a class, and whether it has a range; nil if it is not a class of ascending digits.
  private static func digits(of text: ArraySlice<UInt8>) -> ([UInt8], isRange: Bool)? {
    var digits: [UInt8] = []
    var isRange = false
    var rest = text
    while let byte = rest.popFirst() {
      guard byte.isDigit, byte - 0x30 > digits.last ?? 0 || digits.isEmpty else { return nil }
      digits.append(byte - 0x30)
      guard rest.first == UInt8(ascii: "-") else { continue }
      rest.removeFirst()
      guard let last = rest.popFirst(), last.isDigit, last > byte else { return nil }
      digits += byte - 0x30 + 1...last - 0x30
      isRange = true
    }
    return digits.isEmpty ? nil : (digits, isRange)
  }

  /// Reads `{4}`, `+`, `*` or `?` after a wildcard.
  private mutating func readQuantifier(after element: MaskElement) {
    guard index < text.count else { return }
    switch text[index] {
    case UInt8(ascii: "{"):
      let close = text[index...].firstIndex(of: UInt8(ascii: "}")) ?? text.count
      let count = Int(String(decoding: text[(index + 1)..<close], as: UTF8.self))
      elements.removeLast()
      index = min(close + 1, text.count)
      if let count, count <= NumberMask.wildcardsMax {
        elements += Array(repeating: element, count: max(count, 0))
      } else {
        // `{2,4}` and `{2,}`.
        elements.append(.open)
      }
    case UInt8(ascii: "+") where hasDigit, UInt8(ascii: "*") where element.isClass,
      UInt8(ascii: "?") where element.isClass:
      elements.append(.open)
      index += 1
    default: break
    }
  }

  // MARK: Regular expressions

  /// Reads a regular expression: digits, a plus sign, punctuation, and wildcards at the end. Anything else is invalid.
  private mutating func readRegularExpression() {
    let hasStart = text.first == UInt8(ascii: "^")
    let hasEnd = text.last == UInt8(ascii: "$")
    if hasStart { index = 1 }
    let end = hasEnd ? text.count - 1 : text.count
    let isAnchored = hasStart || text.first == UInt8(ascii: "+") || text.starts(with: "\\+".utf8)
    while index < end {
      let byte = text[index]
      switch byte {
      case Byte.backslash: readEscape()
      case UInt8(ascii: "["): _ = readClass()
      case UInt8(ascii: "."):
        if index + 1 < end, text[index + 1] == UInt8(ascii: "*") {
          elements.append(.star)
          index += 2
        } else {
          addWildcard(.digit(0...9))
        }
      case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "-"), UInt8(ascii: " "), UInt8(ascii: "/"),
        0x30...0x39:
        add(byte)
        if index < end, "?*+{".utf8.contains(text[index]) { elements.append(.invalid) }
      case UInt8(ascii: "+") where !hasDigit: add(byte)
      default:
        elements.append(.invalid)
        index += 1
      }
    }
    // Without the other anchor, the digits may be anywhere in a number.
    if hasStart, !hasEnd, elements.last != .star { elements.append(.open) }
    if hasEnd, !isAnchored { elements.append(.invalid) }
  }

  private mutating func readEscape() {
    let escaped = index + 1 < text.count ? text[index + 1] : 0
    switch escaped {
    case UInt8(ascii: "d"): addWildcard(.digit(0...9), length: 2)
    case UInt8(ascii: "+") where !hasDigit:
      elements.append(.byte(escaped))
      index += 2
      // `\+?` is a plus sign that may be missing.
      if index < text.count, text[index] == UInt8(ascii: "?") { index += 1 }
    case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "/"):
      elements.append(.byte(escaped))
      index += 2
    default:
      elements.append(.invalid)
      index += 2
    }
  }

  // MARK: Other scripts

  /// The text with wildcards, digits, dashes and spaces of other scripts replaced by ASCII; most texts are unchanged.
  static func folded(_ text: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var isASCII = true
    for index in text.indices {
      bytes.append(text[index])
      if text[index] >= 0x80 { isASCII = false }
    }
    if isASCII { return bytes }
    let scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    var folded: [UInt8] = []
    for (index, scalar) in scalars.enumerated() {
      if isMiddleDot(scalar) {
        folded.append(UInt8(ascii: "."))
      } else if let byte = Wildcard.ascii(scalar) {
        folded.append(byte)
      } else if isEllipsis(scalar) {
        folded += "...".utf8
      } else if isKha(scalar), !isInWord(scalars, index) {
        folded.append(UInt8(ascii: "#"))
      } else {
        folded.append(contentsOf: String(scalar).utf8)
      }
    }
    return folded
  }

  private static func isEllipsis(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\u{2025}" || scalar == "\u{2026}" || scalar == "\u{22EF}"
  }

  /// Whether a dot separates groups of digits like a full stop: U+00B7 and its likes.
  private static func isMiddleDot(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xB7, 0x2027, 0x2219, 0x22C5, 0x30FB: true
    default: false
    }
  }

  /// Whether a letter looks like an X: Greek chi and Cyrillic kha.
  private static func isKha(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x3A7, 0x3C7, 0x425, 0x445: true
    default: false
    }
  }

  /// Whether other letters adjoin the letters like X around `index`.
  private static func isInWord(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
    let before = scalars[..<index].last { !isKha($0) }
    let after = scalars[index...].first { !isKha($0) }
    return [before, after].contains { $0?.properties.isAlphabetic ?? false }
  }
}

extension UInt8 {
  var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
  var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
}
