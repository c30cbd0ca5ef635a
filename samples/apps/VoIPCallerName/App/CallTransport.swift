// The app's connection that carries its calls, over SIP or another protocol. The sample has no implementation; its
// tests have one that records the method calls.

import Foundation

/// Carries the app's calls. Its methods are called on the manager's queue and must not block.
nonisolated protocol CallTransport: AnyObject {
  /// Starts a call. Report the result with `CallManager.connected` or `CallManager.ended`.
  func start(_ call: UUID, to handle: String, video: Bool)
  /// Answers an incoming call.
  func answer(_ call: UUID, video: Bool)
  /// Declines an incoming call.
  func decline(_ call: UUID)
  /// Ends a call.
  func end(_ call: UUID)
  /// Stops or resumes sending and playing sound and video.
  func setHeld(_ call: UUID, _ isHeld: Bool)
  /// Stops or resumes sending sound.
  func setMuted(_ call: UUID, _ isMuted: Bool)
  /// Sends DTMF tones.
  func play(_ call: UUID, _ digits: String)
  /// Starts or stops the app's audio: iOS has activated or deactivated its audio session.
  func setSound(_ isActive: Bool)
}

/// A call that has not ended.
nonisolated struct Call: Equatable, Sendable, Identifiable {
  /// The phase of a call.
  enum Phase: Equatable, Sendable {
    /// The call is incoming and unanswered.
    case ringing
    /// The call is outgoing and unanswered.
    case connecting
    /// The call was answered.
    case connected
  }

  /// The id that iOS and the transport use.
  let id: UUID
  /// Whether the user made the call.
  let isOutgoing: Bool
  /// The number or address of the other side.
  let handle: String
  /// The store's name for the handle, if any.
  let name: String?
  /// Whether the call has video.
  let hasVideo: Bool
  /// When the call began to ring or to connect.
  let began = Date()
  /// The call's current phase.
  var state: Phase
  /// When the call was answered.
  var answered: Date?
  /// Whether the call is on hold.
  var isHeld = false
  /// Whether the call is muted.
  var isMuted = false
}
