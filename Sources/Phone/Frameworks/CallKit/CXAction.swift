// The actions that a provider performs: start, answer, end, hold, mute or group a call, or play tones.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
import Synchronization

open class CXAction: NSObject {
  package enum Ending: Sendable {
    case fulfilled(at: Date?)
    case failed
  }

  public let uuid = UUID()
  /// The time at which the phone considers the action failed. The phone sets it when it dispatches the action.
  open package(set) var timeoutDate = Date.distantFuture

  private let ending = Mutex<Ending?>(nil)
  private let whenComplete = Mutex<(@Sendable (Ending) -> Void)?>(nil)

  public override init() { super.init() }

  open var isComplete: Bool { ending.withLock { $0 != nil } }

  open func fulfill() { end(.fulfilled(at: nil)) }

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

open class CXCallAction: CXAction {
  public let callUUID: UUID

  public init(call callUUID: UUID) {
    self.callUUID = callUUID
    super.init()
  }
}

open class CXStartCallAction: CXCallAction {
  open var handle: CXHandle
  open var contactIdentifier: String?
  open var isVideo = false

  public init(call callUUID: UUID, handle: CXHandle) {
    self.handle = handle
    super.init(call: callUUID)
  }

  open func fulfill(withDateStarted dateStarted: Date) { end(.fulfilled(at: dateStarted)) }
}

open class CXAnswerCallAction: CXCallAction {
  open func fulfill(withDateConnected dateConnected: Date) { end(.fulfilled(at: dateConnected)) }
}

open class CXEndCallAction: CXCallAction {
  open func fulfill(withDateEnded dateEnded: Date) { end(.fulfilled(at: dateEnded)) }
}

open class CXSetHeldCallAction: CXCallAction {
  open var isOnHold: Bool

  public init(call callUUID: UUID, onHold: Bool) {
    isOnHold = onHold
    super.init(call: callUUID)
  }
}

open class CXSetMutedCallAction: CXCallAction {
  open var isMuted: Bool

  public init(call callUUID: UUID, muted: Bool) {
    isMuted = muted
    super.init(call: callUUID)
  }
}

open class CXSetGroupCallAction: CXCallAction {
  open var callUUIDToGroupWith: UUID?

  public init(call callUUID: UUID, callUUIDToGroupWith: UUID?) {
    self.callUUIDToGroupWith = callUUIDToGroupWith
    super.init(call: callUUID)
  }
}

open class CXPlayDTMFCallAction: CXCallAction {
  public enum ActionType: Int, Sendable {
    case singleTone = 1
    case softPause = 2
    case hardPause = 3
  }

  open var digits: String
  open var type: ActionType

  public init(call callUUID: UUID, digits: String, type: ActionType) {
    self.digits = digits
    self.type = type
    super.init(call: callUUID)
  }
}

open class CXTransaction: NSObject {
  public let uuid = UUID()
  open private(set) var actions: [CXAction]

  public init(actions: [CXAction]) {
    self.actions = actions
    super.init()
  }

  public convenience init(action: CXAction) { self.init(actions: [action]) }

  public override convenience init() { self.init(actions: []) }

  open func addAction(_ action: CXAction) { actions.append(action) }

  open var isComplete: Bool { actions.allSatisfy(\.isComplete) }
}
