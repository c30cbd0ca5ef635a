// The installed phone, which CallKit's classes call. None of this is public, so that handlers see only Apple's names.

import Dispatch
package import FoundationEssentials
import Synchronization

/// The implementation of a Call Directory request. Use it on one thread at a time.
package protocol CallDirectoryRequest: AnyObject {
  /// Whether the request is incremental. Reading it confirms that.
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
  /// Completes the request; returns true if it had failed or expired.
  func complete() -> Bool
  /// Cancels the request with the extension's own error.
  func cancel(_ error: any Error)
  /// Sets the handler of an error, which runs on its own thread.
  func onFailure(_ handler: @escaping @Sendable (any Error) -> Void)
}

/// The implementation of the Call Directory manager.
package protocol CallDirectoryPhone: Sendable {
  /// Loads an extension; calls `completion` on any thread.
  func reload(_ identifier: String, completion: @escaping @Sendable ((any Error)?) -> Void)
  /// Reports whether an extension is enabled.
  func enabledStatus(
    _ identifier: String,
    completion: @escaping @Sendable (CXCallDirectoryManager.EnabledStatus, (any Error)?) -> Void)
  /// Opens Settings.
  func openSettings(completion: @escaping @Sendable ((any Error)?) -> Void)
}

/// The implementation of providers, controllers and observers of calls.
package protocol CallingPhone: AnyObject, Sendable {
  /// Attaches a new provider, which the phone references weakly.
  func attach(_ provider: CXProvider)
  /// Detaches an invalidated provider and ends its calls.
  func detach(_ provider: CXProvider)
  /// Notes that a provider's delegate has changed.
  func delegateChanged(_ provider: CXProvider)
  /// Reports an incoming call.
  func reportIncoming(
    _ provider: CXProvider, _ call: UUID, _ update: CXCallUpdate,
    completion: @escaping @Sendable ((any Error)?) -> Void)
  /// Reports changes to a call.
  func report(_ provider: CXProvider, _ call: UUID, _ update: CXCallUpdate)
  /// Reports that the other side ended a call, or that it failed.
  func reportEnded(_ provider: CXProvider, _ call: UUID, at date: Date, _ reason: CXCallEndedReason)
  /// Reports that an outgoing call started to connect or has connected.
  func reportOutgoing(_ provider: CXProvider, _ call: UUID, at date: Date, isConnected: Bool)
  /// The transactions that a provider has not completed.
  func pendingTransactions(_ provider: CXProvider) -> [CXTransaction]
  /// Requests a transaction for an app.
  func request(_ transaction: CXTransaction, completion: @escaping @Sendable ((any Error)?) -> Void)
  /// Attaches a new observer, which the phone references weakly.
  func attach(_ observer: CXCallObserver)
  /// The current calls.
  var calls: [CXCall] { get }
}

/// The installed phone.
package enum InstalledPhone {
  private static let parts = Mutex<(directory: (any CallDirectoryPhone)?, calling: (any CallingPhone)?)>(
    (nil, nil))

  /// The phone for the Call Directory manager; nil if none is installed.
  package static var directory: (any CallDirectoryPhone)? { parts.withLock { $0.directory } }
  /// The phone for providers and controllers; nil if none is installed.
  package static var calling: (any CallingPhone)? { parts.withLock { $0.calling } }

  /// Installs a phone, replacing the previous one; nil for none.
  package static func install(directory: (any CallDirectoryPhone)?, calling: (any CallingPhone)?) {
    parts.withLock { $0 = (directory, calling) }
  }
}

/// The completion handlers that have not returned yet.
package enum CompletionHandlers {
  private static let running = DispatchGroup()

  /// Runs a handler in the background.
  static func run(_ handler: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async(group: running, execute: DispatchWorkItem(block: handler))
  }

  /// Waits for all handlers, at most the given number of seconds.
  package static func wait(seconds: Int) {
    _ = running.wait(timeout: .now() + .seconds(seconds))
  }
}
