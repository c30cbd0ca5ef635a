// Counts rejects by stage and reason during a run, with the first few examples of each.

import PipeStage
import ReportBuilding
import RunReport
import Synchronization
import UserMessages

/// Counts rejects. Usable from any thread.
final class RejectUses: Sendable {
  private let uses: Mutex<[String: RunReport.RejectUse]>

  /// Starts with the rejects of other processes.
  init(_ earlier: [RunReport.RejectUse] = []) {
    uses = Mutex(Dictionary(earlier.map { ($0.stage + " " + $0.reason, $0) }) { first, _ in first })
  }

  /// Counts a reject. Memory is bounded: the stages have a few dozen reasons.
  func add(_ reject: Reject) {
    let key = reject.stage.rawValue + " " + reject.reason.code
    uses.withLock { uses in
      var use = uses[key] ?? RunReport.RejectUse()
      if use.count == 0 {
        use.stage = reject.stage.rawValue
        use.reason = reject.reason.code
        use.words = reject.reasonText
      }
      use.count += 1
      if use.examples.count < RunReport.RejectUse.examplesMax { use.examples.append(Self.example(reject)) }
      uses[key] = use
    }
  }

  /// The counts, most frequent first.
  var sorted: [RunReport.RejectUse] {
    uses.withLock { uses in
      uses.values.sorted { one, other in
        one.count != other.count
          ? one.count > other.count : (one.stage, one.reason) < (other.stage, other.reason)
      }
    }
  }

  private static func example(_ reject: Reject) -> RunReport.RejectUse.Example {
    var example = RunReport.RejectUse.Example()
    example.place = URLRedaction.text(PrintableText.line(RejectMessages.place(of: reject)))
    example.text = ReportBuilder.shortened(
      PrintableText.line(String(decoding: reject.text, as: UTF8.self)),
      to: RunReport.RejectUse.textMax)
    return example
  }
}
