// The actions that a provider performs: start, answer, end, hold, mute or group a call, or play tones.

public import Foundation
import Synchronization

/// An action that a provider has to perform. It ends by being fulfilled or failed.
open class CXAction: NSObject {
  package enum Ending: Sendable {
    case fulfilled(at: Date?)
    case failed
  }

  /// The action's own identifier.
  public let uuid = UUID()
  /// The time at which the phone considers the action failed. The phone sets it when it dispatches the action.
  open package(set) var timeoutDate = Date.distantFuture

  private let ending = Mutex<Ending?>(nil)
  private let whenComplete = Mutex<(@Sendable (Ending) -> Void)?>(nil)

  /// Creates an action.
  public override init() { super.init() }

  /// Whether the action was fulfilled or failed.
  open var isComplete: Bool { ending.withLock { $0 != nil } }

  /// Reports that the action was performed.
  open func fulfill() { end(.fulfilled(at: nil)) }

  /// Reports that the action could not be performed.
  open func fail() { end(.failed) }

  /// Ends the action. Only the first call has an effect.
  package func end(_ how: Ending) {
    let isFirst = ending.withLock { ending in
      if ending != nil { return false }
      ending = how
      return true
    }
    if isFirst { whenComplete.withLock { $0 }?(how) }
  }

  package func onEnding(_ handler: @escaping @Sendable (Ending) -> Void) {
    whenComplete.withLock { $0 = handler }
  }
}

/// An action on one call.
open class CXCallAction: CXAction {
  /// The call's id.
  public let callUUID: UUID

  /// Creates an action on a call.
  public init(call callUUID: UUID) {
    self.callUUID = callUUID
    super.init()
  }
}

/// Starts an outgoing call.
open class CXStartCallAction: CXCallAction {
  /// The number or address to call.
  open var handle: CXHandle
  /// The contact to call, if one was chosen.
  open var contactIdentifier: String?
  /// Whether the call has video.
  open var isVideo = false

  /// Creates the action.
  public init(call callUUID: UUID, handle: CXHandle) {
    self.handle = handle
    super.init(call: callUUID)
  }

  /// Reports that the call was started at a time.
  open func fulfill(withDateStarted dateStarted: Date) { end(.fulfilled(at: dateStarted)) }
}

/// Answers an incoming call.
open class CXAnswerCallAction: CXCallAction {
  /// Reports that the call was answered at a time.
  open func fulfill(withDateConnected dateConnected: Date) { end(.fulfilled(at: dateConnected)) }
}

/// Ends a call.
open class CXEndCallAction: CXCallAction {
  /// Reports that the call ended at a time.
  open func fulfill(withDateEnded dateEnded: Date) { end(.fulfilled(at: dateEnded)) }
}

/// Holds or resumes a call.
open class CXSetHeldCallAction: CXCallAction {
  /// Whether to hold the call.
  open var isOnHold: Bool

  /// Creates the action.
  public init(call callUUID: UUID, onHold: Bool) {
    isOnHold = onHold
    super.init(call: callUUID)
  }
}

/// Mutes or unmutes a call.
open class CXSetMutedCallAction: CXCallAction {
  /// Whether to mute the call.
  open var isMuted: Bool

  /// Creates the action.
  public init(call callUUID: UUID, muted: Bool) {
    isMuted = muted
    super.init(call: callUUID)
  }
}

/// Groups a call with another one, or removes it from its group.
open class CXSetGroupCallAction: CXCallAction {
  /// The other call; nil removes the call from its group.
  open var callUUIDToGroupWith: UUID?

  /// Creates the action.
  public init(call callUUID: UUID, callUUIDToGroupWith: UUID?) {
    self.callUUIDToGroupWith = callUUIDToGroupWith
    super.init(call: callUUID)
  }
}

/// Plays tones.
open class CXPlayDTMFCallAction: CXCallAction {
  /// The type of the tones.
  public enum ActionType: Int, Sendable {
    /// One tone.
    case singleTone = 1
    /// Tones after a soft pause.
    case softPause = 2
    /// Tones after a hard pause.
    case hardPause = 3
  }

  /// The digits.
  open var digits: String
  /// The type of the tones.
  open var type: ActionType

  /// Creates the action.
  public init(call callUUID: UUID, digits: String, type: ActionType) {
    self.digits = digits
    self.type = type
    super.init(call: callUUID)
  }
}

/// Actions that belong together.
open class CXTransaction: NSObject {
  /// The transaction's own identifier.
  public let uuid = UUID()
  /// The actions, in order.
  open private(set) var actions: [CXAction]

  /// Creates a transaction.
  public init(actions: [CXAction]) {
    self.actions = actions
    super.init()
  }

  /// Creates a transaction of one action.
  public convenience init(action: CXAction) { self.init(actions: [action]) }

  /// Creates an empty transaction.
  public override convenience init() { self.init(actions: []) }

  /// Adds an action at the end.
  open func addAction(_ action: CXAction) { actions.append(action) }

  /// Whether all actions were fulfilled or failed.
  open var isComplete: Bool { actions.allSatisfy(\.isComplete) }
}
