// Every record accounted for: what came in is what went out, what was a duplicate, and what was rejected.

import PipeStage

/// The sums over a run's stages.
public struct Accounts: Equatable, Sendable {
  /// Rows that came into the first stage that knows rows, of every source.
  public let rowsIn: UInt64
  /// Rows that were rejected by any stage.
  public let rejects: UInt64
  /// Records that another one stands for.
  public let duplicates: UInt64
  /// Pieces beyond the first of patterns and ranges that were cut.
  public let splits: UInt64
  /// Records that went out of the last stage.
  public let recordsOut: UInt64

  /// Sums up.
  public init(_ stations: [PipelineRun.Station]) {
    rowsIn = RejectGate.rowsIn(stations)
    rejects = stations.reduce(0) { $0 + $1.meter.rejects.value }
    duplicates = stations.reduce(0) { $0 + $1.meter.duplicates.value }
    // Shards cut ranges too, but count no piece as a record.
    splits = stations.reduce(0) { $0 + ($1.meter.stage == .emit ? 0 : $1.meter.splits.value) }
    recordsOut = stations.last?.meter.rowsOut.value ?? 0
  }

  /// Rows that are in the output, whole or in pieces.
  public var kept: UInt64 { recordsOut >= splits ? recordsOut - splits : 0 }

  /// Whether nothing was lost and nothing came from nowhere.
  public var isBalanced: Bool { rowsIn + splits == recordsOut + duplicates + rejects }
}
