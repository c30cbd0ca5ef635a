// The reports of apps about their calls.

import CallKit
import Foundation
import SimulatedPhone

extension CallBook: CallingPhone {
  func attach(_ provider: CXProvider) { append(provider) }

  func delegateChanged(_ provider: CXProvider) {
    onQueue(of: provider) { provider, delegate in delegate.providerDidBegin(provider) }
  }

  func detach(_ provider: CXProvider) { end(provider) }

  /// Ends all calls of a provider and notifies it.
  func end(_ provider: CXProvider) {
    for uuid in calls(of: provider) {
      change(uuid) { call in
        call.phase = .ended(.failed)
        call.ended = Date()
      }
    }
    for action in pending(provider).flatMap(\.actions) { action.fail() }
    onQueue(of: provider) { provider, delegate in delegate.providerDidReset(provider) }
  }

  func attach(_ observer: CXCallObserver) { append(observer) }

  var calls: [CXCall] { all.filter { !$0.hasEnded }.map(\.observed) }

  func pendingTransactions(_ provider: CXProvider) -> [CXTransaction] { pending(provider) }

  func request(_ transaction: CXTransaction, completion: @escaping @Sendable ((any Error)?) -> Void) {
    run(transaction, completion: completion)
  }

  func reportIncoming(
    _ provider: CXProvider, _ call: UUID, _ update: CXCallUpdate,
    completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let isBlocked =
      update.remoteHandle.map { $0.type == .phoneNumber && phone.isBlockedByOwner($0.value) } ?? false
    let refusal: CXErrorCodeIncomingCallError? = withLock {
      countReport()
      if provider.isInvalidated { return CXErrorCodeIncomingCallError(.unknown) }
      if entry(call) != nil { return CXErrorCodeIncomingCallError(.callUUIDAlreadyExists) }
      if isBlocked { return CXErrorCodeIncomingCallError(.filteredByBlockList) }
      if disturbsNobody { return CXErrorCodeIncomingCallError(.filteredByDoNotDisturb) }
      let kept = CXCallUpdate()
      kept.merge(update)
      add(PhoneCall(call, isOutgoing: false), provider, kept)
      return nil
    }
    if refusal == nil { announce(call) }
    provider.queue.async { completion(refusal) }
  }

  func report(_ provider: CXProvider, _ call: UUID, _ update: CXCallUpdate) {
    merge(update, call)
  }

  func reportEnded(_ provider: CXProvider, _ call: UUID, at date: Date, _ reason: CXCallEndedReason) {
    change(call) { call in
      call.phase = .ended(PhoneCall.Ending(rawValue: reason.rawValue) ?? .failed)
      call.ended = date
    }
  }

  func reportOutgoing(_ provider: CXProvider, _ call: UUID, at date: Date, isConnected: Bool) {
    change(call) { call in
      guard call.isOutgoing, call.phase == .starting || call.phase == .connecting else { return }
      call.phase = isConnected ? .connected : .connecting
      if isConnected { call.connected = date }
    }
  }
}
