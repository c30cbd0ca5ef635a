// The table of versions and of other events of a published folder, newest first.

import RunReport

extension PageTable {
  /// The table of events.
  static func events(_ events: [RunReport.Event]) -> PageTable {
    PageTable(
      id: "versions", names: ["version", "time", "event"],
      figures: ["numbers", "added", "removed", "relabelled", "size"],
      rows: events.reversed().map { event in
        [
          Cell(text: Figures.short(event.version), whole: event.version),
          Cell(text: Figures.time(event.lastTime ?? event.time), colour: "when"),
          words(event),
          Cell(text: event.entries.map(Figures.grouped) ?? "", colour: "total"),
          change(event.changes?.added, "+", "plus"), change(event.changes?.removed, "−", "minus"),
          change(event.changes?.relabelled, "", "turn"),
          Cell(text: event.bytes.map(Figures.bytes) ?? "", colour: "size"),
        ]
      }, style: "versions")
  }

  /// What happened. Of a version that was published, only what is special about it.
  private static func words(_ event: RunReport.Event) -> Cell {
    let runs = Figures.counted(event.runs ?? 1, "run")
    let what =
      switch event.event {
      case .published: ""
      case .repaired: "repaired"
      case .signed: "signed again"
      case .rolledBack: event.replaced.map { "rolled back from \(Figures.short($0))" } ?? "rolled back to"
      case .unchanged: "unchanged, \(runs)"
      case .withdrawn: "not published, \(runs)"
      }
    let state =
      event.isCurrent ? "current" : event.isRolledBack && event.event == .published ? "rolled back" : ""
    let colour = event.isCurrent ? "plus" : event.event == .unchanged ? "soft" : "warn"
    return Cell(
      text: [what, state].filter { !$0.isEmpty }.joined(separator: "; "), colour: "state \(colour)")
  }

  private static func change(_ count: UInt64?, _ sign: String, _ colour: String) -> Cell {
    Cell(text: count.map { Figures.signed($0, sign) } ?? "", colour: count == 0 ? "\(colour) soft" : colour)
  }
}
