// The phone owner's interface to the apps' calls, as the phone displays them, and the list of recent calls.

import CallKit
public import FoundationEssentials
import SimulatedPhone

/// The calls of apps on a phone. Usable from any thread.
public final class SimulatedCalls: Sendable {
  let book: CallBook

  init(_ book: CallBook) { self.book = book }

  /// The calls, including recently ended ones, oldest first.
  public var all: [PhoneCall] { book.all }

  /// Returns a call by its id.
  public subscript(_ uuid: UUID) -> PhoneCall? { book.withLock { book.entry(uuid)?.call } }

  /// Sets Do Not Disturb. While it is on, incoming calls are rejected.
  public func setDoNotDisturb(_ isOn: Bool) { book.withLock { book.disturbsNobody = isOn } }

  /// The phone's list of recent calls, newest first: calls of apps that have ended and include calls in it.
  public var recents: [RecentCall] { book.recents }

  /// Answers a call; other connected calls are put on hold. They are ended if they can't be held, or if the app's
  /// configuration allows only one group of calls. Returns the error, if any.
  @discardableResult
  public func answer(_ uuid: UUID) -> (any Error)? {
    let others = all.filter { $0.phase == .connected && !$0.isOnHold && $0.uuid != uuid }
    let actions = others.map { book.canHold($0.uuid) ? hold($0.uuid) : CXEndCallAction(call: $0.uuid) }
    return request(actions + [CXAnswerCallAction(call: uuid)])
  }

  private func hold(_ uuid: UUID) -> CXAction { CXSetHeldCallAction(call: uuid, onHold: true) }

  /// Ends or declines a call. Returns the error, if any.
  @discardableResult
  public func end(_ uuid: UUID) -> (any Error)? { request([CXEndCallAction(call: uuid)]) }

  /// Holds or resumes a call. Returns the error, if any.
  @discardableResult
  public func setHeld(_ uuid: UUID, _ isOnHold: Bool) -> (any Error)? {
    request([CXSetHeldCallAction(call: uuid, onHold: isOnHold)])
  }

  /// Mutes or unmutes a call. Returns the error, if any.
  @discardableResult
  public func setMuted(_ uuid: UUID, _ isMuted: Bool) -> (any Error)? {
    request([CXSetMutedCallAction(call: uuid, muted: isMuted)])
  }

  /// Plays a tone. Returns the error, if any.
  @discardableResult
  public func play(_ uuid: UUID, _ digits: String) -> (any Error)? {
    request([CXPlayDTMFCallAction(call: uuid, digits: digits, type: .singleTone)])
  }

  /// Groups two calls, or removes a call from its group. Returns the error, if any.
  @discardableResult
  public func group(_ uuid: UUID, with other: UUID?) -> (any Error)? {
    request([CXSetGroupCallAction(call: uuid, callUUIDToGroupWith: other)])
  }

  /// Simulates a restart of the phone's call service: all calls are lost.
  public func resetProviders() {
    if let provider = book.withLock({ book.presentProvider }) { book.end(provider) }
  }

  private func request(_ actions: [CXAction]) -> (any Error)? {
    // Errors are reported before `request` returns.
    let refusal = OneAnswer<(any Error)?>()
    book.request(CXTransaction(actions: actions)) { refusal.give($0) }
    return refusal.wait()
  }
}

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

  var observed: CXCall {
    CXCall(
      uuid: uuid, isOutgoing: isOutgoing, isOnHold: isOnHold, hasConnected: connected != nil,
      hasEnded: hasEnded)
  }
}

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

/// An app's icon on the screen for calls. Apple: PNG data, a square with sides of 40 points, of which only the alpha
/// channel is used (documentation of `iconTemplateImageData`).
public struct CallIcon: Sendable, Equatable {
  /// The image.
  public let png: Data
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int

  /// Reads the size of an image; nil if the data is not in PNG format, so that the phone can't show it.
  init?(_ data: Data) {
    let bytes = [UInt8](data.prefix(24))
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    guard bytes.count == 24, Array(bytes[..<8]) == signature, Array(bytes[12..<16]) == Array("IHDR".utf8)
    else { return nil }
    func number(at start: Int) -> Int { bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
    png = data
    width = number(at: 16)
    height = number(at: 20)
  }

  /// Whether the image has the form that Apple asks for.
  public var isSquare: Bool { width == height && width > 0 }
}
