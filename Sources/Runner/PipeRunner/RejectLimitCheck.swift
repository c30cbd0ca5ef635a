// The last look before an output is put in place: were the rejects too many?

import CallRecord
import PipeStage
import Synchronization
import SystemIO

/// Ends a run whose rejects were too many before anything of it is published.
final class RejectLimitCheck: Sendable {
  private let rejects: RejectLog
  private let checks: [SourceChecks]
  private let stations = Mutex<[PipelineRun.Station]>([])

  init(_ rejects: RejectLog, checks: [SourceChecks] = []) {
    self.rejects = rejects
    self.checks = checks
  }

  /// Names the stages whose counters are to be looked at, before the run begins.
  func watch(_ stations: [PipelineRun.Station]) {
    self.stations.withLock { $0 = stations }
  }

  /// What has become of the rows so far.
  var accounts: Accounts { Accounts(stations.withLock { $0 }) }

  /// Throws when the rejects were too many of what came in.
  func check() throws(StageError) {
    let stations = stations.withLock { $0 }
    let sources = Set(stations.compactMap(\.sourceIndex)).sorted()
    // Of several sources the one at fault is named before anything is said of all together.
    if sources.count > 1 { for index in sources { try check(source: index, stations) } }
    let stage = stations.first { $0.meter.rejects.value > 0 }?.meter.stage
    do throws(StageError) {
      try rejects.check(stage: stage, inputs: Self.rowsIn(stations))
    } catch {
      throw named(error, stations)
    }
    if sources.count == 1 { try check(source: sources[0], stations) }
  }

  /// A source of which nothing is left is a broken list, though the others may be sound.
  private func check(source index: Int, _ stations: [PipelineRun.Station]) throws(StageError) {
    let own = stations.filter { $0.sourceIndex == index }
    let count = own.reduce(0) { $0 + $1.meter.rejects.value }
    let rows = Self.rowsIn(own)
    let name = own.first?.sourceName ?? ""
    var failure: StageError
    if count > 0, count >= rows {
      let stage = own.first { $0.meter.rejects.value > 0 }?.meter.stage
      failure = StageError(stage, RejectLimitError.nothingUsable(count: count, source: name))
    } else if checks.indices.contains(index),
      let cause = checks[index].failure(rows: rows, rejects: count, source: name)
    {
      failure = StageError(nil, cause)
    } else {
      return
    }
    failure.sourceIndex = index
    throw failure
  }

  /// When nothing at all was usable, the first source of which that is true is at fault.
  private func named(_ failure: StageError, _ stations: [PipelineRun.Station]) -> StageError {
    guard case .nothingUsable? = failure.cause as? RejectLimitError else { return failure }
    var failure = failure
    failure.sourceIndex =
      stations.first { $0.sourceIndex != nil && $0.meter.rejects.value > 0 }?.sourceIndex
    return failure
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
  private let gate: RejectLimitCheck
  private let downstream: any ByteSink

  init(_ gate: RejectLimitCheck, _ downstream: any ByteSink) {
    self.gate = gate
    self.downstream = downstream
  }

  func receive(_ chunk: inout ByteChunk) throws(StageError) {
    try downstream.receive(&chunk)
  }

  func finish() throws(StageError) {
    try gate.check()
    try downstream.finish()
  }
}

/// Records to a sink behind the gate.
final class GatedRecords: RecordSink {
  private let gate: RejectLimitCheck
  private let downstream: any RecordSink

  init(_ gate: RejectLimitCheck, _ downstream: any RecordSink) {
    self.gate = gate
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(StageError) {
    try downstream.receive(&batch)
  }

  func finish() throws(StageError) {
    try gate.check()
    try downstream.finish()
  }
}
