// Micro-benchmarks of the code that dominates the run time, over generated numbers in memory. `make bench` compares
// whole processes with other programs. With SMOKE set, each benchmark runs once, as a test.

import Benchmark
import CallStoreFormat
import CallStoreReader
import InputStages
import NumberPlan
import RecordStages
import Records
import StoreWriting
import SystemIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration =
    getenv("SMOKE") == nil
    ? .init(metrics: [.wallClock, .throughput], warmupIterations: 1, maxDuration: .seconds(1))
    : .init(metrics: [.wallClock], warmupIterations: 0, maxIterations: 1)

  Benchmark("numbers: parse, valid?, 1,000 of mixed forms") { benchmark in
    let texts = MadeUp.forms(1000)
    let region = Region("CN")
    benchmark.startMeasurement()
    for text in texts {
      guard let number = try? NumberPlan.parse(text.span, region: region) else { continue }
      blackHole(NumberPlan.isValid(number))
    }
  }

  Benchmark("parse: 100,000 rows of JSON") { benchmark in
    let bytes = MadeUp.json(100_000)
    let sink = RowCounter()
    let parser = RowParser(
      options: ParseOptions(), formats: .general, input: "made-up", context: try context(.parse),
      downstream: sink)
    benchmark.startMeasurement()
    var start = 0
    while start < bytes.count {
      var chunk = ByteChunk()
      let end = min(start + chunk.freeCapacity, bytes.count)
      chunk.append(bytes.span.extracting(start..<end))
      try parser.receive(&chunk)
      start = end
    }
    try parser.finish()
    blackHole(sink.rows)
  }

  Benchmark("normalize and sort: 100,000 rows") { benchmark in
    let sink = RecordCounter()
    let sorter = Sorter(options: SortOptions(), context: try context(.sort), downstream: sink)
    let normalizer = Normalizer(
      options: NormalizeOptions(region: Region("CN")), context: try context(.normalize), downstream: sorter)
    let texts = MadeUp.numbers(100_000).map { Array(String($0).utf8) }
    benchmark.startMeasurement()
    var batch = RawRowBatch()
    let label = Array("label".utf8)
    for text in texts where !batch.append(text: text.span, recordFields: label.span) {
      try normalizer.receive(&batch)
      batch.removeAll()
      _ = batch.append(text: text.span, recordFields: label.span)
    }
    try normalizer.receive(&batch)
    try normalizer.finish()
    blackHole(sink.records)
  }

  Benchmark("store: encode 100,000 numbers") { benchmark in
    let numbers = MadeUp.ascending(100_000)
    benchmark.startMeasurement()
    blackHole(try MadeUp.store(numbers).count)
  }

  Benchmark("store: read 100,000 entries") { benchmark in
    let store = try MadeUp.opened(MadeUp.ascending(100_000))
    var cursor = StoreCursor(store)
    var batch = StoreBatch()
    benchmark.startMeasurement()
    var sum: UInt64 = 0
    while try cursor.nextEntries(of: store, into: &batch) { sum &+= batch.firsts[0] }
    blackHole(sum)
  }

  Benchmark("store: look up 1,000 numbers") { benchmark in
    let numbers = MadeUp.ascending(100_000)
    let store = try MadeUp.opened(numbers)
    benchmark.startMeasurement()
    for index in 0..<1000 { blackHole(try store.record(of: numbers[index * 7919 % numbers.count])) }
  }
}

private func context(_ stage: StageName) throws -> StageContext {
  StageContext(meter: StageMeter(stage), rejects: try RejectLog())
}

private final class RowCounter: RawRowSink {
  var rows = 0

  func receive(_ batch: inout RawRowBatch) throws(Failure) { rows += batch.count }
  func finish() throws(Failure) {}
}

private final class RecordCounter: RecordSink {
  var records = 0

  func receive(_ batch: inout RecordBatch) throws(Failure) { records += batch.count }
  func finish() throws(Failure) {}
}
