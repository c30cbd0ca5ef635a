// The phone's list of recent calls.

public import FoundationEssentials

/// A call in the phone's list of recent calls. A call is listed when it ends, if its app's configuration has
/// `includesCallsInRecents` (CXProviderConfiguration.h).
public struct RecentCall: Sendable, Equatable {
  /// How a call went. Apple does not document how iOS sorts the reasons that apps report; this is a choice.
  public enum Result: Sendable, Equatable {
    /// The call was connected, here or on another device.
    case answered
    /// The call came in and was not answered.
    case missed
    /// The call came in and was declined, by the owner, the app or on another device.
    case declined
    /// The call was made from this phone and not connected.
    case notConnected
  }

  /// The call's id.
  public let uuid: UUID
  /// The number or address of the other side.
  public let handle: String?
  /// The displayed name: the app's, otherwise the contact's, otherwise the number.
  public let name: String
  /// Whether the call was made from this phone.
  public let isOutgoing: Bool
  /// Whether the call had video when it ended.
  public let hasVideo: Bool
  /// How the call went.
  public let result: Result
  /// When the call ended.
  public let ended: Date

  /// Describes a call that has ended; nil for other calls.
  init?(_ call: PhoneCall) {
    guard case .ended(let ending) = call.phase else { return nil }
    uuid = call.uuid
    handle = call.handle
    name = call.shownName
    isOutgoing = call.isOutgoing
    hasVideo = call.hasVideo
    ended = call.ended ?? Date()
    result =
      if call.connected != nil || ending == .answeredElsewhere { .answered } else if call.isOutgoing {
        .notConnected
      } else if ending == .byAction || ending == .declinedElsewhere { .declined } else { .missed }
  }
}
