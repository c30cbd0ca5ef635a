// How much of a run's input has been read, for a stage that wants to guess how much is to come.

import PipeStage
import Synchronization

/// The bytes that were read and those that there are, of all inputs whose size is known.
final class InputShare: Sendable {
  private let meters = Mutex<[StageMeter]>([])

  /// The input that this meter counts is one of them.
  func add(_ meter: StageMeter) {
    meters.withLock { $0.append(meter) }
  }

  /// The share that was read, 0 to 1; nil when no size is known, or an input has none. What was not opened yet is not
  /// counted, so there may be more to come than this says.
  var value: Double? {
    var read: UInt64 = 0
    var all: UInt64 = 0
    for meter in meters.withLock({ $0 }) {
      let (bytes, expected) = (meter.bytesIn.value, meter.bytesExpected.value)
      if bytes > expected { return nil }
      read += bytes
      all += expected
    }
    return all == 0 ? nil : Double(read) / Double(all)
  }
}
