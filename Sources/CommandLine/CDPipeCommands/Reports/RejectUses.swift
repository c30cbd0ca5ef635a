// Counts rejects by stage and reason during a run, with the first few examples of each.

import PipeStage
import ReportBuilding
import RunReport
import Synchronization
import UserMessages

/// Counts rejects. Usable from any thread.
final class RejectUses: Sendable {
  private struct Counted {
    var use = RunReport.RejectUse()
    /// Where each example comes from; nil for those of other processes, which come first.
    var origins: [RejectOrigin?] = []

    /// Keeps an example if it is among the first ones by its origin.
    mutating func keep(_ reject: Reject) {
      let index =
        origins.firstIndex { $0.map { reject.origin.precedes($0) } ?? false } ?? origins.count
      guard index < RunReport.RejectUse.examplesMax else { return }
      origins.insert(reject.origin, at: index)
      use.examples.insert(RejectUses.example(reject), at: index)
      if origins.count > RunReport.RejectUse.examplesMax {
        origins.removeLast()
        use.examples.removeLast()
      }
    }
  }

  private let uses: Mutex<[String: Counted]>

  /// Starts with the rejects of other processes.
  init(_ earlier: [RunReport.RejectUse] = []) {
    let counted = earlier.map { use in
      (use.stage + " " + use.reason, Counted(use: use, origins: use.examples.map { _ in nil }))
    }
    uses = Mutex(Dictionary(counted) { first, _ in first })
  }

  /// Counts a reject. Memory is bounded: the stages have a few dozen reasons.
  func add(_ reject: Reject) {
    let key = reject.stage.rawValue + " " + reject.reason.code
    uses.withLock { uses in
      var counted = uses[key] ?? Counted()
      if counted.use.count == 0 {
        counted.use.stage = reject.stage.rawValue
        counted.use.reason = reject.reason.code
        counted.use.words = reject.reasonText
      }
      counted.use.count += 1
      counted.keep(reject)
      uses[key] = counted
    }
  }

  /// The counts, most frequent first.
  var sorted: [RunReport.RejectUse] {
    uses.withLock { uses in
      uses.values.map(\.use).sorted { one, other in
        one.count != other.count
          ? one.count > other.count : (one.stage, one.reason) < (other.stage, other.reason)
      }
    }
  }

  fileprivate static func example(_ reject: Reject) -> RunReport.RejectUse.Example {
    var example = RunReport.RejectUse.Example()
    example.place = URLRedaction.text(PrintableText.line(RejectMessages.place(of: reject)))
    example.text = ReportBuilder.shortened(
      PrintableText.line(String(decoding: reject.text, as: UTF8.self)),
      to: RunReport.RejectUse.textMax)
    return example
  }
}
