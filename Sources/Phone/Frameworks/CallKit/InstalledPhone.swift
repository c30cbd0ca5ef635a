// The installed phone, which CallKit's classes call. None of this is public, so that handlers see only Apple's names.
//
// Protocols, because the phone needs the trait Tool, and CallDirectoryKit, which links CallKit on Linux, does not.

import Dispatch
package import FoundationEssentials
import Synchronization

/// The implementation of a Call Directory request. Use it on one thread at a time.
package protocol CallDirectoryRequest: AnyObject {
  var isIncremental: Bool { get }
  func addBlocking(_ number: Int64)
  func addIdentification(_ number: Int64, label: String)
  func removeBlocking(_ number: Int64)
  func removeIdentification(_ number: Int64)
  func removeAllBlocking()
  func removeAllIdentification()
  /// Completes the request; returns true if it had failed or expired.
  func complete() -> Bool
  func cancel(_ error: any Error)
  func onFailure(_ handler: @escaping @Sendable (any Error) -> Void)
}

package protocol CallDirectoryPhone: Sendable {
  /// Loads an extension; calls `completion` on any thread.
  func reload(_ identifier: String, completion: @escaping @Sendable ((any Error)?) -> Void)
  func enabledStatus(
    _ identifier: String,
    completion: @escaping @Sendable (CXCallDirectoryManager.EnabledStatus, (any Error)?) -> Void)
  func openSettings(completion: @escaping @Sendable ((any Error)?) -> Void)
}

package protocol CallingPhone: AnyObject, Sendable {
  /// Attaches a new provider, which the phone references weakly.
  func attach(_ provider: CXProvider)
  func detach(_ provider: CXProvider)
  func delegateChanged(_ provider: CXProvider)
  func reportIncoming(
    _ provider: CXProvider, _ call: UUID, _ update: CXCallUpdate,
    completion: @escaping @Sendable ((any Error)?) -> Void)
  func report(_ provider: CXProvider, _ call: UUID, _ update: CXCallUpdate)
  func reportEnded(_ provider: CXProvider, _ call: UUID, at date: Date, _ reason: CXCallEndedReason)
  func reportOutgoing(_ provider: CXProvider, _ call: UUID, at date: Date, isConnected: Bool)
  func pendingTransactions(_ provider: CXProvider) -> [CXTransaction]
  func request(_ transaction: CXTransaction, completion: @escaping @Sendable ((any Error)?) -> Void)
  /// Attaches a new observer, which the phone references weakly.
  func attach(_ observer: CXCallObserver)
  var calls: [CXCall] { get }
}

package enum InstalledPhone {
  private static let parts = Mutex<(directory: (any CallDirectoryPhone)?, calling: (any CallingPhone)?)>(
    (nil, nil))

  package static var directory: (any CallDirectoryPhone)? { parts.withLock { $0.directory } }
  package static var calling: (any CallingPhone)? { parts.withLock { $0.calling } }

  package static func install(directory: (any CallDirectoryPhone)?, calling: (any CallingPhone)?) {
    parts.withLock { $0 = (directory, calling) }
  }
}

package enum CompletionHandlers {
  private static let running = DispatchGroup()

  static func run(_ handler: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async(group: running, execute: DispatchWorkItem(block: handler))
  }

  /// Waits for all handlers, at most the given number of seconds.
  package static func wait(seconds: Int) { _ = running.wait(timeout: .now() + .seconds(seconds)) }
}
