// Compiles a rule file: alphabet, automaton, expressions, sets, tests, in this order, into the bytes of a file.

import MessageRules
import Records

package struct RuleCompiler {
  private struct Group {
    var mode: MessageTest.Keywords
    var keywords: [RuleText]
  }

  private struct BuiltPattern {
    var text: RuleText
    var program: PatternProgram
  }

  private var writer = RulesWriter()
  private var groups: [Group] = []
  private var patterns: [BuiltPattern] = []
  private var sets: PatternSets
  private let map: FoldMap
  private let file: RuleFile
  private var countrySets: [[UInt16]: UInt32] = [:]
  private var stores: [String: UInt32] = [:]

  private init(_ file: RuleFile) {
    self.file = file
    map = FoldMap(file.folding)
    sets = PatternSets(map)
  }

  /// Compiles a rule file to the bytes of a compiled one. The same file produces the same bytes.
  ///
  /// - Throws: an error that is only detected now: a keyword that folding leaves empty, or an exceeded limit.
  package static func compile(_ file: RuleFile) throws(RuleError) -> [UInt8] {
    var compiler = RuleCompiler(file)
    try compiler.writeRules()
    try compiler.writeAlphabet()
    try compiler.writeKeywords()
    compiler.writePatterns()
    return compiler.writer.file()
  }

  // MARK: Rules and tests

  private mutating func writeRules() throws(RuleError) {
    writer.region = file.region.map(Self.letters) ?? 0
    for section in [RulesSection.numberSets, .countrySets, .domainSets] {
      writer.append(UInt32(0), to: section)
    }
    var builder = TestsBuilder()
    for (index, rule) in file.rules.enumerated() {
      writer.append(text: rule.name, to: .rules)
      writer.append(UInt32(rule.action.rawValue), to: .rules)
      writer.append(UInt32(rule.subAction.rawValue), to: .rules)
      writer.append(UInt32(builder.tests.count), to: .rules)
      writer.append(UInt32(truncatingIfNeeded: rule.mark.line), to: .rules)
      try builder.add(rule, index) { (condition) throws(RuleError) in
        try operand(of: condition, rule)
      }
      guard builder.tests.count <= MessageRulesLimits.testsMax else {
        throw .tooMany(rule.mark, "tests", limit: MessageRulesLimits.testsMax)
      }
    }
    for test in builder.tests {
      writer.append(test.kind.rawValue, to: .tests)
      writer.append(test.operand, to: .tests)
      writer.append(builder.target(test.onTrue), to: .tests)
      writer.append(builder.target(test.onFalse), to: .tests)
    }
  }

  private mutating func operand(
    of condition: RuleCondition, _ rule: Rule
  ) throws(RuleError) -> (TestKind, UInt32) {
    switch condition {
    case .keywords(let mode, let keywords):
      guard groups.count < MessageRulesLimits.groupsMax else {
        throw .tooMany(rule.mark, "lists of keywords", limit: MessageRulesLimits.groupsMax)
      }
      groups.append(Group(mode: mode, keywords: keywords))
      return (.group, UInt32(groups.count - 1))
    case .pattern(let field, let text, let pattern):
      guard patterns.count < MessageRulesLimits.patternsMax else {
        throw .tooMany(text.mark, "regular expressions", limit: MessageRulesLimits.patternsMax)
      }
      let program: PatternProgram
      do throws(PatternProblem) {
        program = try PatternProgram(pattern, &sets)
      } catch {
        throw .pattern(text.mark, error, at: 1)
      }
      // A pattern can't require what folding drops: nothing would remain of it.
      guard !program.matchesEmpty else { throw .pattern(text.mark, .matchesAll, at: 1) }
      patterns.append(BuiltPattern(text: text, program: program))
      return (field == .body ? .bodyPattern : .senderPattern, UInt32(patterns.count - 1))
    case .number(_, let ranges):
      for range in Self.merged(ranges) {
        writer.append(range.first, to: .numbers)
        writer.append(range.last, to: .numbers)
      }
      writer.append(UInt32(writer.count(of: .numbers)), to: .numberSets)
      return (.number, UInt32(writer.count(of: .numberSets) - 2))
    case .senderCountry(let countries): return (.senderCountry, countrySet(countries))
    case .receiverCountry(let countries): return (.receiverCountry, countrySet(countries))
    case .store(let path):
      if let known = stores[path] { return (.store, known) }
      stores[path] = UInt32(writer.count(of: .stores))
      writer.append(text: path, to: .stores)
      return (.store, UInt32(writer.count(of: .stores) - 1))
    case .link: return (.link, 0)
    case .domain(let domains):
      let sorted = Set(domains).sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
      for domain in sorted { writer.append(text: domain, to: .domains) }
      writer.append(UInt32(writer.count(of: .domains)), to: .domainSets)
      return (.domain, UInt32(writer.count(of: .domainSets) - 2))
    case .script(let scripts): return (.script, scripts.reduce(0) { $0 | 1 << UInt32($1.rawValue) })
    case .language(let languages):
      writer.version = RulesLayout.languageVersion
      return (.language, languages.reduce(0) { $0 | 1 << UInt32($1.rawValue) })
    case .all, .any, .not: return (.always, 0)
    }
  }

  private mutating func countrySet(_ countries: [String]) -> UInt32 {
    let packed = Set(countries.map(Self.letters)).sorted()
    if let known = countrySets[packed] { return known }
    writer.append(contentsOf: packed, to: .countries)
    writer.append(UInt32(writer.count(of: .countries)), to: .countrySets)
    let index = UInt32(writer.count(of: .countrySets) - 2)
    countrySets[packed] = index
    return index
  }

  private static func letters(_ country: String) -> UInt16 {
    country.utf8.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
  }

  private static func merged(_ ranges: [NumberRange]) -> [NumberRange] {
    var merged: [NumberRange] = []
    for range in ranges.sorted(by: { $0.first < $1.first }) {
      if let last = merged.last, range.first <= last.last + 1 {
        merged[merged.count - 1].last = max(last.last, range.last)
      } else {
        merged.append(range)
      }
    }
    return merged
  }

  // MARK: Alphabet

  private mutating func writeAlphabet() throws(RuleError) {
    var counts: [UInt32: Int] = [:]
    for group in groups {
      for keyword in group.keywords {
        let bytes = ContiguousArray(keyword.text.utf8)
        var at = 0
        while at < bytes.count {
          for part in map.fold(Scalars.next(bytes.span, &at)) { counts[part, default: 0] += 1 }
        }
      }
    }
    // Frequent characters first: their children are placed close together.
    let frequent = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    for pattern in patterns { _ = sets.index(of: pattern.program.first ?? .all) }
    guard let table = SymbolTable(keywords: frequent, sets: sets.sets, map: map) else {
      throw .tooMany(
        file.rules.first?.mark ?? Mark(file: "", line: 1, column: 1), "different characters",
        limit: MessageRulesLimits.symbolsMax)
    }
    writer.append(table)
    let wordsEach = (table.symbolCount + 63) / 64
    for index in sets.sets.indices {
      var words = [UInt64](repeating: 0, count: wordsEach)
      for symbol in table.symbols(ofSet: index) { words[Int(symbol >> 6)] |= 1 << UInt64(symbol & 63) }
      // The set of all characters also contains symbol 0.
      if sets.sets[index] == .all { words = Array(repeating: UInt64.max, count: wordsEach) }
      writer.append(contentsOf: words, to: .classes)
    }
  }

  // MARK: Keywords

  private mutating func writeKeywords() throws(RuleError) {
    for group in groups { writer.append(UInt32(group.mode.rawValue), to: .groups) }
    var numbers: [[UInt16]: Int] = [:]
    var keywords: [(symbols: [UInt16], text: String, groups: [UInt32])] = []
    let folder = KeywordFolder(writer)
    for (number, group) in groups.enumerated() {
      for keyword in group.keywords {
        let symbols = folder.symbols(of: keyword.text, as: group.mode == .bodyContains ? .body : .sender)
        guard !symbols.isEmpty else { throw .emptyKeyword(keyword.mark, keyword.text) }
        guard symbols.count <= MessageRulesLimits.keywordSymbolsMax else {
          throw .longKeyword(keyword.mark, limit: MessageRulesLimits.keywordSymbolsMax)
        }
        if let known = numbers[symbols] {
          if keywords[known].groups.last != UInt32(number) { keywords[known].groups.append(UInt32(number)) }
        } else {
          guard keywords.count < MessageRulesLimits.keywordsMax else {
            throw .tooMany(keyword.mark, "keywords", limit: MessageRulesLimits.keywordsMax)
          }
          numbers[symbols] = keywords.count
          keywords.append((symbols, keyword.text, [UInt32(number)]))
        }
      }
    }
    guard
      let automaton = KeywordAutomatonBuilder(keywords.map(\.symbols), symbolCount: writer.keywordSymbolCount)
    else {
      throw .tooMany(
        groups.first?.keywords.first?.mark ?? Mark(file: "", line: 1, column: 1),
        "characters in all keywords",
        limit: MessageRulesLimits.nodesMax / 2)
    }
    if let prefixes = KeywordPrefixBuilder(keywords.map(\.symbols)) {
      writer.append(contentsOf: prefixes.words, to: .keywordPrefixes)
    }
    writer.append(contentsOf: automaton.nodes, to: .nodes)
    writer.append(contentsOf: automaton.ends, to: .nodeKeywords)
    for (index, keyword) in keywords.enumerated() {
      writer.append(UInt16(keyword.symbols.count), to: .keywords)
      writer.append(UInt16(keyword.groups.count), to: .keywords)
      writer.append(automaton.suffixes[index], to: .keywords)
      writer.append(UInt32(writer.count(of: .keywordGroups)), to: .keywords)
      writer.append(writer.offset(ofShortText: keyword.text), to: .keywords)
      writer.append(contentsOf: keyword.groups, to: .keywordGroups)
    }
  }

  // MARK: Expressions

  private mutating func writePatterns() {
    for pattern in patterns {
      let program = pattern.program
      writer.append(UInt32(writer.count(of: .patternSteps)), to: .patterns)
      writer.append(UInt32(program.steps.count), to: .patterns)
      writer.append(UInt32(sets.index(of: program.first ?? .all)), to: .patterns)
      writer.append(UInt32(0), to: .patterns)
      writer.append(text: pattern.text.text, to: .patterns)
      for step in program.steps {
        writer.append(step.kind.rawValue, to: .patternSteps)
        writer.append(UInt32(step.x), to: .patternSteps)
        writer.append(UInt32(step.y), to: .patternSteps)
        writer.append(UInt32(0), to: .patternSteps)
      }
    }
  }
}

/// Folds keywords exactly as the reader folds texts: with compiled rules that contain only the fold table.
struct KeywordFolder: ~Copyable {
  private let rules: CompiledRules

  init(_ writer: RulesWriter) {
    var writer = writer
    writer.keepFoldTable()
    do throws(CompiledRulesError) {
      rules = try CompiledRules(bytes: ContiguousArray(writer.file()).span)
    } catch {
      preconditionFailure("the fold table just made is not valid")
    }
  }

  func symbols(of text: String, as field: MessageField) -> [UInt16] {
    var buffer = SymbolBuffer(capacity: MessageRulesLimits.keywordSymbolsMax + 1)
    rules.fold(ContiguousArray(text.utf8).span, as: field, into: &buffer)
    let symbols = buffer.symbols
    return symbols.indices.map { symbols[$0] }
  }
}

// Converts conditions into tests. Each test leads forward: to a later test, to a matching rule, or to no rule. So each
// test is made at most once per message, and no nesting is needed when a message is classified.

/// A test, with labels for the targets of its results.
struct BuiltTest {
  var kind: TestKind
  var operand: UInt32
  var onTrue: Int
  var onFalse: Int
}

struct TestsBuilder {
  private(set) var tests: [BuiltTest] = []
  /// The meaning of each label: the index of a test, or a target that is not a test.
  private var labels: [UInt32] = []

  private mutating func label(_ target: UInt32 = TestTarget.none) -> Int {
    labels.append(target)
    return labels.count - 1
  }

  private mutating func place(_ label: Int) { labels[label] = UInt32(tests.count) }

  /// The target of a label, once all rules have been added.
  func target(_ label: Int) -> UInt32 {
    let target = labels[label]
    if target & TestTarget.accept != 0 || target == TestTarget.none { return target }
    return Int(target) < tests.count ? target : TestTarget.none
  }

  /// Adds a rule's tests; `operand` stores a condition's operand, and returns its kind and index.
  mutating func add(
    _ rule: Rule, _ index: Int,
    operand: (RuleCondition) throws(RuleError) -> (TestKind, UInt32)
  ) throws(RuleError) {
    let accept = label(TestTarget.accept | UInt32(index))
    let next = label()
    if let condition = rule.condition {
      try add(condition, onTrue: accept, onFalse: next, operand)
    } else {
      tests.append(BuiltTest(kind: .always, operand: 0, onTrue: accept, onFalse: next))
    }
    place(next)
  }

  private mutating func add(
    _ condition: RuleCondition, onTrue: Int, onFalse: Int,
    _ operand: (RuleCondition) throws(RuleError) -> (TestKind, UInt32)
  ) throws(RuleError) {
    switch condition {
    case .all(let parts):
      for (index, part) in parts.enumerated() {
        let next = index + 1 < parts.count ? label() : onTrue
        try add(part, onTrue: next, onFalse: onFalse, operand)
        if index + 1 < parts.count { place(next) }
      }
    case .any(let parts):
      for (index, part) in parts.enumerated() {
        let next = index + 1 < parts.count ? label() : onFalse
        try add(part, onTrue: onTrue, onFalse: next, operand)
        if index + 1 < parts.count { place(next) }
      }
    case .not(let part): try add(part, onTrue: onFalse, onFalse: onTrue, operand)
    default:
      let (kind, number) = try operand(condition)
      tests.append(BuiltTest(kind: kind, operand: number, onTrue: onTrue, onFalse: onFalse))
    }
  }
}

// The alphabet of a rule file: the characters that are distinguished, and the table that folds texts into it.
//
// Each character of a keyword has its own symbol, the lowest ones. Other characters share a symbol if the same classes
// of regular expressions contain them, and those that no rule contains are symbol 0.

/// The alphabet, and the sections of the fold table.
struct SymbolTable {
  private static let pageBits: UInt32 = 7

  private(set) var symbolCount: Int
  let keywordSymbolCount: Int
  let zeroSymbol: UInt16
  let oneSymbol: UInt16

  private var explicit: [UInt32: UInt16] = [:]
  /// The start of each run of characters with the same symbol, and its symbol.
  private var starts: [UInt32] = [0]
  private var symbols: [UInt16] = [0]
  /// The symbols of each set, without those of single characters.
  private var setSymbols: [[UInt16]]
  private let sets: [ScalarSet]

  private(set) var pages: [UInt16] = []
  private(set) var blocks: [UInt32] = []
  private(set) var expansionStarts: [UInt32] = [0]
  private(set) var expansions: [UInt32] = []

  /// Makes the alphabet for the folded characters of keywords and for folded sets; nil if that exceeds the maximum
  /// number of symbols.
  init?(keywords: [UInt32], sets: [ScalarSet], map: FoldMap) {
    var explicit: [UInt32: UInt16] = [:]
    // Look-alikes, and the digits that they become, must always be distinguished.
    let digits: [UInt32] = map.options.digits ? Array(0x30...0x39) + FoldMap.lookAlikes.flatMap(map.fold) : []
    for scalar in keywords + digits.sorted() where explicit[scalar] == nil {
      guard explicit.count < MessageRulesLimits.symbolsMax else { return nil }
      explicit[scalar] = UInt16(explicit.count + 1)
    }
    self.explicit = explicit
    self.sets = sets
    keywordSymbolCount = explicit.count
    symbolCount = explicit.count + 1
    zeroSymbol = explicit[0x30] ?? 0
    oneSymbol = explicit[0x31] ?? 0
    setSymbols = Array(repeating: [], count: sets.count)
    guard divide() else { return nil }
    guard makeTable(map) else { return nil }
  }

  func symbol(of scalar: UInt32) -> UInt16 {
    if let symbol = explicit[scalar] { return symbol }
    return symbols[firstIndex(0, starts.count) { starts[$0] > scalar } - 1]
  }

  func symbols(ofSet index: Int) -> [UInt16] {
    setSymbols[index] + explicit.filter { sets[index].contains($0.key) }.map(\.value)
  }

  /// Divides all characters into runs that belong to the same sets.
  private mutating func divide() -> Bool {
    var changes: [(at: UInt32, set: Int, enters: Bool)] = []
    for (index, set) in sets.enumerated() {
      for range in set.ranges {
        changes.append((range.lowerBound, index, true))
        changes.append((range.upperBound + 1, index, false))
      }
    }
    changes.sort { $0.at < $1.at }
    var inside: Set<Int> = []
    var known: [[Int]: UInt16] = [[]: 0]
    var index = 0
    while index < changes.count {
      let at = changes[index].at
      while index < changes.count, changes[index].at == at {
        if changes[index].enters {
          inside.insert(changes[index].set)
        } else {
          inside.remove(changes[index].set)
        }
        index += 1
      }
      guard at < 0x110000 else { break }
      let key = inside.sorted()
      if known[key] == nil {
        guard symbolCount <= MessageRulesLimits.symbolsMax else { return false }
        known[key] = UInt16(symbolCount)
        for set in key { setSymbols[set].append(UInt16(symbolCount)) }
        symbolCount += 1
      }
      if starts.last == at { starts.removeLast(); symbols.removeLast() }
      starts.append(at)
      symbols.append(known[key] ?? 0)
    }
    return true
  }

  // MARK: The table

  /// Makes pages and blocks. Pages whose characters all have the same entry share a block.
  private mutating func makeTable(_ map: FoldMap) -> Bool {
    var busy: Set<UInt32> = []
    for scalar in map.special.keys { busy.insert(scalar >> Self.pageBits) }
    for scalar in explicit.keys { busy.insert(scalar >> Self.pageBits) }
    for scalar in starts where scalar & 127 != 0 { busy.insert(scalar >> Self.pageBits) }
    for run in CharacterTables.runs where run.start & 127 != 0 { busy.insert(run.start >> Self.pageBits) }
    busy.formUnion([0x3002 >> Self.pageBits, 0xFF61 >> Self.pageBits])
    for scalar in FoldMap.lookAlikes { busy.insert(scalar >> Self.pageBits) }
    var uniform: [UInt32: UInt16] = [:]
    pages.reserveCapacity(0x110000 >> 7)
    for page in 0..<UInt32(0x110000 >> 7) {
      let first = page << Self.pageBits
      if busy.contains(page) {
        pages.append(UInt16(blocks.count / 128))
        for scalar in first..<first + 128 {
          guard let entry = entry(of: scalar, map) else { return false }
          blocks.append(entry)
        }
      } else {
        guard let entry = entry(of: first, map) else { return false }
        if uniform[entry] == nil {
          uniform[entry] = UInt16(blocks.count / 128)
          blocks += Array(repeating: entry, count: 128)
        }
        pages.append(uniform[entry] ?? 0)
      }
    }
    return true
  }

  /// A character's entry. An expansion with a single part is a mark that only counts after a character that it can
  /// voice.
  private mutating func entry(of scalar: UInt32, _ map: FoldMap) -> UInt32? {
    let parts = map.fold(scalar)
    if parts.isEmpty { return FoldEntry(symbol: 0, kind: .skip, script: 0, ascii: 0).bits }
    if parts.count == 1, !map.isVoicingMark(parts) {
      return map.entry(raw: scalar, folded: parts[0], symbol: symbol(of: parts[0])).bits
    }
    guard expansionStarts.count <= MessageRulesLimits.symbolsMax else { return nil }
    let index = UInt16(expansionStarts.count - 1)
    for part in parts {
      expansions.append(map.entry(raw: part, folded: part, symbol: symbol(of: part)).bits)
    }
    expansionStarts.append(UInt32(expansions.count))
    return FoldEntry(symbol: index, kind: .expansion, script: 0, ascii: 0).bits
  }
}
