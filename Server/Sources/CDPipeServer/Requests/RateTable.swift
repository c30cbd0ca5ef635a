// How fast each client may ask. Not for: who the client is (ClientAddress), the answer when it is too fast (RequestError).

import Synchronization

/// Clients and when their next requests are due, in a table of a fixed size.
///
/// The generic cell rate algorithm: a client's time moves on by one interval with each request, and may be ahead of the
/// clock by the burst. A client whose time has passed is like one that was never seen, so the table forgets such clients
/// first, and nobody gains by it; only with more than ``ServerLimits/clientsMax`` busy clients are some let off.
package final class RateTable: Sendable {
  private struct Slot {
    var bits: UInt64 = 0
    /// When all that the client asked for is paid, in nanoseconds of the clock; 0 for nobody.
    var paid: UInt64 = 0
  }

  /// The places that a client may have.
  private static var ways: Int { 8 }

  private let interval: UInt64
  private let burst: UInt64
  private let slots: Mutex<ContiguousArray<Slot>>
  /// A client can't choose whom it shares places with.
  private let seed = UInt64.random(in: .min ... .max)

  /// A table for a rate.
  ///
  /// - Parameters:
  ///   - perSecond: requests of a client a second; at least 1.
  ///   - burstSeconds: seconds' worth of requests at once; at least 1.
  package init(perSecond: Int, burstSeconds: Int) {
    let second: UInt64 = 1_000_000_000
    interval = second / UInt64(clamping: max(perSecond, 1))
    burst = second &* UInt64(clamping: min(max(burstSeconds, 1), 3_600))
    slots = Mutex(ContiguousArray(repeating: Slot(), count: ServerLimits.clientsMax))
  }

  /// Whether a client may ask now, and if so, that it asked.
  ///
  /// - Parameter now: nanoseconds of a clock that does not go back.
  /// - Complexity: O(1).
  package func admits(_ client: ClientAddress, now: UInt64) -> Bool {
    let set = Self.hash(client.bits ^ seed) % UInt64(ServerLimits.clientsMax / Self.ways)
    let first = Int(set) * Self.ways
    return slots.withLock { slots in
      var place = first
      for way in first..<first + Self.ways {
        if slots[way].bits == client.bits, slots[way].paid != 0 {
          place = way
          break
        }
        if slots[way].paid < slots[place].paid { place = way }
      }
      if slots[place].bits != client.bits { slots[place] = Slot(bits: client.bits) }
      let due = max(slots[place].paid, now)
      guard due - now <= burst - min(interval, burst) else { return false }
      slots[place].paid = due &+ interval
      return true
    }
  }

  /// Spreads bits over a word (the finalizer of SplitMix64).
  private static func hash(_ bits: UInt64) -> UInt64 {
    var bits = bits
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}
