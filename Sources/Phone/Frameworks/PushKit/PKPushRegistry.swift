// The app's registration for pushes.
//
// Not for delivering pushes: the phone that is installed does that.

public import Dispatch
public import Foundation

/// A kind of push.
public struct PKPushType: RawRepresentable, Hashable, Sendable {
  /// The type's name.
  public let rawValue: String

  /// Creates a type from its name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Invitations to calls. Apple: apps must report these pushes to CallKit quickly; an app that does not is terminated,
  /// and one that repeatedly does not is no longer launched (PKPushRegistry.h, iOS 13).
  public static let voIP = PKPushType(rawValue: "PKPushTypeVoIP")
}

/// What the app's server needs in order to send pushes to this phone.
open class PKPushCredentials: NSObject {
  /// The type of the pushes.
  public let type: PKPushType
  /// The token that identifies the app on this phone.
  public let token: Data

  package init(type: PKPushType, token: Data) {
    self.type = type
    self.token = token
    super.init()
  }
}

/// A push that has arrived.
open class PKPushPayload: NSObject {
  /// The type of the push.
  public let type: PKPushType
  /// The contents that the app's server sent.
  public let dictionaryPayload: [AnyHashable: Any]

  package init(type: PKPushType, dictionaryPayload: [AnyHashable: Any]) {
    self.type = type
    self.dictionaryPayload = dictionaryPayload
    super.init()
  }
}

/// Registers an app for pushes, which arrive at its delegate. An app creates one whenever it is launched, and keeps it.
open class PKPushRegistry: NSObject {
  /// Receives tokens and pushes. Apple: set it before `desiredPushTypes` (PKPushRegistry.h).
  open weak var delegate: (any PKPushRegistryDelegate)?
  /// The queue on which the delegate is called.
  package let queue: DispatchQueue

  /// The wanted types. Setting them registers the app; the delegate receives a token for each type later.
  open var desiredPushTypes: Set<PKPushType>? {
    didSet { InstalledPushPhone.phone?.register(self) }
  }

  /// Creates a registry that calls its delegate on a queue, which should be serial; nil for the main queue.
  public init(queue: DispatchQueue?) {
    self.queue = queue ?? .main
    super.init()
  }

  /// The token of a wanted type; nil if the app is not registered for it.
  open func pushToken(for type: PKPushType) -> Data? {
    desiredPushTypes?.contains(type) == true ? InstalledPushPhone.phone?.token(of: type) : nil
  }
}
