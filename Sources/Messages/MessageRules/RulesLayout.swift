// The bytes of a compiled rule file: header, sections, records. The compiler writes by it, the reader checks by it.
// docs/commands/message-rules.md describes it.

/// Where things stand in a compiled file. All integers are little-endian; sections begin at multiples of 8.
package enum RulesLayout {
  /// `CDRULES` and a zero byte.
  package static let magic: UInt64 = 0x0053_454C_5552_4443
  /// The format's version.
  package static let version: UInt32 = 2

  // The header's fields.
  package static let versionAt = 8
  /// The checksum is over all bytes after it.
  package static let checksumAt = 12
  package static let lengthAt = 16
  package static let symbolCountAt = 24
  package static let keywordSymbolCountAt = 28
  package static let regionAt = 32
  package static let zeroSymbolAt = 36
  package static let oneSymbolAt = 40
  package static let directoryAt = 48
  package static let headerBytes = 256

  /// The bytes of one record of a section.
  package static func stride(_ section: RulesSection) -> Int {
    switch section {
    case .header, .texts: 1
    case .pages, .countries: 2
    case .blocks, .expansionStarts, .expansions, .nodeKeywords, .keywordGroups, .groups, .numberSets,
      .countrySets, .domainSets:
      4
    case .beginnings, .nodes, .domains, .stores, .classes: 8
    case .keywords, .tests, .numbers, .patternSteps: 16
    case .rules, .patterns: 24
    }
  }
}

/// The most there can be of everything, in a rule file and in a compiled one.
public enum MessageRulesLimits {
  /// Rules. Every message may be tested against all of them.
  public static let rulesMax = 20_000
  /// Tests of all rules together.
  public static let testsMax = 1 << 20
  /// Keywords.
  public static let keywordsMax = 500_000
  /// Symbols of one keyword: a long sentence. It bounds how many keywords can end in one place.
  public static let keywordSymbolsMax = 256
  /// Nodes of the automaton: 21 bits name one, so that a node is one word.
  public static let nodesMax = (1 << 21) - 1
  /// Different characters and classes: 16 bits name one.
  public static let symbolsMax = 65_535
  /// Groups of keywords, which are marked for each message: 512 KiB of memory.
  public static let groupsMax = 65_535
  /// Regular expressions.
  public static let patternsMax = 10_000
  /// Steps of one regular expression, counted repetitions written out; a text costs steps times symbols at most.
  public static let patternStepsMax = 2_000
  /// Symbols of a body that are looked at. The longest concatenated message has 39,015 characters (255 parts of 153,
  /// 3GPP TS 23.040).
  public static let bodySymbolsMax = 40_000
  /// Symbols of a sender that are looked at; a name has 11, a number some 20, an e-mail address 254.
  public static let senderSymbolsMax = 512
  /// Bytes of a compiled file.
  public static let fileBytesMax = 256 << 20
}

/// How one character is folded: a symbol, what kind of character it is, its script, and what it is in ASCII. The highest
/// bit repeats whether it is East Asian.
package struct FoldEntry {
  /// Set for East Asian characters: the loop over them asks for nothing else.
  static let eastAsian: UInt32 = 1 << 31
  /// What spaces of all kinds are in ASCII.
  static let space: UInt32 = 0x20

  package var bits: UInt32

  @inline(__always)
  package init(bits: UInt32) { self.bits = bits }

  package init(symbol: UInt16, kind: FoldKind, script: UInt8, ascii: UInt8) {
    bits =
      UInt32(symbol) | UInt32(kind.rawValue) << 16 | UInt32(script & 31) << 19 | UInt32(ascii & 127) << 24
      | (kind == .eastAsian ? Self.eastAsian : 0)
  }

  /// The symbol; for an expansion its number.
  @inline(__always) package var symbol: UInt16 { UInt16(truncatingIfNeeded: bits) }
  @inline(__always) package var kind: FoldKind {
    // Three bits, and all eight values are kinds.
    FoldKind(rawValue: UInt8(truncatingIfNeeded: bits >> 16) & 7) ?? .other
  }
  @inline(__always) package var script: UInt8 { UInt8(truncatingIfNeeded: bits >> 19) & 31 }
  /// The ASCII character it is folded to, or 0.
  @inline(__always) package var ascii: UInt8 { UInt8(truncatingIfNeeded: bits >> 24) & 127 }
  /// Whether both say the same of whether it is East Asian.
  @inline(__always) var isValid: Bool {
    (bits & Self.eastAsian != 0) == (bits & (7 << 16) == UInt32(FoldKind.eastAsian.rawValue) << 16)
  }
}

/// What a character is to folding.
package enum FoldKind: UInt8 {
  /// Nothing special.
  case other = 0
  /// A letter of a script that is not East Asian.
  case letter = 1
  /// A digit.
  case digit = 2
  /// A letter that looks like a 0 or a 1.
  case lookAlike = 3
  /// A space or punctuation: dropped between East Asian characters.
  case separator = 4
  /// Dropped everywhere.
  case skip = 5
  /// Folded into several.
  case expansion = 6
  /// An East Asian character.
  case eastAsian = 7
}

/// A node of the automaton in one word: the node it is reached from, where its own targets begin, where to go on when
/// none fits, and whether a keyword ends here.
package struct KeywordNode {
  package static let bits: UInt64 = 21
  package static let mask: UInt64 = (1 << bits) - 1
  /// No node is reached from here: the slot is free.
  package static let free = KeywordNode(from: Int(mask), base: 0, fail: 0, isEnd: false)

  package var word: UInt64

  @inline(__always)
  package init(word: UInt64) { self.word = word }

  package init(from: Int, base: Int, fail: Int, isEnd: Bool) {
    word =
      UInt64(from) & Self.mask | (UInt64(base) & Self.mask) << Self.bits
      | (UInt64(fail) & Self.mask) << (2 * Self.bits) | (isEnd ? 1 << 63 : 0)
  }

  @inline(__always) package var from: Int { Int(truncatingIfNeeded: word & Self.mask) }
  @inline(__always) package var base: Int { Int(truncatingIfNeeded: word >> Self.bits & Self.mask) }
  @inline(__always) package var fail: Int { Int(truncatingIfNeeded: word >> (2 * Self.bits) & Self.mask) }
  @inline(__always) package var isEnd: Bool { word >> 63 != 0 }
}

/// The kind of a test; the operand names its subject.
package enum TestKind: UInt32 {
  case always = 0, group, bodyPattern, senderPattern, number, senderCountry, store, receiverCountry, link,
    domain,
    script
}

/// Where a test leads. Tests lead forward only.
package enum TestTarget {
  /// Set: a rule matches the message; the other bits name it.
  package static let accept: UInt32 = 1 << 31
  /// No rule matches it.
  package static let none: UInt32 = accept - 1
}

/// What a step of a regular expression does.
package enum StepKind: UInt32 {
  /// The expression matches.
  case match = 0
  /// Matches the symbol `x`.
  case symbol
  /// Matches a symbol of the class `x`.
  case oneOf
  /// Matches any symbol.
  case any
  /// Goes on in `x` and in `y`.
  case split
  /// Goes on in `x`.
  case jump
  /// Only at the beginning.
  case atStart
  /// Only at the end.
  case atEnd
  /// Only where a word of the class `x` begins or ends.
  case atWord
  /// Only where none does.
  case notAtWord
}
