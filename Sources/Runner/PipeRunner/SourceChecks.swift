// Checks of one source's rows: a list that lost half of its rows overnight is broken even if each row is valid.

package import Records

/// The conditions that a source's rows must meet.
package struct SourceChecks: Equatable, Sendable {
  /// The minimum number of usable rows.
  package var minRows: UInt64?
  /// The maximum number of rejects, in percent of the rows read.
  package var maxRejectsPercent: Double?
  /// The maximum increase or decrease of usable rows, in percent of `rowsBefore`.
  package var maxChangePercent: Double?
  /// The usable rows of the previous run; nil if unknown.
  package var rowsBefore: UInt64?
  /// The maximum number of rows, usable or not.
  package var maxRows: UInt64?
  /// The maximum number of phone numbers in all records together.
  package var maxNumbers: UInt64?
  /// The maximum number of different ranges that contain the same number.
  package var maxOverlaps: UInt64?
  /// The seconds until a named pipe must have been read to its end.
  package var pipeSeconds: Double?

  /// Creates checks that accept everything.
  package init() {}

  /// Sets the bounds that are not set. A source that the run can do without is bounded by default, so that it can't end
  /// the run in the stages that all sources share, or keep it waiting.
  package mutating func bound() {
    maxRows = maxRows ?? Self.defaultMaxRows
    maxNumbers = maxNumbers ?? Self.defaultMaxNumbers
    maxOverlaps = maxOverlaps ?? Self.defaultMaxOverlaps
    pipeSeconds = pipeSeconds ?? Self.defaultPipeSeconds
  }

  /// Whether records are checked before they enter the shared stages.
  package var boundRecords: Bool { maxRows != nil || maxNumbers != nil || maxOverlaps != nil }

  /// More rows than any known list has: the complaints of the FTC in four years are a twentieth.
  package static let defaultMaxRows: UInt64 = 100_000_000
  /// As many numbers as 50 extensions of an iPhone load.
  package static let defaultMaxNumbers: UInt64 = 100_000_000
  /// Real lists nest ranges a few levels deep; dedupe accepts 65,536 from all sources together.
  package static let defaultMaxOverlaps: UInt64 = 4096
  /// Ten minutes: a program that feeds a pipe in the night.
  package static let defaultPipeSeconds = 600.0

  /// Returns the first failed check for these counts of rows and rejects; nil if all pass.
  func error(rows: UInt64, rejects: UInt64, source: String) -> SourceCheckError? {
    let usable = rows - min(rows, rejects)
    if let percent = maxRejectsPercent, Double(rejects) * 100 > percent * Double(rows) {
      return .tooManyRejects(source: source, count: rejects, of: rows, limitPercent: percent)
    }
    if let minRows, usable < minRows {
      return .tooFewRows(source: source, count: usable, minimum: minRows)
    }
    if let percent = maxChangePercent, let before = rowsBefore, before > 0 {
      let difference = usable > before ? usable - before : before - usable
      if Double(difference) * 100 > percent * Double(before) {
        return .changedTooMuch(source: source, count: usable, before: before, limitPercent: percent)
      }
    }
    return nil
  }
}

/// Why a source was rejected although its rows could be read.
package enum SourceCheckError: ErrorCause, Equatable {
  /// Fewer usable rows than the minimum.
  case tooFewRows(source: String, count: UInt64, minimum: UInt64)
  /// More rejects than the source's maximum.
  case tooManyRejects(source: String, count: UInt64, of: UInt64, limitPercent: Double)
  /// A larger change since the previous run than the source's maximum.
  case changedTooMuch(source: String, count: UInt64, before: UInt64, limitPercent: Double)
  /// More rows than the source's maximum.
  case tooManyRows(source: String, limit: UInt64)
  /// Records with more phone numbers than the source's maximum; `range` is the record that exceeded it if it is a range.
  case tooManyNumbers(source: String, limit: UInt64, range: ClosedRange<UInt64>?)
  /// More ranges that contain a number than the source's maximum.
  case tooManyOverlaps(source: String, number: UInt64, limit: UInt64)
  /// The labels of the source's ranges that contain a number are longer than the maximum in bytes.
  case overlapsTooLarge(source: String, number: UInt64, limit: UInt64)
  /// A named pipe that was not read to its end in time.
  case pipeTimedOut(source: String, path: String, seconds: Double)

  /// Bad data.
  package var errorClass: ErrorClass { .badData }
}

extension PipelineRun {
  /// Returns the number of usable rows of a source so far.
  package func usableRows(ofSource index: Int) -> UInt64 {
    let own = runCounters.own(index)
    let rows = RejectLimitCheck.rowsIn(own)
    return rows - min(rows, own.reduce(0) { $0 + $1.meter.rejects.value })
  }
}
