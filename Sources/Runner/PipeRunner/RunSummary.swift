// The summary at the end of `run`: every row is accounted for.

package import Records

/// Formats the summary of a run.
package enum RunSummary {
  /// The last message of a run that logs JSON.
  package static func ended(_ status: Int32) -> String { "ended with exit status \(status)" }

  /// The message on a terminal when a signal ends a run.
  package static let interrupted = "cdpipe run: interrupted; temporary files are removed"

  /// Formats the row counts, the records written if ranges were split or joined, and a warning if the counts don't add
  /// up.
  package static func lines(_ run: PipelineRun, seconds: Double) -> [LogEntry] {
    let accounts = Accounts(run.counters)
    // Parts of a split row may be left out or removed; then only the parts add up, not the rows.
    let countsParts = accounts.leftOut + accounts.removed > 0 && accounts.splits > 0
    let written = countsParts ? accounts.recordsOut + accounts.joined : accounts.kept
    var text = "read \(Figures.counted(accounts.rowsIn, "row"))"
    if countsParts { text += " (\(Figures.grouped(accounts.rowsIn + accounts.splits)) after splitting)" }
    text += ": \(Figures.grouped(written)) written"
    text += ", \(Figures.counted(accounts.duplicates, "duplicate"))"
    text += ", \(Figures.grouped(accounts.rejects)) rejected"
    if accounts.leftOut > 0 { text += ", \(Figures.grouped(accounts.leftOut)) left out" }
    if accounts.removed > 0 { text += ", \(Figures.grouped(accounts.removed)) removed" }
    var lines = [LogEntry("run", "\(text), in \(Figures.tenths(seconds)) s")]
    let changes = [
      accounts.splits > 0
        ? "ranges and patterns were split \(Figures.counted(accounts.splits, "time"))" : nil,
      accounts.joined > 0 ? "\(Figures.grouped(accounts.joined)) joined with a neighbour" : nil,
    ].compactMap { $0 }
    if !changes.isEmpty {
      lines.append(
        LogEntry(
          nil, "\(Figures.counted(accounts.recordsOut, "record")) written: \(changes.joined(separator: "; "))"
        ))
    }
    if !accounts.isBalanced {
      lines.append(LogEntry(nil, "these counts don't add up: this is a bug in cdpipe, please report it"))
    }
    return lines
  }
}
