// An app that makes calls, with the structure of Apple's sample: a manager that requests transactions, and a provider's
// delegate. It imports only Foundation and CallKit.

import CallKit
import Foundation

/// Requests the transactions of the app's buttons.
final class CallManager: NSObject {
  let callController: CXCallController

  init(queue: DispatchQueue) {
    callController = CXCallController(queue: queue)
    super.init()
  }

  func startCall(handle: String, video: Bool = false) async throws -> UUID {
    let handle = CXHandle(type: .phoneNumber, value: handle)
    let startCallAction = CXStartCallAction(call: UUID(), handle: handle)
    startCallAction.isVideo = video
    let transaction = CXTransaction()
    transaction.addAction(startCallAction)
    let uuid = startCallAction.callUUID
    try await callController.request(transaction)
    return uuid
  }

  func end(call: UUID) async throws {
    try await callController.requestTransaction(with: CXEndCallAction(call: call))
  }

  func setOnHoldStatus(call: UUID, to isOnHold: Bool) async throws {
    try await callController.requestTransaction(with: CXSetHeldCallAction(call: call, onHold: isOnHold))
  }
}

/// Performs the actions that the phone requests, and records them.
final class ProviderDelegate: NSObject, CXProviderDelegate {
  let provider: CXProvider
  private let note: @Sendable (String) -> Void
  private let refuses: Bool
  private let ignores: Bool

  static var providerConfiguration: CXProviderConfiguration {
    let providerConfiguration = CXProviderConfiguration()
    providerConfiguration.supportsVideo = true
    providerConfiguration.maximumCallsPerCallGroup = 2
    providerConfiguration.supportedHandleTypes = [.phoneNumber]
    return providerConfiguration
  }

  init(
    queue: DispatchQueue, refuses: Bool = false, ignores: Bool = false,
    note: @escaping @Sendable (String) -> Void
  ) {
    provider = CXProvider(configuration: Self.providerConfiguration)
    self.note = note
    self.refuses = refuses
    self.ignores = ignores
    super.init()
    provider.setDelegate(self, queue: queue)
  }

  private func finish(_ action: CXAction, _ what: String) {
    note(what)
    if ignores { return }
    if refuses { action.fail() } else { action.fulfill() }
  }

  func providerDidReset(_ provider: CXProvider) { note("reset") }
  func providerDidBegin(_ provider: CXProvider) { note("begin") }

  func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
    finish(action, "start \(action.handle.value)")
    if refuses || ignores { return }
    provider.reportOutgoingCall(with: action.callUUID, startedConnectingAt: nil)
  }

  func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { finish(action, "answer") }
  func provider(_ provider: CXProvider, perform action: CXEndCallAction) { finish(action, "end") }
  func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
    finish(action, "hold \(action.isOnHold)")
  }
  func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
    finish(action, "mute \(action.isMuted)")
  }
  func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) { finish(action, "group") }
  func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) {
    finish(action, "play \(action.digits)")
  }
  func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) { note("timed out") }
  func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) { note("sound") }
  func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) { note("silence") }
}

/// Records the calls that observers see.
final class CallWatcher: NSObject, CXCallObserverDelegate {
  private let note: @Sendable (String) -> Void

  init(note: @escaping @Sendable (String) -> Void) {
    self.note = note
    super.init()
  }

  func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall) {
    let words = [
      call.isOutgoing ? "outgoing" : "incoming", call.hasConnected ? "connected" : "",
      call.isOnHold ? "held" : "",
      call.hasEnded ? "ended" : "",
    ]
    note(words.filter { !$0.isEmpty }.joined(separator: " "))
  }
}
