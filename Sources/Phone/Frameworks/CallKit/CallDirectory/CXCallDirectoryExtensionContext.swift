// The extension's side of a Call Directory request.

public import AppExtensions
public import Foundation

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
  open func removeAllBlockingEntries() {
    request.removeAllBlocking()
  }

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
  open func removeAllIdentificationEntries() {
    request.removeAllIdentification()
  }

  /// Completes the request. `completion` receives true if it expired and nothing was loaded.
  open func completeRequest(completionHandler completion: (@Sendable (Bool) -> Void)? = nil) {
    let hasExpired = request.complete()
    guard let completion else { return }
    CompletionHandlers.run { completion(hasExpired) }
  }

  /// Completes the request. Returns true if it expired and nothing was loaded.
  open func completeRequest() async -> Bool {
    request.complete()
  }

  /// Cancels the request with an error, which the app receives. Nothing is loaded.
  open override func cancelRequest(withError error: any Error) {
    request.cancel(error)
  }
}
