// The app's audio session: what it is for. CallKit activates and deactivates it; without CallKit, the app does.

import CallKit
import Foundation

#if canImport(AVFoundation)
  import AVFoundation
#endif

/// The audio of calls.
nonisolated enum CallAudio {
  /// Prepares the session for a call, before it is connected: the microphone and the receiver, and voice processing. The
  /// modes for calls also permit hands-free Bluetooth. A session that can't be prepared stays as it is: the call is silent
  /// rather than lost.
  static func prepare(video: Bool) {
    try? AVAudioSession.sharedInstance().setCategory(.playAndRecord, mode: video ? .videoChat : .voiceChat)
  }

  /// Activates the session, or lets the app that was playing before go on. Not with CallKit.
  static func setActive(_ isActive: Bool) {
    let options: AVAudioSession.SetActiveOptions = isActive ? [] : .notifyOthersOnDeactivation
    try? AVAudioSession.sharedInstance().setActive(isActive, options: options)
  }
}
