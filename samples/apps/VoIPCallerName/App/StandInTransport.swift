// Replace this by the connection to your server. It carries nothing: every call that is made is answered at once.

import Foundation

/// A connection for trying the app without a server.
///
/// `@unchecked Sendable`: used on the manager's queue only, except for `manager`, which is set once at the start.
nonisolated final class StandInTransport: CallTransport, @unchecked Sendable {
  /// The manager whose calls it carries.
  weak var manager: CallManager?

  func start(_ call: UUID, to handle: String, video: Bool) { manager?.connected(call) }
  func answer(_ call: UUID, video: Bool) {}
  func decline(_ call: UUID) {}
  func end(_ call: UUID) {}
  func setHeld(_ call: UUID, _ isHeld: Bool) {}
  func setMuted(_ call: UUID, _ isMuted: Bool) {}
  func play(_ call: UUID, _ digits: String) {}
  func setSound(_ isActive: Bool) {}
}
