// Folding and keyword search against slow implementations of their definitions, on random texts of mixed scripts.

import Foundation
import TestSupport
import Testing

@testable import MessageRules
@testable import MessageRulesCompiler

@Suite("Folding and search against their definition")
struct DefinitionTests {
  private static func options(_ bits: UInt8) -> FoldingOptions {
    var options = FoldingOptions()
    options.width = bits & 1 != 0
    options.letterCase = bits & 2 != 0
    options.compatibility = bits & 4 != 0
    options.marks = bits & 8 != 0
    options.spacing = bits & 16 != 0
    options.digits = bits & 32 != 0
    return options
  }

  /// A fold table, and the mapping of characters to symbols.
  private final class FoldTable {
    let alphabet: SymbolTable
    private let rules: CompiledRules

    init(_ alphabet: SymbolTable, _ rules: consuming CompiledRules) {
      self.alphabet = alphabet
      self.rules = rules
    }

    func fold(_ text: [UInt8], capacity: Int = 4_000) -> (symbols: [UInt16], isCut: Bool) {
      var buffer = SymbolBuffer(capacity: capacity)
      let bytes = ContiguousArray(text)
      rules.fold(bytes.span, as: .body, into: &buffer)
      let symbols = buffer.symbols
      return (symbols.indices.map { symbols[$0] }, buffer.isCut)
    }
  }

  /// A fold table that distinguishes all characters in the random texts.
  private static func table(_ model: FoldingModel) throws -> FoldTable {
    let characters = MixedTexts.alphabets.flatMap { $0.map(String.init) } + MixedTexts.fillings
    let folded = Set(
      characters.flatMap { model.fold(Array($0.utf8)) } + [0x20, 0x300, 0x308, 0x3099, 0x309A, 0xFFFD])
    let table = try #require(SymbolTable(keywords: folded.sorted(), sets: [], map: model.map))
    var writer = RulesWriter()
    writer.append(table)
    writer.keepFoldTable()
    let bytes = ContiguousArray(writer.file())
    let rules = try CompiledRules(bytes: bytes.span)
    return FoldTable(table, rules)
  }

  @Test(
    "a text is folded like its single characters", arguments: [63, 0, 31, 47, 55, 59, 61, 62, 20] as [UInt8])
  func folding(bits: UInt8) throws {
    let model = FoldingModel(Self.options(bits))
    let table = try Self.table(model)
    var texts = MixedTexts(test: "definition of folding \(bits)")
    for round in 0..<3_000 {
      let text = texts.text()
      let given = table.fold(text).symbols
      let expected = model.fold(text).map(table.alphabet.symbol(of:))
      guard given != expected else { continue }
      Issue.record("seed \(TestSeed.value), round \(round): \(text) is \(given), expected \(expected)")
      return
    }
  }

  @Test("only the beginning of a text that is too long is folded, for any capacity")
  func capacity() throws {
    let model = FoldingModel(FoldingOptions())
    let table = try Self.table(model)
    var texts = MixedTexts(test: "capacity")
    for round in 0..<600 {
      let text = texts.text()
      let whole = table.fold(text)
      let capacity = Int.random(in: 1...40, using: &texts.random)
      let part = table.fold(text, capacity: capacity)
      #expect(!whole.isCut && part.symbols.count <= capacity)
      #expect(part.isCut || part.symbols == whole.symbols, "seed \(TestSeed.value), round \(round): \(text)")
    }
  }

  @Test("all keywords of a folded text are found", arguments: [1, 2, 4, 6])
  func search(shortest: Int) throws {
    var texts = MixedTexts(test: "definition of search \(shortest)")
    let model = FoldingModel(FoldingOptions())
    for _ in 0..<4 {
      let count = Int.random(in: 1...300, using: &texts.random)
      var words: [String] = []
      while words.count < count {
        let word = texts.word(shortest...shortest + 7)
        if model.fold(Array(word.utf8)).count >= shortest { words.append(word) }
      }
      let folded = words.map { model.fold(Array($0.utf8)) }
      let list = words.enumerated().map {
        "  - { name: k\($0.offset), action: junk, when: { body: { contains: \"\($0.element)\" } } }\n"
      }
      let bytes = try compiled("rules:\n" + list.joined())
      let rules = try CompiledRules(bytes: bytes.span)
      let searcher = Searcher(rules)
      #expect(searcher.groupCount == count)
      var found = 0
      for round in 0..<400 {
        let text = texts.text(around: words)
        let plain = model.fold(text)
        let given = searcher.groups(in: text)
        let expected = folded.indices.filter { Self.contains(plain, folded[$0]) }
        found += expected.count
        guard given != expected else { continue }
        Issue.record("seed \(TestSeed.value), round \(round): \(text) has \(given), expected \(expected)")
        return
      }
      #expect(found > 0, "seed \(TestSeed.value)")
    }
  }

  /// Compiled rules in a class, because closures can't capture values that can't be copied.
  private final class Searcher {
    private let rules: CompiledRules
    private var buffer = SymbolBuffer(capacity: 4_000)
    private var marks: GroupMarks
    let groupCount: Int

    init(_ rules: consuming CompiledRules) {
      groupCount = rules.count(of: .groups)
      marks = GroupMarks(count: groupCount)
      self.rules = rules
    }

    func groups(in text: [UInt8]) -> [Int] {
      let bytes = ContiguousArray(text)
      rules.fold(bytes.span, as: .body, into: &buffer)
      marks.begin()
      rules.findKeywords(in: buffer, as: .body, &marks)
      var groups: [Int] = []
      for group in 0..<groupCount where marks.isMarked(group) { groups.append(group) }
      return groups
    }
  }

  private static func contains(_ text: [UInt32], _ word: [UInt32]) -> Bool {
    guard text.count >= word.count else { return false }
    // Loops over indices: in a debug build, the collection's methods need five times as long.
    var start = 0
    while start <= text.count - word.count {
      var length = 0
      while length < word.count, text[start + length] == word[length] { length += 1 }
      if length == word.count { return true }
      start += 1
    }
    return false
  }
}

// The conformance table: messages with the action and the rule that every implementation must return. The command runs
// it, too, in CommandTests/MessageTableTests.

private struct ConformanceRow: Decodable {
  var sender: String
  var text: String
  var country: String
  var action: String
  var rule: String
}

@Suite("Conformance table")
struct ConformanceTests {
  private static func rows() throws -> [ConformanceRow] {
    let text = try String(
      contentsOf: testFolder.appendingPathComponent("Conformance/messages.jsonl"), encoding: .utf8)
    return try text.split(separator: "\n").map {
      try JSONDecoder().decode(ConformanceRow.self, from: Data($0.utf8))
    }
  }

  @Test("every message gets its action and rule, classified and explained")
  func table() throws {
    let rules = try String(
      contentsOf: testFolder.appendingPathComponent("Conformance/rules.yaml"), encoding: .utf8)
    let classifier = try classifier(rules)
    let rows = try Self.rows()
    #expect(rows.count >= 150)
    for row in rows {
      let verdict = classifier.classify(sender: row.sender, body: row.text, receiver: row.country)
      let name = verdict.rule.map { classifier.name(ofRule: $0) } ?? ""
      #expect(name == row.rule, "\(row)")
      #expect(verdict.action.name == row.action, "\(row)")
      let explanation = classifier.explain(sender: row.sender, body: row.text, receiver: row.country)
      #expect(explanation.verdict == verdict, "\(row)")
      #expect(explanation.tests.last?.rule == verdict.rule || verdict.rule == nil, "\(row)")
    }
  }

  @Test("rules mapped from a file classify like those in memory")
  func mapped() throws {
    let rules = try String(
      contentsOf: testFolder.appendingPathComponent("Conformance/rules.yaml"), encoding: .utf8)
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).cdrules").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let bytes = try compiled(rules)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let isSame = try compiled(rules) == bytes
    #expect(isSame)
    let inMemory = Asker(try CompiledRules(bytes: bytes.span))
    let mapped = Asker(try CompiledRules(path: path))
    for row in try Self.rows() {
      let one = inMemory.classify(sender: row.sender, body: row.text, receiver: row.country)
      #expect(one == mapped.classify(sender: row.sender, body: row.text, receiver: row.country))
    }
    let subActions = mapped.subActions
    #expect(
      subActions == [
        .transactionalFinance, .transactionalOrders, .promotionalOffers, .promotionalCoupons,
      ])
  }
}
