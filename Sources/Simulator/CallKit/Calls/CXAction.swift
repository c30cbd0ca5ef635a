// What is asked of a provider: to start, answer, end, hold, mute or group a call, or to play tones.

public import Foundation
import Synchronization

/// Something that is asked of a provider, which fulfils it or fails.
open class CXAction: NSObject {
  /// How an action ended.
  package enum Ending: Sendable {
    case fulfilled(at: Date?)
    case failed
  }

  /// The action's own identifier.
  public let uuid = UUID()
  /// When the phone considers it failed. The phone sets it when it dispatches the action.
  open package(set) var timeoutDate = Date.distantFuture

  private let ending = Mutex<Ending?>(nil)
  private let whenComplete = Mutex<(@Sendable (Ending) -> Void)?>(nil)

  /// Makes an action.
  public override init() { super.init() }

  /// Whether it was fulfilled, or failed.
  open var isComplete: Bool { ending.withLock { $0 != nil } }

  /// It was done.
  open func fulfill() { end(.fulfilled(at: nil)) }

  /// It could not be done.
  open func fail() { end(.failed) }

  /// Ends the action; only the first time counts.
  package func end(_ how: Ending) {
    let isFirst = ending.withLock { ending in
      if ending != nil { return false }
      ending = how
      return true
    }
    if isFirst { whenComplete.withLock { $0 }?(how) }
  }

  /// Sets what the phone does when the action ends.
  package func onEnding(_ handler: @escaping @Sendable (Ending) -> Void) {
    whenComplete.withLock { $0 = handler }
  }
}

/// An action on one call.
open class CXCallAction: CXAction {
  /// The call.
  public let callUUID: UUID

  /// Makes an action on a call.
  public init(call callUUID: UUID) {
    self.callUUID = callUUID
    super.init()
  }
}

/// Starts an outgoing call.
open class CXStartCallAction: CXCallAction {
  /// Who is called.
  open var handle: CXHandle
  /// The contact who is called, if one was chosen.
  open var contactIdentifier: String?
  /// Whether it is to have video.
  open var isVideo = false

  /// Makes the action.
  public init(call callUUID: UUID, handle: CXHandle) {
    self.handle = handle
    super.init(call: callUUID)
  }

  /// It was started then.
  open func fulfill(withDateStarted dateStarted: Date) { end(.fulfilled(at: dateStarted)) }
}

/// Answers an incoming call.
open class CXAnswerCallAction: CXCallAction {
  /// It was answered then.
  open func fulfill(withDateConnected dateConnected: Date) { end(.fulfilled(at: dateConnected)) }
}

/// Ends a call.
open class CXEndCallAction: CXCallAction {
  /// It ended then.
  open func fulfill(withDateEnded dateEnded: Date) { end(.fulfilled(at: dateEnded)) }
}

/// Holds a call, or goes on with it.
open class CXSetHeldCallAction: CXCallAction {
  /// Whether it is to be held.
  open var isOnHold: Bool

  /// Makes the action.
  public init(call callUUID: UUID, onHold: Bool) {
    isOnHold = onHold
    super.init(call: callUUID)
  }
}

/// Mutes a call, or unmutes it.
open class CXSetMutedCallAction: CXCallAction {
  /// Whether it is to be muted.
  open var isMuted: Bool

  /// Makes the action.
  public init(call callUUID: UUID, muted: Bool) {
    isMuted = muted
    super.init(call: callUUID)
  }
}

/// Adds a call to a group with another, or removes it.
open class CXSetGroupCallAction: CXCallAction {
  /// The other call; nil removes the call from its group.
  open var callUUIDToGroupWith: UUID?

  /// Makes the action.
  public init(call callUUID: UUID, callUUIDToGroupWith: UUID?) {
    self.callUUIDToGroupWith = callUUIDToGroupWith
    super.init(call: callUUID)
  }
}

/// Plays tones.
open class CXPlayDTMFCallAction: CXCallAction {
  /// What sort of tones.
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
  /// What sort of tones.
  open var type: ActionType

  /// Makes the action.
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

  /// Makes a transaction.
  public init(actions: [CXAction]) {
    self.actions = actions
    super.init()
  }

  /// Makes a transaction of one action.
  public convenience init(action: CXAction) { self.init(actions: [action]) }

  /// Makes an empty transaction.
  public override convenience init() { self.init(actions: []) }

  /// Adds an action at the end.
  open func addAction(_ action: CXAction) { actions.append(action) }

  /// Whether all actions were fulfilled, or failed.
  open var isComplete: Bool { actions.allSatisfy(\.isComplete) }
}
