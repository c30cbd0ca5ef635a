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
    let handle = action.handle.value
    let name = nameToCall(handle)
    calls[action.callUUID] = Call(
      id: action.callUUID, isOutgoing: true, handle: handle, name: name, hasVideo: action.isVideo,
      state: .connecting)
    transport.start(action.callUUID, to: handle, video: action.isVideo)
    action.fulfill()
    provider.reportOutgoingCall(with: action.callUUID, startedConnectingAt: nil)
    guard let name else { return }
    let update = CXCallUpdate()
    update.localizedCallerName = name
    provider.reportCall(with: action.callUUID, updated: update)
  }

  func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
    guard let call = calls[action.callUUID] else { return action.fail() }
    calls[call.id]?.state = .connected
    calls[call.id]?.answered = Date()
    transport.answer(call.id, video: call.hasVideo)
    action.fulfill()
  }

  func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
    guard let call = calls.removeValue(forKey: action.callUUID) else { return action.fail() }
    if call.state == .ringing { transport.decline(call.id) } else { transport.end(call.id) }
    switch call.state {
    case .ringing: remember(call, .declined)
    case .connecting: remember(call, .notAnswered)
    case .connected: remember(call, .answered)
    }
    action.fulfill()
  }

  func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
    guard calls[action.callUUID] != nil else { return action.fail() }
    calls[action.callUUID]?.isHeld = action.isOnHold
    transport.setHeld(action.callUUID, action.isOnHold)
    action.fulfill()
  }

  func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
    guard calls[action.callUUID] != nil else { return action.fail() }
    calls[action.callUUID]?.isMuted = action.isMuted
    transport.setMuted(action.callUUID, action.isMuted)
    action.fulfill()
  }

  func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) {
    guard calls[action.callUUID] != nil else { return action.fail() }
    transport.play(action.callUUID, action.digits)
    action.fulfill()
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
