// The Call Directory: the extension's handler and request, and the app's interface to its extensions.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import AppExtensions
import Dispatch
public import Foundation

public typealias CXCallDirectoryPhoneNumber = Int64

public let CXCallDirectoryPhoneNumberMax: CXCallDirectoryPhoneNumber = .max - 1

open class CXCallDirectoryProvider: NSObject, NSExtensionRequestHandling {
  public override init() { super.init() }

  open func beginRequest(with context: CXCallDirectoryExtensionContext) {}

  public func beginRequest(with context: NSExtensionContext) {
    guard let context = context as? CXCallDirectoryExtensionContext else { return }
    beginRequest(with: context)
  }
}

public protocol CXCallDirectoryExtensionContextDelegate: NSObjectProtocol {
  /// Called when the request fails, on a thread of the phone, not the one that adds entries. When it returns, or after
  /// some time, the extension is ended.
  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error)
}

/// A Call Directory request. Entries are added one by one, in ascending order of their numbers for each kind.
open class CXCallDirectoryExtensionContext: NSExtensionContext {
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

  open func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
    request.addBlocking(phoneNumber)
  }

  /// Removes a blocked number. Only for incremental requests.
  open func removeBlockingEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
    request.removeBlocking(phoneNumber)
  }

  /// Removes all blocked numbers. Only for incremental requests.
  open func removeAllBlockingEntries() { request.removeAllBlocking() }

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

  open func completeRequest() async -> Bool { request.complete() }

  open override func cancelRequest(withError error: any Error) { request.cancel(error) }
}

open class CXCallDirectoryManager: NSObject {
  public enum EnabledStatus: Int, Sendable {
    case unknown = 0
    case disabled = 1
    case enabled = 2
  }

  /// The only manager; it has no state.
  private static let only = SendableBox(CXCallDirectoryManager())

  /// Without a phone, everything fails.
  private static func fail(_ completion: (@Sendable ((any Error)?) -> Void)?) {
    DispatchQueue.global().async { completion?(CXErrorCodeCallDirectoryManagerError(.unknown)) }
  }

  open class var sharedInstance: CXCallDirectoryManager { only.value }

  /// Loads an extension. `completion` receives nil or the error, on a thread of the phone.
  open func reloadExtension(
    withIdentifier identifier: String, completionHandler completion: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    guard let phone = InstalledPhone.directory else { return Self.fail(completion) }
    phone.reload(identifier) { completion?($0) }
  }

  open func reloadExtension(withIdentifier identifier: String) async throws {
    try await completion { reloadExtension(withIdentifier: identifier, completionHandler: $0) }
  }

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

  open func enabledStatusForExtension(
    withIdentifier identifier: String
  ) async throws -> CXCallDirectoryManager.EnabledStatus {
    try await withCheckedThrowingContinuation { continuation in
      getEnabledStatusForExtension(withIdentifier: identifier) { status, error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: status) }
      }
    }
  }

  open func openSettings(completionHandler completion: (@Sendable ((any Error)?) -> Void)? = nil) {
    guard let phone = InstalledPhone.directory else { return Self.fail(completion) }
    phone.openSettings { completion?($0) }
  }

  open func openSettings() async throws {
    try await completion { openSettings(completionHandler: $0) }
  }
}

public typealias CXCallDirectoryEnabledStatus = CXCallDirectoryManager.EnabledStatus
