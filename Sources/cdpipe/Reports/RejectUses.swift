// Counts rejects by stage and reason during a run, with the first few examples of each.

import Records
import Runner
import Synchronization

/// Counts rejects. Usable from any thread.
final class RejectUses: Sendable {
  private struct Counted {
    /// The counts, without examples.
    var use = RunReport.RejectUse()
    var first = FirstRejects(countMax: RunReport.RejectUse.examplesMax)

    var complete: RunReport.RejectUse {
      var use = use
      use.examples = first.rejects.map(RejectUses.example)
      return use
    }
  }

  private let uses = Mutex<[String: Counted]>([:])

  /// Counts a reject. Memory is bounded: the stages have a few dozen reasons.
  func add(_ reject: Reject) {
    let key = reject.stage.rawValue + " " + reject.reason.code
    uses.withLock { uses in
      var counted = uses[key] ?? Counted()
      if counted.use.count == 0 {
        counted.use.stage = reject.stage.rawValue
        counted.use.reason = reject.reason.code
        counted.use.words = reject.reason.text
      }
      counted.use.count += 1
      counted.first.add(reject)
      uses[key] = counted
    }
  }

  /// The counts, most frequent first.
  var sorted: [RunReport.RejectUse] {
    uses.withLock { uses in
      uses.values.map(\.complete).sorted { one, other in
        one.count != other.count
          ? one.count > other.count : (one.stage, one.reason) < (other.stage, other.reason)
      }
    }
  }

  fileprivate static func example(_ reject: Reject) -> RunReport.RejectUse.Example {
    var example = RunReport.RejectUse.Example()
    example.place = URLRedaction.text(PrintableText.line(reject.placeText))
    example.text = ReportBuilder.shortened(
      PrintableText.line(String(decoding: reject.text, as: UTF8.self)),
      to: RunReport.RejectUse.textMax)
    return example
  }
}
