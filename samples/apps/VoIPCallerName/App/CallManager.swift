// The app's calls: handles its buttons and the reports of its transport and pushes. Callers get their names from a
// store, and calls that the store blocks are declined before they ring.
//
// The actions that iOS requests are in CallManager+Provider, pushes in PushReceiver. Not for screens or sound.

import CallKit
import Foundation

/// What the app's screen shows of its calls.
nonisolated struct CallsSnapshot: Equatable, Sendable {
  /// The calls that have not ended, oldest first.
  var calls: [Call] = []
  /// The calls that have ended, newest first.
  var recents: [FinishedCall] = []
  /// Whether iOS passes pushes for calls to the app.
  var pushes = PushRegistration.waiting
}

/// Why an action was not performed without CallKit.
nonisolated enum CallActionError: Error, Equatable {
  /// The call has ended.
  case noSuchCall
  /// There are already ``CallManager/callsMax`` calls.
  case tooManyCalls
}

/// Manages the app's calls. Usable from any thread.
///
///     let manager = CallManager(
///       queue: DispatchQueue(label: "calls"), transport: transport,
///       callers: try? CallerDirectory(stores: [path], region: "CN"))
///     let receiver = PushReceiver(manager)          // calls arrive
///     try await manager.start(to: "+8613800138000", video: true)
///
/// `@unchecked Sendable`: everything except the constants is used only on `queue`, including the transport.
nonisolated final class CallManager: NSObject, @unchecked Sendable {
  let queue: DispatchQueue
  /// CallKit; nil if the app may not use it.
  let provider: CXProvider?
  let transport: any CallTransport
  var calls: [UUID: Call] = [:] {
    didSet {
      publish()
      adjustSound()
    }
  }
  /// Whether iOS passes pushes to the app. Set by PushReceiver, on the queue.
  var pushes: PushRegistration { didSet { publish() } }
  private var history: CallHistory
  private var callers: CallerDirectory?
  private let controller: CXCallController?
  private var isSoundActive = false
  private let isContact: @Sendable (String) -> Bool
  private var screens: [UUID: AsyncStream<CallsSnapshot>.Continuation] = [:]

  /// Creates a manager.
  ///
  /// - Parameters:
  ///   - queue: a serial queue.
  ///   - transport: the connection that carries the calls. The manager retains it.
  ///   - callers: the stores with the names; if nil, calls show numbers.
  ///   - settings: how iOS presents the calls.
  ///   - usesCallKit: whether the app may use CallKit. Otherwise its own screen answers calls.
  ///   - history: the app's list of recent calls.
  ///   - isContact: whether a handle is in the user's contacts (see CNContactStore). Contacts keep their name from
  ///     there and are never declined.
  init(
    queue: DispatchQueue, transport: any CallTransport, callers: CallerDirectory?,
    settings: ProviderSettings = ProviderSettings(), usesCallKit: Bool = true,
    history: CallHistory = CallHistory(),
    isContact: @escaping @Sendable (String) -> Bool = { _ in false }
  ) {
    self.queue = queue
    self.transport = transport
    self.callers = callers
    self.history = history
    self.isContact = isContact
    provider = usesCallKit ? CXProvider(configuration: settings.configuration) : nil
    controller = usesCallKit ? CXCallController(queue: queue) : nil
    pushes = usesCallKit ? .waiting : .notUsed
    super.init()
    provider?.setDelegate(self, queue: queue)
  }

  // MARK: The user's actions

  /// Starts a call and returns its id once iOS has allowed it.
  @discardableResult
  func start(to handle: String, video: Bool = false) async throws -> UUID {
    let id = UUID()
    let action = CXStartCallAction(call: id, handle: Self.handle(handle))
    action.isVideo = video
    try await request(action) { manager in
      guard manager.calls.count < Self.callsMax else { throw CallActionError.tooManyCalls }
      manager.startCall(id, to: handle, video: video)
    }
    return id
  }

  /// Answers a call.
  func answer(_ call: UUID) async throws {
    try await request(CXAnswerCallAction(call: call)) { try $0.answerCall(call) }
  }

  /// Ends or declines a call.
  func end(_ call: UUID) async throws {
    try await request(CXEndCallAction(call: call)) { try $0.endCall(call) }
  }

  /// Holds or resumes a call.
  func setHeld(_ call: UUID, _ isHeld: Bool) async throws {
    try await request(CXSetHeldCallAction(call: call, onHold: isHeld)) { try $0.holdCall(call, isHeld) }
  }

  /// Mutes or unmutes a call.
  func setMuted(_ call: UUID, _ isMuted: Bool) async throws {
    try await request(CXSetMutedCallAction(call: call, muted: isMuted)) { try $0.muteCall(call, isMuted) }
  }

  /// Sends the tone of a key.
  func play(_ call: UUID, _ digits: String) async throws {
    let action = CXPlayDTMFCallAction(call: call, digits: digits, type: .singleTone)
    try await request(action) { try $0.playTones(call, digits) }
  }

  /// Asks iOS to perform an action, which it passes to the provider's delegate; without CallKit, performs it.
  private func request(
    _ action: sending CXCallAction, _ perform: @escaping @Sendable (CallManager) throws -> Void
  ) async throws {
    if let controller { return try await controller.requestTransaction(with: action) }
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      queue.async { continuation.resume(with: Result { try perform(self) }) }
    }
  }

  // MARK: What happens to calls, on the queue

  /// The maximum number of calls, one of them on hold.
  static let callsMax = 2

  func startCall(_ id: UUID, to handle: String, video: Bool) {
    CallAudio.prepare(video: video)
    calls[id] = Call(
      id: id, isOutgoing: true, handle: handle, name: nameToCall(handle), hasVideo: video, state: .connecting)
    transport.start(id, to: handle, video: video)
  }

  func answerCall(_ id: UUID) throws {
    guard let call = calls[id] else { throw CallActionError.noSuchCall }
    CallAudio.prepare(video: call.hasVideo)
    calls[id]?.state = .connected
    calls[id]?.answered = Date()
    transport.answer(id, video: call.hasVideo)
  }

  func endCall(_ id: UUID) throws {
    guard let call = calls.removeValue(forKey: id) else { throw CallActionError.noSuchCall }
    if call.state == .ringing { transport.decline(id) } else { transport.end(id) }
    switch call.state {
    case .ringing: remember(call, .declined)
    case .connecting: remember(call, .notAnswered)
    case .connected: remember(call, .answered)
    }
  }

  func holdCall(_ id: UUID, _ isHeld: Bool) throws {
    guard calls[id] != nil else { throw CallActionError.noSuchCall }
    calls[id]?.isHeld = isHeld
    transport.setHeld(id, isHeld)
  }

  func muteCall(_ id: UUID, _ isMuted: Bool) throws {
    guard calls[id] != nil else { throw CallActionError.noSuchCall }
    calls[id]?.isMuted = isMuted
    transport.setMuted(id, isMuted)
  }

  func playTones(_ id: UUID, _ digits: String) throws {
    guard calls[id] != nil else { throw CallActionError.noSuchCall }
    transport.play(id, digits)
  }

  /// Without CallKit, the app activates its audio session while a call is connecting or connected.
  private func adjustSound() {
    let wants = calls.values.contains { $0.state != .ringing }
    guard provider == nil, wants != isSoundActive else { return }
    isSoundActive = wants
    CallAudio.setActive(wants)
    transport.setSound(wants)
  }

  /// Uses other stores for the calls to come.
  func use(_ callers: CallerDirectory) {
    queue.async { self.callers = callers }
  }

  // MARK: What the screen shows

  /// What the screen shows now. Must not be read on `queue`.
  var snapshot: CallsSnapshot { queue.sync { currentSnapshot } }

  private var currentSnapshot: CallsSnapshot {
    CallsSnapshot(
      calls: calls.values.sorted { ($0.began, $0.id.uuidString) < ($1.began, $1.id.uuidString) },
      recents: history.calls, pushes: pushes)
  }

  /// What a screen shows, now and whenever it changes: the newest value, until the screen's task is cancelled.
  func changes() -> AsyncStream<CallsSnapshot> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { screen in
      let id = UUID()
      screen.onTermination = { _ in self.queue.async { self.screens[id] = nil } }
      queue.async {
        self.screens[id] = screen
        screen.yield(self.currentSnapshot)
      }
    }
  }

  private func publish() {
    for screen in screens.values { screen.yield(currentSnapshot) }
  }

  // MARK: Reports of pushes and the transport

  /// Reports an incoming call, on `queue`: when this method returns, CallKit knows of the call. `completion` gets nil
  /// if the phone rings or the call was declined, otherwise iOS's error.
  ///
  /// iOS terminates an app that a push woke and that does not report a call, so blocked calls are reported, too, and
  /// ended at once. The Phone app lists them as well.
  ///
  /// - Parameter mustReport: whether iOS requires a report (known from iOS 26.4 on). Otherwise a call that does not
  ///   ring is only declined.
  func report(
    _ incoming: PushedCall, mustReport: Bool = true, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    dispatchPrecondition(condition: .onQueue(queue))
    let answer = incoming.isReadable ? answer(to: incoming.handle) : .unknown
    let call = Call(
      id: incoming.id, isOutgoing: false, handle: incoming.handle, name: Self.name(answer),
      hasVideo: incoming.hasVideo, state: .ringing)
    let willRing = incoming.isReadable && answer != .blocked
    // Record the call before reporting it: the user may answer before the completion handler runs.
    let isNew = calls[call.id] == nil
    if isNew && willRing { calls[call.id] = call }
    guard let provider, mustReport || willRing else {
      if !willRing { declined(call, incoming) }
      return completion(nil)
    }
    let update = CXCallUpdate()
    update.remoteHandle = Self.handle(incoming.handle)
    update.hasVideo = incoming.hasVideo
    update.supportsGrouping = false
    update.supportsUngrouping = false
    update.localizedCallerName = call.name
    provider.reportNewIncomingCall(with: call.id, update: update) { error in
      self.queue.async {
        if let error {
          if isNew { self.refused(call, error) }
        } else if !willRing {
          let reason = incoming.isReadable ? CXCallEndedReason.declinedElsewhere : .failed
          self.provider?.reportCall(with: call.id, endedAt: nil, reason: reason)
          self.declined(call, incoming)
        }
        completion(error)
      }
    }
  }

  /// The app declines a call that must not ring, or that can't be connected.
  private func declined(_ call: Call, _ incoming: PushedCall) {
    transport.decline(call.id)
    remember(call, incoming.isReadable ? .blocked : .failed, isCallable: incoming.isReadable)
  }

  /// Reports a call that nobody makes, for trying the app without a server.
  func simulateCall(from handle: String) async throws {
    let call = PushedCall(UUID(), from: handle)
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      queue.async {
        self.report(call) { error in continuation.resume(with: error.map { .failure($0) } ?? .success(())) }
      }
    }
  }

  /// The phone does not ring: the user's block list, or Do Not Disturb.
  private func refused(_ call: Call, _ error: any Error) {
    calls[call.id] = nil
    transport.decline(call.id)
    let code = (error as? CXErrorCodeIncomingCallError)?.code
    // A push for a call that has ended is not another call.
    if code == .callUUIDAlreadyExists { return }
    remember(call, code == .filteredByBlockList ? .blocked : .missed)
  }

  /// Reports that the other side answered an outgoing call.
  func connected(_ call: UUID) {
    queue.async {
      guard self.calls[call]?.isOutgoing == true else { return }
      self.calls[call]?.state = .connected
      self.calls[call]?.answered = Date()
      self.provider?.reportOutgoingCall(with: call, connectedAt: nil)
    }
  }

  /// Reports that the other side ended a call, or that it failed.
  func ended(_ call: UUID, _ reason: CXCallEndedReason) {
    queue.async {
      guard let ended = self.calls.removeValue(forKey: call) else { return }
      self.remember(ended, Self.ending(ended, reason))
      self.provider?.reportCall(with: call, endedAt: nil, reason: reason)
    }
  }

  /// Adds a call that has ended to the app's list, on `queue`.
  func remember(_ call: Call, _ ending: FinishedCall.Ending, isCallable: Bool = true) {
    history.add(FinishedCall(call, ending, isCallable: isCallable))
    publish()
  }

  private static func ending(_ call: Call, _ reason: CXCallEndedReason) -> FinishedCall.Ending {
    switch (call.state, reason) {
    case (.connected, _), (_, .answeredElsewhere): .answered
    case (_, .declinedElsewhere): .declined
    case (.connecting, .failed): .failed
    case (.connecting, _): .notAnswered
    case (.ringing, _): .missed
    }
  }

  // MARK: Names

  /// The store's answer, unless the caller is one of the user's contacts.
  private func answer(to handle: String) -> CallerAnswer {
    if isContact(handle) { return .unknown }
    return callers?.answer(to: handle) ?? .unknown
  }

  private static func name(_ answer: CallerAnswer) -> String? {
    if case .named(let name) = answer { return name }
    return nil
  }

  /// The store's name for a number that the user calls. Numbers that are blocked as callers can still be called.
  func nameToCall(_ handle: String) -> String? { Self.name(answer(to: handle)) }

  private static func handle(_ handle: String) -> CXHandle {
    let user = CallerDirectory.userPart(of: handle)
    let isNumber = user.contains(where: \.isNumber) && !user.contains(where: \.isLetter)
    return isNumber ? CXHandle(type: .phoneNumber, value: user) : CXHandle(type: .generic, value: handle)
  }
}
