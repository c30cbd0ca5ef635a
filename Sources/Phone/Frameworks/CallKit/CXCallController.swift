// The app's interface for requesting actions on calls and observing calls.

public import Dispatch
public import Foundation

/// A call, for observers.
open class CXCall: NSObject {
  /// The call's id.
  public let uuid: UUID
  /// Whether the call was made from this phone.
  public let isOutgoing: Bool
  /// Whether the call is on hold.
  public let isOnHold: Bool
  /// Whether the call has connected.
  public let hasConnected: Bool
  /// Whether the call has ended.
  public let hasEnded: Bool

  package init(uuid: UUID, isOutgoing: Bool, isOnHold: Bool, hasConnected: Bool, hasEnded: Bool) {
    self.uuid = uuid
    self.isOutgoing = isOutgoing
    self.isOnHold = isOnHold
    self.hasConnected = hasConnected
    self.hasEnded = hasEnded
    super.init()
  }

  /// Whether another object is the same call in the same state.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CXCall else { return false }
    return other.uuid == uuid && other.isOutgoing == isOutgoing && other.isOnHold == isOnHold
      && other.hasConnected == hasConnected && other.hasEnded == hasEnded
  }

  /// Whether another object is the same call in the same state.
  open func isEqual(to call: CXCall) -> Bool { isEqual(call) }

  /// Hashes the identifier.
  open override var hash: Int { uuid.hashValue }
}

/// A delegate that is notified when a call changes.
public protocol CXCallObserverDelegate: NSObjectProtocol {
  /// Called when a call has started, changed or ended.
  func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall)
}

/// Observes the phone's calls.
open class CXCallObserver: NSObject {
  package private(set) weak var delegate: (any CXCallObserverDelegate)?
  package private(set) var queue: DispatchQueue = .main

  /// Creates an observer.
  public override init() {
    super.init()
    InstalledPhone.calling?.attach(self)
  }

  /// The calls that have not ended.
  open var calls: [CXCall] { InstalledPhone.calling?.calls ?? [] }

  /// Sets the delegate and its queue; nil for the main queue.
  open func setDelegate(_ delegate: (any CXCallObserverDelegate)?, queue: DispatchQueue?) {
    self.delegate = delegate
    self.queue = queue ?? .main
  }
}

/// Requests transactions from the phone.
open class CXCallController: NSObject {
  /// Observes the phone's calls.
  public let callObserver = CXCallObserver()
  private let queue: DispatchQueue

  /// Creates a controller whose completions run on the main queue.
  public override convenience init() { self.init(queue: .main) }

  /// Creates a controller.
  public init(queue: DispatchQueue) {
    self.queue = queue
    super.init()
  }

  /// Requests a transaction. `completion` receives nil if the phone accepts it, or the error; it is performed
  /// afterwards.
  open func request(
    _ transaction: CXTransaction, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let queue = queue
    guard let phone = InstalledPhone.calling else {
      queue.async { completion(CXErrorCodeRequestTransactionError(.unknownCallProvider)) }
      return
    }
    phone.request(transaction) { error in queue.async { completion(error) } }
  }

  /// Requests a transaction.
  open func request(_ transaction: CXTransaction) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      request(transaction) { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }

  /// Requests actions in one transaction.
  open func requestTransaction(
    with actions: [CXAction], completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    request(CXTransaction(actions: actions), completion: completion)
  }

  /// Requests one action.
  open func requestTransaction(
    with action: CXAction, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    request(CXTransaction(action: action), completion: completion)
  }

  /// Requests actions in one transaction.
  open func requestTransaction(with actions: [CXAction]) async throws {
    try await request(CXTransaction(actions: actions))
  }

  /// Requests one action.
  open func requestTransaction(with action: CXAction) async throws {
    try await request(CXTransaction(action: action))
  }
}
