// The app's pushes: each one becomes a call, before the push's method returns.
//
// Not for names and blocked callers (CallManager), or for sending pushes, which is the server's task.

import Foundation
import PushKit

#if canImport(SampleShared)
  import SampleShared
#endif

/// Whether iOS passes pushes for calls to the app.
nonisolated enum PushRegistration: Equatable, Sendable {
  /// iOS has not answered the registration yet.
  case waiting
  /// The app's server can send pushes.
  case registered
  /// iOS has withdrawn the token. It sends another one by itself.
  case withdrawn
  /// The app may not use CallKit, and so no pushes for calls.
  case notUsed
}

/// An incoming call, as the app's server announces it: `{"call": UUID, "from": "+8613800138000", "video": true}`.
nonisolated struct PushedCall: Equatable, Sendable {
  /// The maximum length of a handle. Phone numbers and addresses are far shorter.
  static let handleLengthMax = 256

  /// The id that iOS and the transport use.
  let id: UUID
  /// The number or address of the caller.
  let handle: String
  /// Whether the call has video.
  let hasVideo: Bool
  /// Whether the payload names a call and a caller. Otherwise the call can't be connected, but must be reported.
  let isReadable: Bool

  /// Creates a call.
  init(_ id: UUID, from handle: String, video: Bool = false, isReadable: Bool = true) {
    self.id = id
    self.handle = handle
    hasVideo = video
    self.isReadable = isReadable
  }

  /// Reads the payload of a push. If it names no call or no caller, the call gets a new id and a general name.
  init(_ payload: [AnyHashable: Any]) {
    let id = (payload["call"] as? String).flatMap { UUID(uuidString: $0) }
    let handle = payload["from"] as? String ?? ""
    let video = payload["video"] as? Bool ?? false
    if let id, !handle.isEmpty, handle.count <= Self.handleLengthMax {
      self.init(id, from: handle, video: video)
    } else {
      self.init(UUID(), from: TextCatalog("Calls")("Unknown caller"), isReadable: false)
    }
  }
}

/// Receives the app's pushes. Create it whenever the app is launched, also in the background, and keep it.
///
/// `@unchecked Sendable`: iOS calls its methods on the manager's queue only.
nonisolated final class PushReceiver: NSObject, PKPushRegistryDelegate, @unchecked Sendable {
  private let manager: CallManager
  private let registry: PKPushRegistry
  private let send: @Sendable (_ token: Data?) -> Void

  /// Registers the app for pushes.
  ///
  /// - Parameters:
  ///   - manager: the app's calls. Pushes arrive on its queue, so that a call is reported before the method returns.
  ///   - send: sends the token to the app's server; nil if the server must not use the previous one any more.
  init(_ manager: CallManager, send: @escaping @Sendable (_ token: Data?) -> Void) {
    self.manager = manager
    self.send = send
    registry = PKPushRegistry(queue: manager.queue)
    super.init()
    // The delegate first: the token may arrive at once.
    registry.delegate = self
    registry.desiredPushTypes = [.voIP]
  }

  func pushRegistry(
    _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType
  ) {
    manager.pushes = .registered
    send(pushCredentials.token)
  }

  func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {
    manager.pushes = .withdrawn
    send(nil)
  }

  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
    completion: @escaping @Sendable () -> Void
  ) {
    manager.report(PushedCall(payload.dictionaryPayload)) { _ in completion() }
  }

  @available(iOS 26.4, *)
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
    metadata: PKVoIPPushMetadata, withCompletionHandler completion: @escaping @Sendable () -> Void
  ) {
    manager.report(PushedCall(payload.dictionaryPayload), mustReport: metadata.mustReport) { _ in completion()
    }
  }
}
