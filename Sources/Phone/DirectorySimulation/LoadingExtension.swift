// Makes the simulated phone's request usable by CallDirectory, without Apple's classes and Foundation.

public import CallDirectory
public import SimulatedPhone

extension ExtensionRequest: EndingRequest {
  /// Adds a number to block.
  public func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: Int64) {
    addBlocking(phoneNumber)
  }

  /// Removes a number to block.
  public func removeBlockingEntry(withPhoneNumber phoneNumber: Int64) {
    remove(.blocking, phoneNumber)
  }

  /// Adds a number and its label.
  public func addIdentificationEntry(withNextSequentialPhoneNumber phoneNumber: Int64, label: String) {
    addIdentification(phoneNumber, label: label)
  }

  /// Removes a number's labels.
  public func removeIdentificationEntry(withPhoneNumber phoneNumber: Int64) {
    remove(.identification, phoneNumber)
  }

  /// Completes the request.
  public func end(whenEnded ended: @escaping @Sendable (_ expired: Bool) -> Void) {
    ended(complete())
  }

  /// Cancels the request. The error's code is the index of its case, as with Apple's bridging.
  public func end(failing cause: CallDirectoryError) {
    cancel(LoadingExtension.cancellation(cause))
  }
}

/// An extension that loads its files like an app's extension.
public enum LoadingExtension {
  /// The domain of the errors with which it cancels requests.
  public static let errorDomain = "CallDirectory.CallDirectoryError"

  /// Returns the program of an extension on a thread of this process.
  ///
  /// - Parameter report: receives the outcome of each request, before the phone has reported its result.
  public static func inProcess(
    _ files: ExtensionFiles,
    report: @escaping @Sendable (Result<FedStep, FeedError>) -> Void = { _ in }
  ) -> ExtensionProgram {
    .inProcess { request in
      request.onFailure { _ in files.requestFailed() }
      report(request.load(files))
    }
  }

  static func cancellation(_ cause: CallDirectoryError) -> Cancellation {
    let code =
      switch cause {
      case .store: 0
      case .delta: 1
      case .tooManyDeltas: 2
      case .replaced: 3
      case .record: 4
      case .overlap: 5
      }
    return Cancellation(domain: errorDomain, code: code, text: "\(cause)")
  }
}
