// The last check before an output is published: fails the run if too many rows were rejected.

import Records
import SystemIO

/// Fails a run with too many rejects before any of its output is published.
final class RejectLimitCheck: Sendable {
  private let rejects: RejectLog
  private let checks: [SourceChecks]
  private let counters: RunCounters

  init(_ rejects: RejectLog, _ counters: RunCounters, checks: [SourceChecks] = []) {
    self.rejects = rejects
    self.counters = counters
    self.checks = checks
  }

  /// The row counts so far.
  var accounts: Accounts { Accounts(counters.all) }

  /// Throws if too many rows were rejected. Several sources have been checked before, when each ended, so that the
  /// message names the one at fault.
  func check() throws(Failure) {
    let stage = counters.all.first { $0.meter.rejects.value > 0 }?.meter.stage
    do throws(Failure) {
      try rejects.check(stage: stage, inputs: Self.rowsIn(counters.all))
    } catch {
      throw blamed(error)
    }
    if counters.sources.count == 1 { try check(source: 0) }
  }

  /// Checks one source whose rows have all been counted: if it has no usable row, its list is broken even if the others
  /// are valid.
  func check(source index: Int) throws(Failure) {
    let own = counters.own(index)
    let count = own.reduce(0) { $0 + $1.meter.rejects.value }
    let rows = Self.rowsIn(own)
    let name = own.first?.sourceName ?? ""
    var error: Failure
    if count > 0, count >= rows {
      let stage = own.first { $0.meter.rejects.value > 0 }?.meter.stage
      error = .nothingUsable(stage, rejects: count, source: name)
    } else if checks.indices.contains(index),
      let cause = checks[index].error(rows: rows, rejects: count, source: name)
    {
      error = Failure(nil, cause)
    } else {
      return
    }
    error.sourceIndex = index
    throw error
  }

  /// Adds the first source with rejects to the error if no row at all was usable.
  private func blamed(_ error: Failure) -> Failure {
    guard error.code == "nothing-usable" else { return error }
    var error = error
    error.sourceIndex =
      counters.all.first { $0.sourceIndex != nil && $0.meter.rejects.value > 0 }?.sourceIndex
    return error
  }

  /// The rows that entered the first stage that counts rows, for all sources together.
  static func rowsIn(_ counters: some Collection<StageCounters>) -> UInt64 {
    var sum: UInt64 = 0
    var latest: Int?
    for stage in counters where stage.countsRows {
      // A shared stage is the first one only if no source has its own stages.
      guard let source = stage.sourceIndex else { return latest == nil ? stage.meter.rowsIn.value : sum }
      // A source's stages follow one another.
      if source != latest { sum += stage.meter.rowsIn.value }
      latest = source
    }
    return sum
  }
}

/// Forwards bytes and checks the reject limit before the stream ends.
final class RejectCheckedBytes: ByteSink {
  private let limitCheck: RejectLimitCheck
  private let downstream: any ByteSink

  init(_ limitCheck: RejectLimitCheck, _ downstream: any ByteSink) {
    self.limitCheck = limitCheck
    self.downstream = downstream
  }

  func receive(_ chunk: inout ByteChunk) throws(Failure) {
    try downstream.receive(&chunk)
  }

  func finish() throws(Failure) {
    try limitCheck.check()
    try downstream.finish()
  }
}

/// Forwards records and checks the reject limit before the stream ends.
final class RejectCheckedRecords: RecordSink {
  private let limitCheck: RejectLimitCheck
  private let downstream: any RecordSink

  init(_ limitCheck: RejectLimitCheck, _ downstream: any RecordSink) {
    self.limitCheck = limitCheck
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    try downstream.receive(&batch)
  }

  func finish() throws(Failure) {
    try limitCheck.check()
    try downstream.finish()
  }
}
