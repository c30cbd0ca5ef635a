// The app's side that makes calls: it reports them to the phone, and does what the phone asks.

import AppExtensions
public import Dispatch
public import Foundation

/// Why a call ended, when not by an action.
public enum CXCallEndedReason: Int, Sendable {
  /// Something went wrong.
  case failed = 1
  /// The other side ended it.
  case remoteEnded = 2
  /// Nobody answered.
  case unanswered = 3
  /// It was answered on another device.
  case answeredElsewhere = 4
  /// It was declined on another device.
  case declinedElsewhere = 5
}

/// Replaces AVFoundation's class, which Linux lacks, so that delegates compile. It plays no audio.
open class AVAudioSession: NSObject {
  /// The one session has no state.
  private static let only = SendableBox(AVAudioSession())

  /// The session.
  open class func sharedInstance() -> AVAudioSession { only.value }
}

/// What a provider can do.
open class CXProviderConfiguration: NSObject, NSCopying {
  /// The name under which calls are shown.
  open private(set) var localizedName: String?
  /// The sound of a call.
  open var ringtoneSound: String?
  /// The picture on the button that leads to the app.
  open var iconTemplateImageData: Data?
  /// The most groups of calls at a time.
  open var maximumCallGroups = 2
  /// The most calls in a group.
  open var maximumCallsPerCallGroup = 5
  /// Whether calls are listed among the recent ones.
  open var includesCallsInRecents = true
  /// Whether calls may have video.
  open var supportsVideo = false
  /// What callers may be named by.
  open var supportedHandleTypes: Set<CXHandle.HandleType> = []

  /// Makes a configuration.
  public override init() { super.init() }

  /// Makes a configuration with a name.
  public init(localizedName: String) {
    self.localizedName = localizedName
    super.init()
  }

  /// A copy.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = localizedName.map { CXProviderConfiguration(localizedName: $0) } ?? CXProviderConfiguration()
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
  /// What the provider can do.
  open var configuration: CXProviderConfiguration
  package private(set) weak var delegate: (any CXProviderDelegate)?
  package private(set) var queue: DispatchQueue = .main
  package private(set) var isInvalidated = false

  /// Makes a provider.
  public init(configuration: CXProviderConfiguration) {
    self.configuration = configuration
    super.init()
    InstalledPhone.calling?.attach(self)
  }

  /// Sets who does what the phone asks, and on which queue; nil is the main queue.
  open func setDelegate(_ delegate: (any CXProviderDelegate)?, queue: DispatchQueue?) {
    self.delegate = delegate
    self.queue = queue ?? .main
    InstalledPhone.calling?.delegateChanged(self)
  }

  /// Reports an incoming call. `completion` gets nil when the phone shows it, or why it does not.
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

  /// Reports new particulars of a call.
  open func reportCall(with UUID: UUID, updated update: CXCallUpdate) {
    InstalledPhone.calling?.report(self, UUID, update)
  }

  /// Reports the end of a call; without a date, now.
  open func reportCall(with UUID: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason) {
    InstalledPhone.calling?.reportEnded(self, UUID, at: dateEnded ?? Date(), endedReason)
  }

  /// Reports that an outgoing call began to connect; without a date, now.
  open func reportOutgoingCall(with UUID: UUID, startedConnectingAt dateStartedConnecting: Date?) {
    InstalledPhone.calling?.reportOutgoing(
      self, UUID, at: dateStartedConnecting ?? Date(), isConnected: false)
  }

  /// Reports that an outgoing call connected; without a date, now.
  open func reportOutgoingCall(with UUID: UUID, connectedAt dateConnected: Date?) {
    InstalledPhone.calling?.reportOutgoing(self, UUID, at: dateConnected ?? Date(), isConnected: true)
  }

  /// Ends all calls and lets the phone go.
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
