// Runs transactions: checks them as a whole, passes their actions to the provider, and applies the results.

import AppExtensions
import CallKit
import Dispatch
import Foundation

extension CallBook {
  /// Checks a transaction and runs it if it is possible.
  func run(_ transaction: CXTransaction, completion: @escaping @Sendable ((any Error)?) -> Void) {
    let provider: CXProvider
    do {
      provider = try withLock { try accept(transaction) }
    } catch {
      completion(error)
      return
    }
    for action in transaction.actions {
      action.timeoutDate = Date(timeIntervalSinceNow: actionSeconds)
      let ended = WeakSendableBox(action)
      action.onEnding { how in
        if let action = ended.value { self.conclude(action, how) }
      }
      if let start = action as? CXStartCallAction { announce(start.callUUID) }
    }
    completion(nil)
    let handed = SendableBox(transaction)
    onQueue(of: provider) { provider, delegate in
      if delegate.provider(provider, execute: handed.value) { return }
      for action in handed.value.actions where !action.isComplete { Self.perform(action, provider, delegate) }
    }
    watch(transaction, provider)
  }

  /// Checks every action and adds the calls that start. Requires the lock. Changes nothing if it throws.
  private func accept(_ transaction: CXTransaction) throws -> CXProvider {
    guard !transaction.actions.isEmpty else { throw CXErrorCodeRequestTransactionError(.emptyTransaction) }
    var provider: CXProvider?
    var starts: [CXStartCallAction] = []
    for action in transaction.actions {
      guard let action = action as? CXCallAction, !action.isComplete else {
        throw CXErrorCodeRequestTransactionError(.invalidAction)
      }
      let isStarted = starts.contains { $0.callUUID == action.callUUID }
      if let start = action as? CXStartCallAction {
        guard entry(start.callUUID) == nil, !isStarted else {
          throw CXErrorCodeRequestTransactionError(.callUUIDAlreadyExists)
        }
        guard let present = provider ?? presentProvider, present.delegate != nil else {
          throw CXErrorCodeRequestTransactionError(.unknownCallProvider)
        }
        guard groups + starts.count < present.settings.maximumCallGroups else {
          throw CXErrorCodeRequestTransactionError(.maximumCallGroupsReached)
        }
        provider = present
        starts.append(start)
      } else if !isStarted {
        guard let known = entry(action.callUUID), !known.call.hasEnded else {
          throw CXErrorCodeRequestTransactionError(.unknownCallUUID)
        }
        guard let its = known.provider, !its.isInvalidated, its.delegate != nil else {
          throw CXErrorCodeRequestTransactionError(.unknownCallProvider)
        }
        guard isPossible(action, known) else { throw CXErrorCodeRequestTransactionError(.invalidAction) }
        provider = provider ?? its
      }
    }
    guard let provider else { throw CXErrorCodeRequestTransactionError(.unknownCallProvider) }
    for start in starts {
      let update = CXCallUpdate()
      update.remoteHandle = start.handle
      update.hasVideo = start.isVideo
      add(PhoneCall(start.callUUID, isOutgoing: true), provider, update)
    }
    add(transaction, provider)
    return provider
  }

  /// Whether an action is possible in a call's phase and supported by the app.
  private func isPossible(_ action: CXCallAction, _ entry: CallEntry) -> Bool {
    let phase = entry.call.phase
    switch action {
    case is CXAnswerCallAction: return phase == .ringing
    case is CXSetHeldCallAction: return phase == .connected && entry.update.holding != false
    case is CXPlayDTMFCallAction: return phase == .connected && entry.update.dtmf != false
    case let group as CXSetGroupCallAction:
      guard let other = group.callUUIDToGroupWith else { return entry.update.ungrouping != false }
      guard let partner = self.entry(other), !partner.call.hasEnded, other != group.callUUID else {
        return false
      }
      let size = members(of: entry.call.group) + members(of: partner.call.group)
      let sizeMax = entry.provider?.settings.maximumCallsPerCallGroup ?? 0
      return phase == .connected && entry.update.grouping != false && size <= sizeMax
    default: return true
    }
  }

  private static func perform(_ action: CXAction, _ provider: CXProvider, _ delegate: any CXProviderDelegate)
  {
    switch action {
    case let action as CXStartCallAction: delegate.provider(provider, perform: action)
    case let action as CXAnswerCallAction: delegate.provider(provider, perform: action)
    case let action as CXEndCallAction: delegate.provider(provider, perform: action)
    case let action as CXSetHeldCallAction: delegate.provider(provider, perform: action)
    case let action as CXSetMutedCallAction: delegate.provider(provider, perform: action)
    case let action as CXSetGroupCallAction: delegate.provider(provider, perform: action)
    case let action as CXPlayDTMFCallAction: delegate.provider(provider, perform: action)
    default: action.fail()
    }
  }

  /// Fails the actions that the app has not completed in time, and notifies the app.
  private func watch(_ transaction: CXTransaction, _ provider: CXProvider) {
    let (handed, its) = (SendableBox(transaction), SendableBox(provider))
    DispatchQueue.global().asyncAfter(deadline: .now() + actionSeconds) {
      for action in handed.value.actions where !action.isComplete {
        let late = SendableBox(action)
        self.onQueue(of: its.value) { provider, delegate in
          delegate.provider(provider, timedOutPerforming: late.value)
        }
        action.fail()
      }
    }
  }

  /// Applies the result of an action that has ended.
  private func conclude(_ action: CXAction, _ how: CXAction.Ending) {
    guard let action = action as? CXCallAction else { return }
    let uuid = action.callUUID
    guard case .fulfilled(let date) = how else {
      // A call that could not start has ended; other failed actions don't change a call.
      if action is CXStartCallAction || action is CXAnswerCallAction {
        change(uuid) { call in
          call.phase = .ended(.failed)
          call.ended = Date()
        }
      }
      return
    }
    switch action {
    case is CXStartCallAction:
      // The app may have reported progress before it fulfilled.
      change(uuid) { if $0.phase == .starting { $0.phase = .connecting } }
    case is CXAnswerCallAction:
      change(uuid) { call in
        call.phase = .connected
        call.connected = date ?? Date()
      }
    case is CXEndCallAction:
      change(uuid) { call in
        call.phase = .ended(.byAction)
        call.ended = date ?? Date()
      }
    case let held as CXSetHeldCallAction: change(uuid) { $0.isOnHold = held.isOnHold }
    case let muted as CXSetMutedCallAction: change(uuid) { $0.isMuted = muted.isMuted }
    case let group as CXSetGroupCallAction: self.group(uuid, with: group.callUUIDToGroupWith)
    case let tones as CXPlayDTMFCallAction: change(uuid) { $0.playedDigits += tones.digits }
    default: break
    }
  }
}
