// The counts of a report, compared with counting number by number.

import CallRecord
import CallStoreFormat
import EmitStage
import NumberPlan
import PipeStage
import SystemIO
import TestSupport
import Testing

@testable import PipeRunner

@Suite("RecordTally")
struct RecordTallyTests {
  /// Records as a stream, and their counts by the slow method.
  private struct Oracle {
    var labels: [String: RecordCounts.Count] = [:]
    var prefixes: [UInt64: RecordCounts.Count] = [:]

    mutating func add(_ first: UInt64, _ last: UInt64, _ label: String) {
      labels[label, default: RecordCounts.Count()].records += 1
      labels[label, default: RecordCounts.Count()].entries += last - first + 1
      for number in first...last {
        let code = NumberPlan.callingCode(ofDigits: number) ?? 0
        let codeDigits = code == 0 ? 0 : String(code).count
        let prefix = UInt64(String(number).prefix(codeDigits + 3)) ?? 0
        prefixes[prefix, default: RecordCounts.Count()].entries += 1
        if number == first {
          prefixes[prefix, default: RecordCounts.Count()].records += 1
        }
      }
    }
  }

  @Test("the tally equals one that is counted number by number", .seeded, arguments: 0..<20)
  func asCounted(round: Int) {
    var generator = SplitMix64(test: "tally \(round)")
    var tally = RecordTally()
    var oracle = Oracle()
    var batch = RecordBatch()
    // Around the limits of prefixes, calling codes and lengths; few enough to count one by one.
    let edges: [UInt64] = [
      1, 9, 99, 210, 999, 1_000, 8_269, 86_755, 12_125_550_000, 8_613_799_999_990, 8_613_800_000_000,
      44_999_999, 46_000_000_000, 99_999, 7_999_999_999,
    ]
    let labels = ["", "a", "骚扰电话", "tab\there", "back\\slash", "a\nb"]
    for _ in 0..<Int.random(in: 1...3000, using: &generator) {
      let edge = edges.randomElement(using: &generator) ?? 1
      let first = max(1, edge &+ UInt64.random(in: 0...40, using: &generator) &- min(edge, 20))
      let last = generator.chance(oneIn: 4) ? first + UInt64.random(in: 0...60, using: &generator) : first
      let fields = RecordFields.Fields(
        label: labels.randomElement(using: &generator) ?? "",
        source: generator.chance(oneIn: 2) ? "s" : "", score: generator.chance(oneIn: 3) ? 7 : nil)
      let recordFields = RecordFields.bytes(fields)
      if !batch.append(first: first, last: last, recordFields: recordFields.span) {
        tally.count(batch)
        batch.removeAll()
        _ = batch.append(first: first, last: last, recordFields: recordFields.span)
      }
      if generator.chance(oneIn: 100) {
        tally.count(batch)
        batch.removeAll()
      }
      oracle.add(first, last, fields.label)
    }
    tally.count(batch)
    let counts = tally.take()
    let counted = Dictionary(
      uniqueKeysWithValues: counts.labels.map { (String(decoding: $0.key, as: UTF8.self), $0.value) })
    #expect(counted == oracle.labels)
    #expect(counts.prefixes == oracle.prefixes)
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
    let long = [UInt8](repeating: 0x61, count: RecordTally.labelBytesMax + 1)
    _ = batch.append(first: 8_613_900_000_001, last: 8_613_900_000_001, recordFields: long.span)
    tally.count(batch)
    let counts = tally.take()
    #expect(counts.labels.count == RecordTally.labelsMax)
    #expect(counts.labels[Array("label 0".utf8)]?.records == 2)
    #expect(counts.otherLabels.records == 1001)
    #expect(counts.prefixes[86138]?.records == rows)
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
    #expect(counts.labels[Array("all".utf8)] == RecordCounts.Count(records: 1, entries: 999_999_999_999_999))
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
    #expect(outputs[0].stores.map(\.entries.identification) == [11])
    #expect(outputs[0].previous?.contentID == outputs[0].contentID)
    #expect(outputs[1].previous == nil)
  }
}
