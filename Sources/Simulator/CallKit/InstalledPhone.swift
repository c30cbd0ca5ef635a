// The phone that the classes call, once it is installed here. Nothing of this is public, so that handlers see
// Apple's names only.

package import FoundationEssentials
import Synchronization

/// What a Call Directory request stands on. It belongs to one thread at a time.
package protocol CallDirectoryRequest: AnyObject {
  /// Whether the request is incremental; asking confirms it.
  var isIncremental: Bool { get }
  /// Adds a number to block.
  func addBlocking(_ number: Int64)
  /// Adds a number and its label.
  func addIdentification(_ number: Int64, label: String)
  /// Removes a blocked number.
  func removeBlocking(_ number: Int64)
  /// Removes a number's labels.
  func removeIdentification(_ number: Int64)
  /// Removes all blocked numbers.
  func removeAllBlocking()
  /// Removes all labels.
  func removeAllIdentification()
  /// Ends the request; true when it had failed or expired.
  func complete() -> Bool
  /// Ends the request with an error of the extension's own.
  func cancel(_ error: any Error)
  /// Sets the handler of a failure, which runs on its own thread.
  func onFailure(_ handler: @escaping @Sendable (any Error) -> Void)
}

/// What the manager stands on.
package protocol CallDirectoryPhone: Sendable {
  /// Loads an extension; calls back on any thread.
  func reload(_ identifier: String, completion: @escaping @Sendable ((any Error)?) -> Void)
  /// Reports whether an extension is switched on.
  func enabledStatus(
    _ identifier: String,
    completion: @escaping @Sendable (CXCallDirectoryManager.EnabledStatus, (any Error)?) -> Void)
  /// Opens Settings.
  func openSettings(completion: @escaping @Sendable ((any Error)?) -> Void)
}

/// What providers, controllers and observers of calls stand on.
package protocol CallingPhone: AnyObject, Sendable {
  /// A provider was made; the phone holds it weakly.
  func attach(_ provider: CXProvider)
  /// A provider is invalidated: its calls end.
  func detach(_ provider: CXProvider)
  /// A provider got a delegate.
  func delegateChanged(_ provider: CXProvider)
  /// A call comes in.
  func reportIncoming(
    _ provider: CXProvider, _ call: UUID, _ update: CXCallUpdate,
    completion: @escaping @Sendable ((any Error)?) -> Void)
  /// A call's particulars change.
  func report(_ provider: CXProvider, _ call: UUID, _ update: CXCallUpdate)
  /// A call ended at the other side, or failed.
  func reportEnded(_ provider: CXProvider, _ call: UUID, at date: Date, _ reason: CXCallEndedReason)
  /// An outgoing call began to connect, or connected.
  func reportOutgoing(_ provider: CXProvider, _ call: UUID, at date: Date, isConnected: Bool)
  /// The transactions that a provider has not completed.
  func pendingTransactions(_ provider: CXProvider) -> [CXTransaction]
  /// An app wants something done.
  func request(_ transaction: CXTransaction, completion: @escaping @Sendable ((any Error)?) -> Void)
  /// An observer was made; the phone holds it weakly.
  func attach(_ observer: CXCallObserver)
  /// The calls there are.
  var calls: [CXCall] { get }
}

/// The phone that is installed.
package enum InstalledPhone {
  private static let parts = Mutex<(directory: (any CallDirectoryPhone)?, calling: (any CallingPhone)?)>(
    (nil, nil))

  /// What the manager calls; nil when there is no phone.
  package static var directory: (any CallDirectoryPhone)? { parts.withLock { $0.directory } }
  /// What providers and controllers call; nil when there is no phone.
  package static var calling: (any CallingPhone)? { parts.withLock { $0.calling } }

  /// Installs a phone, in place of the one before; nil for none.
  package static func install(directory: (any CallDirectoryPhone)?, calling: (any CallingPhone)?) {
    parts.withLock { $0 = (directory, calling) }
  }
}
