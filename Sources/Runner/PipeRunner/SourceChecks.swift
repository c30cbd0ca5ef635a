// Checks of one source's rows: a list that lost half of its rows overnight is broken even if each row is valid.

public import PipeStage

/// The conditions that a source's rows must meet.
public struct SourceChecks: Equatable, Sendable {
  /// The minimum number of usable rows.
  public var minRows: UInt64?
  /// The maximum number of rejects, in percent of the rows read.
  public var maxRejectsPercent: Double?
  /// The maximum increase or decrease of usable rows, in percent of `rowsBefore`.
  public var maxChangePercent: Double?
  /// The usable rows of the previous run; nil if unknown.
  public var rowsBefore: UInt64?

  /// Creates checks that accept everything.
  public init() {}

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
public enum SourceCheckError: ErrorCause, Equatable {
  /// Fewer usable rows than the minimum.
  case tooFewRows(source: String, count: UInt64, minimum: UInt64)
  /// More rejects than the source's maximum.
  case tooManyRejects(source: String, count: UInt64, of: UInt64, limitPercent: Double)
  /// A larger change since the previous run than the source's maximum.
  case changedTooMuch(source: String, count: UInt64, before: UInt64, limitPercent: Double)

  /// Bad data.
  public var errorClass: ErrorClass { .badData }
}

extension PipelineRun {
  /// Returns the number of usable rows of a source so far.
  public func usableRows(ofSource index: Int) -> UInt64 {
    let own = runCounters.own(index)
    let rows = RejectLimitCheck.rowsIn(own)
    return rows - min(rows, own.reduce(0) { $0 + $1.meter.rejects.value })
  }
}
