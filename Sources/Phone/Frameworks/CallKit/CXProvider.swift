// The app's interface for its calls: describes and reports them to the phone and performs the phone's actions.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import AppExtensions
public import Dispatch
public import Foundation
import Synchronization

public enum CXCallEndedReason: Int, Sendable {
  case failed = 1
  case remoteEnded = 2
  case unanswered = 3
  case answeredElsewhere = 4
  case declinedElsewhere = 5
}

/// Replaces AVFoundation's class, which Linux lacks, so that delegates compile. It plays no audio; what an app sets can be
/// read.
open class AVAudioSession: NSObject, @unchecked Sendable {
  public struct Category: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
    public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
  }

  public struct Mode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
    public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
    public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
  }

  public struct SetActiveOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
  }

  private static let only = AVAudioSession()
  private let state = Mutex((category: Category.soloAmbient, mode: Mode.default, isActive: false))

  open class func sharedInstance() -> AVAudioSession { only }

  open var category: Category { state.withLock { $0.category } }
  open var mode: Mode { state.withLock { $0.mode } }
  /// Whether the app has activated the session itself.
  package var isActive: Bool { state.withLock { $0.isActive } }

  open func setCategory(_ category: Category, mode: Mode) throws {
    state.withLock { ($0.category, $0.mode) = (category, mode) }
  }

  open func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
    state.withLock { $0.isActive = active }
  }
}

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
  open var maximumCallGroups = 2
  open var maximumCallsPerCallGroup = 5
  open var includesCallsInRecents = true
  open var supportsVideo = false
  open var supportedHandleTypes: Set<CXHandle.HandleType> = []

  public override init() { super.init() }

  @available(*, deprecated, message: "No longer supported; use init()")
  public init(localizedName: String) {
    name = localizedName
    super.init()
  }

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

  open func reportNewIncomingCall(with UUID: UUID, update: CXCallUpdate) async throws {
    try await completion { reportNewIncomingCall(with: UUID, update: update, completion: $0) }
  }

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

  open var pendingTransactions: [CXTransaction] { InstalledPhone.calling?.pendingTransactions(self) ?? [] }

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
  func providerDidBegin(_ provider: CXProvider)
  func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool
  func provider(_ provider: CXProvider, perform action: CXStartCallAction)
  func provider(_ provider: CXProvider, perform action: CXAnswerCallAction)
  func provider(_ provider: CXProvider, perform action: CXEndCallAction)
  func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction)
  func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction)
  func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction)
  func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction)
  func provider(_ provider: CXProvider, timedOutPerforming action: CXAction)
  func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession)
  func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession)
}

/// Apple's methods are optional. These defaults do what the phone does if a method is missing: an action that is not
/// performed fails.
extension CXProviderDelegate {
  public func providerDidBegin(_ provider: CXProvider) {}
  public func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool { false }
  public func provider(_ provider: CXProvider, perform action: CXStartCallAction) { action.fail() }
  public func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { action.fail() }
  public func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.fail() }
  public func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { action.fail() }
  public func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) { action.fail() }
  public func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) { action.fail() }
  public func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) { action.fail() }
  public func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {}
  public func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {}
  public func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {}
}

open class CXCallUpdate: NSObject, NSCopying {
  package private(set) var holding: Bool?
  package private(set) var grouping: Bool?
  package private(set) var ungrouping: Bool?
  package private(set) var dtmf: Bool?
  package private(set) var video: Bool?

  open var remoteHandle: CXHandle?
  /// The name to show instead of the one that the phone would find.
  open var localizedCallerName: String?
  open var supportsHolding: Bool {
    get { holding ?? false }
    set { holding = newValue }
  }
  open var supportsGrouping: Bool {
    get { grouping ?? false }
    set { grouping = newValue }
  }
  open var supportsUngrouping: Bool {
    get { ungrouping ?? false }
    set { ungrouping = newValue }
  }
  open var supportsDTMF: Bool {
    get { dtmf ?? false }
    set { dtmf = newValue }
  }
  open var hasVideo: Bool {
    get { video ?? false }
    set { video = newValue }
  }

  public override init() { super.init() }

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

open class CXHandle: NSObject, NSCopying, NSSecureCoding {
  public enum HandleType: Int, Sendable {
    case generic = 1
    case phoneNumber = 2
    case emailAddress = 3
  }

  public let type: HandleType
  public let value: String

  public init(type: HandleType, value: String) {
    self.type = type
    self.value = value
    super.init()
  }

  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CXHandle else { return false }
    return other.type == type && other.value == value
  }

  open func isEqual(to handle: CXHandle) -> Bool { isEqual(handle) }

  open override var hash: Int { value.hashValue }

  public static var supportsSecureCoding: Bool { true }

  open func encode(with coder: NSCoder) {
    coder.encode(type.rawValue, forKey: "type")
    coder.encode(value as NSString, forKey: "value")
  }

  public required init?(coder: NSCoder) {
    guard let type = HandleType(rawValue: coder.decodeInteger(forKey: "type")),
      let value = coder.decodeObject(of: NSString.self, forKey: "value")
    else { return nil }
    self.type = type
    self.value = value as String
    super.init()
  }
}
