// The app's side that wants something done with calls, and watches them.

public import Dispatch
public import Foundation

/// A call, as observers see it.
open class CXCall: NSObject {
  /// The call.
  public let uuid: UUID
  /// Whether it was made from this phone.
  public let isOutgoing: Bool
  /// Whether it is held.
  public let isOnHold: Bool
  /// Whether it has connected.
  public let hasConnected: Bool
  /// Whether it has ended.
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

/// Is notified when a call changes.
public protocol CXCallObserverDelegate: NSObjectProtocol {
  /// A call began, changed or ended.
  func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall)
}

/// Watches the phone's calls.
open class CXCallObserver: NSObject {
  package private(set) weak var delegate: (any CXCallObserverDelegate)?
  package private(set) var queue: DispatchQueue = .main

  /// Makes an observer.
  public override init() {
    super.init()
    InstalledPhone.calling?.attach(self)
  }

  /// The calls that have not ended.
  open var calls: [CXCall] { InstalledPhone.calling?.calls ?? [] }

  /// Sets the delegate and its queue; nil is the main queue.
  open func setDelegate(_ delegate: (any CXCallObserverDelegate)?, queue: DispatchQueue?) {
    self.delegate = delegate
    self.queue = queue ?? .main
  }
}

/// Asks the phone for transactions.
open class CXCallController: NSObject {
  /// Watches the calls.
  public let callObserver = CXCallObserver()
  private let queue: DispatchQueue

  /// Makes a controller whose completions run on the main queue.
  public override convenience init() { self.init(queue: .main) }

  /// Makes a controller.
  public init(queue: DispatchQueue) {
    self.queue = queue
    super.init()
  }

  /// Asks for a transaction. `completion` gets nil when the phone will do it, or why it won't; it is done afterwards.
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

  /// Asks for a transaction.
  open func request(_ transaction: CXTransaction) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      request(transaction) { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }

  /// Asks for actions in one transaction.
  open func requestTransaction(
    with actions: [CXAction], completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    request(CXTransaction(actions: actions), completion: completion)
  }

  /// Asks for one action.
  open func requestTransaction(
    with action: CXAction, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    request(CXTransaction(action: action), completion: completion)
  }

  /// Asks for actions in one transaction.
  open func requestTransaction(with actions: [CXAction]) async throws {
    try await request(CXTransaction(actions: actions))
  }

  /// Asks for one action.
  open func requestTransaction(with action: CXAction) async throws {
    try await request(CXTransaction(action: action))
  }
}
