// A call of an app, as the phone displays it.

import CallKit
public import FoundationEssentials

/// A call of an app.
public struct PhoneCall: Sendable, Equatable {
  /// The phase of a call.
  public enum Phase: Sendable, Equatable {
    /// The call is incoming and unanswered.
    case ringing
    /// The call was requested, but the app has not started it.
    case starting
    /// The call is connecting to the other side.
    case connecting
    /// The call is connected.
    case connected
    /// The call has ended.
    case ended(Ending)
  }

  /// Why a call has ended.
  public enum Ending: Int, Sendable {
    /// The owner or the app ended it by an action.
    case byAction = 0
    /// An error occurred.
    case failed = 1
    /// The other side ended it.
    case remoteEnded = 2
    /// The call was not answered.
    case unanswered = 3
    /// It was answered on another device.
    case answeredElsewhere = 4
    /// It was declined on another device.
    case declinedElsewhere = 5
  }

  /// How the phone draws attention to a call.
  public enum Alert: Sendable, Equatable {
    /// Not at all: the call was made from this phone.
    case silent
    /// It plays a ringtone: the app's sound file with this name, or the phone's own.
    case ringtone(String?)
    /// It plays a short tone, because another call is connected.
    case callWaiting
  }

  /// The call's id.
  public let uuid: UUID
  /// Whether the call was made from this phone.
  public let isOutgoing: Bool
  /// The number or address of the other side.
  public internal(set) var handle: String?
  /// The displayed name: the app's, otherwise the contact's, otherwise the number.
  public internal(set) var shownName = ""
  /// The current phase.
  public internal(set) var phase: Phase
  /// Whether the call is on hold.
  public internal(set) var isOnHold = false
  /// Whether the call is muted.
  public internal(set) var isMuted = false
  /// Whether the call has video, and its app's configuration supports video.
  public internal(set) var hasVideo = false
  /// How the phone draws attention to the call when it arrives.
  public internal(set) var alert = Alert.silent
  /// The app's icon on the screen for calls; nil if the app has none that can be shown.
  public internal(set) var icon: CallIcon?
  /// The id that all calls of a group share.
  public internal(set) var group: UUID
  /// The tones that were played.
  public internal(set) var playedDigits = ""
  /// When the call connected.
  public internal(set) var connected: Date?
  /// When the call ended.
  public internal(set) var ended: Date?

  init(_ uuid: UUID, isOutgoing: Bool) {
    self.uuid = uuid
    self.isOutgoing = isOutgoing
    phase = isOutgoing ? .starting : .ringing
    group = uuid
  }

  /// Whether the call has ended.
  public var hasEnded: Bool {
    if case .ended = phase { return true }
    return false
  }

  /// The call as observers see it.
  var observed: CXCall {
    CXCall(
      uuid: uuid, isOutgoing: isOutgoing, isOnHold: isOnHold, hasConnected: connected != nil,
      hasEnded: hasEnded)
  }
}
