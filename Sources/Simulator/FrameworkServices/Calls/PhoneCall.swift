// A call of an app, as the phone's screen shows it.

import CallKit
public import FoundationEssentials

/// A call of an app.
public struct PhoneCall: Sendable, Equatable {
  /// How far a call is.
  public enum Phase: Sendable, Equatable {
    /// It comes in, and nobody has answered.
    case ringing
    /// It was asked for, and the app has not begun.
    case starting
    /// It is on its way to the other side.
    case connecting
    /// The two can talk.
    case connected
    /// It is over.
    case ended(Ending)
  }

  /// Why a call is over.
  public enum Ending: Int, Sendable {
    /// By an action of the owner's or the app's.
    case byAction = 0
    /// Something went wrong.
    case failed = 1
    /// The other side ended it.
    case remoteEnded = 2
    /// Nobody answered.
    case unanswered = 3
    /// It was answered on another device.
    case answeredElsewhere = 4
    /// It was declined on another device.
    case declinedElsewhere = 5
  }

  /// The call.
  public let uuid: UUID
  /// Whether it was made from this phone.
  public let isOutgoing: Bool
  /// The number or address at the other end.
  public internal(set) var handle: String?
  /// What the screen shows: the name the app gave, else the contact's, else the number.
  public internal(set) var shownName = ""
  /// How far it is.
  public internal(set) var phase: Phase
  /// Whether it is held.
  public internal(set) var isOnHold = false
  /// Whether it is muted.
  public internal(set) var isMuted = false
  /// Whether it has video.
  public internal(set) var hasVideo = false
  /// The calls it is in a group with share this.
  public internal(set) var group: UUID
  /// The tones that were played.
  public internal(set) var playedDigits = ""
  /// When it connected.
  public internal(set) var connected: Date?
  /// When it ended.
  public internal(set) var ended: Date?

  init(_ uuid: UUID, isOutgoing: Bool) {
    self.uuid = uuid
    self.isOutgoing = isOutgoing
    phase = isOutgoing ? .starting : .ringing
    group = uuid
  }

  /// Whether it is over.
  public var hasEnded: Bool {
    if case .ended = phase { return true }
    return false
  }

  /// The call for observers.
  var observed: CXCall {
    CXCall(
      uuid: uuid, isOutgoing: isOutgoing, isOnHold: isOnHold, hasConnected: connected != nil,
      hasEnded: hasEnded)
  }
}
