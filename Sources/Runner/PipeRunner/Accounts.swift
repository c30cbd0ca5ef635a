// Every record accounted for: what came in is what went out, what was a duplicate, what was taken out by
// another list, and what was rejected.

import PipeStage

/// The sums over a run's stages.
public struct Accounts: Equatable, Sendable {
  /// Rows that came into the first stage that knows rows, of every source.
  public let rowsIn: UInt64
  /// Rows that were rejected by any stage.
  public let rejects: UInt64
  /// Records that another one stands for.
  public let duplicates: UInt64
  /// Records that were left out though no other one stands for them: by a map of labels, a least score, a limit.
  public let leftOut: UInt64
  /// Records that went out within a neighbour.
  public let joined: UInt64
  /// Records of which a set operation left nothing.
  public let removed: UInt64
  /// Pieces beyond the first of patterns and ranges that were cut.
  public let splits: UInt64
  /// Records that went out of the last stage.
  public let recordsOut: UInt64

  /// Sums up.
  public init(_ stations: [PipelineRun.Station]) {
    rowsIn = RejectLimitCheck.rowsIn(stations)
    rejects = stations.reduce(0) { $0 + $1.meter.rejects.value }
    duplicates = stations.reduce(0) { $0 + $1.meter.duplicates.value }
    leftOut = stations.reduce(0) { $0 + $1.meter.leftOut.value }
    joined = stations.reduce(0) { $0 + $1.meter.joined.value }
    removed = stations.reduce(0) { $0 + $1.meter.removed.value }
    // Shards cut ranges too, but count no piece as a record.
    splits = stations.reduce(0) { $0 + ($1.meter.stage == .emit ? 0 : $1.meter.splits.value) }
    recordsOut = stations.last?.meter.rowsOut.value ?? 0
  }

  /// Rows that are in the output, whole, in pieces or joined; of use only where no piece of a row was left out.
  public var kept: UInt64 {
    let pieces = recordsOut + joined
    return pieces >= splits ? pieces - splits : 0
  }

  /// Whether nothing was lost and nothing came from nowhere.
  public var isBalanced: Bool {
    rowsIn + splits == recordsOut + joined + duplicates + rejects + leftOut + removed
  }
}
