// What every stage is given besides its options.

public import SystemIO

/// What a stage is given besides its options: its counters, where rejects go, and the outside world.
public struct StageContext: Sendable {
  /// The stage's counters.
  public var meter: StageMeter
  /// Where rejects go.
  public var rejects: RejectLog
  /// The outside world.
  public var calls: any SystemCalls

  /// Makes a context.
  public init(meter: StageMeter, rejects: RejectLog, calls: any SystemCalls = KernelCalls()) {
    self.meter = meter
    self.rejects = rejects
    self.calls = calls
  }

  /// The stage's name.
  public var stage: StageName { meter.stage }

  /// Counts a reject and keeps it.
  public func reject(_ place: InputLocation, _ reason: any RejectReason, text: Span<UInt8>) throws(StageError)
  {
    meter.rejects.add(1)
    try rejects.add(Reject(stage, place, reason, text: text))
  }
}
