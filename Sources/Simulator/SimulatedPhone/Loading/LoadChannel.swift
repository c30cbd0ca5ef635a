// The way from an extension's request to the phone that loads it: a call, or a socket from another process.

/// The calls of an extension's request to the phone. All calls come from one thread at a time, and each returns when the
/// phone has done it.
package protocol LoadChannel: AnyObject {
  /// Whether the request may be incremental. Asking confirms it.
  func askIncremental() -> Bool
  /// Sends changes. When the load has failed, it does nothing and does not notify the extension.
  func send(_ batch: ChangeBatch)
  /// Removes all entries of a kind.
  func removeAll(_ kind: EntryKind)
  /// Ends the request. `dropped` is how many entries were dropped for their labels. Returns whether the request had
  /// failed or expired before.
  func complete(dropped: Int) -> Bool
  /// Ends the request for a reason of the extension's own.
  func cancel(_ reason: Cancellation)
  /// The extension did what iOS answers with an exception that nobody catches. The thread does not come back.
  func crash(_ misuse: LoadRequestError) -> Never
  /// The handlers of a failure and of the end.
  var life: RequestLife { get }
}

/// An extension's own reason for ending a request.
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
  /// A removal, though the request is not incremental, or nobody asked whether it is.
  case removalOutsideIncremental = 1
}
