// Compiles a rule file: alphabet, automaton, expressions, sets, tests, in this order, into the bytes of a file.

import MessageRules
import Records

/// Compiles rule files.
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
    return try compiler.compile()
  }

  private mutating func compile() throws(RuleError) -> [UInt8] {
    try writeRules()
    try writeAlphabet()
    try writeKeywords()
    writePatterns()
    return writer.file()
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
        throw .tooMany(rule.mark, .tests, limit: MessageRulesLimits.testsMax)
      }
    }
    for test in builder.tests {
      writer.append(test.kind.rawValue, to: .tests)
      writer.append(test.operand, to: .tests)
      writer.append(builder.target(test.onTrue), to: .tests)
      writer.append(builder.target(test.onFalse), to: .tests)
    }
  }

  /// Stores the operand of a condition, and returns the test's kind and operand.
  private mutating func operand(
    of condition: RuleCondition, _ rule: Rule
  ) throws(RuleError) -> (TestKind, UInt32) {
    switch condition {
    case .keywords(let mode, let keywords):
      guard groups.count < MessageRulesLimits.groupsMax else {
        throw .tooMany(rule.mark, .groups, limit: MessageRulesLimits.groupsMax)
      }
      groups.append(Group(mode: mode, keywords: keywords))
      return (.group, UInt32(groups.count - 1))
    case .pattern(let field, let text, let pattern):
      guard patterns.count < MessageRulesLimits.patternsMax else {
        throw .tooMany(text.mark, .patterns, limit: MessageRulesLimits.patternsMax)
      }
      guard let program = PatternProgram(pattern, &sets) else {
        throw .pattern(text.mark, .tooLarge(limit: MessageRulesLimits.patternStepsMax), at: 1)
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
    case .script(let scripts):
      return (.script, scripts.reduce(0) { $0 | 1 << UInt32($1.rawValue) })
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
        file.rules.first?.mark ?? Mark(file: "", line: 1, column: 1), .symbols,
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
            throw .tooMany(keyword.mark, .keywords, limit: MessageRulesLimits.keywordsMax)
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
        groups.first?.keywords.first?.mark ?? Mark(file: "", line: 1, column: 1), .nodes,
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
