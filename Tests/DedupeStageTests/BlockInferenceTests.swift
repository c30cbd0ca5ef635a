// Dense blocks, against a model that looks at every number of every block.

import NumberPlan
import RecordStages
import Records
import SystemIO
import TestSupport
import Testing

@Suite("Dense blocks", .seeded)
struct BlockInferenceTests {
  /// What a list becomes: every number with its label, and what is written about each block.
  private struct Model {
    var labels: [UInt64: String] = [:]
    var inferred: Set<UInt64> = []
    var blocks: [String] = []

    init(_ records: [TestRecord], _ rules: [InferenceRule]) {
      var listed: [UInt64: String] = [:]
      for record in records {
        for number in record.first...record.last {
          listed[number] = RecordFields.fields(record.recordFields.span).label
        }
      }
      labels = listed
      var dense: [UInt64] = []
      for (level, rule) in rules.enumerated() {
        let parts = level == 0 ? Array(listed.keys) : dense
        let blocks = Dictionary(grouping: parts) { $0 - $0 % rule.size }
        dense = blocks.filter { first, parts in
          UInt64(parts.count) >= rule.count && Self.isUniform(first, rule.size)
        }.map(\.key)
        for first in dense { fill(first, rule.size, listed) }
      }
    }

    private static func isUniform(_ first: UInt64, _ size: UInt64) -> Bool {
      let kinds = (first..<first + size).map { number in
        let block = NumberPlan.block(ofDigits: number)
        return "\(block.callingCode) \(block.region.map { "\($0)" } ?? "") \(block.type)"
      }
      return Set(kinds).count == 1 && NumberPlan.block(ofDigits: first).type != .unknown
    }

    private mutating func fill(_ first: UInt64, _ size: UInt64, _ listed: [UInt64: String]) {
      let within = (first..<first + size).filter { listed[$0] != nil }
      let votes = Dictionary(grouping: within) { listed[$0] ?? "" }.mapValues(\.count)
      let most = votes.values.max() ?? 0
      let label = within.map { listed[$0] ?? "" }.first { votes[$0] == most } ?? ""
      for number in first..<first + size where listed[number] == nil {
        labels[number] = label
        inferred.insert(number)
      }
    }
  }

  private static func run(
    _ records: [TestRecord], _ options: DedupeOptions, _ cut: Cut = .whole
  ) throws(Failure) -> [TestRecord] {
    let stage = try StageFixture(.dedupe)
    let sink = CollectingRecords()
    try feed(records, cut: cut, to: try Deduper(options: options, context: stage.context, downstream: sink))
    let meter = stage.meter
    #expect(
      meter.rowsIn.value + meter.splits.value + meter.inferred.value
        == UInt64(sink.records.count) + meter.duplicates.value)
    return sink.records
  }

  @Test("random lists with ranges, across the borders of countries and types", arguments: 0..<4)
  func model(slice: Int) throws {
    var generator = SplitMix64(test: "dense blocks \(slice)")
    let rules = ["10:4,100:3", "10:2", "100:5", "10:3,1000:4", "10:2,100:2,1000:2"]
    // Mobile and fixed numbers, a border of two types, toll-free numbers, no numbers at all.
    let bases: [UInt64] = [
      4_915_123_456_000, 493_012_345_000, 8_613_999_999_900, 442_079_999_900, 18_002_550_000, 999_000,
    ]
    for _ in 0..<50 {
      var records: [TestRecord] = []
      for base in bases {
        let density = [2, 3, 6].randomElement(using: &generator) ?? 3
        var number = base + UInt64.random(in: 0...9, using: &generator)
        while number < base + 1500 {
          let last =
            generator.chance(oneIn: 15) ? number + UInt64.random(in: 1...150, using: &generator) : number
          let label = ["a", "b", "", "c\ts\t3"].randomElement(using: &generator) ?? ""
          records.append(TestRecord(number, last, Array(label.utf8)))
          number = last + UInt64.random(in: 1...UInt64(density * 2), using: &generator)
        }
      }
      records.sort { $0.first < $1.first }
      var options = DedupeOptions()
      let text = rules.randomElement(using: &generator) ?? rules[0]
      options.inference = try #require(InferenceRule.rules(text))
      let model = Model(records, options.inference)
      for cut in [Cut.whole, .random(seed: generator.next(), most: 40)] {
        let output = try Self.run(records, options, cut)
        var labels: [UInt64: String] = [:]
        var inferred: Set<UInt64> = []
        for record in output {
          let fields = RecordFields.fields(record.recordFields.span)
          for number in record.first...record.last {
            #expect(labels[number] == nil)
            labels[number] = fields.label
            if fields.source == "inferred" { inferred.insert(number) }
          }
        }
        #expect(labels == model.labels && inferred == model.inferred, "\(text), \(cut): \(records)")
      }
    }
  }

  @Test("each block is in the conflicts file, with the numbers and sources that make it dense")
  func evidence() throws {
    let directory = try TemporaryDirectory()
    var options = DedupeOptions(conflictsPath: directory / "conflicts.tsv")
    options.inference = try #require(InferenceRule.rules("10:4"))
    let records = [1, 2, 5, 8].map { TestRecord(4_930_123_456_0 + $0, "Spam\ts\($0 % 2)\t4") }
    let output = try Self.run(records, options)
    #expect(output.count == 4 + 4)
    #expect(
      directory.text("conflicts.tsv")
        == "49301234560..49301234569\tSpam\t\tinferred\tinferred\t\t\t\t\t\t4\t2\n")
    options.inferredPercentMax = 50
    let failure = #expect(throws: Failure.self) { try Self.run(records, options) }
    #expect(failure?.code == "too-much-inferred")
  }

  @Test(
    "rules that are none",
    arguments: [
      "", "10", "10:", "10:1", "10:11", "5:2", "100:3,10:4", "10:4,100:11", "10:4,", "100000:5", "10:-4",
    ])
  func invalid(text: String) { #expect(InferenceRule.rules(text) == nil) }
}
