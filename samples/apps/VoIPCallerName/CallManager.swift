// The app's calls: handles its buttons and the reports of its transport and pushes. Callers get their names from a
// store, and calls that the store blocks are declined before they ring.
//
// The actions that iOS requests are in CallManager+Provider. Not for screens, sound or PushKit.

import CallKit
import Foundation

/// Manages the app's calls. Usable from any thread.
///
///     let manager = CallManager(
///       name: "Sample", queue: DispatchQueue(label: "calls"), transport: transport,
///       callers: try? CallerDirectory(stores: [path], region: "CN"))
///     // In pushRegistry(_:didReceiveIncomingPushWith:for:completion:), immediately, as iOS requires:
///     manager.incoming(id, from: "+8613800138000") { _ in completion() }
///
/// `@unchecked Sendable`: everything except `queue` itself is used only on `queue`, including the directory and the
/// transport.
final class CallManager: NSObject, @unchecked Sendable {
  let queue: DispatchQueue
  let provider: CXProvider
  let transport: any CallTransport
  var calls: [UUID: Call] = [:]
  private let controller: CXCallController
  private let callers: CallerDirectory?
  private let isContact: @Sendable (String) -> Bool

  /// Creates a manager.
  ///
  /// - Parameters:
  ///   - name: the app's name, as iOS shows it on its calls.
  ///   - queue: a serial queue.
  ///   - transport: the connection that carries the calls. The manager retains it.
  ///   - callers: the stores with the names; if nil, calls show numbers.
  ///   - isContact: whether a handle is in the owner's contacts (see CNContactStore). Contacts keep their name from
  ///     there and are never declined.
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

  // MARK: The owner's actions

  /// Starts a call and returns its id once iOS has allowed it.
  func start(to handle: String) async throws -> UUID {
    let id = UUID()
    let action = CXStartCallAction(call: id, handle: Self.handle(handle))
    try await controller.requestTransaction(with: action)
    return id
  }

  /// Ends or declines a call.
  func end(_ call: UUID) async throws {
    try await controller.requestTransaction(with: CXEndCallAction(call: call))
  }

  /// Holds or resumes a call.
  func setHeld(_ call: UUID, _ isHeld: Bool) async throws {
    try await controller.requestTransaction(with: CXSetHeldCallAction(call: call, onHold: isHeld))
  }

  /// Mutes or unmutes a call.
  func setMuted(_ call: UUID, _ isMuted: Bool) async throws {
    try await controller.requestTransaction(with: CXSetMutedCallAction(call: call, muted: isMuted))
  }

  /// The calls that have not ended. Must not be read on `queue`.
  var present: [Call] { queue.sync { calls.values.sorted { $0.id.uuidString < $1.id.uuidString } } }

  // MARK: Reports of pushes and the transport

  /// Reports an incoming call. `completion` gets nil if the phone rings or the call was declined, otherwise iOS's
  /// error.
  ///
  /// iOS terminates an app that a push woke and that does not report a call, so blocked calls are reported, too, and
  /// ended at once.
  func incoming(
    _ call: UUID, from handle: String, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    queue.async {
      let answer = self.answer(to: handle)
      // Record the call before reporting it: the owner may answer before the completion handler runs.
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
            // The owner's block list, Do Not Disturb, or the id of a call that already exists.
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

  /// Reports that the other side answered an outgoing call.
  func connected(_ call: UUID) {
    queue.async {
      guard self.calls[call]?.isOutgoing == true else { return }
      self.calls[call]?.state = .connected
      self.provider.reportOutgoingCall(with: call, connectedAt: nil)
    }
  }

  /// Reports that the other side ended a call, or that it failed.
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

  /// The store's name for a number that the owner calls. Numbers that are blocked as callers can still be called.
  func nameToCall(_ handle: String) -> String? { Self.name(answer(to: handle)) }

  private static func handle(_ handle: String) -> CXHandle {
    let user = CallerDirectory.userPart(of: handle)
    let isNumber = user.contains(where: \.isNumber) && !user.contains(where: \.isLetter)
    return isNumber ? CXHandle(type: .phoneNumber, value: user) : CXHandle(type: .generic, value: handle)
  }
}
