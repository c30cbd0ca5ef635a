// The last check before an output is published: fails the run if too many rows were rejected.

import InputStages
import RecordStages
package import Records
import SystemIO

/// Fails a run with too many rejects before any of its output is published.
final class RejectLimitCheck: Sendable {
  let rejects: RejectLog
  private let checks: [SourceChecks]
  private let counters: RunCounters

  init(_ rejects: RejectLog, _ counters: RunCounters, checks: [SourceChecks] = []) {
    self.rejects = rejects
    self.counters = counters
    self.checks = checks
  }

  var accounts: Accounts { Accounts(counters.all) }

  /// Throws if too many rows were rejected. Several sources have been checked before, when each ended, so that the
  /// message names the one at fault.
  func check() throws(Failure) {
    let stage = counters.all.first { $0.meter.rejects.value > 0 }?.meter.stage
    do throws(Failure) {
      try rejects.check(
        stage: stage, inputs: Self.rowsIn(counters.all),
        isFirst: stage == .parse || stage == counters.all.first?.meter.stage)
    } catch {
      throw blamed(error)
    }
    if counters.sources.count == 1 { try check(source: 0) }
  }

  /// The rows that are neither rejected nor left out by the stages of their source.
  static func usableRows(_ own: ArraySlice<StageCounters>) -> UInt64 {
    let rows = rowsIn(own)
    return rows - min(rows, own.reduce(0) { $0 + $1.meter.rejects.value + $1.meter.leftOut.value })
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
      error = .nothingUsable(
        stage, rejects: count, source: name,
        first: stage == .parse || stage == own.first?.meter.stage
          ? rejects.first.first { $0.origin.source == name } : nil)
    } else if checks.indices.contains(index),
      let failed = checks[index].error(
        rows: rows, rejects: count, usable: Self.usableRows(own), source: name)
    {
      error = failed
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

  func receive(_ chunk: inout ByteChunk) throws(Failure) { try downstream.receive(&chunk) }

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

  func receive(_ batch: inout RecordBatch) throws(Failure) { try downstream.receive(&batch) }

  func finish() throws(Failure) {
    try limitCheck.check()
    try downstream.finish()
  }
}

// MARK: - Rejects as lines, and their totals

package enum RejectText {
  /// A reject: `list.json:1042 (byte 40213): unterminated string: '{"86…'`.
  package static func text(_ reject: Reject) -> String {
    "\(reject.placeText): \(reject.reason.text): \(PrintableText.quoted(reject.text))"
  }

  package struct StageTotal {
    var stage: StageName
    /// The name of the source; empty for a shared stage.
    var source: String
    var rejects: UInt64
    var rows: UInt64

    package init(stage: StageName, source: String = "", rejects: UInt64, rows: UInt64) {
      self.stage = stage
      self.source = source
      self.rejects = rejects
      self.rows = max(rows, rejects)
    }

    package init(_ stage: StageCounters) {
      let meter = stage.meter
      self.init(
        stage: meter.stage, source: stage.sourceName, rejects: meter.rejects.value, rows: meter.rowsIn.value)
    }
  }

  /// The maximum number of sources of a stage whose rejects are counted separately.
  private static let sourcesShownMax = 10

  package static func totals(_ totals: [StageTotal], shown: UInt64, path: String?) -> [LogEntry] {
    var lines: [LogEntry] = []
    for (index, total) in totals.enumerated()
    where totals.firstIndex(where: { $0.stage == total.stage }) == index {
      lines += counts(totals.filter { $0.stage == total.stage })
    }
    if !lines.isEmpty {
      if let path {
        lines.append(LogEntry(nil, "all of them are in '\(PrintableText.line(path))'"))
      } else if totals.reduce(0, { $0 + $1.rejects }) > shown {
        lines.append(LogEntry(nil, "hint: keep all of them with --rejects FILE"))
      }
    }
    return lines
  }

  private static func counts(_ sources: [StageTotal]) -> [LogEntry] {
    let rejecting = sources.filter { $0.rejects > 0 }
    func line(_ rejects: UInt64, of rows: UInt64, _ sources: String = "") -> LogEntry {
      LogEntry(
        rejecting[0].stage.rawValue,
        "rejected \(Figures.grouped(rejects)) of \(Figures.counted(rows, "row"))\(sources)")
    }
    if rejecting.count > sourcesShownMax {
      let rejects = rejecting.reduce(0) { $0 + $1.rejects }
      let rows = rejecting.reduce(0) { $0 + $1.rows }
      return [line(rejects, of: rows, " of \(Figures.grouped(UInt64(rejecting.count))) sources")]
    }
    return rejecting.map { total in
      let name = sources.count > 1 ? " of source '\(PrintableText.line(total.source))'" : ""
      return line(total.rejects, of: total.rows, name)
    }
  }

  /// The patterns of a run and the numbers that they stand for; nil without patterns.
  package static func patterns(_ counters: [StageCounters]) -> String? {
    let accounts = Accounts(counters)
    guard accounts.patterns > 0 else { return nil }
    return "\(Figures.counted(accounts.patterns, "pattern")) "
      + (accounts.patterns == 1 ? "stands" : "stand")
      + " for \(Figures.counted(accounts.patternNumbers, "number"))"
  }

  /// The hint when a run does without a source whose rows were all rejected. They are not in the run's file of rejects.
  /// `path` is the source's file; nil if it has none, or several.
  package static func unusedSourceHint(_ stage: StageName?, path: String?) -> String {
    let parse = "cdpipe parse \(path.map(ShellQuoting.quoted) ?? "INPUT")"
    let command = stage == .parse ? parse : "\(parse) | cdpipe normalize"
    return Failure.rejectsHint(stage) + "list the rows and reasons with '\(command) --rejects FILE'"
  }

  /// The hint for rows that are not UTF-8.
  package static let encodingHint =
    "hint: not UTF-8: set the input's encoding with \(option: "encoding", "NAME") (GB18030, EUC-KR, ISO-8859-1 …)"
}
