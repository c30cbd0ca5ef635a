// A Call Directory request as an extension sees it.

public import AppExtensions
public import Foundation

/// Is called when a request fails.
public protocol CXCallDirectoryExtensionContextDelegate: NSObjectProtocol {
  /// The request failed. Called on a thread of the phone's, not on the one that adds entries; when it returns, or after
  /// a while, the extension is ended.
  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error)
}

/// A Call Directory request. Entries are added one by one, in ascending order of their numbers for each kind.
open class CXCallDirectoryExtensionContext: NSExtensionContext {
  /// Is called when the request fails.
  open weak var delegate: (any CXCallDirectoryExtensionContextDelegate)?

  private let request: any CallDirectoryRequest

  package init(_ request: any CallDirectoryRequest) {
    self.request = request
    super.init()
    // The delegate is called on another thread while this one may go on; Apple's class does the same.
    let handed = WeakSendableBox(self)
    request.onFailure { error in
      guard let context = handed.value else { return }
      context.delegate?.requestFailed(for: context, withError: error)
    }
  }

  /// Whether the request changes what was loaded before; then it is to have only changes. Read it before anything is
  /// added.
  open var isIncremental: Bool { request.isIncremental }

  /// Adds a number to block.
  open func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
    request.addBlocking(phoneNumber)
  }

  /// Removes a blocked number; only if the request is incremental.
  open func removeBlockingEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
    request.removeBlocking(phoneNumber)
  }

  /// Removes all blocked numbers; only if the request is incremental.
  open func removeAllBlockingEntries() {
    request.removeAllBlocking()
  }

  /// Adds a number and the label that a call from it shows.
  open func addIdentificationEntry(
    withNextSequentialPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber, label: String
  ) {
    request.addIdentification(phoneNumber, label: label)
  }

  /// Removes all labels of a number; only if the request is incremental.
  open func removeIdentificationEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
    request.removeIdentification(phoneNumber)
  }

  /// Removes all labels; only if the request is incremental.
  open func removeAllIdentificationEntries() {
    request.removeAllIdentification()
  }

  /// Ends the request. `completion` gets true when it expired, and nothing was taken over.
  open func completeRequest(completionHandler completion: (@Sendable (Bool) -> Void)? = nil) {
    let hasExpired = request.complete()
    guard let completion else { return }
    CompletionHandlers.run { completion(hasExpired) }
  }

  /// Ends the request. True when it expired, and nothing was taken over.
  open func completeRequest() async -> Bool {
    request.complete()
  }

  /// Ends the request with an error, which the app gets; nothing is taken over.
  open override func cancelRequest(withError error: any Error) {
    request.cancel(error)
  }
}
