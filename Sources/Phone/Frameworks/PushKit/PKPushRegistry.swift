// The app's registration for pushes, its delegate, and the installed phone, which delivers them.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Dispatch
public import Foundation
import Synchronization

public struct PKPushType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  /// Invitations to calls. Apple: apps must report these pushes to CallKit quickly; an app that does not is terminated,
  /// and one that repeatedly does not is no longer launched (PKPushRegistry.h, iOS 13).
  public static let voIP = PKPushType(rawValue: "PKPushTypeVoIP")
}

/// What the app's server needs in order to send pushes to this phone.
open class PKPushCredentials: NSObject {
  public let type: PKPushType
  public let token: Data

  package init(type: PKPushType, token: Data) {
    self.type = type
    self.token = token
    super.init()
  }
}

open class PKPushPayload: NSObject {
  public let type: PKPushType
  public let dictionaryPayload: [AnyHashable: Any]

  package init(type: PKPushType, dictionaryPayload: [AnyHashable: Any]) {
    self.type = type
    self.dictionaryPayload = dictionaryPayload
    super.init()
  }
}

/// What iOS states about a push for a call, from iOS 26.4 on.
@available(iOS 26.4, *)
open class PKVoIPPushMetadata: NSObject, @unchecked Sendable {
  /// Whether the app must report a call in response to the push, or is terminated. It need not while it is in the
  /// foreground or has a call, nor if the push is late.
  public let mustReport: Bool

  package init(mustReport: Bool) {
    self.mustReport = mustReport
    super.init()
  }
}

open class PKPushRegistry: NSObject {
  /// Receives tokens and pushes. Apple: set it before `desiredPushTypes` (PKPushRegistry.h).
  open weak var delegate: (any PKPushRegistryDelegate)?
  package let queue: DispatchQueue

  open var desiredPushTypes: Set<PKPushType>? { didSet { InstalledPushPhone.phone?.register(self) } }

  /// Creates a registry that calls its delegate on a queue, which should be serial; nil for the main queue.
  public init(queue: DispatchQueue?) {
    self.queue = queue ?? .main
    super.init()
  }

  open func pushToken(for type: PKPushType) -> Data? {
    desiredPushTypes?.contains(type) == true ? InstalledPushPhone.phone?.token(of: type) : nil
  }
}

/// Receives tokens and pushes. Only the method for tokens is required, as in Apple's protocol.
///
/// Apple's oldest method for pushes, without a completion handler, is missing here.
public protocol PKPushRegistryDelegate: NSObjectProtocol {
  /// The app is registered: its server sends pushes with this token from now on.
  func pushRegistry(
    _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType)

  /// A push has arrived. Apple: for a push of type `voIP`, this method must call CXProvider's
  /// `reportNewIncomingCall(with:update:completion:)` (documentation of PushKit, iOS 13 SDK), and PushKit checks it when
  /// the method returns. The completion handler has no influence on that (DTS, thread 817976).
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
    completion: @escaping @Sendable () -> Void)

  /// A push for a call has arrived, from iOS 26.4 on instead of the method above. The rule is the same, if
  /// `metadata.mustReport` is true.
  @available(iOS 26.4, *)
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
    metadata: PKVoIPPushMetadata, withCompletionHandler completion: @escaping @Sendable () -> Void)

  /// The token is not valid any more: the app's server must not use it. Apple: the app has nothing else to do.
  func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType)
}

/// Apple's methods are optional. These defaults do what the phone does if a method is missing: nothing.
extension PKPushRegistryDelegate {
  /// Does nothing, so the phone counts a missed report.
  public func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
    completion: @escaping @Sendable () -> Void
  ) {}

  /// Passes the push to the older method, as iOS does if the app has only that one.
  @available(iOS 26.4, *)
  public func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
    metadata: PKVoIPPushMetadata, withCompletionHandler completion: @escaping @Sendable () -> Void
  ) {
    pushRegistry(registry, didReceiveIncomingPushWith: payload, for: .voIP, completion: completion)
  }

  public func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {}
}

package protocol PushingPhone: AnyObject, Sendable {
  /// Registers an app for the types that its registry wants. The phone references the registry weakly.
  func register(_ registry: PKPushRegistry)
  func token(of type: PKPushType) -> Data?
}

package enum InstalledPushPhone {
  private static let installed = Mutex<(any PushingPhone)?>(nil)

  package static var phone: (any PushingPhone)? { installed.withLock { $0 } }

  package static func install(_ phone: (any PushingPhone)?) { installed.withLock { $0 = phone } }
}
