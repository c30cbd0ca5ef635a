// The calls of the apps on a phone, with their providers and observers.
//
// Not for the owner's actions (SimulatedCalls) or running transactions (CallBook+Transactions).

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
  /// The number of calls in the list of recent calls.
  static let recentCallsMax = 100

  let phone: SimulatedPhone
  /// The time limit for an action in seconds. iOS's limit is not documented.
  let actionSeconds: Double

  private let lock = NSLock()
  private var providers: [WeakProvider] = []
  private var observers: [WeakObserver] = []
  private var entries: [CallEntry] = []
  private var transactions: [PendingTransaction] = []
  private var recentCalls: [RecentCall] = []
  private var incomingReports = 0
  private var isSoundActive = false
  private var isUndisturbed = false

  private struct WeakProvider {
    weak var provider: CXProvider?
  }

  private struct WeakObserver {
    weak var observer: CXCallObserver?
  }

  /// A call, its app, and the app's description of it.
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

  /// Whether Do Not Disturb is on. Requires the lock.
  var disturbsNobody: Bool {
    get { isUndisturbed }
    set { isUndisturbed = newValue }
  }

  /// The provider that would make a new call. Requires the lock.
  var presentProvider: CXProvider? {
    providers.reversed().lazy.compactMap(\.provider).first { !$0.isInvalidated }
  }

  /// Counts a report of an incoming call, also of one that is refused. Requires the lock.
  func countReport() { incomingReports += 1 }

  /// The calls of a group that have not ended. Requires the lock.
  func members(of group: UUID) -> Int {
    entries.filter { !$0.call.hasEnded && $0.call.group == group }.count
  }

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

  /// Applies an app's update of a call.
  func merge(_ update: CXCallUpdate, _ uuid: UUID) {
    withLock { entry(uuid)?.update.merge(update) }
    change(uuid) { call in
      if let entry = entry(call.uuid) { describe(&call, entry.update, entry.provider) }
    }
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

  /// Calls a provider's delegate on its queue.
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
      observers.removeAll { $0.observer == nil }
      return observers.compactMap(\.observer)
    }
    for observer in present {
      let handed = SendableBox(observer)
      observer.queue.async {
        handed.value.delegate?.callObserver(handed.value, callChanged: call.observed)
      }
    }
  }

  /// Notifies the observers of a call that was added.
  func announce(_ uuid: UUID) {
    if let call = withLock({ entry(uuid)?.call }) { tellObservers(call) }
  }

  // MARK: Lists

  /// All calls, including recently ended ones.
  var all: [PhoneCall] { withLock { entries.map(\.call) } }

  /// The recent calls, newest first.
  var recents: [RecentCall] { withLock { recentCalls } }

  /// How often apps have reported an incoming call.
  var reports: Int { withLock { incomingReports } }

  /// Whether a call has not ended.
  var hasCalls: Bool { withLock { entries.contains { !$0.call.hasEnded } } }

  /// Whether a connected call can be held while another one is connected.
  func canHold(_ uuid: UUID) -> Bool {
    withLock {
      guard let entry = entry(uuid), let provider = entry.provider else { return false }
      return entry.update.holding != false && provider.settings.maximumCallGroups > 1
    }
  }

  /// Transactions that are not complete.
  func pending(_ provider: CXProvider) -> [CXTransaction] {
    withLock {
      transactions.filter { $0.provider === provider && !$0.transaction.isComplete }.map(\.transaction)
    }
  }

  func append(_ provider: CXProvider) {
    withLock {
      providers.removeAll { $0.provider == nil }
      providers.append(WeakProvider(provider: provider))
    }
  }

  func append(_ observer: CXCallObserver) {
    withLock {
      observers.removeAll { $0.observer == nil }
      observers.append(WeakObserver(observer: observer))
    }
  }

  /// The calls of a provider that have not ended.
  func calls(of provider: CXProvider) -> [UUID] {
    withLock { entries.filter { $0.provider === provider && !$0.call.hasEnded }.map(\.call.uuid) }
  }
}
