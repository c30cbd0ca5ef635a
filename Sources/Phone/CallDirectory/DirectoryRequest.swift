// A protocol for the request that receives entries: Apple's class or the simulated phone's, which have the same five
// members.

/// The members of a Call Directory request, with the names of `CXCallDirectoryExtensionContext`, so that Apple's class
/// conforms unchanged. The target CallDirectoryKit declares the conformance.
///
/// To end a request, see ``EndingRequest``.
public protocol DirectoryRequest: AnyObject {
  /// Whether the request is for changes only. Once this was read and was true, additions are added to the existing
  /// entries.
  var isIncremental: Bool { get }
  /// Adds a number to block. Numbers must ascend.
  func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: Int64)
  /// Removes a number to block. Only for incremental requests.
  func removeBlockingEntry(withPhoneNumber phoneNumber: Int64)
  /// Adds a number and the label that its calls show. Numbers must ascend.
  func addIdentificationEntry(withNextSequentialPhoneNumber phoneNumber: Int64, label: String)
  /// Removes a number's labels. Only for incremental requests.
  func removeIdentificationEntry(withPhoneNumber phoneNumber: Int64)
}

/// A request that can be ended. Apple's methods are spelled differently from one SDK to the next, so these have their
/// own names.
public protocol EndingRequest: DirectoryRequest {
  /// Completes the request. `ended` is called when iOS has reported the result; `expired` is true if the request failed
  /// or expired and nothing was loaded.
  func end(whenEnded ended: @escaping @Sendable (_ expired: Bool) -> Void)
  /// Cancels the request with an error, which the app receives. iOS removes all entries.
  func end(failing cause: CallDirectoryError)
}

extension EndingRequest {
  /// Loads the next step of the files into the request, ends the request, and records the result. This is all that an
  /// extension has to do.
  ///
  ///     context.load(ExtensionFiles(folder: folder))  // in beginRequest(with:), after `context.delegate = self`
  ///
  /// If the files can't be read before anything was changed, the loaded entries stay, if iOS allows it; the app gets
  /// the same error from ``ExtensionFiles/progress()``. Otherwise the request is cancelled with the error.
  @discardableResult
  public func load(_ files: ExtensionFiles) -> Result<FedStep, FeedError> {
    do throws(FeedError) {
      let fed = try files.feed(self)
      end { fed.ended(expired: $0) }
      return .success(fed)
    } catch {
      if !error.hasChanged, files.mayKeep(self) {
        end { _ in }
      } else {
        files.requestFailed()
        end(failing: error.cause)
      }
      return .failure(error)
    }
  }
}
