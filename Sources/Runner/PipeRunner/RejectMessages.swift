// Rejects as lines, their totals, and the errors of exceeded reject limits.

import InputStages
import RecordStages
package import Records

/// Formats rejects.
package enum RejectMessages {
  /// A reject: `list.json:1042 (byte 40213): unterminated string: '{"86…'`.
  package static func text(_ reject: Reject) -> String {
    "\(place(of: reject)): \(reject.reason.text): \(PrintableText.quoted(reject.text))"
  }

  /// The place of a reject: `row 17`, `list.json:1042 (byte 40213)` or, in a run with named sources, `list.json row 17 of
  /// source 'marked'` and `list.json:1042 (byte 40213) of source 'marked'`.
  package static func place(of reject: Reject) -> String {
    switch reject.place {
    case .row(let row): return "row \(row)"
    // A source without a name of its own has that of its file.
    case .sourceRow(let row, let input, let source) where source == input:
      return "\(name(input)) row \(row)"
    case .sourceRow(let row, let input, let source): return "\(name(input)) row \(row)\(ofSource(source))"
    case .line(let line, let byte, let input) where reject.origin.source == input:
      return "\(name(input)):\(line) (byte \(byte))"
    case .line(let line, let byte, let input):
      return "\(name(input)):\(line) (byte \(byte))\(ofSource(reject.origin.source))"
    }
  }

  private static func ofSource(_ source: String) -> String {
    source.isEmpty ? "" : " of source '\(PrintableText.line(source))'"
  }

  private static func name(_ input: String) -> String {
    input == "-" ? "standard input" : PrintableText.line(input)
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
  package static func totals(_ totals: [StageTotal], shown: UInt64, path: String?) -> [LogEntry] {
    var lines: [LogEntry] = []
    for (index, total) in totals.enumerated()
    where totals.firstIndex(where: { $0.stage == total.stage }) == index {
      lines += counts(totals.filter { $0.stage == total.stage })
    }
    if !lines.isEmpty {
      if let path {
        lines.append(LogEntry(nil, "all of them are in '\(PrintableText.line(path))'"))
      } else if totals.reduce(0, { $0 + $1.rejects }) > shown {
        lines.append(LogEntry(nil, "hint: keep all of them with --rejects FILE"))
      }
    }
    return lines
  }

  /// The rejects of one stage, which each source of a run has.
  private static func counts(_ sources: [StageTotal]) -> [LogEntry] {
    let rejecting = sources.filter { $0.rejects > 0 }
    func line(_ rejects: UInt64, of rows: UInt64, _ sources: String = "") -> LogEntry {
      LogEntry(
        rejecting[0].stage.rawValue,
        "rejected \(Figures.grouped(rejects)) of \(Figures.counted(rows, "row"))\(sources)")
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
    return "\(Figures.counted(accounts.patterns, "pattern")) "
      + (accounts.patterns == 1 ? "stands" : "stand")
      + " for \(Figures.counted(accounts.patternNumbers, "number"))"
  }

  /// The hint when a run does without a source whose rows were all rejected. They are not in the run's file of rejects.
  /// `path` is the source's file; nil if it has none, or several.
  package static func unusedSourceHint(_ stage: StageName?, path: String?) -> String {
    let parse = "cdpipe parse \(path.map(ShellQuoting.quoted) ?? "INPUT")"
    let command = stage == .parse ? parse : "\(parse) | cdpipe normalize"
    return optionsHint(stage) + "list the rows and reasons with '\(command) --rejects FILE'"
  }

  /// The beginning of a hint: the options of a stage that may be the cause if all rows are rejected.
  static func optionsHint(_ stage: StageName?) -> String {
    if stage == .parse { return "check \(option: "format") and \(option: "encoding"); " }
    if stage == .normalize {
      return "check \(option: "region", "CC"), the country of numbers without a country code; "
    }
    return ""
  }

  /// The hint for rows that are not UTF-8.
  package static let encodingHint =
    "hint: not UTF-8: set the input's encoding with \(option: "encoding", "NAME") (GB18030, EUC-KR, ISO-8859-1 …)"
}

extension RejectLimitError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of stage: StageName?) -> UserMessage {
    switch self {
    case .strict(let reject):
      let isEncoding =
        if case .line = reject.place { reject.reason as? ParseReject == .invalidUTF8 } else { false }
      return UserMessage(
        "\(RejectMessages.place(of: reject)): \(reject.reason.text): \(PrintableText.quoted(reject.text))",
        hint: isEncoding
          ? "set the input's encoding with \(option: "encoding", "NAME"), or remove --strict to leave the row out"
          : "remove --strict to leave the row out and continue")
    case .tooMany(let count, let total, let limit):
      switch limit {
      case .count(let max):
        let rows = "\(Figures.counted(max, "row")) \(max == 1 ? "was" : "were")"
        return UserMessage("more than \(rows) rejected (--max-rejects \(max))")
      case .percent(let max):
        return UserMessage(
          "\(Figures.grouped(count)) of \(Figures.grouped(total)) rows were rejected, more than "
            + "--max-rejects \(Figures.plain(max))% allows")
      }
    case .nothingUsable(let count, let source):
      return UserMessage(
        "no usable rows\(source.isEmpty ? "" : " in source '\(source)'"): "
          + (count == 1 ? "the only row was rejected" : "all \(Figures.grouped(count)) rows were rejected"),
        hint: RejectMessages.optionsHint(stage) + "list the rows and reasons with --rejects FILE")
    }
  }
}
