// The connection from an extension's request to the phone: direct calls, or a socket from another process.

/// The calls of an extension's request to the phone. They come from one thread at a time; each returns when the phone
/// has processed it.
package protocol LoadChannel: AnyObject {
  /// Whether the request is incremental. Calling it confirms that.
  func askIncremental() -> Bool
  /// Sends changes. After the load has failed, it does nothing and does not notify the extension.
  func send(_ batch: ChangeBatch)
  /// Removes all entries of a kind.
  func removeAll(_ kind: EntryKind)
  /// Completes the request. `dropped` is the number of entries that were dropped because of their labels. Returns
  /// whether the request had already failed or expired.
  func complete(dropped: Int) -> Bool
  /// Cancels the request with the extension's own error.
  func cancel(_ reason: Cancellation)
  /// Reports a call that raises an uncaught exception on iOS. Does not return.
  func crash(_ misuse: LoadRequestError) -> Never
  /// The handlers of an error and of the end of the request.
  var life: RequestLife { get }
}

/// An extension's own error for cancelling a request.
public struct Cancellation: Sendable, Equatable {
  /// The error's domain.
  public var domain: String
  /// The error's code.
  public var code: Int
  /// The error's text.
  public var text: String

  /// Creates a reason.
  public init(domain: String, code: Int, text: String = "") {
    self.domain = domain
    self.code = code
    self.text = text
  }
}

/// A call that raises an exception on iOS.
public enum LoadRequestError: UInt8, Sendable {
  /// A removal in a request that is not incremental, or without reading `isIncremental` first.
  case removalOutsideIncremental = 1
}
