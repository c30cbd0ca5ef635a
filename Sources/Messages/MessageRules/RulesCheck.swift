// Checks the bytes of compiled rules. Afterwards no value read from them can lead outside of them, and nothing can
// cycle; whatever the hot loops rely on is checked here once.

import CallStoreFormat
import Hashing

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

  /// Checks the content of every section.
  static func check(
    _ bytes: RawSpan, _ directory: ContiguousArray<SectionRange>
  ) throws(CompiledRulesError) {
    let check = Check(bytes: bytes, directory: directory)
    try check.header()
    try check.foldTable()
    try check.keywords()
    try check.rules()
    try check.sets()
    try check.patterns()
  }
}

/// A check of all sections.
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
  private func checkStarts(
    _ starts: RulesSection, of items: RulesSection
  ) throws(CompiledRulesError) {
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
