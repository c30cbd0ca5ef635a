// The app's own connection: what carries its calls, over SIP or anything else. The sample has none; its tests have one that
// records its calls.

import Foundation

/// Carries the app's calls. Its methods are called on the manager's queue and must not block.
protocol CallTransport: AnyObject {
  /// Calls somebody. `CallManager.connected` and `CallManager.ended` tell what came of it.
  func start(_ call: UUID, to handle: String)
  /// Answers an incoming call.
  func answer(_ call: UUID)
  /// Refuses an incoming call.
  func decline(_ call: UUID)
  /// Ends a call.
  func end(_ call: UUID)
  /// Stops sending and playing sound, or goes on with it.
  func setHeld(_ call: UUID, _ isHeld: Bool)
  /// Stops sending sound, or goes on with it.
  func setMuted(_ call: UUID, _ isMuted: Bool)
  /// Sends tones.
  func play(_ call: UUID, _ digits: String)
  /// iOS has made sound ready for the app, or has taken it away.
  func setSound(_ isActive: Bool)
}

/// A call, as the app's screens show it.
struct Call: Equatable, Sendable, Identifiable {
  /// How far a call is.
  enum Phase: Equatable, Sendable {
    /// It comes in, and nobody has answered.
    case ringing
    /// It is on its way to the other side.
    case connecting
    /// The two can talk.
    case connected
  }

  /// The call, as iOS and the transport know it.
  let id: UUID
  /// Whether it was made from here.
  let isOutgoing: Bool
  /// The number or address at the other end.
  let handle: String
  /// What the store calls it.
  let name: String?
  /// How far it is.
  var state: Phase
  /// Whether it is held.
  var isHeld = false
  /// Whether it is muted.
  var isMuted = false
}
