// What `run` says at its end: that every record is accounted for.

import PipeRunner
import PipeStage

enum RunSummary {
  /// One line for the way in, one for the way out, and the sum.
  static func lines(_ run: PipelineRun, seconds: Double) -> [String] {
    let accounts = Accounts(run.stations)
    var lines = [
      "cdpipe run: \(Figures.grouped(accounts.rowsIn)) rows in = \(Figures.grouped(accounts.kept)) out "
        + "+ \(Figures.grouped(accounts.duplicates)) duplicates + \(Figures.grouped(accounts.rejects)) rejects"
        + ", in \(ByteSize.tenths(seconds)) s"
    ]
    if accounts.splits > 0 {
      lines.append(
        "  \(Figures.grouped(accounts.recordsOut)) records written: ranges and patterns were cut "
          + "\(Figures.grouped(accounts.splits)) times")
    }
    if !accounts.isBalanced {
      lines.append("  these don't add up, which is a fault in cdpipe: please report it")
    }
    return lines
  }
}
