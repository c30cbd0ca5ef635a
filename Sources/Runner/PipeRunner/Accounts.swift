// The row counts of a run: each row read is written, a duplicate, left out, removed, or rejected.

import Records

/// The sums over a run's stages.
package struct Accounts: Equatable, Sendable {
  /// Rows that came into the first stage that counts rows, of every source.
  package let rowsIn: UInt64
  /// Rows that any stage rejected.
  package let rejects: UInt64
  /// Records that were dropped as duplicates.
  package let duplicates: UInt64
  /// Records that were left out by a label map, a minimum score or a limit.
  package let leftOut: UInt64
  /// Records that were merged into an adjacent one.
  package let joined: UInt64
  /// Records that a set operation removed whole.
  package let removed: UInt64
  /// Pieces of patterns and ranges that were cut, beyond the first piece of each.
  package let splits: UInt64
  /// Rows that were patterns for ranges of numbers.
  package let patterns: UInt64
  /// The numbers that those patterns stand for.
  package let patternNumbers: UInt64
  /// Records that the last stage wrote.
  package let recordsOut: UInt64

  /// Adds up the counters of all stages.
  package init(_ counters: [StageCounters]) {
    rowsIn = RejectLimitCheck.rowsIn(counters)
    rejects = counters.reduce(0) { $0 + $1.meter.rejects.value }
    duplicates = counters.reduce(0) { $0 + $1.meter.duplicates.value }
    leftOut = counters.reduce(0) { $0 + $1.meter.leftOut.value }
    joined = counters.reduce(0) { $0 + $1.meter.joined.value }
    removed = counters.reduce(0) { $0 + $1.meter.removed.value }
    // Shards cut ranges too, but the pieces are not records.
    splits = counters.reduce(0) { $0 + ($1.output == .nothing ? 0 : $1.meter.splits.value) }
    patterns = counters.reduce(0) { $0 + $1.meter.patterns.value }
    patternNumbers = counters.reduce(0) { $0 &+ $1.meter.patternNumbers.value }
    recordsOut = counters.last?.meter.rowsOut.value ?? 0
  }

  /// Rows that were written whole, in pieces or merged. Only meaningful if no piece of a row was left out.
  package var kept: UInt64 {
    let pieces = recordsOut + joined
    return pieces >= splits ? pieces - splits : 0
  }

  /// Whether every row is counted exactly once.
  package var isBalanced: Bool {
    rowsIn + splits == recordsOut + joined + duplicates + rejects + leftOut + removed
  }

  /// Returns the provenance that a manifest records.
  func provenance(of sources: [RunProvenance.Source]) -> RunProvenance {
    RunProvenance(
      sources: sources, rowsRead: rowsIn, rejects: rejects, duplicates: duplicates, leftOut: leftOut,
      removed: removed)
  }
}
