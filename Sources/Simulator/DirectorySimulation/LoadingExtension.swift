// A simulated phone's request is one that CallDirectory feeds, without Apple's classes and their Foundation.

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

  /// Cancels the request, with the error's number as Apple's bridging has it: by its case.
  public func end(failing cause: CallDirectoryError) {
    cancel(LoadingExtension.cancellation(cause))
  }
}

/// An extension that loads its files, as one of an app does.
public enum LoadingExtension {
  /// The domain of the errors that it ends its requests with.
  public static let errorDomain = "CallDirectory.CallDirectoryError"

  /// The extension, on a thread of this process.
  ///
  /// - Parameter report: gets what came of each request, before the phone has said how it ended.
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
