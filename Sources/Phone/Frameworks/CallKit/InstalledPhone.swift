// The installed phone, which CallKit's classes call. None of this is public, so that handlers see only Apple's names.

import Dispatch
package import FoundationEssentials
import Synchronization

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
  private static let parts = Mutex<(directory: DirectoryService?, calling: (any CallingPhone)?)>(
    (nil, nil))

  package static var directory: DirectoryService? { parts.withLock { $0.directory } }
  package static var calling: (any CallingPhone)? { parts.withLock { $0.calling } }

  package static func install(directory: DirectoryService?, calling: (any CallingPhone)?) {
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
