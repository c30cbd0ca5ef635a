// What `run` says at its end: that every record is accounted for.

import PipeRunner
import PipeStage

enum RunSummary {
  /// One line for the way in, one for the way out, and the sum.
  static func lines(_ run: PipelineRun, seconds: Double) -> [String] {
    let accounts = Accounts(run.counters)
    // Pieces of a row may be left out or taken out, and then only pieces add up.
    let countsPieces = accounts.leftOut + accounts.removed > 0 && accounts.splits > 0
    var text = "cdpipe run: \(Figures.grouped(accounts.rowsIn)) rows in"
    if countsPieces { text += " + \(Figures.grouped(accounts.splits)) by cutting" }
    text += " = \(Figures.grouped(countsPieces ? accounts.recordsOut + accounts.joined : accounts.kept)) out"
    text += " + \(Figures.grouped(accounts.duplicates)) duplicates"
    text += " + \(Figures.grouped(accounts.rejects)) rejects"
    if accounts.leftOut > 0 { text += " + \(Figures.grouped(accounts.leftOut)) left out" }
    if accounts.removed > 0 { text += " + \(Figures.grouped(accounts.removed)) taken out" }
    var lines = ["\(text), in \(ByteSize.tenths(seconds)) s"]
    let changes = [
      accounts.splits > 0
        ? "ranges and patterns were cut \(Figures.grouped(accounts.splits)) times" : nil,
      accounts.joined > 0 ? "\(Figures.grouped(accounts.joined)) joined to a neighbour" : nil,
    ].compactMap { $0 }
    if !changes.isEmpty {
      lines.append(
        "  \(Figures.grouped(accounts.recordsOut)) records written: \(changes.joined(separator: "; "))")
    }
    if !accounts.isBalanced {
      lines.append("  these don't add up, which is a fault in cdpipe: please report it")
    }
    return lines
  }
}
