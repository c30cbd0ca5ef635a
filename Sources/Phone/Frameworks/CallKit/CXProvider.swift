// The app's interface for its calls: describes and reports them to the phone and performs the phone's actions.

import AppExtensions
public import Dispatch
public import Foundation

/// Why a call ended, if not by an action.
public enum CXCallEndedReason: Int, Sendable {
  /// An error occurred.
  case failed = 1
  /// The other side ended it.
  case remoteEnded = 2
  /// The call was not answered.
  case unanswered = 3
  /// It was answered on another device.
  case answeredElsewhere = 4
  /// It was declined on another device.
  case declinedElsewhere = 5
}

/// Replaces AVFoundation's class, which Linux lacks, so that delegates compile. It plays no audio.
open class AVAudioSession: NSObject {
  /// The only session; it has no state.
  private static let only = SendableBox(AVAudioSession())

  /// The shared session.
  open class func sharedInstance() -> AVAudioSession { only.value }
}

/// The properties and capabilities of a provider.
open class CXProviderConfiguration: NSObject, NSCopying {
  private var name: String?
  /// The name under which calls are shown. iOS shows the app's name instead.
  @available(*, deprecated, message: "No longer supported")
  open var localizedName: String? { name }
  /// The name of the ringtone's sound file in the app's bundle; nil for the phone's ringtone.
  open var ringtoneSound: String?
  /// The image on the button that opens the app, as PNG: a square with sides of 40 points, of which the alpha channel
  /// is used.
  open var iconTemplateImageData: Data?
  /// The maximum number of simultaneous call groups.
  open var maximumCallGroups = 2
  /// The maximum number of calls in a group.
  open var maximumCallsPerCallGroup = 5
  /// Whether calls are listed among recent calls when they end.
  open var includesCallsInRecents = true
  /// Whether calls may have video.
  open var supportsVideo = false
  /// The supported types of handles.
  open var supportedHandleTypes: Set<CXHandle.HandleType> = []

  /// Creates a configuration.
  public override init() { super.init() }

  /// Creates a configuration with a name.
  @available(*, deprecated, message: "No longer supported; use init()")
  public init(localizedName: String) {
    name = localizedName
    super.init()
  }

  /// Returns a copy.
  open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

  fileprivate func duplicate() -> CXProviderConfiguration {
    let copy = CXProviderConfiguration()
    copy.name = name
    copy.ringtoneSound = ringtoneSound
    copy.iconTemplateImageData = iconTemplateImageData
    copy.maximumCallGroups = maximumCallGroups
    copy.maximumCallsPerCallGroup = maximumCallsPerCallGroup
    copy.includesCallsInRecents = includesCallsInRecents
    copy.supportsVideo = supportsVideo
    copy.supportedHandleTypes = supportedHandleTypes
    return copy
  }
}

/// Reports calls to the phone.
open class CXProvider: NSObject {
  /// The provider's configuration, a copy. Set it in order to change it.
  open var configuration: CXProviderConfiguration {
    get { settings.duplicate() }
    set { settings = newValue.duplicate() }
  }
  package private(set) var settings: CXProviderConfiguration
  package private(set) weak var delegate: (any CXProviderDelegate)?
  package private(set) var queue: DispatchQueue = .main
  package private(set) var isInvalidated = false

  /// Creates a provider.
  public init(configuration: CXProviderConfiguration) {
    settings = configuration.duplicate()
    super.init()
    InstalledPhone.calling?.attach(self)
  }

  /// Sets the delegate that performs the phone's actions, and its queue; nil for the main queue.
  open func setDelegate(_ delegate: (any CXProviderDelegate)?, queue: DispatchQueue?) {
    self.delegate = delegate
    self.queue = queue ?? .main
    InstalledPhone.calling?.delegateChanged(self)
  }

  /// Reports an incoming call. `completion` receives nil if the phone shows the call, or the error.
  open func reportNewIncomingCall(
    with UUID: UUID, update: CXCallUpdate, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    guard let phone = InstalledPhone.calling else {
      queue.async { completion(CXErrorCodeIncomingCallError(.unknown)) }
      return
    }
    phone.reportIncoming(self, UUID, update, completion: completion)
  }

  /// Reports an incoming call.
  open func reportNewIncomingCall(with UUID: UUID, update: CXCallUpdate) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      reportNewIncomingCall(with: UUID, update: update) { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }

  /// Reports changes to a call.
  open func reportCall(with UUID: UUID, updated update: CXCallUpdate) {
    InstalledPhone.calling?.report(self, UUID, update)
  }

  /// Reports the end of a call; without a date, the end is now.
  open func reportCall(with UUID: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason) {
    InstalledPhone.calling?.reportEnded(self, UUID, at: dateEnded ?? Date(), endedReason)
  }

  /// Reports that an outgoing call started to connect; without a date, now.
  open func reportOutgoingCall(with UUID: UUID, startedConnectingAt dateStartedConnecting: Date?) {
    InstalledPhone.calling?.reportOutgoing(
      self, UUID, at: dateStartedConnecting ?? Date(), isConnected: false)
  }

  /// Reports that an outgoing call connected; without a date, now.
  open func reportOutgoingCall(with UUID: UUID, connectedAt dateConnected: Date?) {
    InstalledPhone.calling?.reportOutgoing(self, UUID, at: dateConnected ?? Date(), isConnected: true)
  }

  /// Ends all calls and detaches the provider from the phone.
  open func invalidate() {
    if isInvalidated { return }
    isInvalidated = true
    InstalledPhone.calling?.detach(self)
  }

  /// The transactions that are not complete.
  open var pendingTransactions: [CXTransaction] { InstalledPhone.calling?.pendingTransactions(self) ?? [] }

  /// The actions of a class on a call that are not complete.
  open func pendingCallActions(of callActionClass: AnyClass, withCall callUUID: UUID) -> [CXCallAction] {
    pendingTransactions.flatMap(\.actions).compactMap { $0 as? CXCallAction }.filter {
      $0.callUUID == callUUID && !$0.isComplete && $0.isKind(of: callActionClass)
    }
  }
}

/// Performs the phone's actions. Only `providerDidReset` is required; other methods are optional.
public protocol CXProviderDelegate: NSObjectProtocol {
  /// The phone has ended all calls of the provider; the app must end them, too.
  func providerDidReset(_ provider: CXProvider)
  /// The provider is ready.
  func providerDidBegin(_ provider: CXProvider)
  /// Performs a transaction: return true if the app performs it as a whole, false to receive its actions one by one.
  func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool
  /// Starts a call.
  func provider(_ provider: CXProvider, perform action: CXStartCallAction)
  /// Answers a call.
  func provider(_ provider: CXProvider, perform action: CXAnswerCallAction)
  /// Ends a call.
  func provider(_ provider: CXProvider, perform action: CXEndCallAction)
  /// Holds or resumes a call.
  func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction)
  /// Mutes or unmutes a call.
  func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction)
  /// Groups calls.
  func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction)
  /// Plays tones.
  func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction)
  /// An action was not completed in time.
  func provider(_ provider: CXProvider, timedOutPerforming action: CXAction)
  /// The audio session is active: the app may start audio.
  func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession)
  /// The audio session is inactive: the app must stop audio.
  func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession)
}

/// Apple's methods are optional. These defaults do what the phone does if a method is missing: an action that is not
/// performed fails.
extension CXProviderDelegate {
  /// Does nothing.
  public func providerDidBegin(_ provider: CXProvider) {}
  /// Requests the actions one by one.
  public func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool { false }
  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXStartCallAction) { action.fail() }
  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { action.fail() }
  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.fail() }
  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { action.fail() }
  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) { action.fail() }
  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) { action.fail() }
  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) { action.fail() }
  /// Does nothing.
  public func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {}
  /// Does nothing.
  public func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {}
  /// Does nothing.
  public func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {}
}

/// Changes to a call's properties. Properties that are not set stay unchanged.
open class CXCallUpdate: NSObject, NSCopying {
  package private(set) var holding: Bool?
  package private(set) var grouping: Bool?
  package private(set) var ungrouping: Bool?
  package private(set) var dtmf: Bool?
  package private(set) var video: Bool?

  /// The number or address of the other side.
  open var remoteHandle: CXHandle?
  /// The name to show instead of the one that the phone would find.
  open var localizedCallerName: String?
  /// Whether the call can be held.
  open var supportsHolding: Bool {
    get { holding ?? false }
    set { holding = newValue }
  }
  /// Whether the call can be added to a group.
  open var supportsGrouping: Bool {
    get { grouping ?? false }
    set { grouping = newValue }
  }
  /// Whether the call can be removed from a group.
  open var supportsUngrouping: Bool {
    get { ungrouping ?? false }
    set { ungrouping = newValue }
  }
  /// Whether the call can send tones.
  open var supportsDTMF: Bool {
    get { dtmf ?? false }
    set { dtmf = newValue }
  }
  /// Whether the call has video.
  open var hasVideo: Bool {
    get { video ?? false }
    set { video = newValue }
  }

  /// Creates an update that changes nothing.
  public override init() { super.init() }

  /// Returns a copy.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = CXCallUpdate()
    copy.merge(self)
    return copy
  }

  package func merge(_ other: CXCallUpdate) {
    remoteHandle = other.remoteHandle ?? remoteHandle
    localizedCallerName = other.localizedCallerName ?? localizedCallerName
    holding = other.holding ?? holding
    grouping = other.grouping ?? grouping
    ungrouping = other.ungrouping ?? ungrouping
    dtmf = other.dtmf ?? dtmf
    video = other.video ?? video
  }
}

/// A phone number, an e-mail address, or another identifier of a caller.
open class CXHandle: NSObject, NSCopying, NSSecureCoding {
  /// The type of the value.
  public enum HandleType: Int, Sendable {
    /// Any other identifier.
    case generic = 1
    /// A phone number.
    case phoneNumber = 2
    /// An e-mail address.
    case emailAddress = 3
  }

  /// The type of the value.
  public let type: HandleType
  /// The number or address.
  public let value: String

  /// Creates a handle.
  public init(type: HandleType, value: String) {
    self.type = type
    self.value = value
    super.init()
  }

  /// Returns the handle itself, because handles are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether another handle has the same type and value.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CXHandle else { return false }
    return other.type == type && other.value == value
  }

  /// Whether another handle has the same type and value.
  open func isEqual(to handle: CXHandle) -> Bool { isEqual(handle) }

  /// Hashes the value.
  open override var hash: Int { value.hashValue }

  /// Handles may be archived.
  public static var supportsSecureCoding: Bool { true }

  /// Archives the handle.
  open func encode(with coder: NSCoder) {
    coder.encode(type.rawValue, forKey: "type")
    coder.encode(value as NSString, forKey: "value")
  }

  /// Reads a handle from an archive.
  public required init?(coder: NSCoder) {
    guard let type = HandleType(rawValue: coder.decodeInteger(forKey: "type")),
      let value = coder.decodeObject(of: NSString.self, forKey: "value")
    else { return nil }
    self.type = type
    self.value = value as String
    super.init()
  }
}
