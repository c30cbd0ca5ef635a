// The counters of a run's completed stages, from the report of the processes that ran them.

import Records

extension ReportBuilder {
  /// Adds a stage's counts to counters.
  package static func add(_ stage: RunReport.Stage, to counters: StageCounters) {
    let meter = counters.meter
    meter.rowsIn.add(Int(clamping: stage.rowsIn))
    meter.rowsOut.add(Int(clamping: stage.rowsOut))
    meter.bytesIn.add(Int(clamping: stage.bytesIn ?? 0))
    meter.rejects.add(Int(clamping: stage.rejects ?? 0))
    meter.duplicates.add(Int(clamping: stage.duplicates ?? 0))
    meter.leftOut.add(Int(clamping: stage.leftOut ?? 0))
    meter.removed.add(Int(clamping: stage.removed ?? 0))
    meter.joined.add(Int(clamping: stage.joined ?? 0))
    meter.splits.add(Int(clamping: stage.splits ?? 0))
    meter.patterns.add(Int(clamping: stage.patterns ?? 0))
    meter.patternNumbers.add(Int(clamping: stage.patternNumbers ?? 0))
    meter.conflicts.add(Int(clamping: stage.conflicts ?? 0))
    meter.bytesSpilled.add(Int(clamping: stage.bytesSpilled ?? 0))
  }
}
