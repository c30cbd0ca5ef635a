// The app's calls: what its buttons ask for, and what its transport and its pushes report. Callers get their names from
// a store, and calls that the store blocks are declined before anybody hears them.
//
// What iOS asks of the app is in CallManager+Provider. Not here: screens, sound, PushKit.

import CallKit
import Foundation

/// The app's calls. Any thread may use it.
///
///     let manager = CallManager(
///       name: "Sample", queue: DispatchQueue(label: "calls"), transport: transport,
///       callers: try? CallerDirectory(stores: [path], region: "CN"))
///     // In pushRegistry(_:didReceiveIncomingPushWith:for:completion:), at once, as iOS demands:
///     manager.incoming(id, from: "+8613800138000") { _ in completion() }
///
/// `@unchecked Sendable`: everything but `queue` is used on `queue` only, and so are the directory and the transport.
final class CallManager: NSObject, @unchecked Sendable {
  let queue: DispatchQueue
  let provider: CXProvider
  let transport: any CallTransport
  var calls: [UUID: Call] = [:]
  private let controller: CXCallController
  private let callers: CallerDirectory?
  private let isContact: @Sendable (String) -> Bool

  /// Makes a manager.
  ///
  /// - Parameters:
  ///   - name: the app's name, as iOS shows it on its calls.
  ///   - queue: a serial queue.
  ///   - transport: what carries the calls. The manager holds it.
  ///   - callers: the store with the names; nil shows numbers.
  ///   - isContact: whether a handle is in the owner's contacts, as CNContactStore knows it. Contacts keep the name that
  ///     they have there, and are never declined.
  init(
    name: String, queue: DispatchQueue, transport: any CallTransport, callers: CallerDirectory?,
    isContact: @escaping @Sendable (String) -> Bool = { _ in false }
  ) {
    let configuration = CXProviderConfiguration(localizedName: name)
    configuration.supportedHandleTypes = [.phoneNumber, .generic]
    configuration.maximumCallGroups = 2
    configuration.maximumCallsPerCallGroup = 1
    self.queue = queue
    self.transport = transport
    self.callers = callers
    self.isContact = isContact
    provider = CXProvider(configuration: configuration)
    controller = CXCallController(queue: queue)
    super.init()
    provider.setDelegate(self, queue: queue)
  }

  // MARK: What the owner wants

  /// Calls somebody, and returns the call once iOS has allowed it.
  func start(to handle: String) async throws -> UUID {
    let id = UUID()
    let action = CXStartCallAction(call: id, handle: Self.handle(handle))
    try await controller.requestTransaction(with: action)
    return id
  }

  /// Ends a call, or declines it.
  func end(_ call: UUID) async throws {
    try await controller.requestTransaction(with: CXEndCallAction(call: call))
  }

  /// Holds a call, or goes on with it.
  func setHeld(_ call: UUID, _ isHeld: Bool) async throws {
    try await controller.requestTransaction(with: CXSetHeldCallAction(call: call, onHold: isHeld))
  }

  /// Mutes a call, or unmutes it.
  func setMuted(_ call: UUID, _ isMuted: Bool) async throws {
    try await controller.requestTransaction(with: CXSetMutedCallAction(call: call, muted: isMuted))
  }

  /// The calls that have not ended. Not to be asked on `queue`.
  var present: [Call] { queue.sync { calls.values.sorted { $0.id.uuidString < $1.id.uuidString } } }

  // MARK: What pushes and the transport tell

  /// A call comes in. `completion` gets nil when iOS rings or the call was declined, else why iOS does not want it.
  ///
  /// iOS ends an app that was woken by a push and reports no call, so a call that nobody wants is reported as well, and
  /// ended at once.
  func incoming(
    _ call: UUID, from handle: String, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    queue.async {
      let answer = self.answer(to: handle)
      // Noted before iOS knows of it: the owner may answer before the report has come back.
      let isNew = self.calls[call] == nil && answer != .blocked
      if isNew {
        self.calls[call] = Call(
          id: call, isOutgoing: false, handle: handle, name: Self.name(answer), state: .ringing)
      }
      let update = CXCallUpdate()
      update.remoteHandle = Self.handle(handle)
      update.supportsGrouping = false
      update.supportsUngrouping = false
      if case .named(let name) = answer { update.localizedCallerName = name }
      self.provider.reportNewIncomingCall(with: call, update: update) { error in
        self.queue.async {
          if error != nil {
            // The owner's own list, do-not-disturb, or the identifier of a call that is there already.
            if isNew { self.calls[call] = nil }
            if self.calls[call] == nil { self.transport.decline(call) }
          } else if answer == .blocked {
            self.provider.reportCall(with: call, endedAt: nil, reason: .declinedElsewhere)
            self.transport.decline(call)
          }
          completion(error)
        }
      }
    }
  }

  /// The other side took an outgoing call.
  func connected(_ call: UUID) {
    queue.async {
      guard self.calls[call]?.isOutgoing == true else { return }
      self.calls[call]?.state = .connected
      self.provider.reportOutgoingCall(with: call, connectedAt: nil)
    }
  }

  /// A call ended at the other side, or failed.
  func ended(_ call: UUID, _ reason: CXCallEndedReason) {
    queue.async {
      guard self.calls.removeValue(forKey: call) != nil else { return }
      self.provider.reportCall(with: call, endedAt: nil, reason: reason)
    }
  }

  // MARK: Names

  /// The store's answer, unless the caller is one of the owner's contacts.
  private func answer(to handle: String) -> CallerAnswer {
    if isContact(handle) { return .unknown }
    return callers?.answer(to: handle) ?? .unknown
  }

  private static func name(_ answer: CallerAnswer) -> String? {
    if case .named(let name) = answer { return name }
    return nil
  }

  /// The store's name for somebody who is called. A number that is blocked when it calls may be called.
  func nameToCall(_ handle: String) -> String? { Self.name(answer(to: handle)) }

  private static func handle(_ handle: String) -> CXHandle {
    let user = CallerDirectory.userPart(of: handle)
    let isNumber = user.contains(where: \.isNumber) && !user.contains(where: \.isLetter)
    return isNumber ? CXHandle(type: .phoneNumber, value: user) : CXHandle(type: .generic, value: handle)
  }
}
