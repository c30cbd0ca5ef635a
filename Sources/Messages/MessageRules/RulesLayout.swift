// The layout of a compiled rule file: header, sections, records. The compiler and the reader both use it.
// docs/commands/message-rules.md describes it.

/// The positions of the parts of a compiled file. All integers are little-endian; sections start at multiples of 8.
package enum RulesLayout {
  /// `CDRULES` and a zero byte.
  package static let magic: UInt64 = 0x0053_454C_5552_4443
  /// The format's version.
  package static let version: UInt32 = 2
  /// The version of files that test languages, which is the only difference: readers of version 2 refuse them.
  package static let languageVersion: UInt32 = 3

  // The offsets of the header's fields.
  package static let versionAt = 8
  /// The checksum covers all bytes after it.
  package static let checksumAt = 12
  package static let lengthAt = 16
  package static let symbolCountAt = 24
  package static let keywordSymbolCountAt = 28
  package static let regionAt = 32
  package static let zeroSymbolAt = 36
  package static let oneSymbolAt = 40
  package static let directoryAt = 48
  package static let headerBytes = 256

  /// The size of a section's records in bytes.
  package static func stride(_ section: RulesSection) -> Int {
    switch section {
    case .header, .texts: 1
    case .pages, .countries: 2
    case .blocks, .expansionStarts, .expansions, .nodeKeywords, .keywordGroups, .groups, .numberSets,
      .countrySets, .domainSets:
      4
    case .keywordPrefixes, .nodes, .domains, .stores, .classes: 8
    case .keywords, .tests, .numbers, .patternSteps: 16
    case .rules, .patterns: 24
    }
  }
}

/// The limits of rule files and compiled files.
public enum MessageRulesLimits {
  /// The maximum number of rules. Every message may be tested against all of them.
  public static let rulesMax = 20_000
  /// The maximum number of tests in all rules together.
  public static let testsMax = 1 << 20
  /// The maximum number of keywords.
  public static let keywordsMax = 500_000
  /// The maximum number of symbols in a keyword: a long sentence. It limits how many keywords can end at one position.
  public static let keywordSymbolsMax = 256
  /// The maximum number of nodes in the automaton: an index has 21 bits, so that a node fits into one word.
  public static let nodesMax = (1 << 21) - 1
  /// The maximum number of different characters and classes: an index has 16 bits.
  public static let symbolsMax = 65_535
  /// The maximum number of groups of keywords, which are marked for each message: 512 KiB of memory.
  public static let groupsMax = 65_535
  /// The maximum number of regular expressions.
  public static let patternsMax = 10_000
  /// The maximum number of steps in a regular expression after its repetitions are expanded; matching a text needs at
  /// most steps times symbols.
  public static let patternStepsMax = 2_000
  /// The maximum number of symbols of a body that are examined. The longest concatenated message has 39,015 characters
  /// (255 parts of 153, 3GPP TS 23.040).
  public static let bodySymbolsMax = 40_000
  /// The maximum number of symbols of a sender that are examined; a name has 11, a number about 20, an e-mail address
  /// 254.
  public static let senderSymbolsMax = 512
  /// The maximum size of a compiled file in bytes.
  public static let fileBytesMax = 256 << 20
}

/// The folding of one character: a symbol, the kind of character, its script, and its ASCII form. The highest bit is
/// also set if it is East Asian.
package struct FoldEntry {
  /// Set for East Asian characters: the loop over them tests nothing else.
  static let eastAsian: UInt32 = 1 << 31
  /// The ASCII form of all kinds of spaces.
  static let space: UInt32 = 0x20

  package var bits: UInt32

  @inline(__always)
  package init(bits: UInt32) { self.bits = bits }

  package init(symbol: UInt16, kind: FoldKind, script: UInt8, ascii: UInt8) {
    bits =
      UInt32(symbol) | UInt32(kind.rawValue) << 16 | UInt32(script & 31) << 19 | UInt32(ascii & 127) << 24
      | (kind == .eastAsian ? Self.eastAsian : 0)
  }

  /// The symbol, or the index of an expansion.
  @inline(__always) package var symbol: UInt16 { UInt16(truncatingIfNeeded: bits) }
  @inline(__always) package var kind: FoldKind {
    // Three bits, and all eight values are kinds.
    FoldKind(rawValue: UInt8(truncatingIfNeeded: bits >> 16) & 7) ?? .other
  }
  @inline(__always) package var script: UInt8 { UInt8(truncatingIfNeeded: bits >> 19) & 31 }
  /// The ASCII character it is folded to, or 0.
  @inline(__always) package var ascii: UInt8 { UInt8(truncatingIfNeeded: bits >> 24) & 127 }
  /// Whether the kind and the highest bit agree on whether it is East Asian.
  @inline(__always) var isValid: Bool {
    (bits & Self.eastAsian != 0) == (bits & (7 << 16) == UInt32(FoldKind.eastAsian.rawValue) << 16)
  }
}

/// How folding treats a character.
package enum FoldKind: UInt8 {
  /// No special treatment.
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
  /// Folded into several symbols.
  case expansion = 6
  /// An East Asian character.
  case eastAsian = 7
}

/// A node of the automaton in one word: its parent, its base for the slots of its children, the node to continue with
/// when no child matches, and whether a keyword ends here.
package struct KeywordNode {
  package static let bits: UInt64 = 21
  package static let mask: UInt64 = (1 << bits) - 1
  /// A free slot.
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

/// The kind of a test; its operand is the index of what it tests for.
package enum TestKind: UInt32 {
  case always = 0, group, bodyPattern, senderPattern, number, senderCountry, store, receiverCountry, link,
    domain,
    script, language
}

/// The target of a test's result. Tests only lead forward.
package enum TestTarget {
  /// Set if a rule matches the message; the other bits are the rule's index.
  package static let accept: UInt32 = 1 << 31
  /// No rule matches.
  package static let none: UInt32 = accept - 1
}

/// The operation of a step of a regular expression.
package enum StepKind: UInt32 {
  /// The expression matches.
  case match = 0
  /// Matches the symbol `x`.
  case symbol
  /// Matches a symbol of the class `x`.
  case oneOf
  /// Matches any symbol.
  case any
  /// Continues with both `x` and `y`.
  case split
  /// Continues with `x`.
  case jump
  /// Matches only at the start of the text.
  case atStart
  /// Matches only at the end of the text.
  case atEnd
  /// Matches only where a word of the class `x` starts or ends.
  case atWord
  /// Matches only where no word of the class `x` starts or ends.
  case notAtWord
}
