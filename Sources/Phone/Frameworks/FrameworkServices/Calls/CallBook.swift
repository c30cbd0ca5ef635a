// The calls of the apps on a phone, with their providers and observers. Transactions are checked as a whole; then their
// actions are passed to the provider, and the results applied.

import AppExtensions
import CallKit
import Dispatch
import Foundation
import SimulatedPhone

/// The calls of the apps.
///
/// `@unchecked Sendable`: every stored property below `lock` is accessed only while the lock is held; code that runs
/// while it is held does not call back.
final class CallBook: @unchecked Sendable {
  /// The number of ended calls that are kept for inspection.
  static let endedCallsMax = 100
  static let recentCallsMax = 100

  let phone: SimulatedPhone
  /// The time limit for an action in seconds. iOS's limit is not documented.
  let actionSeconds: Double

  private let lock = NSLock()
  private var providers: [WeakSendableBox<CXProvider>] = []
  private var observers: [WeakSendableBox<CXCallObserver>] = []
  private var entries: [CallEntry] = []
  private var transactions: [PendingTransaction] = []
  private var recentCalls: [RecentCall] = []
  private var incomingReports = 0
  private var isSoundActive = false
  /// Whether Do Not Disturb is on. Requires the lock.
  var disturbsNobody = false

  struct CallEntry {
    var call: PhoneCall
    weak var provider: CXProvider?
    let update: CXCallUpdate
  }

  private struct PendingTransaction {
    weak var provider: CXProvider?
    let transaction: CXTransaction
  }

  init(_ phone: SimulatedPhone, actionSeconds: Double) {
    self.phone = phone
    self.actionSeconds = actionSeconds
  }

  // MARK: With the lock held

  func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }

  /// Returns the entry of a call. Requires the lock.
  func entry(_ uuid: UUID) -> CallEntry? { entries.first { $0.call.uuid == uuid } }

  /// The provider that would make a new call. Requires the lock.
  var presentProvider: CXProvider? {
    providers.reversed().lazy.compactMap(\.value).first { !$0.isInvalidated }
  }

  /// The calls of a group that have not ended. Requires the lock.
  func members(of group: UUID) -> Int { entries.filter { !$0.call.hasEnded && $0.call.group == group }.count }

  /// The number of call groups. Requires the lock.
  var groups: Int { Set(entries.filter { !$0.call.hasEnded }.map(\.call.group)).count }

  /// Adds a call. Requires the lock.
  func add(_ call: PhoneCall, _ provider: CXProvider, _ update: CXCallUpdate) {
    var call = call
    describe(&call, update, provider)
    if !call.isOutgoing {
      let isBusy = entries.contains { $0.call.phase == .connected }
      call.alert = isBusy ? .callWaiting : .ringtone(provider.settings.ringtoneSound)
    }
    call.icon = provider.settings.iconTemplateImageData.flatMap { CallIcon($0) }
    entries.append(CallEntry(call: call, provider: provider, update: update))
    var surplus = entries.filter(\.call.hasEnded).count - Self.endedCallsMax
    entries.removeAll { entry in
      guard surplus > 0, entry.call.hasEnded else { return false }
      surplus -= 1
      return true
    }
  }

  /// Adds a running transaction and removes completed ones. Requires the lock.
  func add(_ transaction: CXTransaction, _ provider: CXProvider) {
    transactions.removeAll { $0.provider == nil || $0.transaction.isComplete }
    transactions.append(PendingTransaction(provider: provider, transaction: transaction))
  }

  private func describe(_ call: inout PhoneCall, _ update: CXCallUpdate, _ provider: CXProvider?) {
    call.handle = update.remoteHandle?.value ?? call.handle
    call.hasVideo = (update.video ?? call.hasVideo) && provider?.settings.supportsVideo == true
    let contact = call.handle.flatMap { phone.contact($0) }
    call.shownName = update.localizedCallerName ?? contact ?? call.handle ?? ""
  }

  // MARK: Changes

  /// Changes a call that has not ended, and notifies the observers.
  func change(_ uuid: UUID, _ body: (inout PhoneCall) -> Void) {
    let changed: PhoneCall? = withLock {
      guard let place = entries.firstIndex(where: { $0.call.uuid == uuid && !$0.call.hasEnded }) else {
        return nil
      }
      // Change a copy, because `body` may read the entries.
      var call = entries[place].call
      body(&call)
      if entries[place].call == call { return nil }
      entries[place].call = call
      list(call, entries[place].provider)
      return call
    }
    guard let changed else { return }
    tellObservers(changed)
    adjustSound(uuid)
  }

  /// Adds a call that has ended to the recent calls, if its app wants that. Requires the lock.
  private func list(_ call: PhoneCall, _ provider: CXProvider?) {
    guard let recent = RecentCall(call), provider?.settings.includesCallsInRecents == true else { return }
    recentCalls.insert(recent, at: 0)
    if recentCalls.count > Self.recentCallsMax { recentCalls.removeLast() }
  }

  /// Moves a call to the group of another call, or to its own group.
  func group(_ uuid: UUID, with other: UUID?) {
    let group = withLock { other.flatMap { entry($0)?.call.group } } ?? uuid
    change(uuid) { $0.group = group }
  }

  /// Activates audio while a call is connecting or connected.
  private func adjustSound(_ uuid: UUID) {
    let notified: (provider: CXProvider, isActive: Bool)? = withLock {
      let wants = entries.contains { $0.call.phase == .connected || $0.call.phase == .connecting }
      guard wants != isSoundActive, let provider = entry(uuid)?.provider else { return nil }
      isSoundActive = wants
      return (provider, wants)
    }
    guard let notified else { return }
    let isActive = notified.isActive
    onQueue(of: notified.provider) { provider, delegate in
      if isActive {
        delegate.provider(provider, didActivate: AVAudioSession.sharedInstance())
      } else {
        delegate.provider(provider, didDeactivate: AVAudioSession.sharedInstance())
      }
    }
  }

  func onQueue(
    of provider: CXProvider, _ body: @escaping @Sendable (CXProvider, any CXProviderDelegate) -> Void
  ) {
    // The queue runs one block at a time; Apple's classes are passed to it in the same way.
    let handed = SendableBox(provider)
    provider.queue.async {
      if let delegate = handed.value.delegate { body(handed.value, delegate) }
    }
  }

  private func tellObservers(_ call: PhoneCall) {
    let present = withLock {
      observers.removeAll { $0.value == nil }
      return observers.compactMap(\.value)
    }
    for observer in present {
      let handed = SendableBox(observer)
      observer.queue.async {
        handed.value.delegate?.callObserver(handed.value, callChanged: call.observed)
      }
    }
  }

  func announce(_ uuid: UUID) {
    if let call = withLock({ entry(uuid)?.call }) { tellObservers(call) }
  }

  // MARK: Lists

  var all: [PhoneCall] { withLock { entries.map(\.call) } }

  var recents: [RecentCall] { withLock { recentCalls } }

  var reports: Int { withLock { incomingReports } }

  var hasCalls: Bool { withLock { entries.contains { !$0.call.hasEnded } } }

  /// Whether a connected call can be held while another one is connected.
  func canHold(_ uuid: UUID) -> Bool {
    withLock {
      guard let entry = entry(uuid), let provider = entry.provider else { return false }
      return entry.update.holding != false && provider.settings.maximumCallGroups > 1
    }
  }

  func pendingTransactions(_ provider: CXProvider) -> [CXTransaction] {
    withLock {
      transactions.filter { $0.provider === provider && !$0.transaction.isComplete }.map(\.transaction)
    }
  }

  func attach(_ provider: CXProvider) {
    withLock {
      providers.removeAll { $0.value == nil }
      providers.append(WeakSendableBox(provider))
    }
  }

  func attach(_ observer: CXCallObserver) {
    withLock {
      observers.removeAll { $0.value == nil }
      observers.append(WeakSendableBox(observer))
    }
  }

  func calls(of provider: CXProvider) -> [UUID] {
    withLock { entries.filter { $0.provider === provider && !$0.call.hasEnded }.map(\.call.uuid) }
  }
}

extension CallBook: CallingPhone {
  func delegateChanged(_ provider: CXProvider) {
    onQueue(of: provider) { provider, delegate in delegate.providerDidBegin(provider) }
  }

  func detach(_ provider: CXProvider) { end(provider) }

  func end(_ provider: CXProvider) {
    for uuid in calls(of: provider) {
      change(uuid) { call in
        call.phase = .ended(.failed)
        call.ended = Date()
      }
    }
    for action in pendingTransactions(provider).flatMap(\.actions) { action.fail() }
    onQueue(of: provider) { provider, delegate in delegate.providerDidReset(provider) }
  }

  var calls: [CXCall] { all.filter { !$0.hasEnded }.map(\.observed) }

  func reportIncoming(
    _ provider: CXProvider, _ call: UUID, _ update: CXCallUpdate,
    completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let isBlocked =
      update.remoteHandle.map { $0.type == .phoneNumber && phone.isBlockedByOwner($0.value) } ?? false
    let refusal: CXErrorCodeIncomingCallError? = withLock {
      // Also one that is refused.
      incomingReports += 1
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
    withLock { entry(call)?.update.merge(update) }
    change(call) { call in
      if let entry = entry(call.uuid) { describe(&call, entry.update, entry.provider) }
    }
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

extension CallBook {
  /// Checks a transaction and runs it if it is possible.
  func request(_ transaction: CXTransaction, completion: @escaping @Sendable ((any Error)?) -> Void) {
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
