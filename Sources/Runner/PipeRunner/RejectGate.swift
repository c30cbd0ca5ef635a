// The last look before an output is put in place: were the rejects too many?

import CallRecord
import PipeStage
import Synchronization
import SystemIO

/// Ends a run whose rejects were too many before anything of it is published.
final class RejectGate: Sendable {
  private let rejects: RejectLog
  private let stations = Mutex<[PipelineRun.Station]>([])

  init(_ rejects: RejectLog) {
    self.rejects = rejects
  }

  /// Names the stages whose counters are to be looked at, before the run begins.
  func watch(_ stations: [PipelineRun.Station]) {
    self.stations.withLock { $0 = stations }
  }

  /// What has become of the rows so far.
  var accounts: Accounts { Accounts(stations.withLock { $0 }) }

  /// Throws when the rejects were too many of what came in.
  func check() throws(PipeFailure) {
    let stations = stations.withLock { $0 }
    let stage = stations.first { $0.meter.rejects.value > 0 }?.meter.stage
    try rejects.check(stage: stage, inputs: Self.rowsIn(stations))
    // A source of which nothing is left is a broken list, though the others may be sound.
    for index in Set(stations.compactMap(\.sourceIndex)).sorted() {
      let own = stations.filter { $0.sourceIndex == index }
      let count = own.reduce(0) { $0 + $1.meter.rejects.value }
      guard count > 0, count >= Self.rowsIn(own) else { continue }
      let stage = own.first { $0.meter.rejects.value > 0 }?.meter.stage
      throw PipeFailure(
        stage, RejectFailure.nothingUsable(count: count, source: own.first?.sourceName ?? ""))
    }
  }

  /// Rows that came into the first stage that knows rows, of every source.
  static func rowsIn(_ stations: [PipelineRun.Station]) -> UInt64 {
    var sum: UInt64 = 0
    var sources: Set<Int> = []
    for station in stations {
      guard station.meter.stage != .download, station.meter.stage != .unzip else { continue }
      // A shared stage is the first one only where no source has stages of its own.
      if let source = station.sourceIndex {
        if sources.insert(source).inserted { sum += station.meter.rowsIn.value }
      } else {
        return sources.isEmpty ? station.meter.rowsIn.value : sum
      }
    }
    return sum
  }
}

/// Bytes to a sink behind the gate.
final class GatedBytes: ByteSink {
  private let gate: RejectGate
  private let downstream: any ByteSink

  init(_ gate: RejectGate, _ downstream: any ByteSink) {
    self.gate = gate
    self.downstream = downstream
  }

  func receive(_ chunk: inout ByteChunk) throws(PipeFailure) {
    try downstream.receive(&chunk)
  }

  func finish() throws(PipeFailure) {
    try gate.check()
    try downstream.finish()
  }
}

/// Records to a sink behind the gate.
final class GatedRecords: RecordSink {
  private let gate: RejectGate
  private let downstream: any RecordSink

  init(_ gate: RejectGate, _ downstream: any RecordSink) {
    self.gate = gate
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(PipeFailure) {
    try downstream.receive(&batch)
  }

  func finish() throws(PipeFailure) {
    try gate.check()
    try downstream.finish()
  }
}
