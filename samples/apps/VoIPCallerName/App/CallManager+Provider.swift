// The actions that iOS asks the app to perform, from the app's own buttons, the lock screen or a car.
//
// iOS calls these methods on the manager's queue.

import CallKit
import Foundation

#if canImport(AVFoundation)
  import AVFoundation
#endif

nonisolated extension CallManager: CXProviderDelegate {
  func providerDidReset(_ provider: CXProvider) {
    let ended = calls.values
    calls = [:]
    for call in ended {
      transport.end(call.id)
      remember(call, call.answered == nil ? .failed : .answered)
    }
  }

  func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
    startCall(action.callUUID, to: action.handle.value, video: action.isVideo)
    action.fulfill()
    provider.reportOutgoingCall(with: action.callUUID, startedConnectingAt: nil)
    guard let name = nameToCall(action.handle.value) else { return }
    let update = CXCallUpdate()
    update.localizedCallerName = name
    provider.reportCall(with: action.callUUID, updated: update)
  }

  func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
    perform(action) { try answerCall(action.callUUID) }
  }

  func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
    perform(action) { try endCall(action.callUUID) }
  }

  func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
    perform(action) { try holdCall(action.callUUID, action.isOnHold) }
  }

  func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
    perform(action) { try muteCall(action.callUUID, action.isMuted) }
  }

  func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) {
    perform(action) { try playTones(action.callUUID, action.digits) }
  }

  private func perform(_ action: CXAction, _ body: () throws -> Void) {
    do {
      try body()
      action.fulfill()
    } catch {
      action.fail()
    }
  }

  func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {
    guard let id = (action as? CXCallAction)?.callUUID, let call = calls.removeValue(forKey: id) else {
      return
    }
    transport.end(id)
    remember(call, call.answered == nil ? .failed : .answered)
    provider.reportCall(with: id, endedAt: nil, reason: .failed)
  }

  func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {
    transport.setSound(true)
  }

  func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {
    transport.setSound(false)
  }
}
