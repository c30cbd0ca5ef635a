// The phone owner's interface to the apps' calls.

import CallKit
public import FoundationEssentials
import SimulatedPhone

/// The calls of apps on a phone. Usable from any thread.
public final class SimulatedCalls: Sendable {
  let book: CallBook

  init(_ book: CallBook) {
    self.book = book
  }

  /// The calls, including recently ended ones, oldest first.
  public var all: [PhoneCall] { book.all }

  /// Returns a call by its id.
  public subscript(_ uuid: UUID) -> PhoneCall? { book.withLock { book.entry(uuid)?.call } }

  /// Sets Do Not Disturb. While it is on, incoming calls are rejected.
  public func setDoNotDisturb(_ isOn: Bool) {
    book.withLock { book.disturbsNobody = isOn }
  }

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
    // Errors are reported before `run` returns.
    let refusal = OneAnswer<(any Error)?>()
    book.run(CXTransaction(actions: actions)) { refusal.give($0) }
    return refusal.wait()
  }
}
