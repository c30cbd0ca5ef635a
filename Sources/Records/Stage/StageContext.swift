// What every stage needs besides its options: counters, the reject log, system calls.

package import SystemIO

/// What a stage needs besides its options: its counters, the reject log and the system calls.
package struct StageContext: Sendable {
  /// The stage's counters.
  package var meter: StageMeter
  /// The log of rejects.
  package var rejects: RejectLog
  /// The system calls.
  package var calls: any SystemCalls
  /// Where the stage's rejects come from.
  package var origin = RejectOrigin()

  /// Creates a context.
  package init(meter: StageMeter, rejects: RejectLog, calls: any SystemCalls = KernelCalls()) {
    self.meter = meter
    self.rejects = rejects
    self.calls = calls
  }

  /// The stage's name.
  package var stage: StageName { meter.stage }

  /// Counts a reject and adds it to the log. A row of a named source is located by its source and input, too. Throws if
  /// the policy ends the run, and if this is the start of a stream in the packed form: its rows would all be lost.
  package func reject(_ place: InputLocation, _ reason: any RejectReason, text: Span<UInt8>) throws(Failure)
  {
    if PackedForm.begins(with: text) { throw Failure(stage, PackedFormError.afterText) }
    meter.rejects.add(1)
    var place = place
    if case .row(let row) = place, !origin.source.isEmpty {
      let (input, row) = origin.rows?.location(of: row, first: origin.input) ?? (origin.input, row)
      place = .sourceRow(row, input: input, source: origin.source)
    }
    var reject = Reject(stage, place, reason, text: text)
    reject.origin = origin
    try rejects.add(reject)
  }
}
