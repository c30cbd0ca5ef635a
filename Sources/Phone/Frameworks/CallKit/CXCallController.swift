// The app's interface for requesting actions on calls and observing calls.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import AppExtensions
public import Dispatch
public import Foundation

open class CXCall: NSObject {
  public let uuid: UUID
  public let isOutgoing: Bool
  public let isOnHold: Bool
  public let hasConnected: Bool
  public let hasEnded: Bool

  package init(uuid: UUID, isOutgoing: Bool, isOnHold: Bool, hasConnected: Bool, hasEnded: Bool) {
    self.uuid = uuid
    self.isOutgoing = isOutgoing
    self.isOnHold = isOnHold
    self.hasConnected = hasConnected
    self.hasEnded = hasEnded
    super.init()
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CXCall else { return false }
    return other.uuid == uuid && other.isOutgoing == isOutgoing && other.isOnHold == isOnHold
      && other.hasConnected == hasConnected && other.hasEnded == hasEnded
  }

  open func isEqual(to call: CXCall) -> Bool { isEqual(call) }

  open override var hash: Int { uuid.hashValue }
}

public protocol CXCallObserverDelegate: NSObjectProtocol {
  func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall)
}

open class CXCallObserver: NSObject {
  package private(set) weak var delegate: (any CXCallObserverDelegate)?
  package private(set) var queue: DispatchQueue = .main

  public override init() {
    super.init()
    InstalledPhone.calling?.attach(self)
  }

  open var calls: [CXCall] { InstalledPhone.calling?.calls ?? [] }

  /// Sets the delegate and its queue; nil for the main queue.
  open func setDelegate(_ delegate: (any CXCallObserverDelegate)?, queue: DispatchQueue?) {
    self.delegate = delegate
    self.queue = queue ?? .main
  }
}

open class CXCallController: NSObject {
  public let callObserver = CXCallObserver()
  private let queue: DispatchQueue

  public override convenience init() { self.init(queue: .main) }

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

  open func request(_ transaction: CXTransaction) async throws {
    try await completion { request(transaction, completion: $0) }
  }

  open func requestTransaction(
    with actions: [CXAction], completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    request(CXTransaction(actions: actions), completion: completion)
  }

  open func requestTransaction(
    with action: CXAction, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    request(CXTransaction(action: action), completion: completion)
  }

  open func requestTransaction(with actions: [CXAction]) async throws {
    try await request(CXTransaction(actions: actions))
  }

  open func requestTransaction(with action: CXAction) async throws {
    try await request(CXTransaction(action: action))
  }
}
