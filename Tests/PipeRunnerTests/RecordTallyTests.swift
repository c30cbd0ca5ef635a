// The counts of a report, compared with counting number by number.

import CallManifest
import CallStoreFormat
import NumberPlan
import RecordStages
import Records
import SystemIO
import TestSupport
import Testing

@testable import Runner

@Suite("RecordTally")
struct RecordTallyTests {
  /// Records as a stream, and their counts by the slow method.
  private struct Oracle {
    var all = RecordCounts.Count()
    var ranges: UInt64 = 0
    var labels: [String: RecordCounts.Count] = [:]
    var sources: [String: RecordCounts.Count] = [:]
    var prefixes: [UInt64: RecordCounts.Count] = [:]
    var countries: [RecordCounts.Country: RecordCounts.Count] = [:]
    var types: [NumberType: RecordCounts.Count] = [:]
    var scores: [Int64] = []
    var days: [CalendarDay] = []
    var months: [String: RecordCounts.Count] = [:]

    mutating func add(_ first: UInt64, _ last: UInt64, _ fields: RecordFields.Fields) {
      let count = RecordCounts.Count(records: 1, entries: last - first + 1)
      all.add(count)
      if last > first { ranges += 1 }
      labels[fields.label, default: RecordCounts.Count()].add(count)
      sources[fields.source, default: RecordCounts.Count()].add(count)
      if let score = fields.score { scores.append(score) }
      if let day = fields.day { days.append(day) }
      months[fields.day.map { String($0.text.prefix(7)) } ?? "", default: RecordCounts.Count()].add(count)
      for number in first...last {
        let code = NumberPlan.callingCode(ofDigits: number) ?? 0
        let codeDigits = code == 0 ? 0 : String(code).count
        let prefix = UInt64(String(number).prefix(codeDigits + 3)) ?? 0
        let count = RecordCounts.Count(records: number == first ? 1 : 0, entries: 1)
        prefixes[prefix, default: RecordCounts.Count()].add(count)
        let block = NumberPlan.block(ofDigits: number)
        let country = RecordCounts.Country(callingCode: code, region: block.region)
        countries[country, default: RecordCounts.Count()].add(count)
        types[block.type, default: RecordCounts.Count()].add(count)
      }
    }
  }

  @Test("the tally equals one that is counted number by number, in any order", .seeded, arguments: 0..<20)
  func asCounted(round: Int) {
    var generator = SplitMix64(test: "tally \(round)")
    var tally = RecordTally(sourcesMax: 10)
    var oracle = Oracle()
    var batch = RecordBatch()
    // Around the limits of prefixes, calling codes and lengths; few enough to count one by one.
    let edges: [UInt64] = [
      1, 9, 99, 210, 999, 1_000, 8_269, 86_755, 12_125_550_000, 8_613_799_999_990, 8_613_800_000_000,
      44_999_999, 46_000_000_000, 99_999, 7_999_999_999, 441_481_000_000, 15_872_199_999, 80_012_345_678,
    ]
    let sources = ["", "s", "t\tab"]
    let labels = ["", "a", "骚扰电话", "tab\there", "back\\slash", "a\nb"]
    var edge: UInt64 = 1
    for _ in 0..<Int.random(in: 1...3000, using: &generator) {
      // Every second list has runs of numbers in the same block, longer than the chunks that are counted at once.
      if round % 2 == 0 || generator.chance(oneIn: 700) { edge = edges.randomElement(using: &generator) ?? 1 }
      let first = max(1, edge &+ UInt64.random(in: 0...40, using: &generator) &- min(edge, 20))
      let last = generator.chance(oneIn: 4) ? first + UInt64.random(in: 0...60, using: &generator) : first
      let fields = RecordFields.Fields(
        label: labels.randomElement(using: &generator) ?? "",
        source: sources.randomElement(using: &generator) ?? "",
        score: generator.chance(oneIn: 3) ? .random(in: -3...9, using: &generator) : nil,
        day: generator.chance(oneIn: 3)
          ? CalendarDay(number: .random(in: 20_750...20_790, using: &generator)) : nil)
      let recordFields = RecordFields.bytes(fields)
      if !batch.append(first: first, last: last, recordFields: recordFields.span) {
        tally.count(batch)
        batch.removeAll()
        _ = batch.append(first: first, last: last, recordFields: recordFields.span)
      }
      if generator.chance(oneIn: round % 2 == 0 ? 100 : 2000) {
        tally.count(batch)
        batch.removeAll()
      }
      oracle.add(first, last, fields)
    }
    tally.count(batch)
    let counts = tally.take()
    func texts(_ counts: [[UInt8]: RecordCounts.Count]) -> [String: RecordCounts.Count] {
      Dictionary(uniqueKeysWithValues: counts.map { (String(decoding: $0.key, as: UTF8.self), $0.value) })
    }
    #expect(counts.all == oracle.all)
    #expect(counts.ranges == oracle.ranges)
    #expect(texts(counts.labels) == oracle.labels)
    #expect(texts(counts.sources) == oracle.sources)
    #expect(counts.prefixes == oracle.prefixes)
    #expect(counts.countries == oracle.countries)
    #expect(counts.types == oracle.types)
    let (scores, days) = (oracle.scores.sorted(), oracle.days.sorted())
    #expect(
      counts.scores
        == scores.last.map { largest in
          RecordCounts.Scores(
            records: UInt64(scores.count), median: scores[(scores.count - 1) / 2], sum: scores.reduce(0, +),
            largest: largest)
        })
    #expect(
      counts.days
        == days.last.map { newest in
          RecordCounts.Days(
            records: UInt64(days.count), newest: newest, median: days[(days.count - 1) / 2],
            months: oracle.months)
        })
    #expect(counts.unsplit == 0)
    #expect(counts.otherSources == RecordCounts.Count())
    #expect(counts.otherLabels == RecordCounts.Count())
    #expect(counts.otherPrefixes == RecordCounts.Count())
  }

  @Test("values beyond the limit are counted together")
  func bounded() {
    var tally = RecordTally()
    var batch = RecordBatch()
    let rows = UInt64(RecordTally.labelsMax) + 1000
    for row in 0..<rows {
      let recordFields = Array("label \(row)".utf8)
      if !batch.append(
        first: 8_613_800_000_000 + row, last: 8_613_800_000_000 + row, recordFields: recordFields.span)
      {
        tally.count(batch)
        batch.removeAll()
        _ = batch.append(
          first: 8_613_800_000_000 + row, last: 8_613_800_000_000 + row, recordFields: recordFields.span)
      }
    }
    tally.count(batch)
    batch.removeAll()
    // A label in the table is counted even when the table is full.
    _ = batch.append(
      first: 8_613_900_000_000, last: 8_613_900_000_000, recordFields: Array("label 0".utf8).span)
    let long = [UInt8](repeating: 0x61, count: TextTally.textBytesMax + 1)
    _ = batch.append(first: 8_613_900_000_001, last: 8_613_900_000_001, recordFields: long.span)
    tally.count(batch)
    let counts = tally.take()
    #expect(counts.labels.count == RecordTally.labelsMax)
    #expect(counts.labels[Array("label 0".utf8)]?.records == 2)
    #expect(counts.otherLabels.records == 1001)
    #expect(counts.prefixes[86138]?.records == rows)
  }

  @Test(
    "with too many different scores the median is unknown; a sum that does not fit is at the end of the range"
  )
  func scores() {
    var tally = ValueTally()
    let one = RecordCounts.Count(records: 1, entries: 1)
    let day = CalendarDay(year: 2026, month: 11, day: 29)
    for score in 0..<Int64(ValueTally.valuesMax) { tally.add(score: score, day: nil, one) }
    var counts = RecordCounts()
    tally.write(to: &counts)
    #expect(counts.scores?.median == Int64(ValueTally.valuesMax / 2 - 1) && counts.days == nil)
    tally.add(score: .max, day: day, RecordCounts.Count(records: 3, entries: 3))
    tally.write(to: &counts)
    #expect(counts.scores?.median == nil && counts.scores?.largest == .max && counts.scores?.sum == .max)
    #expect(counts.days?.newest == day && counts.days?.median == day && counts.days?.records == 3)
    #expect(
      counts.days?.months == [
        "2026-11": .init(records: 3, entries: 3),
        "": .init(
          records: UInt64(ValueTally.valuesMax), entries: UInt64(ValueTally.valuesMax)),
      ])
    tally.add(score: .min, day: nil, RecordCounts.Count(records: 3, entries: 3))
    tally.write(to: &counts)
    #expect(counts.scores?.sum == Int64(ValueTally.valuesMax) * Int64(ValueTally.valuesMax - 1) / 2 - 3)
  }

  @Test("a range over all numbers is counted quickly, and completely")
  func wholeWorld() {
    var tally = RecordTally()
    var batch = RecordBatch()
    _ = batch.append(first: 1, last: 999_999_999_999_999, recordFields: Array("all".utf8).span)
    tally.count(batch)
    let counts = tally.take()
    let byPrefix = counts.prefixes.values.reduce(counts.otherPrefixes.entries) { $0 + $1.entries }
    #expect(byPrefix == 999_999_999_999_999)
    #expect(counts.countries.values.reduce(counts.unsplit) { $0 + $1.entries } == 999_999_999_999_999)
    #expect(counts.types.values.reduce(counts.unsplit) { $0 + $1.entries } == 999_999_999_999_999)
    #expect(counts.unsplit > 0)
    #expect(counts.labels[Array("all".utf8)] == RecordCounts.Count(records: 1, entries: 999_999_999_999_999))
  }

  @Test("all numbers of a calling code are split, and a sum that does not fit is the maximum")
  func limits() {
    var tally = RecordTally()
    var batch = RecordBatch()
    _ = batch.append(first: 10_000_000_000, last: 19_999_999_999, recordFields: Array("US".utf8).span)
    tally.count(batch)
    let counts = tally.take()
    #expect(counts.unsplit == 0)
    #expect(counts.prefixes.count == 1000)
    #expect(counts.countries.values.reduce(0) { $0 + $1.entries } == 10_000_000_000)
    var sum = RecordCounts.Count(records: 1, entries: .max - 1)
    sum.add(RecordCounts.Count(records: 1, entries: 2))
    #expect(sum == RecordCounts.Count(records: 2, entries: .max))
  }

  @Test("texts beyond the limit of their total size are counted together")
  func totalSize() {
    var tally = TextTally(textsMax: .max)
    let count = RecordCounts.Count(records: 1, entries: 1)
    let texts = TextTally.bytesMax / TextTally.textBytesMax + 3
    for index in 0..<texts {
      let name = Array(String(index).utf8)
      let text = name + [UInt8](repeating: 0x61, count: TextTally.textBytesMax - name.count)
      tally.add(text.span, count)
    }
    let (counts, others) = tally.result()
    #expect(counts.count == texts - 3)
    #expect(others == RecordCounts.Count(records: 3, entries: 3))
  }

  @Test("a recorder collects counts and outputs; a run without one counts nothing")
  func recorded() throws {
    let directory = try TemporaryDirectory()
    try directory.write("in.tsv", Array("8613800138000\ta\n8613800138001..8613800138010\tb\n".utf8))
    let recorder = RunRecorder()
    for (recorder, threads) in [(nil, 1), (recorder, 1), (recorder, 2)] {
      let pipeline = Pipeline(
        sources: [Pipeline.Source(input: .files([directory / "in.tsv"]))],
        stages: [
          EmitPlan([
            EmitOptions(format: .store, output: directory / "out.cdstore"),
            EmitOptions(format: .csv, output: directory / "out.csv"),
          ])
        ], threads: threads)
      let log = try RejectLog()
      let run = try PipelineRun(pipeline, rejects: log, recorder: recorder)
      try run.execute()
    }
    #expect(recorder.counts?.labels[Array("b".utf8)] == RecordCounts.Count(records: 1, entries: 10))
    let outputs = recorder.outputs.compactMap { $0 as? EmittedOutput }
    #expect(outputs.map(\.format) == [.store, .csv])
    #expect(
      outputs.map(\.bytes) == ["out.cdstore", "out.csv"].map { UInt64(directory.read($0)?.count ?? 0) })
    #expect(outputs[0].stores.map(\.file.entries.identification) == [11])
    #expect(outputs[0].previous?.contentID == outputs[0].contentID)
    #expect(outputs[1].previous == nil)
  }
}
