// A stage boundary followed by a thread: everything arrives, failures are rethrown, and stopping works.

import Records
import SystemIO
import TestSupport
import Testing

@testable import Runner

@Suite("Relays")
struct RelayTests {
  @Test("all bytes arrive, whether the sink swaps its chunk or not", .seeded, arguments: [false, true])
  func bytes(swaps: Bool) throws {
    var generator = SplitMix64(test: "bytes")
    let bytes = generator.bytes(300_000)
    let sink = CollectingBytes(CollectorOptions(swaps: swaps))
    let relay = try ByteRelay(sink)
    try feed(bytes, cut: .random(seed: generator.next(), most: 5000), to: relay)
    expectEqual(sink.bytes == bytes, true)
    #expect(sink.rules.isFinished)
  }

  @Test("the start of another input arrives between the bytes of the two")
  func inputs() throws {
    let sink = NamedInputs()
    let relay = try ByteRelay(sink)
    for (name, count) in [("", 3), ("b", 0), ("c", 1), ("d", 9)] {
      if !name.isEmpty { try relay.nextInput(name: name) }
      for byte in 0..<count {
        var chunk = ByteChunk(capacity: 8)
        chunk.append([UInt8(byte)].span)
        try relay.receive(&chunk)
      }
    }
    try relay.finish()
    #expect(sink.text == "012<b><c>0<d>012345678.")
  }

  @Test("records arrive in order", .seeded, arguments: [false, true])
  func records(swaps: Bool) throws {
    var generator = SplitMix64(test: "records")
    let records = RecordShape(.common, .some, .fields).records(20_000, &generator)
    let sink = CollectingRecords(CollectorOptions(swaps: swaps))
    let relay = try RelayThread(sink)
    try feed(records, cut: .random(seed: generator.next(), most: 3000), to: relay)
    #expect(sink.records == records)
    #expect(sink.rules.isFinished)
  }

  @Test("a failure after the boundary is thrown before it, and ends the thread", arguments: [0, 1, 5, 50])
  func failure(batches: Int) throws {
    let records = (1...200).map { TestRecord(UInt64($0)) }
    let sink = CollectingRecords(CollectorOptions(failsAfter: batches))
    let relay = try RelayThread(sink)
    let failure = stageError { () throws(Failure) in try feed(records, cut: .every(1), to: relay) }
    #expect(failure?.code == CollectorError.asConfigured(batches: batches).code)
    #expect(!sink.rules.isFinished)
    #expect(sink.records.count == batches)
    relay.stop()
  }

  @Test("a failure in finish is thrown by finish")
  func failureAtEnd() throws {
    let relay = try RelayThread(FailingEnd())
    let failure = stageError { () throws(Failure) in try feed([TestRecord(1)], to: relay) }
    #expect(failure?.code == CollectorError.finishedTwice.code)
  }

  @Test("a boundary that is stopped never finishes its sink")
  func stop() throws {
    let sink = CollectingRecords()
    let relay = try RelayThread(sink)
    var batch = RecordBatch()
    _ = batch.append(first: 1, last: 1, recordFields: [UInt8]().span)
    try relay.receive(&batch)
    relay.stop()
    #expect(!sink.rules.isFinished)
    // A second stop has no effect: a run that fails stops all of its boundaries.
    relay.stop()
  }

  @Test("a chain of boundaries passes a failure to its first stage")
  func chain() throws {
    let sink = CollectingRecords(CollectorOptions(failsAfter: 3))
    let inner = try RelayThread(sink)
    let outer = try RelayThread(inner)
    let records = (1...500).map { TestRecord(UInt64($0)) }
    let failure = stageError { () throws(Failure) in try feed(records, cut: .every(1), to: outer) }
    #expect(failure?.code == CollectorError.asConfigured(batches: 3).code)
    outer.stop()
    inner.stop()
  }
}

/// Accepts everything and fails at the end.
private final class FailingEnd: RecordSink {
  func receive(_ batch: inout RecordBatch) {}
  func finish() throws(Failure) { throw CollectorError.finishedTwice.failure }
}

/// Notes bytes and the starts of inputs.
private final class NamedInputs: ByteSink {
  private(set) var text = ""

  func receive(_ chunk: inout ByteChunk) throws(Failure) {
    for index in 0..<chunk.count { text += "\(chunk.span[index])" }
  }

  func nextInput(name: String) throws(Failure) { text += "<\(name)>" }

  func finish() throws(Failure) { text += "." }
}
