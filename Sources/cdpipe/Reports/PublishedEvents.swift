// What happened to a published folder, in the form of a report.

import StoreWriting
import Runner
import SystemIO

extension VersionHistory {
  /// All events, oldest first, as reports list them.
  var reportedEvents: [RunReport.Event] {
    let withdrawn = Set(versions.filter(\.isWithdrawn).map(\.id))
    return latest(events.count).reversed().map { listed in
      let event = listed.event
      var reported = RunReport.Event()
      reported.event =
        switch event.kind {
        case .published: .published
        case .repaired: .repaired
        case .signed: .signed
        case .rolledBack: .rolledBack
        case .unchanged: .unchanged
        case .withdrawn: .withdrawn
        }
      reported.time = WallClock.text(Double(event.time))
      reported.version = event.version
      reported.replaced = event.replaced
      reported.entries = event.numbers
      reported.bytes = event.bytes
      reported.changes = event.changes.map {
        RunReport.Output.Numbers(added: $0.added, removed: $0.removed, relabelled: $0.relabelled)
      }
      reported.runs = event.runs
      reported.lastTime = event.lastTime.map { WallClock.text(Double($0)) }
      reported.isCurrent = listed.isCurrent
      reported.isKept = listed.isKept
      reported.isRolledBack = withdrawn.contains(event.version)
      return reported
    }
  }
}
