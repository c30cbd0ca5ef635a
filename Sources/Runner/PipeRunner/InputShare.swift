// The share of a run's input that has been read, for a stage that estimates how much is still to come.

import Records
import Synchronization

/// The bytes read so far and the sizes of all inputs whose size is known.
final class InputShare: Sendable {
  private let meters = Mutex<[StageMeter]>([])

  /// Adds the input that a meter counts.
  func add(_ meter: StageMeter) {
    meters.withLock { $0.append(meter) }
  }

  /// The share that was read, 0 to 1; nil if more was read of an input than expected. Inputs of unknown size that are not
  /// being read yet are not counted, so this value may be too high.
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
