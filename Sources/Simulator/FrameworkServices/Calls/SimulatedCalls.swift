// What the owner of the phone sees of apps' calls, and does with them.

import CallKit
public import FoundationEssentials
import SimulatedPhone

/// The calls of apps on a phone. Any thread may use it.
public final class SimulatedCalls: Sendable {
  let book: CallBook

  init(_ book: CallBook) {
    self.book = book
  }

  /// The calls, also those that ended lately, the oldest first.
  public var all: [PhoneCall] { book.all }

  /// A call.
  public subscript(_ uuid: UUID) -> PhoneCall? { book.withLock { book.entry(uuid)?.call } }

  /// Whether the owner does not want to be disturbed; incoming calls are refused then.
  public func setDoNotDisturb(_ isOn: Bool) {
    book.withLock { book.disturbsNobody = isOn }
  }

  /// Answers a call; other connected calls are held. Returns why that is not possible.
  @discardableResult
  public func answer(_ uuid: UUID) -> (any Error)? {
    let others = all.filter { $0.phase == .connected && !$0.isOnHold && $0.uuid != uuid }
    let holds = others.map { CXSetHeldCallAction(call: $0.uuid, onHold: true) }
    return request(holds + [CXAnswerCallAction(call: uuid)])
  }

  /// Ends a call, or declines it. Returns why that is not possible.
  @discardableResult
  public func end(_ uuid: UUID) -> (any Error)? { request([CXEndCallAction(call: uuid)]) }

  /// Holds a call, or goes on with it. Returns why that is not possible.
  @discardableResult
  public func setHeld(_ uuid: UUID, _ isOnHold: Bool) -> (any Error)? {
    request([CXSetHeldCallAction(call: uuid, onHold: isOnHold)])
  }

  /// Mutes a call, or unmutes it. Returns why that is not possible.
  @discardableResult
  public func setMuted(_ uuid: UUID, _ isMuted: Bool) -> (any Error)? {
    request([CXSetMutedCallAction(call: uuid, muted: isMuted)])
  }

  /// Plays a tone. Returns why that is not possible.
  @discardableResult
  public func play(_ uuid: UUID, _ digits: String) -> (any Error)? {
    request([CXPlayDTMFCallAction(call: uuid, digits: digits, type: .singleTone)])
  }

  /// Makes one conversation of two calls, or removes a call from one. Returns why that is not possible.
  @discardableResult
  public func group(_ uuid: UUID, with other: UUID?) -> (any Error)? {
    request([CXSetGroupCallAction(call: uuid, callUUIDToGroupWith: other)])
  }

  /// Restarts the system; all calls are lost.
  public func resetProviders() {
    if let provider = book.withLock({ book.presentProvider }) { book.end(provider) }
  }

  private func request(_ actions: [CXAction]) -> (any Error)? {
    // Refusals come before `run` returns.
    let refusal = OneAnswer<(any Error)?>()
    book.run(CXTransaction(actions: actions)) { refusal.give($0) }
    return refusal.wait()
  }
}
