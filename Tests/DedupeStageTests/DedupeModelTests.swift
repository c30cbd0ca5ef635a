// Dedupe against the model: more than a hundred thousand small cases in which nearly everything overlaps, under every
// policy and combination of options, in batches of every size.

import RecordStages
import Records
import Synchronization
import SystemIO
import TestSupport
import Testing

/// A run of the stage.
struct DedupeRun {
  var records: [TestRecord]
  var meter: StageMeter
  var notices: [DedupeNotice]

  init(
    _ records: [TestRecord], _ options: DedupeOptions, cut: Cut = .whole, swaps: Bool = false,
    through batch: inout RecordBatch, calls: any SystemCalls = KernelCalls()
  ) throws(Failure) {
    let stage = try StageFixture(.dedupe, calls: calls)
    let sink = CollectingRecords(CollectorOptions(swaps: swaps))
    let collected = CollectedNotices()
    var options = options
    options.observe = { notice in collected.notices.withLock { $0.append(notice) } }
    try feed(
      records, cut: cut, through: &batch,
      to: try Deduper(options: options, context: stage.context, downstream: sink))
    #expect(sink.rules.isFinished)
    #expect(stage.meter.isFinished)
    self.records = sink.records
    meter = stage.meter
    notices = collected.notices.withLock { $0 }
  }

  private final class CollectedNotices: Sendable {
    let notices = Mutex<[DedupeNotice]>([])
  }
}

/// Random cases: several independent groups of overlapping records in one stream.
private struct Case {
  var records: [TestRecord] = []
  var options = ModelOptions()
  var cut: Cut
  var swaps: Bool

  static let sources = ["", "s1", "s2", "s,3", "tab\\t"]
  static let scores: [Int64?] = [nil, nil, 0, 1, 2, 3, -1]
  /// Scores that differ in each 16-bit part.
  static let wideScores: [Int64?] = [
    nil, .min, -70_000, -1, 0, 1, 65_535, 65_536, 1 << 40, (1 << 40) + 1, .max - 1, .max,
  ]
  static let days = [nil, nil, 0, 19_782, 20_421, -1].map { $0.flatMap(CalendarDay.init(number:)) }
  static let maps: [[String: String?]] = [
    [:], [:], ["a": "b"], ["a": nil as String?], ["b": "", "c": "a"], ["": "c", "d\\": "a = b"],
  ]

  init(groups: Int, _ generator: inout SplitMix64) {
    let scores = generator.chance(oneIn: 4) ? Self.wideScores : Self.scores
    let span = [6, 12, 30].randomElement(using: &generator) ?? 6
    let singlesOnly = generator.chance(oneIn: 4)
    let hasDays = generator.chance(oneIn: 3)
    for group in 0..<groups {
      // Some groups touch, so that adjacent records meet.
      let base = UInt64(group * (span + 1) + 1)
      for _ in 0..<Int.random(in: 0...9, using: &generator) {
        let first = base + UInt64.random(in: 0..<UInt64(span), using: &generator)
        let isSingle = singlesOnly || generator.chance(oneIn: 2)
        let last =
          isSingle ? first : UInt64.random(in: first..<(base + UInt64(span)), using: &generator)
        let fields = RecordFields.Fields(
          label: ["a", "b", "c", "", "d\\"].randomElement(using: &generator) ?? "",
          source: Self.sources.randomElement(using: &generator) ?? "",
          score: scores.randomElement(using: &generator) ?? nil,
          day: hasDays ? Self.days.randomElement(using: &generator) ?? nil : nil)
        records.append(TestRecord(first, last, RecordFields.bytes(fields)))
      }
    }
    records = SortOracle.sorted(records)
    options.keep = DedupeOptions.Keep.allCases.randomElement(using: &generator) ?? .first
    if options.keep == .priority {
      options.priority = Array(
        Self.sources.dropFirst().shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator)))
    }
    options.labels = Self.maps.randomElement(using: &generator) ?? [:]
    if generator.chance(oneIn: 3) { options.minScore = scores.randomElement(using: &generator) ?? nil }
    if generator.chance(oneIn: 3) {
      options.limit = UInt64.random(in: 1...UInt64(1 + groups * span), using: &generator)
    }
    options.coalesce = generator.chance(oneIn: 3)
    cut =
      [
        .whole, .every(1), .every(2), .every(3), .every(7), .random(seed: generator.next(), most: 9),
      ].randomElement(using: &generator) ?? .whole
    swaps = generator.chance(oneIn: 4)
    if generator.chance(oneIn: 2) { addVotes(&generator) }
  }

  private mutating func addVotes(_ generator: inout SplitMix64) {
    options.combination = ScoreCombination.allCases.randomElement(using: &generator)
    if generator.chance(oneIn: 2) { options.minimums.total = Int64.random(in: -1...4, using: &generator) }
    if generator.chance(oneIn: 3) { (options.combination, options.minimums.total) = (nil, nil) }
    if generator.chance(oneIn: 3) { options.minimums.count = UInt64.random(in: 1...3, using: &generator) }
    if generator.chance(oneIn: 3) { options.minimums.sources = Int.random(in: 1...3, using: &generator) }
  }

  /// The options as the stage expects them.
  func stageOptions(_ directory: TemporaryDirectory, withConflicts: Bool) throws -> DedupeOptions {
    var stage = DedupeOptions(keep: options.keep)
    stage.priority = options.priority
    stage.minScore = options.minScore
    stage.combination = options.combination
    stage.voteMinimums = options.minimums
    stage.limit = options.limit
    stage.coalesce = options.coalesce
    if !options.labels.isEmpty {
      let escaped = options.labels.map { label, new in
        "\(Self.escaped(label)) = \(new.map(Self.escaped) ?? "-")"
      }
      try directory.write("map.txt", Array((escaped.joined(separator: "\n") + "\n").utf8))
      stage.labelMapPath = directory / "map.txt"
    }
    if withConflicts { stage.conflictsPath = directory / "conflicts.tsv" }
    return stage
  }

  private static func escaped(_ label: String) -> String {
    label.map { $0 == "\\" || $0 == "=" ? "\\\($0)" : "\($0)" }.joined()
  }
}

@Suite("Dedupe against the model", .seeded)
struct DedupeModelTests {
  /// 8 tests with 330 runs of 40 groups, each of them a separate case: 105,600.
  static let runs = 330
  static let groups = 40

  @Test("every policy and every combination of options", arguments: 0..<8)
  func cases(slice: Int) throws {
    var generator = SplitMix64(test: "dedupe model \(slice)")
    var batch = RecordBatch()
    let directory = try TemporaryDirectory()
    for _ in 0..<Self.runs {
      let one = Case(groups: Self.groups, &generator)
      let withConflicts = generator.chance(oneIn: 2)
      let model = DedupeModel(one.records, one.options)
      let run = try DedupeRun(
        one.records, try one.stageOptions(directory, withConflicts: withConflicts), cut: one.cut,
        swaps: one.swaps, through: &batch)
      let isRight = Self.check(run, model, one.records.count)
      #expect(isRight, "\(one.options), \(one.cut): \(one.records)")
      if withConflicts {
        let text = try #require(directory.text("conflicts.tsv"))
        let logsAll = Self.logs(text, all: model)
        #expect(logsAll, "\(one.options), \(one.cut): \(one.records)\n\(text)")
        if !logsAll { return }
      }
      // An error shows in the first few cases; printing thousands would only hide it.
      if !isRight { return }
    }
  }

  /// A limit with few records, so that ranges that do not fit leave capacity for many rounds.
  @Test("limits and ranges", arguments: 0..<2)
  func limits(slice: Int) throws {
    var generator = SplitMix64(test: "dedupe limits \(slice)")
    var batch = RecordBatch()
    let directory = try TemporaryDirectory()
    for _ in 0..<300 {
      var one = Case(groups: Int.random(in: 1...6, using: &generator), &generator)
      one.options.limit = UInt64.random(in: 1...40, using: &generator)
      let model = DedupeModel(one.records, one.options)
      let run = try DedupeRun(
        one.records, try one.stageOptions(directory, withConflicts: false), cut: one.cut, through: &batch)
      let isRight = Self.check(run, model, one.records.count)
      #expect(isRight, "\(one.options), \(one.cut): \(one.records)")
      if !isRight { return }
    }
  }

  static func check(_ run: DedupeRun, _ model: DedupeModel, _ count: Int) -> Bool {
    var before: UInt64 = 0
    for record in run.records {
      guard record.first > before, record.last >= record.first else { return false }
      before = record.last
    }
    let meter = run.meter
    let kept =
      UInt64(run.records.count) + meter.joined.value + meter.duplicates.value + meter.leftOut.value
    let leftOut = run.notices.reduce(into: [LeftOutReason: UInt64]()) { leftOut, notice in
      if case .leftOut(let reason, let records, _) = notice { leftOut[reason] = records }
    }
    let wanted = Dictionary(grouping: model.leftOut, by: \.reason).mapValues { UInt64($0.count) }
    return run.records == model.records && meter.rowsIn.value == UInt64(count)
      && meter.rowsOut.value == UInt64(run.records.count)
      && meter.duplicates.value == UInt64(model.duplicates)
      && meter.splits.value == UInt64(model.splits) && meter.joined.value == UInt64(model.joined)
      && meter.leftOut.value == UInt64(model.leftOut.count) && leftOut == wanted
      && meter.rowsIn.value + meter.splits.value == kept
  }

  /// Whether the file lists every loss of every record once for each number, and all records that were left out.
  static func logs(_ text: String, all model: DedupeModel) -> Bool {
    var losses: [UInt64: [String]] = [:]
    var leftOut: [String] = []
    for line in text.split(separator: "\n") {
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      func column(_ index: Int) -> String { index < columns.count ? columns[index] : "" }
      var recordFields = [column(2), column(5), column(7), column(9)]
      while recordFields.last?.isEmpty == true { recordFields.removeLast() }
      let dropped = recordFields.joined(separator: "\t")
      let numbers = column(0).split(separator: ".", omittingEmptySubsequences: true).compactMap { UInt64($0) }
      guard let first = numbers.first, let last = numbers.last else { return false }
      if LeftOutReason(rawValue: column(3)) != nil {
        leftOut.append("\(TestRecord(first, last, Array(dropped.utf8))) \(column(3))")
      } else {
        for number in first...last { losses[number, default: []].append(dropped) }
      }
    }
    let wanted = model.leftOut.map { "\($0.record) \($0.reason.rawValue)" }
    guard leftOut.sorted() == wanted.sorted() else { return false }
    return losses.mapValues { $0.sorted() }
      == model.losers.filter { !$0.value.isEmpty }.mapValues { $0.sorted() }
  }

  @Test("stretches of single numbers and of ranges, so that the stage switches its algorithm in mid-stream")
  func stretches() throws {
    var generator = SplitMix64(test: "dedupe stretches")
    var batch = RecordBatch()
    for _ in 0..<250 {
      var records: [TestRecord] = []
      var number: UInt64 = 1
      for index in 0..<Int.random(in: 1...60, using: &generator) {
        if generator.chance(oneIn: 2) { number += UInt64.random(in: 1...3, using: &generator) }
        let isRange = generator.chance(oneIn: 12)
        records.append(
          TestRecord(
            number, to: isRange ? number + UInt64.random(in: 1...4, using: &generator) : nil,
            "label \(index % 9)\ts\(index % 2)\t\(index % 5)"))
      }
      let sorted = SortOracle.sorted(records)
      for keep in DedupeOptions.Keep.allCases {
        var options = DedupeOptions(keep: keep)
        var modelOptions = ModelOptions(keep: keep)
        if keep == .priority {
          options.priority = ["s1"]
          modelOptions.priority = ["s1"]
        }
        let model = DedupeModel(sorted, modelOptions)
        for cut in [Cut.every(1), .every(2), .every(7), .random(seed: generator.next(), most: 12)] {
          let run = try DedupeRun(
            sorted, options, cut: cut, swaps: generator.chance(oneIn: 2), through: &batch)
          let isRight = Self.check(run, model, sorted.count)
          #expect(isRight, "keep \(keep.rawValue), \(cut): \(sorted)")
          if !isRight { return }
        }
      }
    }
  }

  @Test(
    "more than a batch, so that tables fill and batches are cut",
    arguments: [RecordShape.Labels.few, .different, .long])
  func large(labels: RecordShape.Labels) throws {
    var generator = SplitMix64(test: "dedupe large \(labels)")
    var batch = RecordBatch()
    var records: [TestRecord] = []
    let labelled = RecordShape(.few, .none, labels).records(labels == .long ? 400 : 9000, &generator)
    var number: UInt64 = 8_613_800_000_000
    for record in labelled {
      number += UInt64.random(in: 0...2, using: &generator)
      records.append(TestRecord(number, number, record.recordFields))
    }
    for keep in [DedupeOptions.Keep.first, .last, .mostFrequent] {
      var wanted: [TestRecord] = []
      for run in Dictionary(grouping: records, by: \.first).values {
        let equals = run.map(\.recordFields)
        let labels = Dictionary(grouping: equals, by: { $0 }).mapValues(\.count)
        let most = labels.values.max() ?? 0
        let winner =
          keep == .first
          ? equals[0] : keep == .last ? equals[equals.count - 1] : equals.first { labels[$0] == most } ?? []
        wanted.append(TestRecord(run[0].first, run[0].first, winner))
      }
      wanted.sort { $0.first < $1.first }
      for cut in [Cut.whole, .random(seed: generator.next(), most: 900)] {
        var options = DedupeOptions(keep: keep)
        // A label map that changes nothing sends all batches through the filter.
        let directory = try TemporaryDirectory()
        try directory.write("map.txt", Array("no such label = x\n".utf8))
        for map in [nil, directory / "map.txt"] {
          options.labelMapPath = map
          let run = try DedupeRun(records, options, cut: cut, swaps: true, through: &batch)
          let isRight = run.records == wanted
          #expect(isRight, "keep \(keep.rawValue), \(cut)")
        }
      }
    }
  }
}

/// The options of the model; the same as ``DedupeOptions``, with the label map as a dictionary.
struct ModelOptions: CustomStringConvertible {
  var keep = DedupeOptions.Keep.first
  var priority: [String] = []
  /// The mapping of labels; nil for a record that is dropped.
  var labels: [String: String?] = [:]
  var minScore: Int64?
  var combination: ScoreCombination?
  var minimums = VoteMinimums()
  var limit: UInt64?
  var coalesce = false

  var description: String {
    "keep \(keep.rawValue) \(priority) labels \(labels) min \(minScore.map { "\($0)" } ?? "-")"
      + " combine \(combination.map { $0.rawValue } ?? "-") \(minimums)"
      + " limit \(limit.map { "\($0)" } ?? "-") coalesce \(coalesce)"
  }
}

/// A record with its fields, and its index in the stream.
struct ModelRecord {
  var first: UInt64
  var last: UInt64
  var fields: RecordFields.Fields
  var index: Int
  /// The records for the same numbers, and their sources.
  var votes = 1
  var sources = 1

  var width: UInt64 { last - first + 1 }
  var score: Int64 { fields.score ?? 0 }
  var test: TestRecord { TestRecord(first, last, RecordFields.bytes(fields)) }
}

/// The result for sorted records.
struct DedupeModel {
  /// The output records.
  var records: [TestRecord] = []
  var duplicates = 0
  var splits = 0
  var joined = 0
  /// The records that are left out, with the reason.
  var leftOut: [(record: TestRecord, reason: LeftOutReason)] = []
  /// For each number, the fields of the records that lost it.
  var losers: [UInt64: [String]] = [:]

  init(_ sorted: [TestRecord], _ options: ModelOptions) {
    var candidates: [ModelRecord] = []
    for (index, record) in sorted.enumerated() {
      var model = ModelRecord(
        first: record.first, last: record.last, fields: RecordFields.fields(record.recordFields.span),
        index: index)
      if let label = options.labels[model.fields.label] {
        guard let label else {
          leftOut.append((record, .mapped))
          continue
        }
        model.fields.label = label
      }
      if let least = options.minScore, model.score < least {
        leftOut.append((record, .score))
      } else {
        candidates.append(model)
      }
    }
    var segments = count(decide(combine(candidates, options), options), options)
    if let limit = options.limit { segments = hold(segments, limit) }
    if options.coalesce { segments = join(segments) }
    records = segments.map(\.test)
  }

  // MARK: Conflict resolution

  /// The record that is kept of those for exactly the same numbers, with their combined score.
  private mutating func combine(_ records: [ModelRecord], _ options: ModelOptions) -> [ModelRecord] {
    var winners: [ModelRecord] = []
    for equals in Dictionary(grouping: records, by: { [$0.first, $0.last] }).values {
      var winner = Self.best(equals, options)
      for loser in equals where loser.index != winner.index {
        for number in loser.first...loser.last { losers[number, default: []].append(Self.text(loser)) }
      }
      winner.votes = equals.count
      winner.sources = Set(equals.map(\.fields.source)).count
      switch options.combination {
      case .sum:
        winner.fields.score = equals.reduce(0) { sum, record in
          let (sum, isOver) = sum.addingReportingOverflow(record.fields.score ?? 1)
          return isOver ? (record.score < 0 ? .min : .max) : sum
        }
      case .max: winner.fields.score = equals.compactMap(\.fields.score).max()
      case .count: winner.fields.score = Int64(equals.count)
      case nil: break
      }
      winners.append(winner)
    }
    duplicates = records.count - winners.count
    return winners.sorted { $0.index < $1.index }
  }

  private static func text(_ record: ModelRecord) -> String {
    String(decoding: RecordFields.bytes(record.fields), as: UTF8.self)
  }

  /// Leaves out the records with too few votes.
  private mutating func count(_ segments: [ModelRecord], _ options: ModelOptions) -> [ModelRecord] {
    segments.filter { segment in
      let minimums = options.minimums
      let reason: LeftOutReason? =
        segment.score < minimums.total ?? .min
        ? .total
        : segment.votes < minimums.count ?? 0
          ? .count : segment.sources < minimums.sources ?? 0 ? .sources : nil
      if let reason { leftOut.append((segment.test, reason)) }
      return reason == nil
    }
  }

  /// The record that is kept among records for the same numbers.
  private static func best(_ equals: [ModelRecord], _ options: ModelOptions) -> ModelRecord {
    switch options.keep {
    case .first: return equals[0]
    case .last: return equals[equals.count - 1]
    case .highestScore:
      let most = equals.map(\.score).max() ?? 0
      return equals.first { $0.score == most } ?? equals[0]
    case .newest:
      let latest = equals.compactMap(\.fields.day).max()
      return equals.first { $0.fields.day == latest } ?? equals[0]
    case .priority:
      for source in options.priority {
        if let found = equals.first(where: { $0.fields.source == source }) { return found }
      }
      return equals[0]
    case .mostFrequent:
      var best = equals[0]
      for record in equals
      where votes(record, equals) > votes(best, equals) {
        best = record
      }
      return best
    }
  }

  private static func votes(_ record: ModelRecord, _ equals: [ModelRecord]) -> Int {
    equals.count { $0.fields.label == record.fields.label }
  }

  private mutating func decide(_ records: [ModelRecord], _ options: ModelOptions) -> [ModelRecord] {
    var winners: [UInt64: ModelRecord] = [:]
    for number in Set(records.flatMap { Array($0.first...$0.last) }) {
      let covering = records.filter { $0.first <= number && number <= $0.last }
      let least = covering.map(\.width).min() ?? 0
      var candidates = covering.filter { $0.width == least }
      if options.keep == .mostFrequent {
        // Votes count only among records for exactly the same numbers; otherwise the first record is kept.
        let first = candidates[0].first
        candidates = candidates.filter { $0.first == first }
      }
      let winner = Self.best(candidates, options)
      winners[number] = winner
      losers[number, default: []] += covering.filter { $0.index != winner.index }.map(Self.text)
    }
    var segments: [ModelRecord] = []
    for number in winners.keys.sorted() {
      guard let winner = winners[number] else { continue }
      if let last = segments.last, last.index == winner.index, last.last + 1 == number {
        segments[segments.count - 1].last = number
      } else {
        var segment = winner
        (segment.first, segment.last) = (number, number)
        segments.append(segment)
      }
    }
    let winning = Set(winners.values.map(\.index)).count
    duplicates += records.count - winning
    splits = segments.count - winning
    return segments
  }

  // MARK: After duplicates are resolved

  private mutating func hold(_ segments: [ModelRecord], _ limit: UInt64) -> [ModelRecord] {
    var left = limit
    var taken: Set<UInt64> = []
    for segment in segments.sorted(by: { ($1.score, $0.first) < ($0.score, $1.first) })
    where segment.width <= left {
      left -= segment.width
      taken.insert(segment.first)
    }
    for segment in segments where !taken.contains(segment.first) { leftOut.append((segment.test, .limit)) }
    return segments.filter { taken.contains($0.first) }
  }

  private mutating func join(_ segments: [ModelRecord]) -> [ModelRecord] {
    var result: [ModelRecord] = []
    for segment in segments {
      guard var last = result.last, last.last + 1 == segment.first, last.fields.label == segment.fields.label
      else {
        result.append(segment)
        continue
      }
      last.last = segment.last
      if last.fields.source != segment.fields.source { last.fields.source = "" }
      if last.fields.score != segment.fields.score { last.fields.score = nil }
      if last.fields.day != segment.fields.day { last.fields.day = nil }
      result[result.count - 1] = last
      joined += 1
    }
    return result
  }
}
