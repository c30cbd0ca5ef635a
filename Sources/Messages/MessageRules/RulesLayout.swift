// The layout of a compiled rule file: header, sections, records. The compiler and the reader both use it.
// docs/commands/message-rules.md describes it.

import CallStoreFormat
import Hashing

/// The positions of the parts of a compiled file. All integers are little-endian; sections start at multiples of 8.
package enum RulesLayout {
  /// `CDRULES` and a zero byte.
  package static let magic: UInt64 = 0x0053_454C_5552_4443
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

// Checks the bytes of compiled rules. Afterwards no value read from them can lead outside of them, and nothing can
// cycle; whatever the hot loops rely on is checked here once.

enum RulesCheck {
  /// Reads the header and the directory of sections.
  static func directory(of bytes: RawSpan) throws(CompiledRulesError) -> ContiguousArray<SectionRange> {
    guard bytes.byteCount >= 16, bytes.u64(0) == RulesLayout.magic else { throw .notRules }
    let version = bytes.u32(RulesLayout.versionAt)
    guard version == RulesLayout.version || version == RulesLayout.languageVersion else {
      throw .unsupportedVersion(version)
    }
    guard bytes.byteCount >= RulesLayout.headerBytes,
      bytes.u64(RulesLayout.lengthAt) == UInt64(bytes.byteCount)
    else { throw .truncated(bytes: bytes.byteCount) }
    let content = bytes.extracting(RulesLayout.lengthAt..<bytes.byteCount)
    guard CRC32C.checksum(content) == bytes.u32(RulesLayout.checksumAt) else { throw .checksum }
    var directory: ContiguousArray<SectionRange> = []
    var end = RulesLayout.headerBytes
    for section in RulesSection.allCases where section != .header {
      let at = RulesLayout.directoryAt + 8 * section.rawValue
      let place = SectionRange(offset: Int(bytes.u32(at)), byteCount: Int(bytes.u32(at + 4)))
      guard place.offset == end, place.byteCount % RulesLayout.stride(section) == 0,
        place.byteCount <= bytes.byteCount - place.offset
      else { throw .damaged(.header) }
      directory.append(place)
      end = (place.offset + place.byteCount + 7) & ~7
      guard end <= bytes.byteCount else { throw .damaged(.header) }
    }
    guard end == bytes.byteCount else { throw .damaged(.header) }
    return directory
  }

  static func check(_ bytes: RawSpan, _ directory: ContiguousArray<SectionRange>) throws(CompiledRulesError) {
    let check = Check(bytes: bytes, directory: directory)
    try check.header()
    try check.foldTable()
    try check.keywords()
    try check.rules()
    try check.sets()
    try check.patterns()
  }
}

private struct Check: ~Escapable {
  let bytes: RawSpan
  let directory: ContiguousArray<SectionRange>

  @_lifetime(copy bytes)
  init(bytes: RawSpan, directory: ContiguousArray<SectionRange>) {
    self.bytes = bytes
    self.directory = directory
  }

  @_lifetime(copy self)
  private func section(_ section: RulesSection) -> RawSpan {
    let place = directory[section.rawValue]
    return bytes.extracting(place.offset..<place.offset + place.byteCount)
  }

  private func count(_ section: RulesSection) -> Int {
    directory[section.rawValue].byteCount / RulesLayout.stride(section)
  }

  private var symbolCount: Int { Int(bytes.u32(RulesLayout.symbolCountAt)) }
  private var keywordSymbolCount: Int { Int(bytes.u32(RulesLayout.keywordSymbolCountAt)) }

  func header() throws(CompiledRulesError) {
    guard symbolCount >= 1, symbolCount <= MessageRulesLimits.symbolsMax + 1,
      keywordSymbolCount < symbolCount,
      bytes.u32(RulesLayout.zeroSymbolAt) < UInt32(symbolCount),
      bytes.u32(RulesLayout.oneSymbolAt) < UInt32(symbolCount)
    else { throw .damaged(.header) }
  }

  func foldTable() throws(CompiledRulesError) {
    let blockCount = count(.blocks) / 128
    guard count(.pages) == 0x110000 / 128, count(.blocks) % 128 == 0, blockCount > 0 else {
      throw .damaged(.pages)
    }
    let pages = section(.pages)
    for page in 0..<count(.pages) where pages.u16(2 * page) >= blockCount { throw .damaged(.pages) }
    let expansionCount = count(.expansionStarts) - 1
    let expansion = UInt32(FoldKind.expansion.rawValue) << 16
    let blocks = section(.blocks)
    let symbolCount = symbolCount
    for index in 0..<count(.blocks) {
      let entry = FoldEntry(bits: blocks.u32(4 &* index))
      let limit = entry.bits & (7 << 16) == expansion ? expansionCount : symbolCount
      guard Int(entry.symbol) < limit, entry.isValid else { throw .damaged(.blocks) }
    }
    guard expansionCount >= 0 else { throw .damaged(.expansionStarts) }
    try checkStarts(.expansionStarts, of: .expansions)
    // Every expansion has at least one part, on which all readers rely.
    let starts = section(.expansionStarts)
    for index in 0..<expansionCount where starts.u32(4 * index) == starts.u32(4 * index + 4) {
      throw .damaged(.expansionStarts)
    }
    let expansions = section(.expansions)
    for index in 0..<count(.expansions) {
      let entry = FoldEntry(bits: expansions.u32(4 * index))
      guard entry.kind != .expansion, Int(entry.symbol) < symbolCount, entry.isValid else {
        throw .damaged(.expansions)
      }
    }
  }

  /// Checks a section of start indices; its last entry is the end.
  private func checkStarts(_ starts: RulesSection, of items: RulesSection) throws(CompiledRulesError) {
    let span = section(starts)
    var before: UInt32 = 0
    for index in 0..<count(starts) {
      let start = span.u32(4 * index)
      guard start >= before else { throw .damaged(starts) }
      before = start
    }
    guard count(starts) >= 1, span.u32(0) == 0, Int(before) == count(items) else { throw .damaged(starts) }
  }

  func keywords() throws(CompiledRulesError) {
    let nodeCount = count(.nodes)
    let keywordCount = count(.keywords)
    guard nodeCount >= 1, nodeCount <= MessageRulesLimits.nodesMax, count(.nodeKeywords) == nodeCount else {
      throw .damaged(.nodes)
    }
    let prefixes = count(.keywordPrefixes)
    guard prefixes % KeywordPrefixes.setCount == 0,
      prefixes == 0 || KeywordPrefixes.isValidBitCount(prefixes * 64 / KeywordPrefixes.setCount)
    else { throw .damaged(.keywordPrefixes) }
    let nodes = section(.nodes)
    let ends = section(.nodeKeywords)
    var lastBase = 0
    var lastFail = 0
    for index in 0..<nodeCount {
      // Unchecked: there are this many nodes.
      let word = unsafe nodes.unsafeLoad(fromUncheckedByteOffset: 8 &* index, as: UInt64.self)
      let node = KeywordNode(word: UInt64(littleEndian: word))
      lastBase = max(lastBase, node.base)
      lastFail = max(lastFail, node.fail)
      if node.isEnd, Int(ends.u32(4 &* index)) >= keywordCount { throw .damaged(.nodeKeywords) }
    }
    // A child is at most a whole alphabet after its parent's base.
    guard lastBase + keywordSymbolCount < nodeCount, lastFail < nodeCount else { throw .damaged(.nodes) }
    let keywords = section(.keywords)
    var groupEnd: UInt32 = 0
    for index in 0..<keywordCount {
      let at = 16 * index
      let length = keywords.u16(at)
      let suffix = keywords.u32(at + 4)
      guard length >= 1, length <= MessageRulesLimits.keywordSymbolsMax else { throw .damaged(.keywords) }
      if suffix != UInt32.max {
        // Each suffix is shorter than the previous one, so the chain ends.
        guard Int(suffix) < keywordCount, keywords.u16(16 * Int(suffix)) < length else {
          throw .damaged(.keywords)
        }
      }
      guard keywords.u32(at + 8) == groupEnd else { throw .damaged(.keywords) }
      let (end, overflow) = groupEnd.addingReportingOverflow(UInt32(keywords.u16(at + 2)))
      guard !overflow, Int(end) <= count(.keywordGroups) else { throw .damaged(.keywords) }
      groupEnd = end
      try checkKeywordText(keywords.u32(at + 12))
    }
    guard Int(groupEnd) == count(.keywordGroups), count(.groups) <= MessageRulesLimits.groupsMax else {
      throw .damaged(.keywordGroups)
    }
    let keywordGroups = section(.keywordGroups)
    for index in 0..<count(.keywordGroups) where Int(keywordGroups.u32(4 * index)) >= count(.groups) {
      throw .damaged(.keywordGroups)
    }
    let groups = section(.groups)
    for index in 0..<count(.groups) where groups.u32(4 * index) > 3 { throw .damaged(.groups) }
  }

  /// Checks a keyword's text, which is preceded by its length.
  private func checkKeywordText(_ start: UInt32) throws(CompiledRulesError) {
    let texts = section(.texts)
    guard Int(start) + 2 <= texts.byteCount, Int(start) + 2 + texts.u16(Int(start)) <= texts.byteCount else {
      throw .damaged(.keywords)
    }
  }

  private func checkText(_ span: RawSpan, _ at: Int, in section: RulesSection) throws(CompiledRulesError) {
    guard UInt64(span.u32(at)) + UInt64(span.u32(at + 4)) <= UInt64(count(.texts)) else {
      throw .damaged(section)
    }
  }

  func rules() throws(CompiledRulesError) {
    guard count(.rules) <= MessageRulesLimits.rulesMax, count(.tests) <= MessageRulesLimits.testsMax else {
      throw .damaged(.rules)
    }
    let rules = section(.rules)
    var first: UInt32 = 0
    for index in 0..<count(.rules) {
      let at = 24 * index
      try checkText(rules, at, in: .rules)
      guard let action = UInt8(exactly: rules.u32(at + 8)), MessageAction(rawValue: action) != nil,
        let subAction = UInt16(exactly: rules.u32(at + 12)), MessageSubAction(rawValue: subAction) != nil,
        rules.u32(at + 16) >= first, rules.u32(at + 16) <= UInt32(count(.tests))
      else { throw .damaged(.rules) }
      first = rules.u32(at + 16)
    }
    let tests = section(.tests)
    for index in 0..<count(.tests) {
      let at = 16 * index
      guard let kind = TestKind(rawValue: tests.u32(at)), isValidOperand(kind, Int(tests.u32(at + 4))),
        isTarget(tests.u32(at + 8), from: index), isTarget(tests.u32(at + 12), from: index)
      else { throw .damaged(.tests) }
    }
  }

  private func isValidOperand(_ kind: TestKind, _ operand: Int) -> Bool {
    switch kind {
    case .always, .link, .script: true
    case .language: bytes.u32(RulesLayout.versionAt) >= RulesLayout.languageVersion
    case .group: operand < count(.groups)
    case .bodyPattern, .senderPattern: operand < count(.patterns)
    case .number: operand + 1 < count(.numberSets)
    case .senderCountry, .receiverCountry: operand + 1 < count(.countrySets)
    case .store: operand < count(.stores)
    case .domain: operand + 1 < count(.domainSets)
    }
  }

  private func isTarget(_ target: UInt32, from index: Int) -> Bool {
    if target & TestTarget.accept != 0 { return Int(target & ~TestTarget.accept) < count(.rules) }
    return target == TestTarget.none || (Int(target) > index && Int(target) < count(.tests))
  }

  func sets() throws(CompiledRulesError) {
    try checkStarts(.numberSets, of: .numbers)
    try checkStarts(.countrySets, of: .countries)
    try checkStarts(.domainSets, of: .domains)
    let domains = section(.domains)
    for index in 0..<count(.domains) { try checkText(domains, 8 * index, in: .domains) }
    let stores = section(.stores)
    for index in 0..<count(.stores) { try checkText(stores, 8 * index, in: .stores) }
  }

  func patterns() throws(CompiledRulesError) {
    let patterns = section(.patterns)
    let steps = section(.patternSteps)
    let wordsEach = (symbolCount + 63) / 64
    let classCount = count(.classes) / wordsEach
    guard count(.patterns) <= MessageRulesLimits.patternsMax else { throw .damaged(.patterns) }
    for index in 0..<count(.patterns) {
      let at = 24 * index
      let start = UInt64(patterns.u32(at))
      let stepCount = Int(patterns.u32(at + 4))
      guard start + UInt64(stepCount) <= UInt64(count(.patternSteps)), stepCount >= 1,
        stepCount <= MessageRulesLimits.patternStepsMax, Int(patterns.u32(at + 8)) < classCount
      else { throw .damaged(.patterns) }
      try checkText(patterns, at + 16, in: .patterns)
      for step in 0..<stepCount {
        let at = 16 * (Int(start) + step)
        let x = Int(steps.u32(at + 4))
        let y = Int(steps.u32(at + 8))
        // A step that matches a symbol or tests a position continues with the next step, which must exist.
        let hasNext = step + 1 < stepCount
        let isValid: Bool
        switch StepKind(rawValue: steps.u32(at)) {
        case .match: isValid = true
        case .symbol: isValid = hasNext && x < symbolCount
        case .oneOf, .atWord, .notAtWord: isValid = hasNext && x < classCount
        case .any, .atStart, .atEnd: isValid = hasNext
        case .split: isValid = x < stepCount && y < stepCount
        case .jump: isValid = x < stepCount
        case nil: isValid = false
        }
        guard isValid else { throw .damaged(.patternSteps) }
      }
    }
  }
}
