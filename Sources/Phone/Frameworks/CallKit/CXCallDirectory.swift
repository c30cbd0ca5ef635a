// The Call Directory: the extension's handler and request, and the app's interface to its extensions.

@_exported public import AppExtensions
import Dispatch
public import Foundation

/// An E.164 number as an integer: the country calling code, then the digits.
public typealias CXCallDirectoryPhoneNumber = Int64

/// The maximum phone number.
public let CXCallDirectoryPhoneNumberMax: CXCallDirectoryPhoneNumber = .max - 1

/// The base class of an extension's handler.
open class CXCallDirectoryProvider: NSObject, NSExtensionRequestHandling {
  /// Creates a handler.
  public override init() { super.init() }

  /// Begins a request. Handlers override it.
  open func beginRequest(with context: CXCallDirectoryExtensionContext) {}

  /// Begins a request through the general extension protocol.
  public func beginRequest(with context: NSExtensionContext) {
    guard let context = context as? CXCallDirectoryExtensionContext else { return }
    beginRequest(with: context)
  }
}

/// A delegate that is notified when a request fails.
public protocol CXCallDirectoryExtensionContextDelegate: NSObjectProtocol {
  /// Called when the request fails, on a thread of the phone, not the one that adds entries. When it returns, or after
  /// some time, the extension is ended.
  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error)
}

/// A Call Directory request. Entries are added one by one, in ascending order of their numbers for each kind.
open class CXCallDirectoryExtensionContext: NSExtensionContext {
  /// The delegate that is notified when the request fails.
  open weak var delegate: (any CXCallDirectoryExtensionContextDelegate)?

  private let request: any CallDirectoryRequest

  package init(_ request: any CallDirectoryRequest) {
    self.request = request
    super.init()
    // The delegate is called on another thread while this one may continue, as with Apple's class.
    let handed = WeakSendableBox(self)
    request.onFailure { error in
      guard let context = handed.value else { return }
      context.delegate?.requestFailed(for: context, withError: error)
    }
  }

  /// Whether the request must contain only changes to the loaded entries. Read it before adding entries.
  open var isIncremental: Bool { request.isIncremental }

  /// Adds a number to block.
  open func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
    request.addBlocking(phoneNumber)
  }

  /// Removes a blocked number. Only for incremental requests.
  open func removeBlockingEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
    request.removeBlocking(phoneNumber)
  }

  /// Removes all blocked numbers. Only for incremental requests.
  open func removeAllBlockingEntries() { request.removeAllBlocking() }

  /// Adds a number and the label that its calls show.
  open func addIdentificationEntry(
    withNextSequentialPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber, label: String
  ) {
    request.addIdentification(phoneNumber, label: label)
  }

  /// Removes all labels of a number. Only for incremental requests.
  open func removeIdentificationEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
    request.removeIdentification(phoneNumber)
  }

  /// Removes all labels. Only for incremental requests.
  open func removeAllIdentificationEntries() { request.removeAllIdentification() }

  /// Completes the request. `completion` receives true if it expired and nothing was loaded.
  open func completeRequest(completionHandler completion: (@Sendable (Bool) -> Void)? = nil) {
    let hasExpired = request.complete()
    guard let completion else { return }
    CompletionHandlers.run { completion(hasExpired) }
  }

  /// Completes the request. Returns true if it expired and nothing was loaded.
  open func completeRequest() async -> Bool { request.complete() }

  /// Cancels the request with an error, which the app receives. Nothing is loaded.
  open override func cancelRequest(withError error: any Error) { request.cancel(error) }
}

/// Loads extensions and reports whether they are enabled.
open class CXCallDirectoryManager: NSObject {
  /// Whether the owner has enabled an extension.
  public enum EnabledStatus: Int, Sendable {
    /// The status is unknown.
    case unknown = 0
    /// The extension is disabled.
    case disabled = 1
    /// The extension is enabled.
    case enabled = 2
  }

  /// The only manager; it has no state.
  private static let only = SendableBox(CXCallDirectoryManager())

  /// The shared manager.
  open class var sharedInstance: CXCallDirectoryManager { only.value }

  /// Loads an extension. `completion` receives nil or the error, on a thread of the phone.
  open func reloadExtension(
    withIdentifier identifier: String, completionHandler completion: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    guard let phone = InstalledPhone.directory else {
      guard let completion else { return }
      DispatchQueue.global().async { completion(CXErrorCodeCallDirectoryManagerError(.unknown)) }
      return
    }
    phone.reload(identifier) { completion?($0) }
  }

  /// Loads an extension.
  open func reloadExtension(withIdentifier identifier: String) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      reloadExtension(withIdentifier: identifier) { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }

  /// Reports whether an extension is enabled.
  open func getEnabledStatusForExtension(
    withIdentifier identifier: String,
    completionHandler completion:
      @escaping @Sendable (CXCallDirectoryManager.EnabledStatus, (any Error)?) -> Void
  ) {
    guard let phone = InstalledPhone.directory else {
      DispatchQueue.global().async { completion(.unknown, CXErrorCodeCallDirectoryManagerError(.unknown)) }
      return
    }
    phone.enabledStatus(identifier, completion: completion)
  }

  /// Reports whether an extension is enabled.
  open func enabledStatusForExtension(
    withIdentifier identifier: String
  ) async throws -> CXCallDirectoryManager.EnabledStatus {
    try await withCheckedThrowingContinuation { continuation in
      getEnabledStatusForExtension(withIdentifier: identifier) { status, error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: status) }
      }
    }
  }

  /// Opens the page of Settings on which extensions are enabled.
  open func openSettings(completionHandler completion: (@Sendable ((any Error)?) -> Void)? = nil) {
    guard let phone = InstalledPhone.directory else {
      guard let completion else { return }
      DispatchQueue.global().async { completion(CXErrorCodeCallDirectoryManagerError(.unknown)) }
      return
    }
    phone.openSettings { completion?($0) }
  }

  /// Opens the page of Settings on which extensions are enabled.
  open func openSettings() async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      openSettings { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }
}

/// The older name of the enabled states.
public typealias CXCallDirectoryEnabledStatus = CXCallDirectoryManager.EnabledStatus
