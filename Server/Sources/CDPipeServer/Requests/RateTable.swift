// Limits each client's request rate. Not for identifying the client (ClientAddress) or the error response
// (RequestError).

import Synchronization

/// The clients with the times of their next permitted requests, in a table of fixed size.
///
/// Uses the generic cell rate algorithm: each request moves a client's time forward by one interval, and it may be
/// ahead of the clock by at most the burst. A client whose time has passed is like a new one, so such clients are
/// forgotten first, at no advantage to them. Only with more than ``ServerLimits/clientsMax`` busy clients are some not
/// limited.
package final class RateTable: Sendable {
  private struct Slot {
    var bits: UInt64 = 0
    /// The client's time in nanoseconds of the clock; 0 for an unused entry.
    var paid: UInt64 = 0
  }

  /// The number of entries that a client may be stored in.
  private static var ways: Int { 8 }

  private let interval: UInt64
  private let burst: UInt64
  private let slots: Mutex<ContiguousArray<Slot>>
  /// Random, so that a client can't choose which other clients share its entries.
  private let seed = UInt64.random(in: .min ... .max)

  /// Creates a table for a rate.
  ///
  /// - Parameters:
  ///   - perSecond: requests per second and client; at least 1.
  ///   - burstSeconds: the burst, in seconds' worth of requests; at least 1.
  package init(perSecond: Int, burstSeconds: Int) {
    let second: UInt64 = 1_000_000_000
    interval = second / UInt64(clamping: max(perSecond, 1))
    burst = second &* UInt64(clamping: min(max(burstSeconds, 1), 3_600))
    slots = Mutex(ContiguousArray(repeating: Slot(), count: ServerLimits.clientsMax))
  }

  /// Whether a client may send a request now. If so, counts the request.
  ///
  /// - Parameter now: the time of a monotonic clock in nanoseconds.
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
