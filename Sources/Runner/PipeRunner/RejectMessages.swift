// Rejects as lines, their totals.

import InputStages
import RecordStages
package import Records

/// Formats rejects.
package enum RejectMessages {
  /// A reject as a line: `cdpipe parse: list.json:1042 (byte 40213): unterminated string: '{"86…'`. In a run of a
  /// pipeline file, `names` names its keys.
  package static func line(_ reject: Reject, _ names: KeyNames? = nil) -> String {
    let reason = reject.reason.text
    return "cdpipe \(reject.stage.rawValue): \(reject.placeText): "
      + "\(names?.text(reason, of: reject.stage) ?? reason): \(PrintableText.quoted(reject.text))"
  }

  /// The number of a stage's rows that were rejected.
  package struct StageTotal {
    var stage: StageName
    /// The name of the source; empty for a shared stage.
    var source: String
    var rejects: UInt64
    var rows: UInt64

    /// Counts a stage's rejects.
    package init(stage: StageName, source: String = "", rejects: UInt64, rows: UInt64) {
      self.stage = stage
      self.source = source
      self.rejects = rejects
      self.rows = max(rows, rejects)
    }

    /// Counts the rejects of a stage of a run.
    package init(_ stage: StageCounters) {
      let meter = stage.meter
      self.init(
        stage: meter.stage, source: stage.sourceName, rejects: meter.rejects.value, rows: meter.rowsIn.value)
    }
  }

  /// The maximum number of sources of a stage whose rejects are counted separately.
  private static let sourcesShownMax = 10

  /// The totals of all stages, as lines at the end of a run.
  package static func totals(_ totals: [StageTotal], shown: UInt64, path: String?) -> [String] {
    var lines: [String] = []
    for (index, total) in totals.enumerated()
    where totals.firstIndex(where: { $0.stage == total.stage }) == index {
      lines += counts(totals.filter { $0.stage == total.stage })
    }
    if !lines.isEmpty {
      if let path {
        lines.append("  all of them are in '\(PrintableText.line(path))'")
      } else if totals.reduce(0, { $0 + $1.rejects }) > shown {
        lines.append("  hint: keep all of them with --rejects FILE")
      }
    }
    return lines
  }

  /// The rejects of one stage, which each source of a run has.
  private static func counts(_ sources: [StageTotal]) -> [String] {
    let rejecting = sources.filter { $0.rejects > 0 }
    func line(_ rejects: UInt64, of rows: UInt64, _ sources: String = "") -> String {
      "cdpipe \(rejecting[0].stage.rawValue): rejected \(Figures.grouped(rejects)) of "
        + Figures.counted(rows, "row") + sources
    }
    if rejecting.count > sourcesShownMax {
      let rejects = rejecting.reduce(0) { $0 + $1.rejects }
      let rows = rejecting.reduce(0) { $0 + $1.rows }
      return [line(rejects, of: rows, " of \(Figures.grouped(UInt64(rejecting.count))) sources")]
    }
    return rejecting.map { total in
      let name = sources.count > 1 ? " of source '\(PrintableText.line(total.source))'" : ""
      return line(total.rejects, of: total.rows, name)
    }
  }

  /// The patterns of a run and the numbers that they stand for; nil without patterns.
  package static func patterns(_ counters: [StageCounters]) -> String? {
    let accounts = Accounts(counters)
    guard accounts.patterns > 0 else { return nil }
    return "cdpipe normalize: \(Figures.counted(accounts.patterns, "pattern")) "
      + (accounts.patterns == 1 ? "stands" : "stand")
      + " for \(Figures.counted(accounts.patternNumbers, "number"))"
  }

  /// The hint when a run does without a source whose rows were all rejected. They are not in the run's file of rejects.
  /// `path` is the source's file; nil if it has none, or several.
  package static func unusedSourceHint(_ stage: StageName?, path: String?) -> String {
    let parse = "cdpipe parse \(path.map(ShellQuoting.quoted) ?? "INPUT")"
    let command = stage == .parse ? parse : "\(parse) | cdpipe normalize"
    return Failure.rejectsHint(stage) + "list the rows and reasons with '\(command) --rejects FILE'"
  }

  /// The hint for rows that are not UTF-8.
  package static let encodingHint =
    "  hint: not UTF-8: set the input's encoding with --encoding NAME (GB18030, EUC-KR, ISO-8859-1 …)"
}
