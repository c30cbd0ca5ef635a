// Makes the simulated phone's request usable by CallDirectory, without Apple's classes and Foundation. An extension
// loads its files on a thread, or in its own process, whose arguments are the files: iOS does not pass anything to an
// extension's process either; it finds its files itself.

public import CallDirectory
public import SimulatedPhone

extension ExtensionRequest: EndingRequest {
  /// Adds a number to block.
  public func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: Int64) { addBlocking(phoneNumber) }

  /// Removes a number to block.
  public func removeBlockingEntry(withPhoneNumber phoneNumber: Int64) { remove(.blocking, phoneNumber) }

  /// Adds a number and its label.
  public func addIdentificationEntry(withNextSequentialPhoneNumber phoneNumber: Int64, label: String) {
    addIdentification(phoneNumber, label: label)
  }

  /// Removes a number's labels.
  public func removeIdentificationEntry(withPhoneNumber phoneNumber: Int64) {
    remove(.identification, phoneNumber)
  }

  /// Completes the request.
  public func end(whenEnded ended: @escaping @Sendable (_ expired: Bool) -> Void) { ended(complete()) }

  /// Cancels the request. The error's code is the index of its case, as with Apple's bridging.
  public func end(failing cause: CallDirectoryError) { cancel(LoadingExtension.cancellation(cause)) }
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

#if os(Linux)
  extension LoadingExtension {
    /// Returns the program of an extension in its own process.
    ///
    /// - Parameter program: a program whose main function starts with ``runIfRequested()``.
    /// - Parameter privateBytesMax: the maximum private memory of the process in bytes; nil for no limit.
    public static func child(
      _ files: ExtensionFiles, program: String, privateBytesMax: Int?
    ) -> ExtensionProgram {
      let arguments =
        [files.store, files.record, "\(files.additionsMax)", files.ownList ?? ""] + files.deltas
      return .child(ChildProgram(path: program, arguments: arguments, privateBytesMax: privateBytesMax))
    }

    /// If this process was started as an extension, loads its files and returns true; the process should end then.
    public static func runIfRequested() -> Bool {
      guard let child = ChildExtension.current() else { return false }
      let arguments = CommandLine.arguments.dropFirst()
      guard arguments.count >= 4, let additionsMax = Int(arguments[arguments.startIndex + 2]) else {
        return true
      }
      let (store, record) = (arguments[arguments.startIndex], arguments[arguments.startIndex + 1])
      let ownList = arguments[arguments.startIndex + 3]
      var files =
        store == ownList
        ? ExtensionFiles(blocking: ownList, record: record)
        : ExtensionFiles(store: store, deltas: Array(arguments.dropFirst(4)), record: record)
      files.additionsMax = additionsMax
      if !ownList.isEmpty { files.ownList = ownList }
      let request = child.request
      request.onFailure { [files] _ in files.requestFailed() }
      request.load(files)
      // Stay until the phone has reported the result of the request.
      request.life.wait()
      return true
    }
  }
#endif
