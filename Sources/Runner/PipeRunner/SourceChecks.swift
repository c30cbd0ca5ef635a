// What one source's rows must be like: a list that lost half of its rows overnight is broken, though each row is sound.

public import PipeStage

/// What a source's rows must be like.
public struct SourceChecks: Equatable, Sendable {
  /// The fewest rows that can be used.
  public var minRows: UInt64?
  /// The most rejects, in percent of the rows that came.
  public var maxRejectsPercent: Double?
  /// How far the rows that can be used may be from `rowsBefore`, up or down, in percent of those.
  public var maxChangePercent: Double?
  /// The rows that could be used the last time; nil when that is not known.
  public var rowsBefore: UInt64?

  /// Makes checks that everything passes.
  public init() {}

  /// What is wrong with so many rows of which so many were rejected.
  func failure(rows: UInt64, rejects: UInt64, source: String) -> SourceCheckError? {
    let usable = rows - min(rows, rejects)
    if let percent = maxRejectsPercent, Double(rejects) * 100 > percent * Double(rows) {
      return .tooManyRejects(source: source, count: rejects, of: rows, limitPercent: percent)
    }
    if let minRows, usable < minRows {
      return .tooFewRows(source: source, count: usable, least: minRows)
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

/// Why a source's rows were refused, though they could be read.
public enum SourceCheckError: ErrorCause, Equatable {
  /// Fewer usable rows than there must be.
  case tooFewRows(source: String, count: UInt64, least: UInt64)
  /// Too many rejects for this source.
  case tooManyRejects(source: String, count: UInt64, of: UInt64, limitPercent: Double)
  /// Too far from what it was the last time.
  case changedTooMuch(source: String, count: UInt64, before: UInt64, limitPercent: Double)

  /// Bad data, all of them.
  public var errorClass: ErrorClass { .badData }
}

extension PipelineRun {
  /// Rows of a source that could be used, so far.
  public func usableRows(ofSource index: Int) -> UInt64 {
    let own = stations.filter { $0.sourceIndex == index }
    let rows = RejectLimitCheck.rowsIn(own)
    return rows - min(rows, own.reduce(0) { $0 + $1.meter.rejects.value })
  }
}
