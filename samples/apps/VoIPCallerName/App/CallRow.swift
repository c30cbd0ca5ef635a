// The rows of the app's screen: calls, recent calls, pushes and names, with their texts. Not for layout (CallsScreen).

import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

private nonisolated let texts = TextCatalog("Calls")

/// A call that has not ended.
nonisolated struct CallRow: Equatable, Identifiable, Sendable {
  /// The call's id.
  let id: UUID
  /// The caller's name, otherwise the number.
  let name: String
  /// What kind of call it is and what happens, for example "Video call · Connected · Muted".
  let detail: String
  /// Whether the call has video.
  let hasVideo: Bool
  /// Whether the call is incoming and unanswered.
  let isRinging: Bool
  /// Whether the call can be held and muted.
  let isConnected: Bool
  /// Whether the call is on hold.
  let isHeld: Bool
  /// Whether the call is muted.
  let isMuted: Bool

  init(_ call: Call) {
    id = call.id
    name = call.name ?? call.handle
    hasVideo = call.hasVideo
    isRinging = call.state == .ringing
    isConnected = call.state == .connected
    isHeld = call.isHeld
    isMuted = call.isMuted
    let state =
      switch call.state {
      case .ringing: texts("Incoming")
      case .connecting: texts("Calling…")
      case .connected: call.isHeld ? texts("On hold") : texts("Connected")
      }
    let parts = [Self.kind(video: call.hasVideo), state] + (call.isMuted ? [texts("Muted")] : [])
    detail = parts.joined(separator: " · ")
  }

  fileprivate static func kind(video: Bool) -> String {
    video ? texts("Video call") : texts("Audio call")
  }

  /// The text of the button that holds or resumes the call.
  var holdText: String { isHeld ? texts("Resume") : texts("Hold") }
  /// The text of the button that mutes or unmutes the call.
  var muteText: String { isMuted ? texts("Unmute") : texts("Mute") }
}

/// A call that has ended.
nonisolated struct RecentRow: Equatable, Identifiable, Sendable {
  /// The call's id.
  let id: UUID
  /// The other side's name, otherwise the number.
  let name: String
  /// The number or address to call again; nil if there is none.
  let handle: String?
  /// What kind of call it was and how it ended, for example "Video call · Incoming · 3 min".
  let detail: String
  /// When the call ended.
  let time: String
  /// Whether the call had video.
  let hasVideo: Bool
  /// Whether the call was not answered, though it was not declined.
  let isMissed: Bool

  init(_ call: FinishedCall) {
    id = call.id
    name = call.name ?? call.handle
    handle = call.isCallable ? call.handle : nil
    time = call.ended.formatted(date: .abbreviated, time: .shortened)
    hasVideo = call.hasVideo
    isMissed = call.ending == .missed
    let ending =
      switch call.ending {
      case .answered: call.isOutgoing ? texts("Outgoing") : texts("Incoming")
      case .missed: texts("Missed")
      case .declined: texts("Declined")
      case .blocked: texts("Blocked")
      case .notAnswered: texts("Not answered")
      case .failed: texts("Failed")
      }
    var parts = [CallRow.kind(video: call.hasVideo), ending]
    if call.seconds >= 60 {
      parts.append(texts("%lld min", call.seconds / 60))
    } else if call.seconds > 0 {
      parts.append(texts("%lld s", call.seconds))
    }
    detail = parts.joined(separator: " · ")
  }
}

/// Whether the app can be called, or whether names are known: a text, and what follows from it.
nonisolated struct StatusRow: Equatable, Sendable {
  /// The state.
  let text: String
  /// What it means or what helps; nil if there is nothing to add.
  let detail: String?
  /// Whether everything is in order.
  let isGood: Bool

  init(_ pushes: PushRegistration) {
    isGood = pushes == .registered
    switch pushes {
    case .waiting:
      text = texts("Registering for calls…")
      detail = texts("Until then, calls arrive only while the app is open.")
    case .registered:
      text = texts("Ready to receive calls")
      detail = nil
    case .withdrawn:
      text = texts("Not registered for calls")
      detail = texts("Calls arrive only while the app is open. iOS registers the app again by itself.")
    case .notUsed:
      text = texts("Calls arrive only while the app is open.")
      detail = texts("In mainland China, apps may not show calls on iOS’s own screen.")
    }
  }

  init(_ list: CallerListState) {
    switch list {
    case .loaded(let names, let written):
      text = texts("%lld numbers with names", Int(clamping: names))
      detail = written.map {
        texts("List of %@", NSString(string: $0.formatted(date: .abbreviated, time: .shortened)))
      }
      isGood = true
    case .missing:
      text = texts("The list of callers is missing.")
      detail = texts("Calls show numbers. Install the app again, or try again after an update.")
      isGood = false
    case .damaged:
      text = texts("The list of callers is damaged.")
      detail = texts("Calls show numbers. Install the app again, or try again after an update.")
      isGood = false
    }
  }
}
