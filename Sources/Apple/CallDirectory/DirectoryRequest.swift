// The request that entries are fed to, as a protocol: Apple's class, or a simulated phone's, with the same five names.

/// The methods of a Call Directory request, spelled as `CXCallDirectoryExtensionContext` spells them, so that this class
/// conforms unchanged; the target CallDirectoryKit declares the conformance.
///
/// It is not ended through this protocol; see ``EndingRequest``.
public protocol DirectoryRequest: AnyObject {
  /// Whether only changes are wanted. Once it was read and said yes, additions come on top of what is there.
  var isIncremental: Bool { get }
  /// Adds a number to block. Numbers ascend.
  func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: Int64)
  /// Removes a number to block; only if the request is incremental.
  func removeBlockingEntry(withPhoneNumber phoneNumber: Int64)
  /// Adds a number and the label that a call from it shows. Numbers ascend.
  func addIdentificationEntry(withNextSequentialPhoneNumber phoneNumber: Int64, label: String)
  /// Removes a number's labels; only if the request is incremental.
  func removeIdentificationEntry(withPhoneNumber phoneNumber: Int64)
}

/// A request that can be ended as well. Apple's methods are spelled otherwise from one SDK to the next, so that these have
/// names of their own.
public protocol EndingRequest: DirectoryRequest {
  /// Ends the request. `ended` is called when iOS has reported the end: true when it failed or expired, and nothing was loaded.
  func end(whenEnded ended: @escaping @Sendable (_ expired: Bool) -> Void)
  /// Ends the request with an error, which the app gets. iOS removes everything.
  func end(failing cause: CallDirectoryError)
}

extension EndingRequest {
  /// Feeds the request with the next step of its files, ends it, and writes down how it ended: all that an extension has to
  /// do.
  ///
  ///     override func beginRequest(with context: CXCallDirectoryExtensionContext) {
  ///       context.delegate = self
  ///       context.load(ExtensionFiles(folder: folder))
  ///     }
  ///
  /// When files can't be read and nothing was changed yet, what is loaded stays, if iOS lets it: the app finds the same
  /// error in ``ExtensionFiles/progress()``. Otherwise the request is ended with the error.
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
