// The calls of the apps on a phone, and who makes and watches them.
//
// Not for: what the owner does with them (SimulatedCalls), or how transactions run (CallBook+Transactions).

import AppExtensions
import CallKit
import Dispatch
import Foundation
import SimulatedPhone

/// The calls of the apps.
///
/// `@unchecked Sendable`: every stored property below `lock` is read and written with it held, and nowhere else; what is
/// called while it is held calls nothing back.
final class CallBook: @unchecked Sendable {
  /// The number of ended calls that are kept for inspection.
  static let endedCallsMax = 100

  let phone: SimulatedPhone
  /// How long an app may take for an action, in seconds. Nobody documents iOS's limit.
  let actionSeconds: Double

  private let lock = NSLock()
  private var providers: [WeakProvider] = []
  private var observers: [WeakObserver] = []
  private var entries: [CallEntry] = []
  private var transactions: [PendingTransaction] = []
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

  // MARK: Under the lock

  func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }

  /// The entry of a call; only with the lock held.
  func entry(_ uuid: UUID) -> CallEntry? { entries.first { $0.call.uuid == uuid } }

  /// Whether the owner does not want to be disturbed; only with the lock held.
  var disturbsNobody: Bool {
    get { isUndisturbed }
    set { isUndisturbed = newValue }
  }

  /// The provider that would make a new call; only with the lock held.
  var presentProvider: CXProvider? {
    providers.reversed().lazy.compactMap(\.provider).first { !$0.isInvalidated }
  }

  /// How many groups of calls there are; only with the lock held.
  var groups: Int { Set(entries.filter { !$0.call.hasEnded }.map(\.call.group)).count }

  /// Adds a call; only with the lock held.
  func add(_ call: PhoneCall, _ provider: CXProvider, _ update: CXCallUpdate) {
    var call = call
    describe(&call, update)
    entries.append(CallEntry(call: call, provider: provider, update: update))
    var surplus = entries.filter(\.call.hasEnded).count - Self.endedCallsMax
    entries.removeAll { entry in
      guard surplus > 0, entry.call.hasEnded else { return false }
      surplus -= 1
      return true
    }
  }

  /// Adds a transaction that runs, and forgets those that are done; only with the lock held.
  func add(_ transaction: CXTransaction, _ provider: CXProvider) {
    transactions.removeAll { $0.provider == nil || $0.transaction.isComplete }
    transactions.append(PendingTransaction(provider: provider, transaction: transaction))
  }

  private func describe(_ call: inout PhoneCall, _ update: CXCallUpdate) {
    call.handle = update.remoteHandle?.value ?? call.handle
    call.hasVideo = update.video ?? call.hasVideo
    let contact = call.handle.flatMap { phone.contact($0) }
    call.shownName = update.localizedCallerName ?? contact ?? call.handle ?? ""
  }

  // MARK: Changes

  /// Changes a call that has not ended, and notifies its observers.
  func change(_ uuid: UUID, _ body: (inout PhoneCall) -> Void) {
    let changed: PhoneCall? = withLock {
      guard let place = entries.firstIndex(where: { $0.call.uuid == uuid && !$0.call.hasEnded }) else {
        return nil
      }
      // Changed aside, as `body` may look at the entries.
      var call = entries[place].call
      body(&call)
      if entries[place].call == call { return nil }
      entries[place].call = call
      return call
    }
    guard let changed else { return }
    tellObservers(changed)
    adjustSound(uuid)
  }

  /// Applies an app's update of a call.
  func merge(_ update: CXCallUpdate, _ uuid: UUID) {
    withLock { entry(uuid)?.update.merge(update) }
    change(uuid) { call in
      if let update = entry(call.uuid)?.update { describe(&call, update) }
    }
  }

  /// Puts a call into the group of another, or into one of its own.
  func group(_ uuid: UUID, with other: UUID?) {
    let group = withLock { other.flatMap { entry($0)?.call.group } } ?? uuid
    change(uuid) { $0.group = group }
  }

  /// Audio is active while a call is on its way or connected.
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
    // The queue runs one block at a time, and Apple's classes go over it just so.
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

  /// All calls, also those that ended lately.
  var all: [PhoneCall] { withLock { entries.map(\.call) } }

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
